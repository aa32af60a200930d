"""The plausibility floor: what it is made of, when it is none, and what a gate makes of it."""

from __future__ import annotations

import pytest

from pytest_judgeaudit.audit.floors import adjusted_by, blind_floor, floors, reversals
from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.records.scores import UNASKED, RubricScore

FAMILIES = {"opus": "claude", "gpt": "gpt"}


def of(rows, **rest):
    return floors(rows, **{"families": FAMILIES, "run": "r1", **rest})


@pytest.fixture(scope="module")
def plain(rubric):
    """Blind 32, sighted 77, by two judges."""
    return [*rubric.cell(32.0, arm="blind"), *rubric.cell(77.0)]


def test_a_floor_is_the_blind_mean_and_scores_are_counted_from_there(plain):
    (found,) = of(plain)
    assert (found.corpus, found.agent, found.run, found.state) == ("lending", "reader", "r1", "reported")
    assert found.floor == pytest.approx(32)
    assert found.by_dimension == pytest.approx(
        {"accuracy": 9.6, "completeness": 8, "traceability": 8, "usefulness": 6.4}
    )
    assert found.scores == pytest.approx({"sighted": 77})
    assert found.adjusted == pytest.approx({"sighted": (77 - 32) / (100 - 32)})
    assert found.verified_blind
    assert found.reasons == ()


@pytest.mark.parametrize("state", ["stale", "pending"])
def test_nothing_is_made_of_scores_of_which_some_are_yet_to_come(rubric, state):
    late = RubricScore(state=state, reason="the key moved")
    rows = [
        *rubric.cell(32.0, arm="blind"),
        *rubric.cell(77.0),
        rubric.row({"opus": late, "gpt": 60}, question="q9"),
    ]
    (found,) = of(rows)
    assert (found.floor, found.scores, found.adjusted, found.judges) == (None, {}, {}, {})
    assert found.reasons == (
        "blind floor not reported: 1 of 26 scores are stale or pending; --judge-live asks for just these",
    )
    assert blind_floor([found]).state == "HOLD"


def test_nothing_is_made_of_scores_of_the_answers_that_a_test_liked(rubric):
    never = RubricScore(state="pending", reason=UNASKED)
    rows = [
        *rubric.cell(32.0, arm="blind"),
        rubric.row({"opus": never, "gpt": never}, question="q9", arm="blind"),
    ]
    (found,) = of(rows)
    assert (found.floor, blind_floor([found]).state) == (None, "HOLD")
    (reason,) = found.reasons
    assert "2 of 14 scores were not asked for by the test; call judge.score before" in reason


def test_each_judge_has_a_floor_of_its_own_beside_it(rubric):
    rows = [
        rubric.row({"opus": 20, "gpt": 40}, arm="blind"),
        rubric.row({"opus": 60, "gpt": 70}),
    ]
    (found,) = of(rows)
    assert found.floor == pytest.approx(30)
    opus, gpt = found.judges["opus"], found.judges["gpt"]
    assert (opus["family"], opus["floor"], gpt["floor"]) == ("claude", pytest.approx(20), pytest.approx(40))
    assert opus["adjusted"] == pytest.approx({"sighted": 0.5})
    assert gpt["by_dimension"]["accuracy"] == pytest.approx(12)
    assert (opus["judgements"], opus["excluded"], opus["refused"]) == (1, 0, 0)


def test_floor_and_score_are_over_the_judges_that_scored_both_arms(rubric):
    rows = [
        rubric.row({"opus": 20, "gpt": 40, "qwen": 90}, arm="blind"),
        rubric.row({"opus": 60, "gpt": 70, "qwen": rubric.LOST}),
    ]
    (found,) = of(rows, families={**FAMILIES, "qwen": "qwen"})
    assert found.floor == pytest.approx(30)
    assert found.scores == pytest.approx({"sighted": 65})
    assert found.reasons == ("left out, because they did not score every arm: qwen",)
    assert found.judges["qwen"]["floor"] == pytest.approx(90)


@pytest.mark.parametrize("maximum", [None, 40])
def test_means_over_different_questions_say_so_in_the_floor_and_in_the_gate(rubric, maximum):
    both = {"opus": 30, "gpt": 30}
    asked = [("q1", "blind"), ("q1", "sighted"), ("q2", "sighted")]
    rows = [rubric.row(both, question=name, arm=arm) for name, arm in asked]
    (found,) = of(rows)
    said = "over different questions: blind 1, sighted 2, 1 of them in both"
    assert found.reasons == (said,)
    gate = blind_floor([found], maximum=maximum)
    assert (gate.state, len(gate.reasons)) == ("REPORTED", 1)
    assert gate.reasons[0].endswith(said)


def test_a_judge_of_sighted_answers_alone_is_in_neither_mean(rubric):
    rows = [
        rubric.row({"opus": 20, "gpt": 40}, arm="blind"),
        rubric.row({"opus": 60, "gpt": 70, "qwen": 2}),
    ]
    (found,) = of(rows)
    assert found.scores == pytest.approx({"sighted": 65})
    assert "qwen" not in found.judges
    assert found.reasons == ("left out, because they did not score every arm: qwen",)


def test_without_a_judge_of_both_arms_nothing_is_adjusted(rubric):
    rows = [rubric.row({"opus": 20, "gpt": 40}, arm="blind"), rubric.row({"qwen": 60})]
    (found,) = of(rows)
    assert (found.floor, found.scores, found.adjusted) == (pytest.approx(30), {}, {})
    assert found.reasons == ("no judge scored both arms: nothing is adjusted",)


def test_a_score_below_the_floor_is_negative(rubric):
    (found,) = of([*rubric.cell(50.0, arm="blind"), *rubric.cell(40.0)])
    assert found.adjusted == pytest.approx({"sighted": -0.2})


def test_a_floor_of_full_marks_leaves_no_scale(rubric):
    (found,) = of([rubric.row({"opus": 100, "gpt": 100}, arm=arm) for arm in ("blind", "sighted")])
    assert (found.floor, found.adjusted) == (pytest.approx(100), {})


def test_the_floor_is_question_balanced_and_the_choice_can_be_varied(rubric):
    rows = [
        rubric.row({"opus": 10, "gpt": 30}, question="a", arm="blind"),
        rubric.row({"opus": 40, "gpt": rubric.LOST}, question="b", arm="blind"),
    ]
    assert of(rows)[0].floor == pytest.approx(30)
    assert of(rows, kind="pooled")[0].floor == pytest.approx(80 / 3)
    assert of(rows, kind="judge-balanced")[0].floor == pytest.approx(27.5)
    assert of(rows)[0].judges["gpt"]["excluded"] == 1


def test_a_scored_group_without_a_blind_arm_has_no_floor_and_says_so(rubric):
    (found,) = of(rubric.cell(77.0))
    assert (found.state, found.floor, found.verified_blind) == ("blind floor not reported", None, False)
    assert found.adjusted == {}
    assert found.reasons == (
        'blind floor not reported: the run has no blind arm; add "blind" to the marker\'s arms',
    )


def test_a_blind_arm_without_a_valid_score_is_no_floor(rubric):
    (found,) = of([rubric.row({"opus": rubric.LOST}, arm="blind"), *rubric.cell(77.0)])
    assert found.state == "blind floor not reported"
    assert found.reasons == ("blind floor not reported: no valid score of 1 blind answer",)


@pytest.mark.parametrize(
    ("rest", "reasons"),
    [
        ({"exposed": ("policy event denied-tool",)}, ("policy event denied-tool",)),
        ({"tool_calls": 2}, ("2 calls of tools in the blind arm",)),
        ({"tool_calls": 1, "exposed": ("its sandbox was not empty",)}, ("its sandbox was not empty",)),
    ],
)
def test_a_blind_arm_that_is_not_verified_adjusts_nothing(rubric, rest, reasons):
    rows = [rubric.row({"opus": 30, "gpt": 34}, arm="blind", **rest), rubric.row({"opus": 70, "gpt": 80})]
    (found,) = of(rows)
    assert (found.state, found.verified_blind) == ("not verified", False)
    assert (found.floor, found.adjusted) == (pytest.approx(32), {})
    assert found.judges["opus"]["adjusted"] == {}
    assert found.reasons == reasons


def test_an_answer_that_failed_for_the_hosts_reasons_neither_counts_nor_exposes(rubric):
    rows = [
        *rubric.cell(32.0, arm="blind"),
        rubric.row(
            {"opus": 90, "gpt": 90}, question="x", arm="blind", outcome="host_stalled", exposed=("?",)
        ),
    ]
    (found,) = of(rows)
    assert (found.floor, found.verified_blind) == (pytest.approx(32), True)


def test_judges_of_one_family_are_not_enough(plain):
    (found,) = of(plain, families={"opus": "claude", "gpt": "claude"})
    assert (found.state, found.floor) == ("one family", pytest.approx(32))
    assert found.reasons == ("its judges are of one family, claude: name judges of a second one",)


def test_a_judge_of_no_known_family_is_a_family_of_its_own(plain):
    assert of(plain, families={})[0].state == "reported"


def test_refusals_are_counted_apart_and_are_no_low_scores(rubric):
    rows = [
        rubric.row({"opus": 30, "gpt": 34}, question="a", arm="blind"),
        rubric.row({"opus": rubric.REFUSAL, "gpt": 2}, question="b", arm="blind", outcome="refusal"),
        rubric.row({"opus": rubric.REFUSAL, "gpt": 36}, question="c", arm="blind"),
    ]
    (found,) = of(rows)
    assert found.floor == pytest.approx((32 + 36) / 2)
    assert (found.judges["opus"]["refused"], found.judges["gpt"]["refused"]) == (2, 1)


def test_what_no_judge_is_asked_about_makes_no_floor(rubric):
    assert of([rubric.row({"opus": rubric.UNASKED}), rubric.row({}, arm="blind")]) == ()


def test_every_corpus_condition_agent_and_eval_has_its_own(rubric):
    rows = [
        *rubric.cell(30.0, arm="blind"),
        *rubric.cell(20.0, arm="renamed-blind"),
        *rubric.cell(25.0, arm="renamed-blind@2"),
        *rubric.cell(10.0, arm="blind", corpus="other"),
        *rubric.cell(12.0, arm="blind", agent="second"),
        *rubric.cell(14.0, arm="blind", eval="evals/test_b.py::test_b"),
    ]
    found = {(one.condition, one.corpus, one.agent, one.eval[-6:]): round(one.floor) for one in of(rows)}
    assert found == {
        ("", "lending", "reader", "test_a"): 30,
        ("renamed", "lending", "reader", "test_a"): 20,
        ("renamed@2", "lending", "reader", "test_a"): 25,
        ("", "other", "reader", "test_a"): 10,
        ("", "lending", "second", "test_a"): 12,
        ("", "lending", "reader", "test_b"): 14,
    }


# Borrowing


def test_a_floor_adjusts_scores_of_its_own_run_and_corpus(plain):
    (found,) = of(plain)
    assert adjusted_by(found, 66, run="r1", corpus="lending") == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("place", "named"),
    [
        ({"run": "r2", "corpus": "lending"}, "run 'r2' on lending"),
        ({"run": "r1", "corpus": "other"}, "run 'r1' on other"),
        ({"run": "r1", "corpus": "lending", "condition": "renamed"}, "run 'r1' on renamed lending"),
    ],
)
def test_another_runs_or_corpus_floor_is_refused(plain, place, named):
    (found,) = of(plain)
    with pytest.raises(
        Refused, match=rf"run 'r1' on lending cannot adjust a score of {named}: a floor belongs"
    ):
        adjusted_by(found, 66, **place)


def test_a_floor_that_is_none_adjusts_nothing(rubric):
    (found,) = of([rubric.row({"opus": 30, "gpt": 3}, arm="blind", exposed=("policy event network",))])
    with pytest.raises(Refused, match="cannot adjust a score: policy event network"):
        adjusted_by(found, 66, run="r1", corpus="lending")


# The gate


def test_a_verified_floor_of_two_families_is_reported(plain):
    said = blind_floor(of(plain))
    assert (said.state, said.bound, said.threshold, said.reasons) == (
        "REPORTED",
        pytest.approx(32),
        None,
        (),
    )
    assert said.statement == (
        "test_a lending reader: answers without access score 32.00 of 100 (opus 32.00, gpt 32.00); point "
        "estimate for these questions, judges and this run, no claim about others"
    )


@pytest.mark.parametrize(("maximum", "state"), [(20, "MISS"), (32.001, "REPORTED"), (40, "REPORTED")])
def test_a_floor_above_its_limit_is_a_miss(plain, maximum, state):
    said = blind_floor(of(plain), maximum=maximum)
    assert (said.state, said.threshold) == (state, maximum)
    assert bool(said.reasons) == (state == "MISS")


def test_a_floor_at_its_limit_is_no_miss(rubric):
    rows = [rubric.row({"opus": 20, "gpt": 20}, arm="blind")]
    assert blind_floor(of(rows), maximum=20).state == "REPORTED"


@pytest.mark.parametrize("maximum", [None, 20])
@pytest.mark.parametrize(
    "case", ["no blind arm", "no valid score", "exposed", "one family", "nothing scored"]
)
def test_what_could_not_be_measured_is_on_hold_with_its_reasons(rubric, case, maximum):
    blind = {
        "no blind arm": [],
        "no valid score": [rubric.row({"opus": rubric.LOST}, arm="blind")],
        "exposed": rubric.cell(32.0, arm="blind", exposed=("policy event network",)),
        "one family": rubric.cell(32.0, arm="blind"),
        "nothing scored": [],
    }[case]
    rows = [*blind, *(rubric.cell(77.0) if case != "nothing scored" else [])]
    families = {"opus": "c", "gpt": "c"} if case == "one family" else FAMILIES
    said = blind_floor(of(rows, families=families), maximum=maximum)
    assert said.state == "HOLD"
    assert said.reasons
    assert any("blind floor not reported" in reason for reason in said.reasons) == (
        case in {"no blind arm", "no valid score", "nothing scored"}
    )


def test_one_group_without_a_floor_holds_the_gate(rubric, plain):
    said = blind_floor(of([*plain, *rubric.cell(50.0, agent="second")]))
    assert said.state == "HOLD"
    (reason,) = said.reasons
    assert reason.startswith("test_a lending second: blind floor not reported: the run has no blind arm")


# Reversals


def test_within_one_floor_nothing_reverses(plain):
    assert list(reversals(of(plain))) == []


def test_across_floors_the_lower_raw_score_can_be_the_higher_one(rubric):
    rows = [
        *rubric.cell(40.0, arm="blind"),
        *rubric.cell(70.0),
        *rubric.cell(20.0, arm="blind", corpus="other"),
        *rubric.cell(68.0, corpus="other"),
    ]
    (found,) = reversals(of(rows))  # .5 and .6
    assert found.symptom == (
        "1 of 1 comparison across floors reverse once both are adjusted (floors 40.00 and 20.00)"
    )
    assert found.where == "test_a lending reader sighted / test_a other reader sighted"
