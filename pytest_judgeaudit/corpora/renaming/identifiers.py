"""The identifiers that a tree defines, and the words in it that belong to languages and libraries."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pygments.token import Keyword, Name

from pytest_judgeaudit.corpora.renaming.languages import (
    COBOL,
    GO,
    JAVA,
    JAVASCRIPT,
    PYTHON,
    TYPESCRIPT,
    Language,
    Token,
    parts,
    run_at,
)
from pytest_judgeaudit.corpora.renaming.words import RUN, lowered

_MEMBER = frozenset({".", "?.", "::"})
_ASSIGNS = frozenset({"=", ":="})


@dataclass(slots=True)
class Found:
    """
    What a source holds, in lower case.

    ``declared`` are names that may be the tree's own; ``members`` those seen behind a dot only; ``foreign``
    names of libraries; ``reserved`` words of the language.
    """

    declared: set[str] = field(default_factory=set)
    members: set[str] = field(default_factory=set)
    foreign: set[str] = field(default_factory=set)
    reserved: set[str] = field(default_factory=set)

    def add(self, other: Found) -> None:
        """Take in what another source holds."""
        self.declared |= other.declared
        self.members |= other.members
        self.foreign |= other.foreign
        self.reserved |= other.reserved


def identifiers(source: str, language: Language, *, local: frozenset[str] = frozenset()) -> Found:
    """
    Sort the words of a source.

    ``local`` are the names of the tree's own modules, packages and folders, in lower case: an import of
    anything else is one from a library.
    """
    tokens = [token for token in language.tokens(source) if token.text]
    found = Found()
    for token in tokens:
        if token.is_word:
            for run in RUN.findall(token.text):
                found.reserved.update((lowered(run), *parts(run)))
    if language is COBOL:
        found.declared.update(_cobol(source, tokens))
        return found
    if not language.scoped:
        found.declared.update(
            lowered(run) for token in tokens if token.is_name for run in RUN.findall(token.text)
        )
        return found
    imports = _IMPORTS.get(language)
    skipped: set[int] = set()
    if imports is not None:
        for number, name in imports(tokens, local):
            skipped.add(number)
            found.foreign.add(name)
    _scoped(tokens, skipped, found)
    return found


def _cobol(source: str, tokens: Sequence[Token]) -> Iterator[str]:
    """Yield names whole: the lexer takes "2000" and a reserved word out of "2000-READ"."""
    for token in tokens:
        first = RUN.match(token.text)
        if first and (token.is_name or token.is_word):
            whole = run_at(source, token.start)
            if token.kind is Name.Variable or whole != first[0]:
                yield lowered(whole)


def _scoped(tokens: Sequence[Token], skipped: set[int], found: Found) -> None:
    """Tell names that are declared from members of something: what is assigned is declared."""
    solid = [(number, token) for number, token in enumerate(tokens) if not token.is_blank]
    for at, (number, token) in enumerate(solid):
        if not token.is_name or number in skipped:
            continue
        before = solid[at - 1][1].text if at else ""
        behind = solid[at + 1][1].text if at + 1 < len(solid) else ""
        names = [lowered(name) for name in re.findall(r"\w+", token.text)]
        member = before in _MEMBER and behind not in _ASSIGNS and token.kind is not Name.Namespace
        (found.members if member else found.declared).update(names)


Import = tuple[int, str]
"""The number of a token that names something of a library, and that name."""


def _python(tokens: Sequence[Token], local: frozenset[str]) -> Iterator[Import]:
    for statement in _statements(tokens, lambda token: token.kind in Keyword.Namespace):
        if statement[0][1].text == "from":
            # "from a import b": a decides; "from .a import b" is the tree's own.
            own = len(statement) > 1 and statement[1][1].text.startswith(".")
            if not own and not _first_is_local(statement, local):
                yield from _unbound(statement)
            continue
        for clause in _clauses(statement):
            if not _first_is_local(clause, local):
                yield from _unbound(clause)


def _first_is_local(statement: Sequence[tuple[int, Token]], local: frozenset[str]) -> bool:
    names = (re.findall(r"\w+", token.text) for _, token in statement if token.is_name)
    first = next((name for found in names for name in found), "")
    return lowered(first) in local


def _unbound(statement: Sequence[tuple[int, Token]]) -> Iterator[Import]:
    """Yield the names of a statement but those that it chooses itself, behind "as"."""
    before = ""
    for number, token in statement:
        if token.is_name and before != "as":
            yield from ((number, lowered(name)) for name in re.findall(r"\w+", token.text))
        before = token.text


def _clauses(statement: Sequence[tuple[int, Token]]) -> Iterator[list[tuple[int, Token]]]:
    clause: list[tuple[int, Token]] = []
    for number, token in statement:
        if token.text == ",":
            yield clause
            clause = []
        else:
            clause.append((number, token))
    yield clause


def _statements(
    tokens: Sequence[Token], begins: Callable[[Token], bool]
) -> Iterator[list[tuple[int, Token]]]:
    """Yield the tokens of each statement of importing: to the end of its line, or of its brackets."""
    number = 0
    while number < len(tokens):
        if not begins(tokens[number]):
            number += 1
            continue
        statement, depth = [], 0
        while number < len(tokens):
            token = tokens[number]
            if not token.is_string:
                depth += sum(map(token.text.count, "({")) - sum(map(token.text.count, ")}"))
            if depth <= 0 and (token.text == ";" or (token.is_blank and "\n" in token.text)):
                break
            if not token.is_blank:
                statement.append((number, token))
            number += 1
        yield statement


def _java(tokens: Sequence[Token], local: frozenset[str]) -> Iterator[Import]:
    own: set[tuple[str, ...]] = set()
    before = ""
    for number, token in enumerate(tokens):
        if token.kind is Name.Namespace:
            segments = tuple(lowered(name) for name in re.findall(r"\w+", token.text))
            if before == "package":
                own.add(segments[:2])
            elif segments[:2] not in own and not set(segments) & local:
                yield from ((number, name) for name in segments)
        before = before if token.is_blank else token.text.strip()


def _javascript(tokens: Sequence[Token], local: frozenset[str]) -> Iterator[Import]:
    for statement in _statements(tokens, lambda token: token.text == "import"):
        module = "".join(token.text for _, token in statement if token.is_string)
        if not _is_own(module, local):
            yield from _unbound(statement)
            yield from _modules(statement)
    for at in range(2, len(tokens)):
        called = tokens[at - 2].text == "require" and tokens[at - 1].text == "("
        if called and not _is_own(tokens[at].text, local):
            yield from _modules([(at, tokens[at])])


def _go(tokens: Sequence[Token], local: frozenset[str]) -> Iterator[Import]:
    for statement in _statements(tokens, lambda token: token.text == "import"):
        for number, token in statement:
            if token.is_string and not _is_own(token.text, local):
                yield from _modules([(number, token)])


def _is_own(literal: str, local: frozenset[str]) -> bool:
    module = literal.strip("'\"`")
    last = module.rstrip("/").rpartition("/")[2]
    return module.startswith((".", "/")) or ("/" in module and lowered(last) in local)


def _modules(statement: Sequence[tuple[int, Token]]) -> Iterator[Import]:
    for number, token in statement:
        if token.is_string:
            yield from ((number, lowered(name)) for name in re.findall(r"\w+", token.text))


_IMPORTS: Mapping[Language, Callable[[Sequence[Token], frozenset[str]], Iterator[Import]]] = {
    PYTHON: _python,
    JAVA: _java,
    JAVASCRIPT: _javascript,
    TYPESCRIPT: _javascript,
    GO: _go,
}
"""How each language imports: the names that come from libraries."""
