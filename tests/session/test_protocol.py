"""The protocol: which change moves which part, and what a lock says of a run."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import pytest

from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.records.plans import CellPlan, FamilyMember, GateSpec, Plan, Presentation, Task
from pytest_judgeaudit.session.protocol import protocol_of, protocol_parts, refuse_changed
from pytest_judgeaudit.settings.declared import Api, Contributed
from pytest_judgeaudit.settings.reading import read_configuration
from pytest_judgeaudit.store.lock import write_lock

TEST = "evals/test_a.py::test_x"
CONFIGURATION = """
[audit]
seed = 7

[[judge]]
name = "qwen"
family = "qwen"
api = "openai"
model = "qwen2.5:32b"
base_url = "http://127.0.0.1:9/v1"
api_key_env = "KEY"
template = "mine.txt"
limits = { timeout = 300, attempts = 3 }

[[criterion]]
name = "house"
text = "Prefer the shorter."
"""
TEMPLATE = "{criterion} {prompt} {candidate_A} {candidate_B}"
NOW = "2026-11-29T12:00:00+00:00"


@pytest.fixture
def configured(tmp_path):
    """Return the configuration with one text replaced by another."""

    def made(old="", new="", *, template=TEMPLATE):
        (tmp_path / "mine.txt").write_text(template)
        (tmp_path / "judgeaudit.toml").write_text(CONFIGURATION.replace(old, new))
        return read_configuration(None, root=tmp_path)

    return made


def plan(*, text="d1", order="AB", upper=0.05, members=("a", "b"), test=TEST):
    core = CellPlan(
        id=f"{test}::qwen",
        eval=test,
        variant="",
        study="s",
        judge="qwen",
        criterion="neutral",
        arm="clone",
        stratum="core",
        gates=(GateSpec(kind="clone_gate", upper=upper),),
        declared=(Presentation("c1", order),),
        selected=(),
        location=("evals/test_a.py", 0),
    )
    edge = replace(core, id=f"{test}::edge", stratum="empty", gates=())
    return Plan(
        cells=(edge, core),
        tasks={test: {"c1": Task(id="c1", subset="S", digest=text)}},
        members=tuple(FamilyMember("s", "s", gate) for gate in members),
        seed=7,
    )


def moved(before, after):
    assert set(before) == set(after)
    return {name.partition(" ")[0] for name in before if before[name] != after[name]}


# What moves what


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"text": "d2"}, "items"),
        ({"upper": 0.06}, "gates"),
    ],
)
def test_a_change_of_the_evals_moves_its_part(configured, change, part):
    before, after = (protocol_parts(one, configured()) for one in (plan(), plan(**change)))
    assert part in moved(before, after)


@pytest.mark.parametrize(
    ("old", "new", "moves"),
    [
        ('model = "qwen2.5:32b"', 'model = "qwen3"', True),
        ("127.0.0.1", "example.org", True),
        ("attempts = 3", "attempts = 1", True),
        ("Prefer the shorter.", "Prefer the longer.", True),
        ("seed = 7", "seed = 8", True),
        ('api_key_env = "KEY"', 'api_key_env = "OTHER"', False),
        ("timeout = 300", "timeout = 20", False),
        ("127.0.0.1:9", "127.0.0.1:10", False),
    ],
)
def test_the_instrument_is_part_of_the_protocol_and_its_plumbing_is_not(configured, old, new, moves):
    before = protocol_parts(plan(), configured())
    after = protocol_parts(plan(), configured(old, new))
    assert bool(moved(before, after)) is moves


def test_the_text_of_a_template_file_counts_and_not_only_its_name(configured):
    before = protocol_parts(plan(), configured())
    after = protocol_parts(plan(), configured(template=TEMPLATE + " Be brief."))
    assert len(moved(before, after)) == 1


def test_the_order_of_collection_is_no_part_of_it(configured):
    one, two = plan(), plan(test="evals/test_b.py::test_y")
    both = [
        replace(first, cells=first.cells + second.cells, tasks={**first.tasks, **second.tasks})
        for first, second in ((one, two), (two, one))
    ]
    assert protocol_parts(both[0], configured()) == protocol_parts(both[1], configured())


# The lock


def lock(folder, parts, *, families=()):
    write_lock(folder, parts, NOW, notes={"families": families})


def state_of(folder, current, configuration, *asked):
    asked_at = [datetime.fromisoformat(moment).timestamp() for moment in asked]
    return protocol_of(current, configuration, snapshots=folder, asked_at=asked_at)


def test_without_a_lock_the_protocol_is_unfrozen_and_anything_may_be_asked(configured, tmp_path):
    found = state_of(tmp_path, plan(), configured())
    assert (found.state, found.frozen_at) == ("unfrozen", None)
    refuse_changed(plan(), configured(), snapshots=tmp_path)


@pytest.mark.parametrize(
    ("asked", "state"),
    [
        ((), "frozen before the first call"),
        (("2026-11-29T12:00:05+00:00",), "frozen before the first call"),
        (("2026-11-29T11:00:00+00:00", "2026-11-29T13:00:00+00:00"), "frozen after 1 of 2 calls"),
    ],
)
def test_a_lock_says_whether_the_freeze_came_first(configured, tmp_path, asked, state):
    lock(tmp_path, protocol_parts(plan(), configured()))
    found = state_of(tmp_path, plan(), configured(), *asked)
    assert (found.state, found.frozen_at) == (state, NOW)


def test_nothing_is_asked_under_a_protocol_that_moved(configured, tmp_path):
    lock(tmp_path, protocol_parts(plan(), configured()))
    refuse_changed(plan(), configured(), snapshots=tmp_path)
    with pytest.raises(Refused) as caught:
        refuse_changed(plan(text="d2"), configured(), snapshots=tmp_path)
    assert str(caught.value).startswith("the protocol changed since it was frozen: items")
    assert str(caught.value).endswith("Freeze it anew with --judge-freeze, or undo the change.")
    assert state_of(tmp_path, plan(text="d2"), configured(), NOW).state == "changed after 1 calls"


def test_an_eval_that_is_not_collected_did_not_move(configured, tmp_path):
    one, two = plan(), plan(test="evals/test_b.py::test_y")
    both = replace(one, cells=one.cells + two.cells, tasks={**one.tasks, **two.tasks})
    lock(tmp_path, protocol_parts(both, configured()))
    refuse_changed(one, configured(), snapshots=tmp_path)


CONTRIBUTED = Contributed(
    apis={"house": Api("1", "http://127.0.0.1:9")},
    parsers={"word": "1"},
    traces={"log": "1"},
    templates={"house/1": "{criterion}"},
)
OF_A_PLUG_IN = """
[[judge]]
name = "qwen"
family = "qwen"
api = "house"
parser = "word"
template = "house/1"

[[agent]]
name = "program"
kind = "command"
command = ["a", "{prompt}"]
trace = "log"
"""


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"apis": {"house": Api("2", "http://127.0.0.1:9")}}, "judge"),
        ({"apis": {"house": Api("1", "http://example.org")}}, "judge"),
        ({"parsers": {"word": "2"}}, "judge"),
        ({"templates": {"house/1": "{criterion}!"}}, "judge"),
        ({"traces": {"log": "2"}}, "agent"),
    ],
)
def test_what_plug_ins_contribute_is_part_of_the_protocol(tmp_path, change, part):
    (tmp_path / "judgeaudit.toml").write_text(OF_A_PLUG_IN)
    before, after = (
        protocol_parts(plan(), read_configuration(None, root=tmp_path, contributed=one))
        for one in (CONTRIBUTED, replace(CONTRIBUTED, **change))
    )
    assert moved(before, after) == {part}
