"""The lint of keys: evidence that is not there is a fault; what makes a key doubtful is a finding."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from pytest_judgeaudit.corpora.files import numbered_lines, opened
from pytest_judgeaudit.corpora.found import printable, quoted
from pytest_judgeaudit.grade.matching import asserted
from pytest_judgeaudit.grade.normalise import folded, plain
from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.records.plans import Finding
from pytest_judgeaudit.records.questions import Evidence, Fact, Question

_LITERAL = ("literal", "any-of", "all-of", "path", "symbol")
_BARE = ("see zz/yy.py", "see yy.toml", "see zz/yy.json", "see zz/yy.ts", "see yy.md")
_SEPARATED = re.compile(r"(?<![\\\[(?])\w[ -]\w")
_CLASS = re.compile(r"\[[^\]]*\]")
_DECORATED = re.compile(r"`|\\\*")


def excluded(path: str, patterns: Sequence[str]) -> bool:
    """
    Whether a path of a corpus is one that agents are not shown.

    A pattern is a path or a glob from the corpus' top, and takes what lies in a folder with it.

    >>> excluded("docs/key/a.md", ["docs/key"]), excluded("src/a.py", ["a.py"])
    (True, False)
    """
    parts = PurePosixPath(path).parts
    upwards = ["/".join(parts[:count]) for count in range(1, len(parts) + 1)]
    cleaned = [pattern.removeprefix("./").rstrip("/") for pattern in patterns]
    return any(fnmatch.fnmatchcase(one, pattern) for one in upwards for pattern in cleaned)


def evidence_faults(question: Question, corpus: Path, *, exclude: Sequence[str] = ()) -> Iterator[Refused]:
    """Yield a refusal for each piece of evidence that is not there, or that agents cannot see."""
    for evidence in question.evidence:
        fault = _evidence_fault(evidence, corpus, exclude)
        if fault:
            yield Refused(f"{question.place}: question {quoted(question.id)}: evidence {evidence}: {fault}")


def _evidence_fault(evidence: Evidence, corpus: Path, exclude: Sequence[str]) -> str:
    if excluded(evidence.file, exclude):
        return "the corpus excludes this file, so that no agent can find it"
    path = corpus / evidence.file
    try:
        inside = path.resolve().is_relative_to(corpus.resolve())
    except (OSError, RuntimeError, ValueError):
        inside = False
    if not inside:
        return "leads out of the corpus"
    try:
        return _lines_fault(evidence, path)
    except Refused as error:
        return str(error).partition(": ")[2] or str(error)


def _lines_fault(evidence: Evidence, path: Path) -> str:
    first = 1 if evidence.line is None else evidence.line
    last = max(first, evidence.last or (first if evidence.line else 0))
    held, count = [], 0
    with opened(path, shown=evidence.file) as stream:
        for count, line in numbered_lines(stream, shown=evidence.file):
            if evidence.line is None or first <= count <= last:
                held.append(line.decode("utf-8", "replace"))
    if evidence.line is not None and (first < 1 or last > count):
        return f"is out of range; the file has {count} lines"
    if evidence.contains and folded(evidence.contains) not in folded("\n".join(held)):
        return f"does not contain {quoted(evidence.contains)}"
    return ""


def key_findings(question: Question) -> Iterator[Finding]:
    """Yield what makes a key doubtful: shared tokens, claims that are shapes, patterns that miss."""
    yield from _shared(question)
    for fact in question.forbidden:
        if _is_shape(fact):
            yield Finding(
                code="bare-shape",
                where=_where(question, fact),
                symptom="the forbidden fact matches any file name",
                check="that it holds the claim, not the shape of a path: near ties a name to a claim",
            )
    for fact in (*question.facts, *question.forbidden):
        if fact.match.type in {"regex", "near"}:
            yield from _patterns(question, fact)


def _shared(question: Question) -> Iterator[Finding]:
    homes: dict[str, list[str]] = {}
    for fact in question.facts:
        if fact.match.type in _LITERAL:
            for token in dict.fromkeys(folded(plain(value)).strip() for value in fact.match.values):
                homes.setdefault(token, []).append(fact.id)
    for token, names in homes.items():
        if len(names) > 1:
            yield Finding(
                code="shared-token",
                where=_where(question),
                symptom=f"the facts {', '.join(map(quoted, names))} share the token {quoted(token)}: "
                "one word meets both",
                check="whether the facts are independent; give each words of its own",
            )


def _is_shape(fact: Fact) -> bool:
    return fact.match.type in {"regex", "path"} and any(asserted(text, fact.match) for text in _BARE)


def _patterns(question: Question, fact: Fact) -> Iterator[Finding]:
    if any(_DECORATED.search(value) for value in fact.match.values):
        yield Finding(
            code="decorated-pattern",
            where=_where(question, fact),
            symptom="the pattern asks for back-ticks or stars, which are taken off before it is matched",
            check="what it should match in an answer without decoration",
        )
    bare = (_CLASS.sub("", value) for value in fact.match.values)
    if fact in question.facts and any(map(_SEPARATED.search, bare)):
        yield Finding(
            code="literal-separator",
            where=_where(question, fact),
            symptom="the pattern holds a literal blank or hyphen between words",
            check=r"whether [-\s]+ is meant: patterns see text whose separators are not folded",
        )


def _where(question: Question, fact: Fact | None = None) -> str:
    inner = f", fact {printable(fact.id)}" if fact else ""
    return f"{question.place} question {printable(question.id)}{inner}"
