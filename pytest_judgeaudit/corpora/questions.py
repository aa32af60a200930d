"""
Question files: TOML with ``[[question]]`` tables, or JSON in the third source's schema.

Reading is strict; what is wrong with a file is said at once, each fault with its address, the question and
the fact. Evidence is checked where the corpus is known.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_judgeaudit.corpora.files import opened, whole_text
from pytest_judgeaudit.corpora.found import found, near, printable, quoted
from pytest_judgeaudit.corpora.question_lint import evidence_faults, key_findings
from pytest_judgeaudit.corpora.question_rows import QuestionReader
from pytest_judgeaudit.corpora.refusals import SHOWN, unless_refused
from pytest_judgeaudit.corpora.rows import Row, json_document, toml_document, toml_places
from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.records.plans import Finding
from pytest_judgeaudit.records.questions import FactMatcher, Question

TABLE = "question"
FORMATS = (".toml", ".json")
SET_KEYS = ("set", "version", "questions")
_IN_JSON = re.compile(r'"id"\s*:\s*"')


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedQuestions:
    """
    The questions of a file, as it lists them, retired ones included.

    ``name`` and ``version`` are what a set calls itself, ``digest`` SHA-256 of the file's text.
    ``findings`` are the lint's warnings about keys.
    """

    questions: tuple[Question, ...]
    findings: tuple[Finding, ...] = ()
    name: str = ""
    version: str = ""
    digest: str = ""

    @property
    def asked(self) -> tuple[Question, ...]:
        """The questions that are not retired."""
        return tuple(question for question in self.questions if question.retired is None)


def load_questions(
    path: Path | str,
    *,
    root: Path,
    corpus: Path | None = None,
    exclude: Sequence[str] = (),
    matchers: Mapping[str, FactMatcher] | None = None,
) -> LoadedQuestions:
    """
    Read a question file and lint it.

    ``path`` is relative to ``root``; ``corpus`` the folder whose files are the evidence, ``exclude`` the
    patterns of what agents are not shown of it; ``matchers`` are those of other plug-ins. Refused with one
    line per fault, each with address, question and fact: ten at most, then a count; its doubts are warnings
    about the other questions.
    """
    relative = Path(path)
    inside = relative.is_absolute() and relative.is_relative_to(root)
    shown = printable((relative.relative_to(root) if inside else relative).as_posix(), clip=200)
    with opened(root / path, shown=shown) as stream:
        text = whole_text(stream, shown=shown)
    rows, head = _rows(text, relative.name, shown)
    readers = [QuestionReader(row, place, matchers=matchers) for place, row in rows]
    questions: list[Question] = []
    try:
        questions.extend(unless_refused(_checked(readers, shown, corpus, exclude)))
    except Refused as error:
        raise Refused(str(error), doubts=_warnings(_lint(questions))) from None
    return LoadedQuestions(
        questions=tuple(questions),
        findings=tuple(_lint(questions)),
        name=str(head.get("set", "")),
        version=str(head.get("version", "")),
        digest=hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(),
    )


def _lint(questions: Sequence[Question]) -> list[Finding]:
    return [finding for question in questions for finding in key_findings(question)]


def _warnings(findings: Sequence[Finding]) -> Iterator[str]:
    """Word what is doubtful about the other questions of a refused file: it is mended in one go."""
    for finding in findings[:SHOWN]:
        yield f"{finding.where}: {finding.symptom}. Check {finding.check}"
    if len(findings) > SHOWN:
        yield f"... and {len(findings) - SHOWN} more warnings"


def _checked(
    readers: Sequence[QuestionReader], shown: str, corpus: Path | None, exclude: Sequence[str]
) -> Iterator[Question | Refused]:
    if not readers:
        yield Refused(f"{shown}: has no questions; expected at least one [[{TABLE}]]")
    seen: dict[str, str] = {}
    for reader in readers:
        place, question = reader.place, reader.read()
        yield from reader.faults
        if question is None:
            continue
        if question.id in seen:
            yield Refused(
                f"{place}: question {quoted(question.id)}: the id occurs already at {seen[question.id]}"
            )
        seen.setdefault(question.id, place)
        if corpus is not None and question.retired is None:
            yield from evidence_faults(question, corpus, exclude=exclude)
        yield question


def _rows(text: str, name: str, shown: str) -> tuple[list[Row], dict[str, Any]]:
    suffix = Path(name.lower().removesuffix(".gz")).suffix
    if suffix not in FORMATS:
        raise Refused(f"{shown}: cannot tell the format; expected {' or '.join(FORMATS)}")
    document = toml_document(text, shown=shown) if suffix == ".toml" else json_document(text, shown=shown)
    head = document if isinstance(document, dict) else {}
    table = TABLE if suffix == ".toml" else "questions"
    tables = head.get(table) if isinstance(document, dict) else document
    if not isinstance(tables, list) or not all(isinstance(row, dict) for row in tables):
        raise Refused(f"{shown}: expected a list of questions, found {found(tables)}")
    for key in head:
        if key not in (table, *SET_KEYS) and not key.startswith(("_", "$", "comment")):
            raise Refused(
                f"{shown}: unknown key {quoted(key)}; expected {table}.{near(key, (table, *SET_KEYS))}"
            )
    if suffix == ".toml":
        places = toml_places(text, TABLE, len(tables), shown=shown)
    else:
        places = [f"{shown}:{line}" for line in _json_lines(text, tables)]
    return [Row(place, row) for place, row in zip(places, tables, strict=True)], head


def _json_lines(text: str, tables: Sequence[dict[str, Any]]) -> Iterator[int]:
    """Yield the line of each question's id; of the file's beginning where it is not written plainly."""
    at = 0
    for table in tables:
        wanted = str(table.get("id", ""))
        starts = (
            match for match in _IN_JSON.finditer(text, at) if text.startswith(f'{wanted}"', match.end())
        )
        match = next(starts, None)
        at = match.end() if match else at
        yield text.count("\n", 0, match.start()) + 1 if match else 1
