"""The door of the battery: its pairs, and the only way in which a text of it is run."""

from __future__ import annotations

import ast
import builtins
import time
from collections import Counter

import pytest

from pytest_judgeaudit.corpora import finite_code
from pytest_judgeaudit.corpora.finite_code import correct_inputs, pairs
from pytest_judgeaudit.corpora.finite_code.families import battery
from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.records.items import slug

KINDS = ("clone", "equivalent", "signal")
FAMILIES = ("clamp", "digits", "overlap", "rank", "rounding", "runs", "search", "windows")


class Anonymous(ast.NodeTransformer):
    """Name every variable by the order in which it first occurs."""

    def __init__(self):
        self.names = {}

    def visit_Name(self, node):
        node.id = self.names.setdefault(node.id, f"n{len(self.names)}")
        return node

    def visit_arg(self, node):
        node.arg = self.names.setdefault(node.arg, f"n{len(self.names)}")
        return node


def shape(text):
    return ast.dump(Anonymous().visit(ast.parse(text)))


@pytest.mark.parametrize("kind", KINDS)
def test_the_ids_are_the_same_for_every_kind(kind):
    assert [pair.id for pair in pairs(kind)] == [
        f"{name}-{n:02}" for name in FAMILIES for n in range(1, 13)
    ]
    assert all(slug(pair.id) == pair.id or "-" in pair.id for pair in pairs(kind))


@pytest.mark.parametrize("kind", KINDS)
def test_a_pair_says_where_it_comes_from_and_how_it_is_judged(kind):
    for pair in pairs(kind):
        assert (pair.kind, pair.order, pair.stratum) == (kind, "AB", "core")
        assert (pair.wording, pair.source) == ("finite-code", "battery:finite-code")
        assert pair.subset == pair.family == pair.id.partition("-")[0]


def test_a_clone_is_the_reference_twice():
    assert all(pair.first == pair.second and pair.target == "tie" for pair in pairs("clone"))


def test_the_reference_is_the_first_text_of_every_kind():
    firsts = [[pair.first for pair in pairs(kind)] for kind in KINDS]
    assert firsts[0] == firsts[1] == firsts[2] == [item.reference for item in battery().values()]


def test_equivalents_tie_and_faults_lose():
    assert {pair.target for pair in pairs("equivalent")} == {"tie"}
    assert {pair.target for pair in pairs("signal")} == {"first"}


def test_all_prompts_differ():
    assert len({pair.prompt for pair in pairs("signal")}) == 96


def test_no_text_serves_twice():
    assert len({text for item in battery().values() for text in item.texts.values()}) == 288


def test_everything_that_a_judge_sees_is_ascii():
    for pair in (*pairs("equivalent"), *pairs("signal")):
        assert (pair.prompt + pair.first + pair.second).isascii()


def test_the_prompt_states_the_domain_and_its_size():
    for item in battery().values():
        assert item.specification.endswith(f"Valid inputs: {item.domain.words}")
        assert f"{len(list(item.domain.inputs()))} inputs in all." in item.specification


def test_renaming_its_variables_does_not_make_the_reference_equal_to_another_text():
    for item in battery().values():
        assert len({shape(text) for text in item.texts.values()}) == 3, item.id


def test_the_shape_of_a_text_does_not_depend_on_its_names():
    assert shape("def solve(a, b):\n    return a - b\n") == shape("def solve(x, y):\n    return x - y\n")
    assert shape("def solve(a, b):\n    return a - b\n") != shape("def solve(a, b):\n    return b - a\n")


def test_length_does_not_tell_the_faulty_text():
    longer = Counter(pair.family for pair in pairs("signal") if len(pair.second) > len(pair.first))
    shorter = Counter(pair.family for pair in pairs("signal") if len(pair.second) < len(pair.first))
    assert longer == shorter == dict.fromkeys(FAMILIES, 6)
    assert all(0.65 < len(pair.second) / len(pair.first) < 1.35 for pair in pairs("signal"))


def test_length_does_not_tell_the_reference_from_the_equivalent():
    longer = sum(len(pair.second) > len(pair.first) for pair in pairs("equivalent"))
    assert longer == 48


def test_correct_texts_are_right_on_every_input_and_faulty_ones_on_fewer():
    for pair in pairs("equivalent"):
        size = battery()[pair.id].domain.size
        assert correct_inputs(pair.first) == correct_inputs(pair.second) == (size, size)
    for pair in pairs("signal"):
        right, size = correct_inputs(pair.second)
        assert 0 < right < size == battery()[pair.id].domain.size


def test_a_fault_is_counted_on_every_input_that_shows_it():
    # max(0, ...) is missing, so the text is wrong exactly where the jobs are apart by more than nothing:
    # starts 0 to 6, lengths 1 to 3, two slots of cleaning, slots 0 to 8.
    apart = sum(
        max(a, b) > min(a + m, b + n) + 2
        for a in range(7)
        for m in (1, 2, 3)
        for b in range(7)
        for n in (1, 2, 3)
    )
    assert correct_inputs(battery()["overlap-02"].faulty) == (441 - apart, 441)


HOSTILE = "open('{path}', 'w').close()\ndef solve(values):\n    open('{path}', 'w').close()\n    return 0\n"


def test_a_hostile_text_is_refused_and_not_executed(tmp_path, monkeypatch):
    path = tmp_path / "touched"
    monkeypatch.setattr(builtins, "exec", lambda *_: path.touch())
    with pytest.raises(Refused) as refusal:
        correct_inputs(HOSTILE.format(path=path))
    assert not path.exists()
    assert "expected one of the 288 certified texts; it was not executed." in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text + "\n",
        lambda text: " " + text,
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("solve", "solve_"),
        lambda text: text + "\udcff",
        lambda _: "",
    ],
)
def test_a_certified_text_that_was_touched_is_refused(change):
    with pytest.raises(Refused):
        correct_inputs(change(battery()["runs-01"].reference))


def test_a_text_that_changed_after_its_certification_is_refused(monkeypatch):
    monkeypatch.setattr(finite_code.certification, "certified", dict)
    with pytest.raises(Refused, match="one of the 0 certified texts"):
        correct_inputs(battery()["runs-01"].reference)


def test_a_text_runs_once_in_a_process():
    source = battery()["runs-02"].reference
    correct_inputs(source)
    before = finite_code._agreement.cache_info()
    correct_inputs(source)
    after = finite_code._agreement.cache_info()
    assert (after.hits, after.misses) == (before.hits + 1, before.misses)


def test_the_whole_battery_runs_in_seconds():
    finite_code._agreement.cache_clear()
    finite_code.expected.cache_clear()
    start = time.process_time()
    for item in battery().values():
        for text in item.texts.values():
            correct_inputs(text)
    assert time.process_time() - start < 10  # about one second on one core; the rest is for slow machines
