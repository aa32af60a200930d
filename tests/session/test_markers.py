"""Marker arguments: what they mean, and the exact words in which they are refused."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.session.markers import carrier_of, gates_of, source_of
from pytest_judgeaudit.session.marking import DESCRIPTIONS, GATES, OURS, parametrized


class Marks:
    """``mark.NAME(…)`` is a marker as a test would carry it, whether or not the plug-in is loaded."""

    def __getattr__(self, name: str) -> Any:
        return lambda *args, **kwargs: SimpleNamespace(name=name, args=args, kwargs=kwargs)


mark = Marks()


class Definition:
    """A test with markers, nearest first."""

    def __init__(self, *marks: Any) -> None:
        self.marks = marks

    def get_closest_marker(self, name: str) -> Any:
        return next((one for one in self.marks if one.name == name), None)

    def iter_markers_with_node(self, name: str) -> list[Any]:
        return [(self, one) for one in self.marks if one.name == name]

    def iter_markers(self, name: str) -> list[Any]:
        return [one for one in self.marks if one.name == name]


def refusal(reader, *marks):
    with pytest.raises(Refused) as caught:
        reader(Definition(*marks))
    return str(caught.value)


# Sources


def test_a_test_without_source_marker_has_no_source():
    assert source_of(Definition(mark.rate_gate(lower=0.5))) is None
    assert carrier_of(Definition(mark.rate_gate(lower=0.5))) is None


def test_a_source_is_a_path_a_battery_or_items():
    for source in ("corpora/a.jsonl", "battery:finite-code", Path("a.jsonl"), [{"id": "a"}], iter(())):
        assert source_of(Definition(mark.clone_pairs(source))).source is source


@pytest.mark.parametrize(
    ("marker", "kind"),
    [("clone_pairs", "clone"), ("signal_pairs", "signal"), ("equivalent_pairs", "equivalent")],
)
def test_each_source_marker_makes_its_kind_of_pairs(marker, kind):
    spec = source_of(Definition(getattr(mark, marker)("a.jsonl", fields={"prompt": "ask"})))
    assert (spec.kind, spec.strata, spec.fields) == (kind, ("core",), {"prompt": "ask"})


def test_strata_are_kept_in_the_order_written():
    spec = source_of(Definition(mark.clone_pairs("a.jsonl", strata=["whitespace", "core"])))
    assert spec.strata == ("whitespace", "core")


@pytest.mark.parametrize(
    ("marks", "words"),
    [
        (
            [mark.clone_pairs("a"), mark.signal_pairs("a")],
            "found the markers clone_pairs and signal_pairs, expected one source. Write two tests.",
        ),
        (
            [mark.clone_pairs()],
            "clone_pairs: missing a required argument: 'source', expected (source, strata, fields)",
        ),
        (
            [mark.clone_pairs("a", "core", None, 4)],
            "clone_pairs: too many positional arguments, expected (source, strata, fields)",
        ),
        (
            [mark.clone_pairs("a", stratum=("core",))],
            (
                "clone_pairs: unknown argument 'stratum', expected source, strata, fields. "
                'Did you mean "strata"?'
            ),
        ),
        (
            [mark.clone_pairs(3)],
            "clone_pairs: source: found 3, expected a path, battery:NAME or items",
        ),
        (
            [mark.clone_pairs("a", strata="core")],
            "clone_pairs: strata: found 'core', expected a tuple of core, empty, whitespace",
        ),
        (
            [mark.clone_pairs("a", strata=("cor",))],
            "clone_pairs: strata: found 'cor', expected core, empty, whitespace. Did you mean \"core\"?",
        ),
        (
            [mark.signal_pairs("a", fields=["prompt"])],
            (
                "signal_pairs: fields: found ['prompt'], expected a table of field names, "
                "such as {'prompt': 'ask'}"
            ),
        ),
        (
            [mark.equivalent_pairs("a", context=3)],
            "equivalent_pairs: context: found 3, expected a name",
        ),
        (
            [mark.questions(["q"])],
            "questions: source: found ['q'], expected the path of a question file",
        ),
        (
            [mark.questions("q.toml", replicates=0)],
            "questions: replicates: found 0, expected a whole number from 1 to 1000",
        ),
        (
            [mark.questions("q.toml", arms="blind")],
            (
                "questions: arms: found 'blind', expected a tuple of sighted, blind, renamed-sighted, "
                "renamed-blind"
            ),
        ),
        (
            [mark.questions("q.toml", arms=("blind", "sigthed"))],
            (
                "questions: arms: found 'sigthed', expected sighted, blind, renamed-sighted, renamed-blind."
                ' Did you mean "sighted"?'
            ),
        ),
        (
            [mark.questions("q.toml", arms=("blind@2",))],
            (
                "questions: arms: found 'blind@2', expected sighted, blind, renamed-sighted, renamed-blind."
                ' Did you mean "blind"?'
            ),
        ),
        (
            [mark.labelled_answers("a", controls="blank")],
            (
                "labelled_answers: controls: found 'blank', expected a tuple of blank, whitespace, "
                "repeated, or ()"
            ),
        ),
        (
            [mark.labelled_answers("a", controls=("blnak",))],
            (
                "labelled_answers: controls: found 'blnak', expected blank, whitespace, repeated."
                ' Did you mean "blank"?'
            ),
        ),
        (
            [mark.labelled_answers("a", labels={"good": 1})],
            (
                "labelled_answers: labels: found {'good': 1}, expected how the source writes both, such as "
                "{'good': 'pass', 'bad': 'fail'}"
            ),
        ),
        (
            [mark.labelled_answers("a", labels={"good": 1, "bad": 1})],
            (
                "labelled_answers: labels: found {'good': 1, 'bad': 1}, expected how the source writes "
                "both, such as {'good': 'pass', 'bad': 'fail'}"
            ),
        ),
        (
            [mark.labelled_answers("a", labels={"good": 1, "bad": True})],
            (
                "labelled_answers: labels: found {'good': 1, 'bad': True}, expected how the source writes "
                "both, such as {'good': 'pass', 'bad': 'fail'}"
            ),
        ),
    ],
)
def test_a_wrong_source_is_refused_in_one_line(marks, words):
    assert refusal(source_of, *marks) == words


# Gates


def test_defaults_are_those_of_the_design():
    clone, utility, operational = gates_of(
        Definition(mark.operational_gate(), mark.utility_gate(), mark.clone_gate())
    )
    assert (clone.kind, clone.upper, clone.confidence, clone.adjust) == ("clone_gate", 0.05, 0.95, "holm")
    assert (clone.family, clone.study) == (None, None)
    assert (utility.kind, utility.lower, utility.strata, utility.bound) == (
        "utility_gate",
        0.75,
        "subset",
        "checked",
    )
    assert (operational.kind, operational.max_invalid) == ("operational_gate", 0.01)


def test_a_rate_gate_bounds_one_side_and_may_name_an_arm():
    (gate,) = gates_of(Definition(mark.rate_gate(upper=0.2, where={"arm": "all"})))
    assert (gate.upper, gate.lower, gate.where) == (0.2, None, {"arm": "all"})


def test_no_invalid_output_at_all_may_be_demanded_but_no_rate_of_zero():
    (gate,) = gates_of(Definition(mark.operational_gate(max_invalid=0)))
    assert gate.max_invalid == 0
    assert "upper: found 0," in refusal(gates_of, mark.clone_gate(upper=0))


@pytest.mark.parametrize("value", [0, 1, 1.5, -0.1, float("nan"), float("inf"), True, "0.05", None])
def test_only_a_number_between_zero_and_one_is_a_rate(value):
    words = refusal(gates_of, mark.clone_gate(upper=value))
    assert words == (
        f"clone_gate: upper: found {value!r}, expected a rate between 0 and 1, such as 0.05 for 5 %"
    )


@pytest.mark.parametrize(
    ("gate", "words"),
    [
        (
            mark.clone_gate(uper=0.05),
            (
                "clone_gate: unknown argument 'uper', expected upper, confidence, adjust, family, study. "
                'Did you mean "upper"?'
            ),
        ),
        (
            mark.clone_gate(adjust="bonferroni"),
            "clone_gate: adjust: found 'bonferroni', expected holm or none.",
        ),
        (mark.clone_gate(study=""), "clone_gate: study: found '', expected a name"),
        (mark.clone_gate(family=7), "clone_gate: family: found 7, expected a name"),
        (
            mark.utility_gate(bound="boostrap"),
            (
                "utility_gate: bound: found 'boostrap', expected checked or bootstrap or exact. "
                'Did you mean "bootstrap"?'
            ),
        ),
        (
            mark.utility_gate(weights={"Math": 0.4}),
            "utility_gate: weights: found shares that sum to 0.4, expected 1",
        ),
        (
            mark.utility_gate(weights=[0.4, 0.6]),
            "utility_gate: weights: found [0.4, 0.6], expected a table of shares, such as {'Math': 0.4, …}",
        ),
        (
            mark.rate_gate(),
            "rate_gate: found both or neither of upper and lower, expected one of them",
        ),
        (
            mark.rate_gate(upper=0.2, lower=0.1),
            "rate_gate: found both or neither of upper and lower, expected one of them",
        ),
        (
            mark.rate_gate(lower=0.1, where={"judge": "x"}),
            "rate_gate: where: found {'judge': 'x'}, expected {'arm': NAME}",
        ),
        (
            mark.blind_floor(max=100),
            "blind_floor: max: found 100, expected a floor of 100, from 0 to below 100",
        ),
    ],
)
def test_a_wrong_gate_is_refused_in_one_line(gate, words):
    assert refusal(gates_of, gate) == words


def test_shares_may_be_rounded_but_not_wrong():
    (gate,) = gates_of(Definition(mark.utility_gate(weights={"a": 1 / 3, "b": 1 / 3, "c": 1 / 3})))
    assert sum(gate.weights.values()) == pytest.approx(1)


# Others


def test_arguments_of_parametrize_are_found_in_each_form():
    definition = Definition(
        mark.parametrize("tone, pair", []), mark.parametrize(["a", "b"], []), mark.parametrize(argnames="c")
    )
    assert parametrized(definition) == ["tone", "pair", "a", "b", "c"]


def test_every_marker_is_described_to_pytest():
    assert [text.partition("(")[0] for text in DESCRIPTIONS] == list(OURS)


@pytest.mark.parametrize("text", DESCRIPTIONS)
def test_described_arguments_are_those_that_are_taken(text):
    name, _, rest = re.sub(r"=\([^()]*\)", "", text).partition("(")
    reader = gates_of if name in GATES else source_of
    words = refusal(reader, getattr(mark, name)(zzz=1))
    described = {part.partition("=")[0].strip() for part in rest.partition("):")[0].split(", ")}
    taken = set(words.partition("expected ")[2].rstrip(".").split(", "))
    assert taken == described


def test_labelled_answers_have_both_controls_that_are_gated_unless_told_otherwise():
    spec = source_of(Definition(mark.labelled_answers("a.jsonl")))
    assert (spec.controls, spec.labels, spec.fields, spec.carrier) == (
        ("blank", "repeated"),
        None,
        None,
        "item",
    )
    labels = {"good": 1, "bad": 0}
    told = mark.labelled_answers("a", controls=["repeated", "whitespace"], labels=labels)
    spec = source_of(Definition(told))
    assert (spec.controls, spec.labels) == (("whitespace", "repeated"), labels)


def arm_gate(arm, upper=0.05):
    return mark.rate_gate(upper=upper, where={"arm": arm})


def test_each_arm_of_labelled_answers_may_have_a_rate_gate_of_its_own():
    gates = gates_of(Definition(mark.labelled_answers("a"), arm_gate("bad"), arm_gate("good", 0.2)))
    assert [(gate.where, gate.upper) for gate in gates] == [({"arm": "bad"}, 0.05), ({"arm": "good"}, 0.2)]


@pytest.mark.parametrize("second", [arm_gate("bad", 0.2), mark.rate_gate(upper=0.2)])
def test_two_rate_gates_on_one_arm_are_refused(second):
    words = refusal(gates_of, mark.labelled_answers("a"), arm_gate("bad"), second)
    assert words == (
        "rate_gate: found 2 of these markers, expected one that names an arm for each. "
        "Leave the others out."
    )


def test_a_second_gate_of_any_other_test_is_refused():
    words = refusal(gates_of, mark.questions("q"), arm_gate("blind"), arm_gate("sighted"))
    assert words == "rate_gate: found 2 of these markers, expected one. Leave the others out."


def test_a_gate_at_the_test_comes_before_one_of_its_module():
    class Nested(Definition):
        def iter_markers_with_node(self, name):
            return [("test", self.marks[0]), ("module", self.marks[1])] if name == "rate_gate" else []

    (gate,) = gates_of(Nested(mark.rate_gate(lower=0.5), mark.rate_gate(lower=0.9)))
    assert gate.lower == 0.5
