"""The judges of a session: which are selected, and what is known of them."""

from __future__ import annotations

import json

import pytest

from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.records.plans import CellPlan, Plan, Presentation
from pytest_judgeaudit.session.panel import NO_JUDGE, Panel
from pytest_judgeaudit.session.trial import Seat
from pytest_judgeaudit.settings.reading import read_configuration

CONFIGURATION = """
[[judge]]
name = "qwen"
family = "qwen"
api = "openai"
model = "qwen2.5:32b"
base_url = "http://127.0.0.1:9/v1"
criteria = ["neutral", "strict"]

[[judge]]
name = "coin"
family = "planted"
api = "embedded"
model = "coin"
expect = "uncertified"

[[judge]]
name = "mine"
family = "own"
api = "python"
callable = "mine:ask"

[[judge]]
name = "log"
family = "gpt"
api = "recorded"
path = "log.jsonl"
fields = { id = "id", order = "order", verdict = "says" }
orders = { AB = "ab", BA = "ba" }
verdicts = { first = "1", second = "2", tie = "tie" }
"""
QWEN, STRICT, COIN, MINE, LOG = (
    Seat("qwen", "neutral"),
    Seat("qwen", "strict"),
    Seat("coin", "neutral"),
    Seat("mine", "neutral"),
    Seat("log", "neutral"),
)


def log(*tasks):
    return "".join(json.dumps({"id": task, "order": "ab", "says": "tie"}) + "\n" for task in tasks)


@pytest.fixture
def panel(tmp_path):
    """Return the panel that a session with these selections has."""
    (tmp_path / "judgeaudit.toml").write_text(CONFIGURATION)
    (tmp_path / "log.jsonl").write_text(log("c1", "c2"))

    def made(*, judges=(), criteria=(), text=None, rows=None):
        if rows is not None:
            (tmp_path / "log.jsonl").write_text(rows)
        if text is not None:
            (tmp_path / "judgeaudit.toml").write_text(text)
        configuration = read_configuration(None, root=tmp_path)
        return Panel(configuration, judges=judges, criteria=criteria, root=tmp_path)

    return made


def plan(*tasks, judge="log"):
    cell = CellPlan(
        id="cell",
        eval="evals/test_a.py::test_x",
        variant="",
        study="s",
        judge=judge,
        criterion="neutral",
        arm="clone",
        stratum="core",
        gates=(),
        declared=tuple(Presentation(task, "AB") for task in tasks),
        selected=(),
        location=("evals/test_a.py", 0),
    )
    return Plan(cells=(cell,))


# Selection


@pytest.mark.parametrize(
    ("judges", "criteria", "seats"),
    [
        ((), (), [QWEN, STRICT, COIN, MINE, LOG]),
        (("coin", "qwen"), (), [QWEN, STRICT, COIN]),
        ((), ("strict",), [STRICT]),
        (("qwen",), ("neutral",), [QWEN]),
    ],
)
def test_a_selection_narrows_the_seats_in_the_order_of_the_configuration(panel, judges, criteria, seats):
    assert list(panel(judges=judges, criteria=criteria).seats()) == seats


@pytest.mark.parametrize(
    ("selected", "words"),
    [
        (
            {"judges": ("qwn",)},
            '--judge qwn: not configured; there are qwen, coin, mine, log. Did you mean "qwen"?',
        ),
        (
            {"criteria": ("stric",)},
            '--criterion stric: not configured; there are neutral, strict. Did you mean "strict"?',
        ),
        ({"judges": ("x",), "text": ""}, "--judge x: not configured; there are none."),
    ],
)
def test_a_name_that_is_not_configured_is_refused_with_those_that_are(panel, selected, words):
    with pytest.raises(pytest.UsageError) as caught:
        panel(**selected)
    assert caught.value.args == (words,)


def test_a_selection_that_leaves_nothing_is_refused(panel):
    with pytest.raises(Refused) as caught:
        panel(judges=("coin",), criteria=("strict",)).seats()
    assert str(caught.value) == (
        "--judge and --criterion together select nothing to compare with. Leave one of them out."
    )


def test_without_a_judge_the_lines_to_write_are_shown_and_they_are_right(panel, tmp_path):
    with pytest.raises(Refused) as caught:
        panel(text="").seats()
    assert str(caught.value) == NO_JUDGE
    (tmp_path / "judgeaudit.toml").write_text(NO_JUDGE.partition("\n")[2])
    (judge,) = read_configuration(None, root=tmp_path).judges
    assert (judge.name, judge.api) == ("mine", "openai")


# What is known


def test_nothing_is_opened_before_a_test_asks_for_a_judge(panel, tmp_path):
    (tmp_path / "log.jsonl").unlink()
    idle = panel()
    assert idle.plans() == ()
    with pytest.raises(Refused, match=r"log\.jsonl"):
        idle.seats()


def test_each_judge_is_known_in_its_own_way(panel):
    found = panel()
    found.seats()
    known = {one.name: (one.identity, one.requested, one.expect) for one in found.plans()}
    assert known == {
        "qwen": ("served", "qwen2.5:32b", "certified"),
        "coin": ("construction", "coin", "uncertified"),
        "mine": ("construction", "mine", "certified"),
        "log": ("undeclared log", "log", "certified"),
    }


def test_a_log_that_says_who_served_is_a_better_witness(panel):
    text = CONFIGURATION.replace('verdict = "says"', 'verdict = "says", served = "by"')
    rows = log("c1").replace("}", ', "by": "gpt-4"}')
    found = panel(judges=("log",), text=text, rows=rows)
    found.seats()
    assert [one.identity for one in found.plans()] == ["log"]


def test_a_function_that_says_what_model_it_asks_must_have_it_served(panel):
    text = CONFIGURATION.replace('callable = "mine:ask"', 'callable = "mine:ask"\nmodel = "gpt-5"')
    found = panel(judges=("mine",), text=text)
    found.seats()
    assert [(one.identity, one.requested) for one in found.plans()] == [("served", "gpt-5")]


@pytest.mark.parametrize(
    ("tasks", "symptom"),
    [
        (
            ("c1",),
            (
                'log: 1 row of the log without a scheduled call: the log has id "c2", order AB, '
                'the tests have id "c1", order AB'
            ),
        ),
        ((), 'log: 2 rows of the log without a scheduled call: the log has id "c1", order AB'),
    ],
)
def test_rows_of_a_log_that_match_nothing_are_counted(panel, tasks, symptom):
    found = panel(judges=("log",))
    found.seats()
    (finding,) = found.stray_rows(plan(*tasks))
    assert (finding.code, finding.symptom) == ("stray-rows", symptom)
    assert found.stray_rows(plan("c1", "c2")) == ()


def test_only_what_is_asked_over_a_network_is_probed_and_only_what_is_asked_is_asked_ahead(panel):
    found = panel()
    assert [judge.name for judge in found.asked()] == ["qwen"]
    assert [judge.name for judge in found.to_ask()] == ["qwen", "mine"]
