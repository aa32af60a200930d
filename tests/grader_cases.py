"""
Evaluate files of grader cases: ``python tests/grader_cases.py FILE…``.

A line is a case ``{id, kind, tier, spec, answer, expected, …}``. Each miss is printed as
``id expected got``; the last line says ``N passed, N failed``.
The exit status is 0 only if no case of tier ``core`` fails.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from pytest_judgeaudit.ask.served import served_as_requested
from pytest_judgeaudit.grade import (
    Guard,
    abstain,
    by_ground_truth,
    checklist,
    grade,
    hit,
    match_of,
    reconcile,
)
from pytest_judgeaudit.judge.checklist_replies import read_checklist
from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.records.grades import Grade
from pytest_judgeaudit.records.questions import Fact, Match, Question

Spec = Mapping[str, Any]
NEVER = Match(type="regex", values=("(?!)",))


def facts(rows: list[Spec]) -> list[Fact]:
    return [
        Fact(
            id=row["id"],
            must=row.get("must") is not False,
            match=match_of(row["match"]) if "match" in row else NEVER,
        )
        for row in rows
    ]


def matched(spec: Spec, answer: str) -> Spec:
    try:
        return {"hit": hit(answer, match_of(spec))}
    except Refused:
        return {"error": "invalid-spec"}


def graded(found: Grade) -> Spec:
    return {
        "score": found.score,
        "hallucinated": found.hallucinated,
        "missing": list(found.missing),
        "forbidden_hit": list(found.forbidden_hit),
        "per_fact": dict(found.per_fact),
        "abstained": found.abstained,
        "contaminated": found.contamination.contaminated,
        "hard": list(found.contamination.hard),
        "soft": list(found.contamination.soft),
        "score_if_clean": found.score_if_clean,
        "judge_only": found.state == "judge only",
    }


def checked(spec: Spec, answer: str) -> Spec:
    return graded(checklist(answer, facts(spec["checklist"]), forbidden=facts(spec.get("forbidden", []))))


def abstaining(spec: Spec, answer: str) -> Spec:
    markers = tuple(spec.get("markers") or ())
    return graded(abstain(answer, forbidden=facts(spec.get("forbidden", [])), markers=markers))


def question_of(spec: Spec) -> Question:
    cls = spec.get("cls", "lookup")
    return Question(
        id=spec.get("id", "q"),
        prompt="",
        cls=cls,
        grader="abstain" if cls == "abstain" else "checklist",
        facts=tuple(facts(spec.get("checklist", []))),
        forbidden=tuple(facts(spec.get("forbidden", []))),
    )


def guarded(spec: Spec, answer: str) -> Spec:
    guard = Guard(
        files=tuple(spec.get("answer_key_files", ())),
        folders=tuple(spec.get("answer_key_dirs", ())),
        machinery=tuple(spec.get("machinery", ())),
        ids=tuple(spec.get("question_ids", ())),
    )
    return graded(grade(question_of(spec.get("question", {})), answer, guard=guard))


def parsed(spec: Spec, answer: str) -> Spec:
    verdict = read_checklist(answer, facts=spec.get("facts", []))
    return {
        "score": verdict.score,
        "per_fact": dict(verdict.per_fact),
        "pending": verdict.state == "pending" or None,
    }


def served(spec: Spec, answer: str) -> Spec:
    requested = spec.get("requested")
    known = requested and served_as_requested(requested, spec.get("served"), spec.get("aliases", {}))
    return {"served_as_requested": known if requested else None}


def reconciled(spec: Spec, answer: str) -> Spec:
    found = reconcile(
        spec.get("checklist"),
        spec.get("judge"),
        threshold=spec["threshold"],
        facts=facts(spec.get("facts", [])),
        per_fact=spec.get("per_fact"),
    )
    return {name: getattr(found, name) for name in ("agree", "kind", "mirrored", "rubric_mismatch")}


def listed(spec: Spec, answer: str) -> Spec:
    gt = spec.get("gt") or []
    return graded(by_ground_truth(answer, spec["grader"], gt=[gt] if isinstance(gt, str) else gt))


KINDS: Mapping[str, Callable[[Spec, str], Spec]] = {
    "matcher": matched,
    "checklist": checked,
    "abstain": abstaining,
    "contamination": guarded,
    "parse": parsed,
    "served": served,
    "reconcile": reconciled,
    "set": listed,
}


def same(expected: object, got: object) -> bool:
    """Numbers to 1e-4, lists as sets, null as absent; a boolean is no number."""
    match expected:
        case bool() | None:
            return got is expected
        case int() | float():
            number = isinstance(got, int | float) and not isinstance(got, bool)
            return number and abs(got - expected) <= 1e-4
        case list():
            return isinstance(got, list) and set(map(str, got)) == set(map(str, expected))
        case dict():
            return isinstance(got, dict) and all(
                same(expected.get(key), got.get(key)) for key in {*expected, *got}
            )
        case _:
            return expected == got


def got_of(case: Spec) -> Spec:
    """What the graders say of a case, of the keys that it expects."""
    try:
        found = KINDS[case["kind"]](case["spec"], case["answer"] or "")
    except Refused:
        found = {"error": "invalid-spec"}
    return {key: found.get(key) for key in case["expected"]}


def misses(cases: list[Spec]) -> Iterator[tuple[Spec, Spec]]:
    for case in cases:
        got = got_of(case)
        if any(not same(wanted, got[key]) for key, wanted in case["expected"].items()):
            yield case, got


def read(files: list[str]) -> list[Spec]:
    lines = (line for file in files for line in Path(file).read_text(encoding="utf-8").splitlines())
    return [json.loads(line) for line in lines if line.strip()]


def main(files: list[str]) -> int:
    cases = read(files)
    missed = list(misses(cases))
    for case, got in missed:
        print(case["id"], json.dumps(case["expected"]), json.dumps(got))  # noqa: T201 - a script
    hard = [case for case in cases if case["tier"] == "hard"]
    wrong = sum(case["tier"] == "hard" for case, _ in missed)
    print(f"tier hard: {len(hard) - wrong} of {len(hard)}")  # noqa: T201
    print(f"{len(cases) - len(missed)} passed, {len(missed)} failed")  # noqa: T201
    return 1 if any(case["tier"] == "core" for case, _ in missed) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
