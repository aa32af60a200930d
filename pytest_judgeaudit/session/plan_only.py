"""``--judge-plan``: what a run would ask, and which of its gates can pass."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import pytest

from pytest_judgeaudit.audit.planning import Key
from pytest_judgeaudit.records.agents import Answer
from pytest_judgeaudit.records.answers import Reply
from pytest_judgeaudit.records.audits import Answers
from pytest_judgeaudit.records.plans import Plan
from pytest_judgeaudit.records.verdicts import Usage
from pytest_judgeaudit.report.plan import render
from pytest_judgeaudit.session.answering import DESK, Desk
from pytest_judgeaudit.session.judging import BENCH, Bench
from pytest_judgeaudit.session.refusing import told
from pytest_judgeaudit.session.summary import width, write
from pytest_judgeaudit.session.trial import SLOT, Slot

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter


class PlanOnly:
    """Shows the plan instead of running it: nothing is asked, and nothing is judged."""

    def __init__(self, plan: Callable[[], Plan | None], *, verbose: bool) -> None:
        self._plan = plan
        self._verbose = verbose
        self._known: Mapping[Key, Answers] = {}
        self._usage: Mapping[str, Usage] = {}
        self._scored: Mapping[Key, int] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run nothing, but look up which answers are stored."""
        with told():
            stash = session.config.stash
            bench, desk = stash.get(BENCH, None), stash.get(DESK, None)
            recalls = [one.stored for one in (bench, desk) if one is not None]
            plan = self._plan() or Plan()
            studies = {cell.id: cell.study for cell in plan.cells}
            self._known, self._usage = stored_answers(session.items, recalls, studies)
            if bench is not None and desk is not None:
                self._scored = stored_scores(session.items, bench, desk, studies)
        return True

    def pytest_terminal_summary(self, terminalreporter: TerminalReporter) -> None:
        """Write the plan."""
        lines = render(
            self._plan() or Plan(),
            width=width(),
            verbose=self._verbose,
            known=self._known,
            usage=self._usage,
            scored=self._scored,
        )
        write(terminalreporter, lines)


def stored_scores(
    items: Iterable[pytest.Item], bench: Bench, desk: Desk, studies: Mapping[str, str]
) -> Mapping[Key, int]:
    """Count what is stored of the judges of answers, about answers that are stored, by study and judge."""
    hits: Counter[Key] = Counter()
    for item in items:
        slot = item.stash.get(SLOT, None)
        reply = desk.stored(slot) if slot is not None and slot.asked and slot.judges else None
        if slot is None or slot.asked is None or reply is None:
            continue
        from pytest_judgeaudit.session.grading import graded

        row = slot.heard.row = graded(slot.asked, Answer.of(reply), traced=False)
        study = studies.get(slot.cell, "")
        hits.update(
            (study, judge) for judge in slot.judges if bench.scorers.stored(slot, judge, row) is not None
        )
    return hits


def stored_answers(
    items: Iterable[pytest.Item],
    recalls: Sequence[Callable[[Slot], Reply | None]],
    studies: Mapping[str, str],
) -> tuple[Mapping[Key, Answers], Mapping[str, Usage]]:
    """
    Count the stored answers that fit the items by study and judge or agent, and their tokens by the latter.

    ``studies`` maps the ids of cells to their studies.
    """
    hits: Counter[Key] = Counter()
    usage: dict[str, Usage] = defaultdict(Usage)
    for item in items if recalls else ():
        slot = item.stash.get(SLOT, None)
        found = (recall(slot) for recall in recalls) if slot is not None and slot.owner else ()
        reply = next((one for one in found if one is not None), None)
        if reply is not None and slot is not None:
            hits[studies[slot.cell], slot.owner] += 1
            usage[slot.owner] += reply.usage or Usage(unknown_calls=1)
    return {key: Answers(hit=count) for key, count in hits.items()}, usage
