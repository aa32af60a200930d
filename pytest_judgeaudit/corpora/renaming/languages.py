"""The languages whose identifiers are found: their files, their lexers, and the words that are theirs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any, NamedTuple

from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Keyword, Name, Operator, String, Text, Whitespace

from pytest_judgeaudit.corpora.renaming.words import RUN, SHORTEST, lowered

_OURS = (
    Name.Builtin,
    Name.Builtin.Pseudo,
    Name.Constant,
    Name.Exception,
    Name.Function.Magic,
    Name.Variable.Magic,
)
_FIXED_FORM = re.compile(r"[0-9 ]{6}[ */$Dd-]")
_JCL = re.compile(r"//[^*\n][^\n]*")


class Token(NamedTuple):
    """A token of a source: its kind (of Pygments), its text, and where it begins in the source."""

    kind: Any
    text: str
    start: int

    @property
    def is_name(self) -> bool:
        """Whether a name stands here that the language does not define itself."""
        return self.kind in Name and self.kind not in _OURS

    @property
    def is_word(self) -> bool:
        """Whether a word of the language stands here."""
        return self.kind in Keyword or self.kind in Operator.Word or self.kind in _OURS

    @property
    def is_blank(self) -> bool:
        """Whether neither name nor sign stands here."""
        return self.kind in Comment or self.kind in Whitespace or self.kind in Text

    @property
    def is_string(self) -> bool:
        """Whether this is a literal, or a part of one."""
        return self.kind in String


@dataclass(frozen=True, slots=True)
class Language:
    """
    A language: ``lexer`` as Pygments calls it; ``words`` the name of its list in ``vocabulary/``.

    ``scoped`` says that names behind a dot that nothing in the tree declares belong to a library.
    """

    lexer: str
    words: str
    scoped: bool = True

    def tokens(self, source: str) -> Iterator[Token]:
        """Yield the tokens of a source."""
        for start, kind, text in _lexer(self.lexer).get_tokens_unprocessed(_prepared(self.lexer, source)):
            yield Token(kind, text, start)

    def reserves(self, word: str) -> bool:
        """Whether the language takes a word, alone, for its own."""
        return any(token.is_word for token in self.tokens(f"{word}\n"))

    @property
    def vocabulary(self) -> frozenset[str]:
        """Its words and those of its standard library, in lower case."""
        return _vocabulary(self.words)


PYTHON = Language("python", "python")
JAVASCRIPT = Language("javascript", "javascript")
TYPESCRIPT = Language("typescript", "javascript")
JAVA = Language("java", "java")
GO = Language("go", "go")
COBOL = Language("cobolfree", "cobol", scoped=False)
JCL = Language("jcl", "jcl", scoped=False)
SQL = Language("sql", "sql", scoped=False)

SUFFIXES: Mapping[str, Language] = {
    **dict.fromkeys((".py", ".pyi"), PYTHON),
    **dict.fromkeys((".js", ".jsx", ".mjs", ".cjs"), JAVASCRIPT),
    **dict.fromkeys((".ts", ".tsx", ".mts", ".cts"), TYPESCRIPT),
    ".java": JAVA,
    ".go": GO,
    **dict.fromkeys((".cbl", ".cob", ".cobol", ".cpy"), COBOL),
    ".jcl": JCL,
    ".sql": SQL,
}
"""Languages by the suffix of a file, in lower case."""


@lru_cache(maxsize=16)
def _lexer(name: str) -> Any:
    return get_lexer_by_name(name, stripnl=False, ensurenl=False)


@lru_cache(maxsize=16)
def _vocabulary(name: str) -> frozenset[str]:
    text = resources.files(__package__).joinpath("vocabulary", f"{name}.txt").read_text(encoding="ascii")
    words = " ".join(line for line in text.splitlines() if not line.startswith("#")).split()
    return frozenset(words) | frozenset(part for word in words for part in parts(word))


def parts(word: str) -> Iterator[str]:
    """Yield the parts of a word with hyphens that are long enough to be names elsewhere."""
    return (part for part in lowered(word).split("-") if len(part) >= SHORTEST)


def _prepared(lexer: str, source: str) -> str:
    """Return a source in which only code is left, each character where it was."""
    if lexer == "cobolfree":
        return _free(source)
    if lexer == "jcl":
        # Data in the stream is none of the language's, and a line must not run into the next.
        return "".join(
            line if _JCL.match(line) else re.sub(r"[^\n]", " ", line)
            for line in source.splitlines(keepends=True)
        )
    return source


def _free(source: str) -> str:
    r"""
    Return COBOL without the columns that are no code, if it is in fixed form.

    >>> _free("000100* note\n000200 01  A PIC X.\n")
    '            \n       01  A PIC X.\n'
    """
    lines = source.split("\n")
    coded = [line for line in lines if line.strip()]
    if not coded or not all(_FIXED_FORM.match(line) or not line[:7].strip() for line in coded):
        return source
    return "\n".join(map(_code, lines))


def _code(line: str) -> str:
    if line[6:7] in {"*", "/"}:
        return " " * len(line)
    return " " * min(7, len(line)) + line[7:72] + " " * max(0, len(line) - 72)


def run_at(source: str, start: int) -> str:
    """Return the word with its hyphens that a position of a source lies in."""
    left = start
    while left and (source[left - 1] == "-" or source[left - 1].isalnum() or source[left - 1] == "_"):
        left -= 1
    for found in RUN.finditer(source, left):
        if found.end() > start:
            return found[0]
    return ""
