"""One row of a question file, read strictly: our keys, and those of the third source's schema."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

from pytest_judgeaudit.corpora.found import found, listed, near, printable, quoted
from pytest_judgeaudit.grade.matching import match_of
from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.records.questions import (
    ABSTAIN,
    Evidence,
    Fact,
    FactMatcher,
    GraderType,
    Question,
    Retirement,
)

KEYS = (
    "id",
    "prompt",
    "class",
    "genre",
    "category",
    "difficulty",
    "label",
    "fact",
    "forbidden",
    "markers",
    "evidence",
    "retired",
    "grader",
    "leak_terms",
)
"""What a question can say."""

FACT_KEYS = ("id", "must", "desc", "match")
GRADERS = ("checklist", "abstain", "set", "path", "contains", "regex", "llm")

# The same things under the names of the third source's JSON schema.
ALSO = {"class": "cls", "fact": "checklist", "markers": "abstainMarkers"}
SOURCE_ONLY = ("provenance", "enabled", "rubric", "gt", "type", "history", "notes", "note", "comment")
_EVIDENCE = re.compile(r"(?P<file>[^:]+|[^:]+:[^:\d][^:]*)(?::(?P<line>\d{1,9})(?:-(?P<last>\d{1,9}))?)?")


class QuestionReader:
    """
    Reads one row and keeps every fault, so that all that is wrong with it is said at once.

    ``matchers`` are those of other plug-ins.
    """

    def __init__(
        self, row: Mapping[str, Any], place: str, *, matchers: Mapping[str, FactMatcher] | None = None
    ) -> None:
        self.row = row
        self.place = place
        self.matchers = matchers
        self.faults: list[Refused] = []

    def read(self) -> Question | None:
        """Return the question, or None if there are faults."""
        name = self._text("id", needed=True)
        self.named = f"question {quoted(name)}" if name else "question"
        self._check_keys()
        grader = self._grader()
        question = Question(
            id=name,
            prompt=self._text("prompt", needed=True),
            cls=self._text("class", needed=True),
            **{key: self._text(key) for key in ("genre", "category", "difficulty", "label")},
            facts=self._facts("fact", grader),
            forbidden=self._facts("forbidden", grader),
            grader=cast("GraderType", grader.get("type")),
            gt=self._texts(grader.get("gt", self.row.get("gt")), "gt", single=True),
            rubric=str(grader.get("rubric", self.row.get("rubric")) or ""),
            markers=self._texts(self._value("markers"), "markers"),
            evidence=tuple(self._evidence()),
            leak_terms=self._texts(self.row.get("leak_terms"), "leak_terms"),
            retired=self._retired(),
            place=self.place,
        )
        self._check_scorable(question)
        return None if self.faults else question

    named = "question"

    def _fault(self, text: str, *, fact: str | None = None) -> None:
        inner = f", fact {quoted(fact)}" if fact is not None else ""
        self.faults.append(Refused(f"{self.place}: {self.named}{inner}: {text}"))

    def _value(self, key: str) -> Any:
        also = ALSO.get(key, key)
        if also != key and key in self.row and also in self.row:
            self._fault(f"{key} and {also} say the same thing; write one of them")
        return self.row.get(key, self.row.get(also))

    def _text(self, key: str, *, needed: bool = False) -> str:
        value = self._value(key)
        if value is None and not needed:
            return ""
        if isinstance(value, str) and (value.strip() or not needed):
            return value
        self._fault(f"{key}: expected a text, found {found(value)}")
        return ""

    def _texts(self, value: Any, key: str, *, single: bool = False) -> tuple[str, ...]:
        if value is None:
            return ()
        values = [value] if single and isinstance(value, str) else value
        if isinstance(values, list) and all(isinstance(one, str) and one.strip() for one in values):
            return tuple(values)
        self._fault(f"{key}: expected a list of texts, found {found(value)}")
        return ()

    def _check_keys(self) -> None:
        known = (*KEYS, *ALSO.values(), *SOURCE_ONLY)
        for key in self.row:
            if key not in known and not key.startswith(("_", "$")):
                self._fault(
                    f"unknown key {quoted(key)}; there are {listed(KEYS, most=20)}.{near(key, known)}"
                )

    def _grader(self) -> dict[str, Any]:
        """Return the grader's block; its type follows from the class where it is not said."""
        value = self.row.get("grader", {})
        block = {"type": value} if isinstance(value, str) else value
        if not isinstance(block, dict):
            self._fault(f"grader: expected a table or a name, found {found(value)}")
            block = {}
        for key in ("checklist", "forbidden", "gt", "rubric"):
            if key in block and (key in self.row or (key == "checklist" and "fact" in self.row)):
                self._fault(f"{key} stands both beside and inside of grader; write it once")
        kind = block.get("type", self.row.get("type"))
        if kind is None:
            kind = ABSTAIN if self._value("class") == ABSTAIN else "checklist"
        if kind not in GRADERS:
            hint = near(kind, GRADERS) if isinstance(kind, str) else ""
            self._fault(f"unknown grader {found(kind)}; there are {', '.join(GRADERS)}.{hint}")
            kind = "checklist"
        return {**block, "type": kind}

    def _facts(self, key: str, grader: Mapping[str, Any]) -> tuple[Fact, ...]:
        inner = grader.get(ALSO.get(key, key))
        rows = self._value(key) if inner is None else inner
        if rows is None:
            return ()
        if not isinstance(rows, list):
            self._fault(f"{key}: expected a list of tables, found {found(rows)}")
            return ()
        facts = [self._fact(row, key, number) for number, row in enumerate(rows, start=1)]
        names = [fact.id for fact in facts if fact is not None]
        for name in dict.fromkeys(name for name in names if names.count(name) > 1):
            self._fault("the id occurs twice", fact=name)
        return tuple(fact for fact in facts if fact is not None)

    def _fact(self, row: Any, key: str, number: int) -> Fact | None:
        if not isinstance(row, dict):
            self._fault(f"{key} {number}: expected a table, found {found(row)}")
            return None
        name = row.get("id")
        if not isinstance(name, str) or not name.strip():
            self._fault(f"{key} {number}: id: expected a text, found {found(name)}")
            name = f"{key} {number}"
        for unknown in row:
            if unknown not in FACT_KEYS and not unknown.startswith("_"):
                hint = near(unknown, FACT_KEYS)
                self._fault(
                    f"unknown key {quoted(unknown)}; there are {listed(FACT_KEYS)}.{hint}", fact=name
                )
        must, desc = row.get("must"), row.get("desc", "")
        if not isinstance(must, bool | None) or not isinstance(desc, str):
            self._fault("must is true or false, and desc a text", fact=name)
        spec = row.get("match")
        if not isinstance(spec, dict):
            self._fault(f"match: expected a table with type and value, found {found(spec)}", fact=name)
            return None
        try:
            match = match_of(spec, contributed=self.matchers)
        except Refused as error:
            self._fault(str(error), fact=name)
            return None
        return Fact(id=name, must=must is not False, desc=str(desc), match=match)

    def _evidence(self) -> Iterator[Evidence]:
        provenance = self.row.get("provenance", {})
        inner = provenance.get("evidence") if isinstance(provenance, dict) else None
        entries = self.row.get("evidence", inner)
        if entries is not None and not isinstance(entries, list):
            self._fault(f"evidence: expected a list of file:line, found {found(entries)}")
            entries = None
        for entry in entries or ():
            try:
                yield evidence_of(entry)
            except Refused as error:
                self._fault(str(error))

    def _retired(self) -> Retirement | None:
        value, enabled = self.row.get("retired"), self.row.get("enabled", True)
        if value is None and enabled is not False:
            return None
        table = value if isinstance(value, dict) else {}
        why = table.get("why")
        if not isinstance(why, str) or not why.strip():
            self._fault("a retirement needs a reason; write retired = { on = '2026-01-31', why = '…' }")
            return None
        return Retirement(why=why, on=str(table.get("on", "")), found_by=str(table.get("found_by", "")))

    def _check_scorable(self, question: Question) -> None:
        """Refuse a key that could score nothing, or see no invention."""
        if question.abstains:
            if question.facts:
                self._fault("an abstain question carries no checklist; its key is what it forbids")
            if not question.forbidden and not self.faults:
                self._fault("an abstain question without forbidden facts cannot see an invention; name one")
        elif question.grader == "checklist":
            if not any(fact.must for fact in question.facts) and not self.faults:
                self._fault("nothing to score by: the checklist has no required fact")
        elif question.grader != "llm" and not question.gt:
            self._fault(f"the grader {question.grader} needs its ground truth gt")
        elif question.grader == "llm" and not question.rubric.strip():
            self._fault("a question for a judge alone needs a rubric")


def evidence_of(entry: object) -> Evidence:
    """
    Read one piece of evidence: ``file:line``, ``file:first-last``, ``file``, or a table with ``contains``.

    >>> evidence_of("src/a.py:12-14")
    Evidence(file='src/a.py', line=12, last=14, contains='')
    """
    table = entry if isinstance(entry, dict) else {}
    contains = table.get("contains", "")
    line = table.get("line")
    written = f"{table.get('file')}:{line}" if line is not None else table.get("file", entry)
    read = _EVIDENCE.fullmatch(written) if isinstance(written, str) else None
    if read is None or not isinstance(contains, str):
        raise Refused(f"evidence: expected file:line, found {found(entry)}")
    file, first, last = read["file"].replace("\\", "/"), read["line"], read["last"]
    if file.startswith("/") or re.match(r"[A-Za-z]:", file) or ".." in file.split("/"):
        raise Refused(f"evidence {quoted(printable(written))}: expected a path inside of the corpus")
    return Evidence(
        file=file.removeprefix("./"),
        line=int(first) if first else None,
        last=int(last) if last else None,
        contains=contains,
    )
