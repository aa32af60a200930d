"""Findings about verdicts that are not there: stale since a key moved, without a reply, or unreadable."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from pytest_judgeaudit.audit.holds import KEPT
from pytest_judgeaudit.audit.numbers import clipped, counted, some
from pytest_judgeaudit.audit.suspicions import where
from pytest_judgeaudit.records.grades import ChecklistVerdict, GradedRow
from pytest_judgeaudit.records.plans import Finding
from pytest_judgeaudit.records.scores import RubricScore


class _Open(NamedTuple):
    """A row that a judge has not settled, and why."""

    row: str
    why: str


def unsettled(rows: Iterable[GradedRow]) -> Iterator[Finding]:
    """
    Yield, for each eval and judge, the answers whose verdict is stale, pending, or cannot be read.

    None of them is compared with a checklist, or in any mean.
    """
    found: dict[tuple[str, str, str], list[_Open]] = defaultdict(list)
    asked: dict[tuple[str, str], int] = defaultdict(int)
    for row in rows:
        every: list[tuple[str, ChecklistVerdict | RubricScore]] = [*row.checks.items(), *row.scores.items()]
        for judge, said in every:
            asked[row.eval, judge] += said.state != "not applicable"
            state = _state(said)
            if state in {"stale", "pending", "unreadable"}:
                found[row.eval, judge, state].append(_Open(where(row), said.reason))
    for (eval_name, judge, state), group in found.items():
        yield _finding(eval_name, judge, state, group, asked[eval_name, judge])


def _finding(eval_name: str, judge: str, state: str, group: Sequence[_Open], asked: int) -> Finding:
    listed = some(dict.fromkeys(one.row for one in group))
    share = f"{len(group)} of {counted(asked, 'verdict')}"
    if state == "stale":
        return Finding(
            code="stale-verdicts",
            where=f"{judge} in {eval_name}",
            symptom=f"{share} {_is(group)} stale, since what was judged moved: {listed}",
            check="these keys, then `pytest --judge-audit --judge-live`: it judges just these again",
        )
    causes = some(dict.fromkeys(clipped(one.why.partition("\n")[0], 80) for one in group), shown=2)
    if state == "unreadable":
        return Finding(
            code="unreadable-verdicts",
            where=f"{judge} in {eval_name}",
            symptom=f"{share} cannot be read: {listed} ({causes})",
            check=KEPT,
        )
    return Finding(
        code="pending-verdicts",
        where=f"{judge} in {eval_name}",
        symptom=f"{share} {_is(group)} pending: {listed} ({causes})",
        check="the cause, then `pytest --judge-audit --judge-live`: it asks again for just these",
    )


def _state(said: ChecklistVerdict | RubricScore) -> str:
    """Tell a reply that is no verdict from one that never came."""
    replied = said.state == "pending" and isinstance(said, ChecklistVerdict) and said.replied
    return "unreadable" if replied or said.state == "invalid" else said.state


def _is(group: Sequence[_Open]) -> str:
    return "is" if len(group) == 1 else "are"
