"""From markers to items: ids, the schedule, cells by foreign parameters, and repetitions."""

from __future__ import annotations

import pytest

from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.records.items import Pair
from pytest_judgeaudit.session.ordering import schedule
from pytest_judgeaudit.session.rows import unique_rows
from pytest_judgeaudit.session.trial import SLOT, Seat, Slot


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


def test_two_trials_of_one_id_are_refused():
    with pytest.raises(Refused) as caught:
        unique_rows([("a", 1), ("b", 2), ("a", 3)])
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


BACK_ENDS = """
import pytest

@pytest.fixture(params=[pytest.param(("asyncio", {"debug": True}), id="asyncio_debug"), "asyncio"])
def anyio_backend(request):
    return request.param
"""


def test_every_back_end_of_anyio_is_a_cell_and_never_a_task(project):
    project.write("conftest.py", BACK_ENDS)
    project.evals(takes=", anyio_backend", body="    import anyio\n    await anyio.sleep(0)\n")
    text = (project.root / "evals/test_e.py").read_text()
    rate = """
@pytest.mark.rate_gate(lower=0.5)
@pytest.mark.parametrize("a, b", [(1, 2), (3, 4)])
@pytest.mark.parametrize("c", [5])
def test_rate(a, b, c, anyio_backend):
    ...
"""
    text = (text + rate).replace("def test", "@pytest.mark.anyio\nasync def test")
    project.write("evals/test_e.py", text)
    ran = project.audit(plugins=("judgeaudit", "anyio"))
    assert {gate["id"].rpartition("::")[2]: gate["tasks"] for gate in ran.report["gates"]} == {
        "clone_gate[longest-neutral-asyncio_debug]": 60,
        "clone_gate[longest-neutral-asyncio]": 60,
        "rate_gate[all-asyncio_debug]": 2,
        "rate_gate[all-asyncio]": 2,
    }
    tasks = {trial["task"] for trial in ran.report["trials"] if "test_rate" in trial["cell"]}
    assert tasks == {"5-1-2", "5-3-4"}


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


REPEATS = """
import pytest

@pytest.fixture
def __pytest_repeat_step_number(request):
    return request.param

@pytest.hookimpl(trylast=True)
def pytest_generate_tests(metafunc):
    metafunc.fixturenames.append("__pytest_repeat_step_number")
    metafunc.parametrize(
        "__pytest_repeat_step_number", range(2), indirect=True, ids=lambda i: f"{i + 1}-2", scope="function"
    )
"""
RATE = """
import pytest

@pytest.mark.rate_gate(lower=0.9)
@pytest.mark.parametrize("value", range(30))
def test_rate(value):
    ...
"""


def test_what_pytest_repeat_repeats_is_no_second_task_and_no_second_cell(project):
    project.evals()
    project.write("conftest.py", REPEATS)
    project.write("evals/test_rate.py", RATE)
    ran = project.audit("-q")
    assert ran.code == 10
    assert ran.states() == {"clone_gate[longest-neutral]": "HOLD", "rate_gate[all]": "HOLD"}
    assert [gate["reasons"][0].partition(":")[0] for gate in ran.report["gates"]] == [
        "60 presentations came more than once",
        "30 presentations came more than once",
    ]


REPLACES = """
import pytest

class Another(pytest.Function):
    ...

def another(item):
    return Another.from_parent(
        item.parent,
        name=item.name,
        callspec=item.callspec,
        fixtureinfo=item._fixtureinfo,
        originalname=item.originalname,
    )

@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_pycollect_makeitem():
    made = yield
    return [another(item) for item in made] if isinstance(made, list) else made
"""


def test_items_that_a_plugin_puts_in_the_place_of_others_are_trials(project):
    project.evals()
    project.write("evals/conftest.py", REPLACES)
    ran = project.audit("-q", "-k", "not c001")
    assert (ran.code, ran.gate()["reasons"]) == (0, ["59 of 60 declared presentations were selected"])


# Judges of answers

FLOOR = """
import pytest

@pytest.mark.questions("q.toml", arms=("blind",))
@pytest.mark.blind_floor
def test_reads(agent, judges, question, sandbox):
    answer = agent.answer(question, sandbox)
    for judge in judges:
        judge.score(question, answer)
"""

ASKED = """
[[question]]
id = "q1"
prompt = "Which function writes a loan?"
class = "lookup"
fact = [{ id = "f", must = true, match = { type = "literal", value = "write_loan" } }]
"""

READER = """
[[agent]]
name = "reader"
kind = "python"
callable = "people:reads"

[[judge]]
name = "prose"
family = "a"
api = "embedded"
model = "prose"

[[judge]]
name = "constant"
family = "b"
api = "embedded"
model = "constant-score"
"""


def test_a_floor_of_a_part_of_the_judges_is_not_decided(project):
    project.write("q.toml", ASKED)
    project.write("judgeaudit.toml", READER)
    project.write("people.py", 'def reads(prompt, sandbox):\n    return "It is write_loan."\n')
    project.evals(FLOOR)
    states = [
        project.audit(*options).gate("blind_floor")["state"]
        for options in (["--judge-live"], ["--judge", "prose"], ["--judge", "prose", "--judge", "constant"])
    ]
    assert states == ["REPORTED", "PARTIAL", "REPORTED"]


def test_a_floor_over_the_answers_that_passed_an_assertion_is_not_decided(project):
    project.write("q.toml", ASKED + ASKED.replace('"q1"', '"q2"').replace("write_loan", "read_loan"))
    project.write("judgeaudit.toml", READER)
    project.write("people.py", 'def reads(prompt, sandbox):\n    return "It is write_loan."\n')
    early = "    assert answer.grade(question).score == 1\n    for judge"
    project.evals(FLOOR.replace("    for judge", early))
    ran = project.audit("--judge-live")
    assert (ran.code, ran.gate("blind_floor")["state"]) == (10, "HOLD")
    assert "2 of 4 scores were not asked for by the test" in " ".join(ran.gate("blind_floor")["reasons"])


# Classes

CLASSES = """
import pytest

class TestOne:
    @pytest.mark.clone_pairs("corpora/rows.jsonl")
    @pytest.mark.clone_gate(upper=0.05)
    def test_copies_tie(self, judge, pair):
        assert judge.compare(pair).tie

class TestOther(TestOne):
    class TestWithin(TestOne):
        pass
"""


@pytest.mark.parametrize(
    "selected", [(), ("-k", "TestOne and not TestOther"), ("evals/test_e.py::TestOne",)]
)
def test_a_family_does_not_shrink_where_a_part_of_a_module_is_named(project, selected):
    project.write("evals/test_e.py", CLASSES)
    gates = project.audit(*selected).report["gates"]
    # Alone its p would be .95 ** 60 = .046, a PASS; of three that are alike it is .138.
    (found,) = (gate for gate in gates if gate["eval"].endswith("e.py::TestOne::test_copies_tie"))
    assert (found["state"], found["family"]["m"]) == ("PARTIAL" if selected else "MISS", 3)


def test_a_class_that_is_left_out_keeps_its_answers(project):
    project.write("evals/test_e.py", CLASSES)
    project.judges(own={"api": "python", "callable": "people:ties"})
    project.write("people.py", 'def ties(messages):\n    return \'{"winner": "tie"}\'\n')
    project.audit("--judge-live")
    (answers,) = (path for path in project.root.rglob("*.jsonl") if "snapshots" in path.parts)
    before = answers.read_bytes()
    project.audit("evals/test_e.py::TestOne", "--judge-prune")
    assert answers.read_bytes() == before


def test_a_class_that_is_left_out_and_cannot_be_collected_is_a_usage_error(project):
    other = "@pytest.mark.parametrize('x', [1], ids=['a', 'b'])\n    def test_x(self, x): ..."
    project.write("evals/test_e.py", f"{CLASSES}\nclass TestThird:\n    {other}\n")
    ran = project.run("--judge-audit", "evals/test_e.py::TestOne")
    assert ran.code == 4
    (said,) = ran.errors
    assert said.startswith("evals/test_e.py::TestThird: cannot be collected: ")
