"""Which stored answers the trials of a plan use, by the judge or agent that gives them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace

from pytest_judgeaudit.records.plans import CellPlan, Plan
from pytest_judgeaudit.session.trial import (
    Seat,
    agent_answer_name,
    answer_name,
    judged_name,
    shown_arm,
    test_name,
)

WHATS = ("rubric", "checklist")
"""What a judge may say of an answer."""


def used_names(plan: Plan) -> Mapping[tuple[str, str], set[str]]:
    """Name every answer that the declared trials use, by module and judge."""
    used: dict[tuple[str, str], set[str]] = defaultdict(set)
    for cell in plan.cells:
        for owner, names in owned(cell):
            used[cell.eval.partition("::")[0], owner].update(names)
    return used


def asked_names(plan: Plan) -> Mapping[tuple[str, str], set[str]]:
    """
    Name the answers that the selected trials themselves bring, by module and judge or agent.

    Judges that answer in the process store none; what judges say of an agent's answer is not counted, since
    it depends on the answer.
    """
    direct = {judge.name for judge in plan.judges if judge.api in {"embedded", "recorded"}}
    cells = [replace(one, declared=one.selected, retired=(), scored=()) for one in plan.cells]
    used = used_names(replace(plan, cells=tuple(cells)))
    return {place: names for place, names in used.items() if place[1] not in direct}


def owned(cell: CellPlan) -> Iterator[tuple[str, list[str]]]:
    """Yield the names of the answers that a cell may use, by the judge or agent that gives them."""
    if cell.judge is not None:
        yield cell.judge, list(_names(cell))
    if cell.agent is not None:
        test = test_name(cell.eval, cell.variant)
        answers = [
            agent_answer_name(test, cell.agent, one.task, cell.arm, one.replicate)
            for one in (*cell.declared, *cell.retired)
        ]
        yield cell.agent, answers
        for judge in cell.scored:
            yield judge, [judged_name(name, judge, what) for name in answers for what in WHATS]


def _names(cell: CellPlan) -> Iterator[str]:
    test, seat = test_name(cell.eval, cell.variant), Seat(cell.judge or "", cell.criterion or "")
    arm = shown_arm(cell.arm, cell.context, cell.stratum)
    for presentation in cell.declared:
        yield answer_name(test, seat, presentation.task, arm, presentation.order, presentation.replicate)
