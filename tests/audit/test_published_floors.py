"""From a table of scores typed in from the source's figures, the audit gives the source's conclusions."""

from __future__ import annotations

import pytest

from pytest_judgeaudit.audit.comprehension import comprehension
from pytest_judgeaudit.audit.spreads import patterns
from pytest_judgeaudit.records.floors import Expectation, Noise, Prediction

ROUNDED = 0.02
"""Figures typed in rounded agree to this."""

FAMILIES = {"gpt": "gpt", "claude": "claude"}
NOISE = Noise(state="measured", cells=4, total=3.88, by_dimension={"accuracy": 1.93}, pair_level=4.96)

# The familiar corpus' sighted mean is published, the obscure one's only by its difference. Per-run accuracy
# of the judges is published as ranges (claude 12.4–15.1, gpt 18.8–21.5 blind, spreads 6.5–9.4 and
# 1.2–2.0), and the rename's effect on the familiar corpus' accuracy as −.42.
CELLS = {
    # corpus, genre, arm: mean, accuracy of gpt, accuracy of claude
    ("carddemo", "order-1", "blind"): (32.88, 21.5, 14.18),
    ("carddemo", "order-1", "sighted"): (73.47, 23.0, 24.2),
    ("carddemo", "altitude", "blind"): (22.55, 19.76, 12.4),
    ("carddemo", "altitude", "sighted"): (72.6, 22.5, 24.0),
    ("carddemo", "order-1", "renamed-blind"): (25.21, 20.67, 14.17),
    ("carddemo", "order-1", "renamed-sighted"): (72.54, 22.6, 24.1),
    ("cms", "order-1", "blind"): (23.77, 21.4, 12.0),
    ("cms", "order-1", "sighted"): (77.26, 24.0, 26.0),
    ("cms", "altitude", "blind"): (23.65, 18.8, 12.1),
    ("cms", "altitude", "sighted"): (76.0, 24.1, 25.4),
    ("cms", "order-1", "renamed-blind"): (22.83, 21.5, 12.5),
    ("cms", "order-1", "renamed-sighted"): (77.58, 24.0, 25.6),
}


def prediction(contrast, arm, verb, bound, amount=None, **rest):
    return Prediction(
        id="p",
        contrast=contrast,
        text="…",
        expects=Expectation(
            arm=arm, dimension=rest.pop("dimension", "total"), verb=verb, bound=bound, amount=amount
        ),
        **rest,
    )


PREDICTIONS = {
    "obscure is flat": prediction("genre", "blind", "moves", "within noise", corpus="cms"),
    "familiar is flat": prediction("genre", "blind", "moves", "within noise", corpus="carddemo"),
    "premium falls": prediction("rename", "blind", "falls", "at least", 3.0, corpus="carddemo"),
    "premium holds": prediction("rename", "blind", "moves", "within noise", corpus="carddemo"),
    "accuracy stays": prediction(
        "rename", "blind", "moves", "within noise", corpus="carddemo", dimension="accuracy"
    ),
    "questions hold": prediction("rename", "sighted", "moves", "within noise", corpus="cms"),
    "interaction": prediction("corpus x genre", "", "is", "at least", 3.88),
    "gap closed": prediction("gap closed", "", "is", "at least", 0.5),
    "gap closed sighted": prediction("gap closed against sighted", "", "is", "at least", 0.5),
    "ambiguous": prediction("rename", "blind", "falls", "at least", 3.0),
    "elsewhere": prediction("rename", "blind", "falls", "", corpus="other"),
}


@pytest.fixture(scope="module")
def found(rubric):
    rows = []
    for (corpus, genre, arm), (mean, gpt, claude) in CELLS.items():
        rows += rubric.cell(
            mean,
            accuracy={"gpt": gpt, "claude": claude},
            corpus=corpus,
            genre=genre,
            arm=arm,
            agent="notools",
            eval=f"evals/test_{corpus}.py::{genre}",
        )
    rows += rubric.cell(32.88, arm="blind", judges=tuple(FAMILIES), agent="hosted", corpus="carddemo")
    rows += rubric.cell(66.23, arm="sighted", judges=tuple(FAMILIES), agent="hosted", corpus="carddemo")
    return comprehension(
        rows, families=FAMILIES, run="r1", noise=NOISE, predictions=tuple(PREDICTIONS.values())
    )


def design(found, kind, *corpora, agent="notools"):
    (one,) = (
        one for one in found.designs if one.design == kind and one.agent == agent and one.corpora == corpora
    )
    return one


def figures(found, kind, *corpora):
    return {one.name: one for one in design(found, kind, *corpora).figures}


def floor(found, **wanted):
    (one,) = (
        one for one in found.floors if all(getattr(one, name) == value for name, value in wanted.items())
    )
    return one


def test_floor_adjusted_scores_are_the_published_ones(found):
    first = floor(
        found, agent="notools", corpus="carddemo", condition="", eval="evals/test_carddemo.py::order-1"
    )
    assert first.floor == pytest.approx(32.88)
    assert first.adjusted["sighted"] == pytest.approx(0.605, abs=0.0005)
    assert floor(found, agent="hosted").adjusted["sighted"] == pytest.approx(0.497, abs=0.0005)


def test_every_run_has_a_floor_of_its_own(found):
    of_notools = [one for one in found.floors if one.agent == "notools"]
    assert len(of_notools) == 6
    assert {one.state for one in of_notools} == {"reported"}


def test_the_interaction_is_the_published_one(found):
    said = figures(found, "corpus × genre", "carddemo", "cms")
    assert said["swing of carddemo"].value == pytest.approx(10.33, abs=ROUNDED)
    assert said["swing of cms"].value == pytest.approx(0.12, abs=ROUNDED)
    assert said["interaction"].value == pytest.approx(10.22, abs=ROUNDED)
    assert said["interaction"].multiple == pytest.approx(2.6, abs=0.05)
    assert not said["interaction"].within_noise
    assert said["swing of cms"].within_noise


def test_the_rename_gives_the_published_figures_under_their_three_names(found):
    said = figures(found, "corpus × rename", "carddemo", "cms")
    points = {
        "effect on carddemo": -7.67,
        "differential": 6.73,
        "gap before": 9.12,
        "gap after": 2.38,
        "gap before against sighted": 12.90,
        "gap after against sighted": 7.42,
        "closed against sighted": 5.48,
    }
    assert {name: said[name].value for name in points} == pytest.approx(points, abs=ROUNDED)
    shares = {"premium removed": 0.84, "gap closed": 0.74, "gap closed against sighted": 0.42}
    assert {name: said[name].value for name in shares} == pytest.approx(shares, abs=0.005)
    assert {said[name].unit for name in shares} == {"share"}
    assert said["gap after"].within_noise
    assert not said["gap after against sighted"].within_noise
    assert said["gap before"].multiple == pytest.approx(2.3, abs=0.06)
    assert said["differential"].multiple == pytest.approx(1.7, abs=0.05)


def test_the_rename_is_readable_because_sighted_scores_stay_within_noise(found):
    one = design(found, "corpus × rename", "carddemo", "cms")
    said = {figure.name: figure.value for figure in one.figures}
    assert one.readable
    assert said["sighted effect on carddemo"] == pytest.approx(-0.93, abs=ROUNDED)
    assert said["sighted effect on cms"] == pytest.approx(0.32, abs=ROUNDED)
    assert one.reasons == ()


def test_the_rename_leaves_accuracy_alone(found):
    effect = figures(found, "rename", "carddemo")["rename"]
    assert effect.by_dimension["accuracy"] == pytest.approx(-0.42, abs=ROUNDED)
    assert sum(effect.by_dimension.values()) == pytest.approx(-7.67, abs=ROUNDED)
    assert effect.multiples == pytest.approx({"accuracy": 0.42 / 1.93}, abs=0.01)


def test_families_diverge_blind_with_a_constant_sign_and_sighted_with_the_other(found):
    (one,) = patterns((one for one in found.spreads if one.agent == "notools"), "accuracy")
    assert (one.minuend, one.subtrahend, one.runs) == ("gpt", "claude", 6)
    assert one.blind == pytest.approx((6.5, 9.4), abs=ROUNDED)
    assert one.sighted == pytest.approx((-2.0, -1.2), abs=ROUNDED)
    assert one.constant
    assert one.crossed


def test_blind_accuracy_is_under_determined_in_every_run(found):
    flags = [one.under_determined["accuracy"] for one in found.spreads if one.agent == "notools"]
    assert flags == [True] * 6
    assert {one.under_determined["usefulness"] for one in found.spreads} == {None}  # no floor is published


@pytest.mark.parametrize(
    ("name", "outcome"),
    [
        ("obscure is flat", "hit"),
        ("familiar is flat", "miss"),
        ("premium falls", "hit"),
        ("premium holds", "miss"),
        ("accuracy stays", "hit"),
        ("questions hold", "hit"),
        ("interaction", "hit"),
        ("gap closed", "hit"),
        ("gap closed sighted", "miss"),
        ("ambiguous", "not decided"),
        ("elsewhere", "not decided"),
    ],
)
def test_predictions_stand_beside_their_outcomes(found, name, outcome):
    said = dict(zip(PREDICTIONS, found.predictions, strict=True))[name]
    assert said.outcome == outcome
    assert (said.value is None) == (outcome == "not decided")
    assert bool(said.reason) == (outcome == "not decided")


def test_adjusting_turns_comparisons_between_question_sets_around(found):
    turned = [one for one in found.findings if one.code == "adjustment-reverses"]
    # 73.47 over 32.88 is .605, 72.6 over 22.55 is .646: lower raw, higher adjusted.
    assert any(
        "order-1 carddemo notools" in one.where and "altitude carddemo notools" in one.where
        for one in turned
    )


def test_the_findings_say_what_the_source_warns_of(found):
    codes = {one.code for one in found.findings}
    assert {"families-diverge", "under-determined", "prediction-undecided"} <= codes
    assert not codes & {"rename-unreadable", "blind-floor-not-reported", "one-family", "means-differ"}


def test_the_three_means_of_the_worst_cell_are_the_published_ones(rubric):
    # 30 questions, of which gpt lost 5; claude on the 25 and on the 5, and gpt, are solved for by hand.
    rows = [
        rubric.row(
            {"claude": 22.158, "gpt": 24.03} if index < 25 else {"claude": 21.51, "gpt": rubric.LOST},
            question=f"q{index}",
            arm="renamed-blind",
            corpus="cms",
        )
        for index in range(30)
    ]
    (cell,) = comprehension(rows, families=FAMILIES, run="r1", noise=NOISE).means
    assert cell.means == pytest.approx(
        {"question-balanced": 22.83, "pooled": 22.95, "judge-balanced": 23.04}, abs=0.005
    )
    assert cell.span == pytest.approx(0.21, abs=0.005)
    assert (cell.judgements, cell.excluded) == ({"claude": 30, "gpt": 25}, {"claude": 0, "gpt": 5})
    assert cell.direction == "down"


def test_exclusions_are_counted_with_their_skew(rubric):
    rows = []
    for index in range(900):
        said = {"claude": 30.0, "gpt": 36.0}
        if index < 40:
            said["gpt"] = rubric.PENDING
        elif index < 45:
            said["claude"] = rubric.LOST
        rows.append(rubric.row(said, question=f"q{index}", arm="blind"))
    found = comprehension(rows, families=FAMILIES, run="r1")
    gone = found.exclusions
    assert (gone.judgements, gone.excluded, gone.by_judge) == (1800, 45, {"claude": 5, "gpt": 40})
    assert gone.skew == 8
    (told,) = (one for one in found.findings if one.code == "excluded-judgements")
    assert told.symptom == (
        "45 of 1800 (2.5 %) judgements are no score: claude 5, gpt 40 (8:1); most in lending reader blind, "
        "where the losses push pooled means down"
    )
