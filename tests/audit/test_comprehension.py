"""Everything that rubric scores amount to, from one call, with its findings."""

from __future__ import annotations

import pytest

from pytest_judgeaudit.audit.comprehension import comprehension
from pytest_judgeaudit.judge.scorers import score_embedded
from pytest_judgeaudit.records.floors import Comprehension, Expectation, Noise, Prediction
from pytest_judgeaudit.records.questions import Fact, Match, Question

FAMILIES = {"opus": "claude", "gpt": "gpt"}
NOISE = Noise(state="measured", cells=4, total=3.0, by_dimension={"accuracy": 2.0})


def of(rows, **rest):
    return comprehension(rows, **{"families": FAMILIES, "run": "r1", **rest})


def codes(found):
    return {one.code for one in found.findings}


def test_rows_that_no_rubrics_judge_saw_amount_to_nothing(rubric):
    assert of([rubric.row({}), rubric.row({"opus": rubric.UNASKED})]) == Comprehension()


def test_predictions_about_nothing_are_not_decided():
    said = Prediction(
        id="p",
        contrast="rename",
        text="blind score falls",
        expects=Expectation(arm="blind", dimension="total", verb="falls", bound=""),
    )
    (one,) = of([], predictions=[said]).predictions
    assert (one.outcome, one.value, one.reason) == (
        "not decided",
        None,
        "no such contrast was measured in this run",
    )


def test_noise_is_measured_from_replicates_unless_it_is_given(rubric):
    rows = rubric.cell(50.0, arm="blind")
    assert of(rows).noise.state == "not measured"
    assert of(rows, noise=NOISE).noise is NOISE


@pytest.mark.parametrize(
    ("expects", "outcome"),
    [
        (("falls", "", None), "hit"),
        (("rises", "", None), "miss"),
        (("falls", "at least", 8.0), "hit"),
        (("falls", "at least", 8.1), "miss"),
        (("falls", "at most", 8.0), "hit"),
        (("falls", "at most", 7.9), "miss"),
        (("rises", "at most", 20.0), "miss"),  # a fall is no small rise
        (("moves", "at least", 8.0), "hit"),
        (("moves", "at most", 7.9), "miss"),
        (("moves", "within noise", None), "miss"),
        (("is", "at least", -8.0), "hit"),
        (("is", "at most", 0.0), "hit"),
    ],
)
def test_what_was_expected_of_a_fall_by_eight_is_a_hit_or_a_miss(rubric, expects, outcome):
    verb, bound, amount = expects
    said = Prediction(
        id="p",
        contrast="rename",
        text="…",
        expects=Expectation(arm="blind", dimension="total", verb=verb, bound=bound, amount=amount),
    )
    rows = [
        rubric.row({"opus": 32, "gpt": 32}, arm="blind"),
        rubric.row({"opus": 24, "gpt": 24}, arm="renamed-blind"),
    ]
    # In halves and quarters the scores are exact.
    (one,) = of(rows, noise=NOISE, predictions=[said]).predictions
    assert round(one.value, 9) == -8
    assert one.outcome == outcome


def test_without_a_noise_floor_within_noise_is_not_decided(rubric):
    said = Prediction(
        id="p",
        contrast="rename",
        text="…",
        expects=Expectation(arm="blind", dimension="accuracy", verb="moves", bound="within noise"),
    )
    rows = [*rubric.cell(32.0, arm="blind"), *rubric.cell(24.0, arm="renamed-blind")]
    found = of(rows, predictions=[said])
    assert found.predictions[0].reason == "the noise floor was not measured"
    assert "prediction-undecided" in codes(found)


def seeds(rubric):
    return [
        *rubric.cell(32.0, arm="blind"),
        *rubric.cell(24.0, arm="renamed-blind"),
        *rubric.cell(31.0, arm="renamed-blind@2"),
    ]


@pytest.mark.parametrize(("arms", "outcome"), [((), "not decided"), (("renamed-blind@2",), "miss")])
def test_several_seeds_are_told_apart_by_their_arms(rubric, arms, outcome):
    said = Prediction(
        id="p",
        contrast="rename",
        text="…",
        expects=Expectation(arm="blind", dimension="total", verb="falls", bound="at least", amount=3.0),
        arms=arms,
    )
    (one,) = of(seeds(rubric), predictions=[said]).predictions
    assert one.outcome == outcome
    assert ("name corpus, agent or arms" in one.reason) == (outcome == "not decided")


@pytest.mark.parametrize(
    ("case", "code"),
    [
        ("no blind arm", "blind-floor-not-reported"),
        ("exposed", "blind-not-verified"),
        ("one family", "one-family"),
        ("no replicates", "noise-not-measured"),
        ("refusal", "refused-answers"),
        ("lost", "excluded-judgements"),
        ("means", "means-differ"),
        ("broken rename", "rename-unreadable"),
        ("spread", "under-determined"),
        ("sighted replicates", "floor-not-replicated"),
    ],
)
def test_each_symptom_is_found_where_it_is_and_not_where_it_is_not(rubric, case, code):
    clean = [*rubric.cell(32.0, arm="blind"), *rubric.cell(77.0)]
    rest = {"noise": NOISE}
    rows = list(clean)
    if case == "no blind arm":
        rows = rubric.cell(77.0)
    elif case == "exposed":
        rows += [rubric.row({"opus": 1}, question="x", arm="blind", exposed=("policy event network",))]
    elif case == "one family":
        rest["families"] = {"opus": "c", "gpt": "c"}
    elif case == "no replicates":
        rest.pop("noise")
    elif case == "refusal":
        rows += [rubric.row({"opus": rubric.REFUSAL}, question="x")]
    elif case in {"lost", "means"}:
        rows += [rubric.row({"opus": 0, "gpt": rubric.LOST}, question=f"x{index}") for index in range(3)]
        rows += [rubric.row({"opus": 0, "gpt": 100}, question=f"y{index}") for index in range(3)]
    elif case == "broken rename":
        rows += [*rubric.cell(20.0, arm="renamed-blind"), *rubric.cell(60.0, arm="renamed-sighted")]
    elif case == "spread":
        rows += rubric.cell(32.0, arm="blind", accuracy={"opus": 20.0, "gpt": 1.0}, eval="e")
        rows += rubric.cell(77.0, accuracy={"opus": 20.0, "gpt": 21.0}, eval="e")
    else:
        rest.pop("noise")
        rows += [
            rubric.row({"opus": 50, "gpt": 50}, corpus=corpus, replicate=number)
            for corpus in "abcd"
            for number in (1, 2)
        ]
    assert code in codes(of(rows, **rest))
    assert code not in codes(of(clean, noise=NOISE))


@pytest.mark.parametrize(
    ("runs", "diverge"),
    [
        ([(8, -2), (6, -1)], True),
        ([(8, -2), (6, 1)], False),
        ([(8, -2), (-6, 1)], False),
        ([(8, -2)], False),
    ],
)
def test_families_diverge_where_both_signs_come_again_in_every_run(rubric, runs, diverge):
    rows = []
    for index, apart in enumerate(runs):
        for arm, by in zip(("blind", "sighted"), apart, strict=True):
            rows.append(
                rubric.row({"opus": (60 + by, 12 + by), "gpt": (60, 12)}, arm=arm, eval=f"e{index}")
            )
    assert ("families-diverge" in codes(of(rows, noise=NOISE))) == diverge


# Planted judges


def fact(value):
    return Fact(id=value, match=Match(type="literal", values=(value,)))


BLUFF = (
    "The computation lives in the central module, because systems of this kind keep their arithmetic in "
    "one place. It first validates the incoming record, and then it applies the configured factor to it. "
    "However, edge cases are handled apart, since they need rules of their own. When the record has been "
    "processed, the result is written back, so that later steps can rely on it."
)


def test_a_stranger_sees_a_judge_of_prose_by_its_floor_and_one_of_evidence_beside_it(rubric):
    rows = []
    for index in range(4):
        asked = Question(id=f"q{index}", prompt="Where?", facts=(fact(f"PARAGRAPH-{index}"),))
        said = {
            "sighted": (f"PARAGRAPH-{index} computes it.", "SUPPORTED CALC.cbl:2\n" * 4),
            "blind": (BLUFF, "UNABLE_TO_VERIFY it validates\nUNSUPPORTED it writes back"),
        }
        for arm, (answer, grounding) in said.items():
            scores = {
                judge: score_embedded(judge, asked, answer, grounding) for judge in ("prose", "evidence")
            }
            rows.append(rubric.row(scores, question=asked.id, arm=arm))
    found = of(rows, families={"prose": "prose", "evidence": "evidence"}, noise=NOISE)
    (floor,) = found.floors
    assert floor.judges["prose"]["floor"] > 60
    assert floor.judges["prose"]["adjusted"]["sighted"] < 0
    assert floor.judges["evidence"]["floor"] == 0
    assert floor.judges["evidence"]["adjusted"]["sighted"] == 1
    assert found.spreads[0].blind["accuracy"] > 15
