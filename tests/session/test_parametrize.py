"""From markers to items: ids, the schedule, cells by foreign parameters, and repetitions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.records.items import Pair
from pytest_judgeaudit.session.parametrize import _unique, _without, schedule
from pytest_judgeaudit.session.trial import SLOT, Seat, Slot

IDS = st.lists(st.text("abc", min_size=1, max_size=3), max_size=3).map("-".join)


class Item:
    """What the schedule reads of an item."""

    def __init__(self, nodeid: str, module: str | None) -> None:
        self.nodeid = nodeid
        self.stash = pytest.Stash()
        if module is not None:
            self.stash[SLOT] = Slot(cell="c", module=module, test="t", arm="clone", task="t", pair=PAIR)


PAIR = Pair(id="a", prompt="p", first="x", second="x", target="tie", kind="clone")


def made(*modules: str | None) -> list[Item]:
    return [Item(f"{module}::test[{index}]", module) for index, module in enumerate(modules)]


# Ids


@given(before=IDS, ours=IDS.filter(bool), after=IDS)
def test_what_is_not_ours_is_left_of_an_id(before, ours, after):
    marked = f"<{ours}>"  # unlike anything beside it
    full = "-".join(part for part in (before, marked, after) if part)
    assert _without(full, marked) == "-".join(part for part in (before, after) if part)


@pytest.mark.parametrize(("full", "part", "rest"), [("x-y", "", "x-y"), ("x", "x", ""), ("", "", "")])
def test_an_id_may_be_all_ours_or_none_of_it(full, part, rest):
    assert _without(full, part) == rest


def test_two_trials_of_one_id_are_refused():
    with pytest.raises(Refused) as caught:
        _unique([("a", 1), ("b", 2), ("a", 3)])
    assert str(caught.value) == ("two trials would have the id 'a'. Rename a judge, a criterion or a task.")


def test_a_seat_is_named_in_ascii():
    assert Seat("qwen", "neutral").id == "qwen-neutral"
    assert Seat("größe/1", "neutral").id.isascii()


# Schedule


def test_the_schedule_depends_on_the_seed_and_not_on_the_order_of_collection():
    items = made(*["a"] * 20)
    orders = {}
    for seed in (1, 2):
        forward, backward = list(items), items[::-1]
        schedule(forward, seed=seed)
        schedule(backward, seed=seed)
        assert forward == backward
        orders[seed] = forward
    assert orders[1] != orders[2]


def test_modules_keep_their_places_and_so_does_what_is_no_trial():
    items = made("a", None, "b", "a", "b", None, "a")
    before = [item.nodeid.partition("::")[0] for item in items]
    plain = [item for item in items if SLOT not in item.stash]
    schedule(items, seed=3)
    assert [item.nodeid.partition("::")[0] for item in items] == before
    assert [items[1], items[5]] == plain


def test_an_item_that_a_plugin_repeats_is_scheduled_once():
    items = made("a", "a", "a")
    doubled = items * 2
    schedule(doubled, seed=1)
    assert doubled[3:] == items
    assert set(doubled[:3]) == set(items)


def test_a_trial_without_pair_stays_where_it_is():
    items = made("a", "a", "a", "a")
    for item in items:
        item.stash[SLOT].pair = None
    kept = list(items)
    schedule(items, seed=1)
    assert items == kept


# Cells


def test_foreign_parameters_make_cells_of_their_own(project):
    tones = '@pytest.mark.parametrize("tone", ["calm", "loud-x"])'
    body = "    assert tone == 'calm' or pair.id != 'c007'\n"
    project.evals(marks=tones, takes=", tone", body="    judge.compare(pair)\n" + body)
    ran = project.audit()
    # In a family of two, 0 of 60 has the adjusted p 2 * 0.95^60 = 0.092: neither passes.
    assert ran.states() == {
        "clone_gate[longest-neutral-calm]": "MISS",
        "clone_gate[longest-neutral-loud-x]": "MISS",
    }
    assert [gate["tasks"] for gate in ran.report["gates"]] == [60, 60]
    assert ran.report["gates"][0]["p_holm"] == pytest.approx(2 * 0.95**60)
    assert [cell["counts"]["adverse"] for cell in ran.report["cells"]] == [0, 1]
    assert ran.report["cells"][0]["id"].startswith("evals/test_e.py::test_copies_tie[calm]::")


def test_every_backend_of_anyio_is_a_cell(project):
    project.write(
        "conftest.py",
        "import pytest\n\n@pytest.fixture(params=['asyncio', 'asyncio2'])\n"
        "def anyio_backend(request):\n    return 'asyncio'\n",
    )
    project.evals(takes=", anyio_backend", body="    import anyio\n    await anyio.sleep(0)\n")
    text = (project.root / "evals/test_e.py").read_text()
    project.write("evals/test_e.py", text.replace("def test", "@pytest.mark.anyio\nasync def test"))
    ran = project.audit(plugins=("judgeaudit", "anyio"))
    assert {name: gate["tasks"] for name, gate in zip(ran.states(), ran.report["gates"], strict=True)} == {
        "clone_gate[longest-neutral-asyncio]": 60,
        "clone_gate[longest-neutral-asyncio2]": 60,
    }


def test_without_a_source_the_parameters_are_the_tasks(project):
    project.write(
        "evals/test_rate.py",
        """
import pytest

@pytest.mark.rate_gate(lower=0.9)
@pytest.mark.parametrize("pair", range(60))
def test_of_values(pair):
    assert pair != 7

@pytest.mark.rate_gate(lower=0.9)
def test_of_a_judge(judge):
    assert judge.name == "longest"

@pytest.mark.rate_gate(lower=0.5)
@pytest.mark.parametrize("a", [1, 2, 3])
@pytest.mark.parametrize("b", [1, 2])
class TestMany:
    def test_of_two(self, a, b): ...
""",
    )
    ran = project.audit("-k", "not of_a_judge")
    # 59 of 60: the lower bound is 1 - 7.66 %; 6 of 6: 0.05^(1/6) = 60.7 %.
    assert [(gate["state"], round(gate["bound"], 4)) for gate in ran.report["gates"][:2]] == [
        ("PASS", 0.9234),
        ("PASS", 0.6070),
    ]
    ran = project.audit("-k", "of_a_judge")
    gate = next(gate for gate in ran.report["gates"] if gate["judge"])
    assert (gate["id"].rpartition("::")[2], gate["tasks"]) == ("rate_gate[longest-neutral]", 1)


def test_methods_of_classes_are_evals_of_their_own(project):
    project.write(
        "evals/test_classes.py",
        """
import pytest

class TestA:
    @pytest.mark.clone_pairs("corpora/rows.jsonl")
    @pytest.mark.clone_gate(family="a")
    def test_it(self, judge, pair):
        assert judge.compare(pair).tie

    class TestB:
        @pytest.mark.clone_pairs("corpora/rows.jsonl")
        @pytest.mark.clone_gate(family="b")
        def test_it(self, judge, pair):
            assert judge.compare(pair).tie
""",
    )
    ran = project.audit()
    assert ran.code == 0
    assert sorted(gate["id"] for gate in ran.report["gates"]) == [
        "evals/test_classes.py::TestA::TestB::test_it::clone_gate[longest-neutral]",
        "evals/test_classes.py::TestA::test_it::clone_gate[longest-neutral]",
    ]


# Repetitions


def test_an_item_that_runs_twice_is_no_second_task(project):
    project.evals()
    project.write("conftest.py", "def pytest_collection_modifyitems(items):\n    items += items\n")
    ran = project.audit("-q")
    assert (ran.code, ran.gate()["state"]) == (10, "HOLD")
    assert ran.gate()["reasons"] == [
        "60 presentations came more than once: c001 AB, c002 AB, c003 AB, c004 AB, c005 AB and 55 more"
    ]
    assert "120 passed, 1 error in" in ran.last
