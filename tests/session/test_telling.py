"""Progress while a live run asks: one line every few seconds, between pytest's own lines."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from types import SimpleNamespace

import pytest

from pytest_judgeaudit.records.plans import CellPlan, Plan, Presentation
from pytest_judgeaudit.session.telling import EVERY_S, Telling
from pytest_judgeaudit.store.following import Asked
from tests.session.conftest import CLONES


class Terminal:
    def __init__(self):
        self.lines = []

    def write_line(self, text):
        self.lines.append(text)


class Run:
    """A run of ten calls of one judge, told by a clock that a test moves."""

    def __init__(self, *, terminal=True):
        self.now, self.asked = 1000.0, Asked()
        self.terminal = Terminal() if terminal else None
        self.telling = Telling(
            follower=SimpleNamespace(look=lambda: self.asked),
            plan=lambda: Plan(cells=(cell("mine", 10), cell("embedded", 5))),
            in_flight={"mine": 4},
            clock=lambda: self.now,
        )
        plugins = SimpleNamespace(get_plugin=lambda _: self.terminal)
        self.telling.pytest_runtestloop(SimpleNamespace(config=SimpleNamespace(pluginmanager=plugins)))

    def after(self, seconds, *, begun, ended=0, tokens=0):
        """Move the clock, and let an item end."""
        self.now += seconds
        self.asked = Asked(
            since=1000.0, begun=Counter(mine=begun), ended=Counter(mine=ended), tokens=tokens
        )
        self.telling.pytest_runtest_logfinish()
        return self.terminal.lines if self.terminal else []

    def hit(self):
        self.telling.pytest_runtest_logreport(SimpleNamespace(judgeaudit_trial='{"answer": "hit"}'))


def cell(judge, calls):
    shown = tuple(Presentation(f"c{number}", "AB") for number in range(calls))
    return CellPlan(
        id=f"e::{judge}",
        eval="evals/test_e.py::test_e",
        variant="",
        study="s",
        judge=judge,
        criterion="neutral",
        arm="clone",
        stratum="core",
        gates=(),
        declared=shown,
        selected=shown,
        location=("evals/test_e.py", 1),
    )


def test_nothing_is_told_before_a_few_seconds_have_passed():
    assert Run().after(EVERY_S - 0.1, begun=4, ended=2) == []


def test_a_line_tells_what_was_asked_and_when_it_will_end():
    run = Run()
    (line,) = run.after(5.0, begun=8, ended=5, tokens=1500)
    assert line.startswith("judge audit: 5 of 10 asked, 3 in flight, 1,500 tokens, ends about ")
    assert run.telling.progress(run.now).ends_at == 1010.0


def test_lines_are_a_few_seconds_apart():
    run = Run()
    for step in range(40):
        run.after(0.5, begun=min(10, step), ended=step // 5)
    assert len(run.terminal.lines) == 20 / EVERY_S


def test_a_run_that_asks_nothing_tells_nothing():
    run = Run()
    for _ in range(5):
        run.asked = Asked()
        run.now += EVERY_S
        run.telling.pytest_runtest_logfinish()
    assert run.terminal.lines == []


def test_nothing_new_is_not_told_again():
    run = Run()
    run.after(EVERY_S, begun=8, ended=8)
    assert len(run.after(EVERY_S, begun=8, ended=8)) == 1


def test_stored_answers_are_not_waited_for():
    run = Run()
    for _ in range(3):
        run.hit()
    assert "5 of 7 asked" in run.after(EVERY_S, begun=7, ended=5)[0]


def test_of_a_question_the_calls_of_its_agent_and_of_its_judges_count():
    run = Run()
    asks = replace(cell(None, 3), agent="mine", scored=("mine", "embedded"))
    run.telling = Telling(
        follower=SimpleNamespace(look=lambda: run.asked),
        plan=lambda: Plan(cells=(asks,)),
        in_flight={"mine": 4},
    )
    run.asked = Asked(since=1.0, begun=Counter(mine=1))
    assert run.telling.progress(2.0).total == 6


def test_no_more_are_in_flight_than_may_be():
    """Calls that wait for a slot have begun too."""
    assert "4 in flight" in Run().after(EVERY_S, begun=9, ended=1)[0]


def test_while_nothing_has_ended_no_end_is_told():
    assert Run().after(EVERY_S, begun=2)[0].endswith("0 tokens")


def test_without_a_terminal_nothing_is_told():
    assert Run(terminal=False).after(EVERY_S, begun=2) == []


SOON = """
import pytest_judgeaudit.session.telling

pytest_judgeaudit.session.telling.EVERY_S = 0.3
"""
SLOW = """
import time

def ask(messages):
    time.sleep(0.1)
    return {"text": '{"winner": "tie"}', "usage": {"prompt": 90, "completion": 10}}
"""
LINE = re.compile(
    r"judge audit: \d+ of 12 asked, \d in flight, [\d,]+ tokens(, ends about \d\d:\d\d:\d\d)?"
)


@pytest.fixture
def told(project):
    """Run a project of twelve calls, and return the lines about its progress."""
    project.pairs(12)
    project.write("soon.py", SOON)
    project.write("mine.py", SLOW)
    project.evals(CLONES.replace("0.05", "0.9"))
    project.judges(mine={"api": "python", "callable": "mine:ask", "limits": {"in_flight": 2}})

    def run(*options):
        ran = project.audit(*options, plugins=("soon", "judgeaudit", "xdist", "syrupy"))
        assert ran.code == 0, ran.out
        lines = [line for line in ran.out.splitlines() if "judge audit:" in line]
        assert [line for line in lines if not LINE.fullmatch(line)] == []
        assert "\x1b" not in ran.out
        # Whatever else is written: every item has a line of pytest's own, whole.
        if "-v" in options and "-q" not in options:
            assert len(re.findall(r"^(?:\[gw\d\].* PASSED .*|\S+ PASSED .*)$", ran.out, re.MULTILINE)) >= 12
        return lines

    return run


@pytest.mark.parametrize("options", [("-v",), ("-v", "-n2")], ids=["alone", "workers"])
def test_a_verbose_live_run_tells_and_its_replay_does_not(told, options):
    assert len(told("--judge-live", *options)) >= 1
    assert told("--judge-live", *options) == told(*options) == []


@pytest.mark.parametrize("options", [(), ("-q",), ("-v", "-q")])
def test_other_live_runs_do_not_tell(told, options):
    assert told("--judge-live", *options) == []
