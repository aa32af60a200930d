"""Designs: which of them a run's rows make, over which questions, and what they leave open."""

from __future__ import annotations

import pytest

from pytest_judgeaudit.audit.designs import designs
from pytest_judgeaudit.records.floors import NOT_MEASURED, Noise

NOISE = Noise(state="measured", cells=4, total=3.0)


def of(rows, **rest):
    return designs(rows, **{"noise": NOISE, **rest})


def kinds(rows):
    return [one.design for one in of(rows)]


def only(rows, design, **rest):
    (found,) = (one for one in of(rows, **rest) if one.design == design)
    return found


def values(design):
    return {one.name: one.value for one in design.figures}


def test_one_arm_makes_no_design(rubric):
    assert of(rubric.cell(30.0, arm="blind")) == ()
    assert of(rubric.cell(70.0)) == ()
    assert of([]) == ()


def test_a_rename_of_one_corpus_is_read_blind_and_sighted(rubric):
    rows = [
        *rubric.cell(30.0, arm="blind"),
        *rubric.cell(22.0, arm="renamed-blind"),
        *rubric.cell(70.0),
        *rubric.cell(71.0, arm="renamed-sighted"),
    ]
    found = only(rows, "rename")
    assert (found.corpora, found.levels) == (("lending",), ("as it is", "renamed"))
    assert values(found) == pytest.approx({"rename": -8, "rename sighted": 1})
    assert found.readable
    assert found.reasons == ()
    assert found.means["sighted renamed"] == pytest.approx(71)


def test_a_rename_that_moves_sighted_scores_cannot_be_read(rubric):
    rows = [
        *rubric.cell(30.0, arm="blind"),
        *rubric.cell(22.0, arm="renamed-blind"),
        *rubric.cell(70.0),
        *rubric.cell(60.0, arm="renamed-sighted"),
    ]
    found = only(rows, "rename")
    assert found.readable is False
    assert found.reasons == (
        "the rename moved sighted scores beyond the noise: it may have broken the questions",
    )
    assert only(rows, "rename", noise=NOT_MEASURED).readable is None


def test_without_sighted_arms_readability_is_not_known(rubric):
    rows = [*rubric.cell(30.0, arm="blind"), *rubric.cell(22.0, arm="renamed-blind")]
    found = only(rows, "rename")
    assert found.readable is None
    assert found.reasons == ("whether the rename left the questions answerable is not known",)
    assert values(found)["rename sighted"] is None


def test_every_seed_is_a_rename_of_its_own(rubric):
    rows = [
        *rubric.cell(30.0, arm="blind"),
        *rubric.cell(22.0, arm="renamed-blind"),
        *rubric.cell(24.0, arm="renamed-blind@2"),
    ]
    found = {one.levels[1]: values(one)["rename"] for one in of(rows)}
    assert found == pytest.approx({"renamed": -8, "renamed@2": -6})


def test_a_rename_is_measured_over_the_questions_that_both_arms_scored(rubric):
    rows = [
        rubric.row({"x": 30}, question="a", arm="blind"),
        rubric.row({"x": 90}, question="only before", arm="blind"),
        rubric.row({"x": 25}, question="a", arm="renamed-blind"),
        rubric.row({"x": 5}, question="only after", arm="renamed-blind"),
    ]
    assert values(only(rows, "rename"))["rename"] == pytest.approx(-5)


def test_a_rename_in_another_eval_is_matched_by_genre_and_question(rubric):
    rows = [
        *rubric.cell(30.0, arm="blind", eval="a", genre="order-1"),
        *rubric.cell(99.0, arm="blind", eval="b", genre="altitude"),
        *rubric.cell(22.0, arm="renamed-blind", eval="c", genre="order-1"),
    ]
    assert values(only(rows, "rename"))["rename"] == pytest.approx(-8)


def test_genres_are_compared_from_the_first_to_the_second(rubric):
    rows = [
        *rubric.cell(30.0, arm="blind", genre="order-1", eval="a"),
        *rubric.cell(20.0, arm="blind", genre="altitude", eval="b"),
    ]
    found = only(rows, "genre")
    assert (found.levels, values(found)) == (("order-1", "altitude"), {"genre": pytest.approx(-10)})
    assert found.figures[0].by_dimension["accuracy"] == pytest.approx(-3)


def two_corpora(rubric, **rest):
    return [
        *rubric.cell(20.0, arm="blind", corpus="obscure", eval="b", **rest),
        *rubric.cell(30.0, arm="blind", corpus="known", eval="a", **rest),
    ]


def test_the_corpus_with_the_higher_floor_comes_first(rubric):
    found = only(two_corpora(rubric), "corpus")
    assert found.corpora == ("known", "obscure")
    assert values(found) == {"gap": pytest.approx(10)}
    assert found.figures[0].multiple == pytest.approx(10 / 3)


def test_a_gap_is_split_by_the_categories_that_both_corpora_have(rubric):
    rows = []
    for corpus, recall, trace, own in (("known", 40, 20, 0), ("obscure", 20, 18, 90)):
        for category, total in (("recall", recall), ("trace", trace), (f"only {corpus}", own)):
            rows.append(
                rubric.row({"x": total}, question=category, category=category, arm="blind", corpus=corpus)
            )
    found = only(rows, "corpus")
    # obscure has the higher mean here: gaps are obscure − known
    assert found.corpora == ("obscure", "known")
    assert found.by_category == pytest.approx({"recall": -20, "trace": -2})
    assert found.without_category == pytest.approx({"recall": 54 - 10, "trace": 55 - 20})


def test_an_interaction_needs_both_genres_on_both_corpora(rubric):
    rows = two_corpora(rubric, genre="order-1")
    assert "corpus × genre" not in kinds(rows)
    rows += rubric.cell(25.0, arm="blind", corpus="known", eval="c", genre="altitude")
    assert "corpus × genre" not in kinds(rows)
    rows += rubric.cell(19.0, arm="blind", corpus="obscure", eval="d", genre="altitude")
    found = only(rows, "corpus × genre")
    assert values(found) == pytest.approx({"swing of known": 5, "swing of obscure": 1, "interaction": 4})


def test_a_gap_and_its_rename_need_no_sighted_arm_and_say_what_is_missing(rubric):
    rows = [
        *two_corpora(rubric),
        *rubric.cell(24.0, arm="renamed-blind", corpus="known", eval="a"),
        *rubric.cell(19.0, arm="renamed-blind", corpus="obscure", eval="b"),
    ]
    found = only(rows, "corpus × rename")
    said = values(found)
    assert (said["premium removed"], said["gap closed"]) == pytest.approx((0.6, 0.5))
    assert said["gap closed against sighted"] is None
    assert found.readable is None


def test_agents_are_never_pooled(rubric):
    rows = [*rubric.cell(30.0, arm="blind", agent="a"), *rubric.cell(20.0, arm="renamed-blind", agent="b")]
    assert of(rows) == ()


def test_a_blind_arm_that_is_not_verified_is_named(rubric):
    rows = [
        *rubric.cell(30.0, arm="blind", exposed=("policy event network",)),
        *rubric.cell(22.0, arm="renamed-blind"),
    ]
    assert "the blind arm on lending is not verified" in only(rows, "rename").reasons


def test_the_mean_can_be_chosen(rubric):
    rows = [
        rubric.row({"x": 10, "y": 30}, question="a", arm="blind"),
        rubric.row({"x": 40, "y": rubric.LOST}, question="b", arm="blind"),
        *(rubric.row({"x": 0, "y": 0}, question=name, arm="renamed-blind") for name in "ab"),
    ]
    effects = {
        kind: values(only(rows, "rename", kind=kind))["rename"]
        for kind in ("question-balanced", "pooled", "judge-balanced")
    }
    assert effects == pytest.approx({"question-balanced": -30, "pooled": -80 / 3, "judge-balanced": -27.5})
