"""Three means: by hand, by an oracle, over all patterns of loss, and by the laws that set them apart."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_judgeaudit.stats.means import Scored, three_means

QUESTIONS, JUDGES = ("a", "b", "c"), ("x", "y")


def complete(values):
    return [
        Scored(question, judge, 1, value)
        for (question, judge), value in zip(product(QUESTIONS, JUDGES), values, strict=True)
    ]


def test_a_lost_judgement_moves_its_own_question_only():
    scores = complete([10, 30, 20, 40, 30, 50])
    assert three_means(scores) == (30, 30, 30)
    lost = [one for one in scores if (one.question, one.judge) != ("c", "y")]
    assert three_means(lost) == pytest.approx(((20 + 30 + 30) / 3, 130 / 5, (20 + 35) / 2))


def test_replicates_of_an_answer_do_not_make_its_question_count_for_more():
    scores = [
        Scored("a", "x", 1, 0),
        Scored("a", "x", 2, 10),
        Scored("a", "y", 2, 30),
        Scored("b", "x", 1, 50),
    ]
    # question a: answers 0 and 20, so 10; question b: 50
    assert three_means(scores).question_balanced == 30


@pytest.mark.parametrize("kept", [one for one in product([0, 1], repeat=6) if any(one)])
def test_all_patterns_of_loss_agree_with_masked_means(kept):
    values = np.array([3.0, 70.0, 12.5, 41.0, 88.0, 20.0]).reshape(3, 2)
    table = np.ma.masked_array(values, mask=~np.array(kept, dtype=bool).reshape(3, 2))
    scores = [one for one, keep in zip(complete(values.ravel()), kept, strict=True) if keep]
    expected = (table.mean(axis=1).mean(), table.mean(), table.mean(axis=0).mean())
    assert three_means(scores) == pytest.approx(expected)


SCORES = st.lists(
    st.builds(
        Scored,
        st.sampled_from(QUESTIONS),
        st.sampled_from(JUDGES),
        st.integers(1, 2),
        st.floats(0, 100, allow_subnormal=False),
    ),
    min_size=1,
    max_size=12,
)


@given(SCORES)
def test_means_lie_between_the_lowest_and_the_highest_score(scores):
    values = [one.value for one in scores]
    assert all(min(values) - 1e-9 <= mean <= max(values) + 1e-9 for mean in three_means(scores))


@given(SCORES, st.randoms(use_true_random=False))
def test_the_order_of_judgements_does_not_matter(scores, random):
    shuffled = list(scores)
    random.shuffle(shuffled)
    assert three_means(shuffled) == pytest.approx(three_means(scores), abs=1e-9)


@given(SCORES, st.floats(0.1, 10), st.floats(-50, 50))
def test_means_move_with_the_scale(scores, factor, shift):
    moved = [one._replace(value=factor * one.value + shift) for one in scores]
    expected = [factor * mean + shift for mean in three_means(scores)]
    assert three_means(moved) == pytest.approx(expected, abs=1e-6)


@given(st.lists(st.floats(0, 100), min_size=6, max_size=6))
def test_without_a_loss_the_three_agree(values):
    found = three_means(complete(values))
    assert found == pytest.approx([np.mean(values)] * 3, abs=1e-9)


def test_losing_the_generous_judge_at_random_biases_pooled_means_most():
    rng = np.random.default_rng(7)
    sums = np.zeros(3)
    for _ in range(400):
        scores = []
        for question in range(30):
            level = rng.normal(30, 10)
            scores.append(Scored(str(question), "strict", 1, level))
            if rng.random() > 0.3:
                scores.append(Scored(str(question), "kind", 1, level + 8))
        sums += np.array(three_means(scores)) - 34
    balanced, pooled, by_judge = sums / 400
    # Expected by hand: −8 · .3 / 2; −4 + 8 · .7 / 1.7; 0. Standard errors are below .15.
    assert balanced == pytest.approx(-1.2, abs=0.5)
    assert pooled == pytest.approx(8 * 0.7 / 1.7 - 4, abs=0.5)
    assert by_judge == pytest.approx(0, abs=0.5)


@pytest.mark.parametrize(
    ("scores", "reason"),
    [
        ([], "at least one judgement"),
        ([Scored("a", "x", 1, float("nan"))], "a score must be a finite number"),
    ],
)
def test_what_is_no_score_is_refused(scores, reason):
    with pytest.raises(ValueError, match=reason):
        three_means(scores)
