"""Published figures against the rows: arithmetic, noise, two values, and absences without power."""

from __future__ import annotations

from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_judgeaudit.audit.claims import absence_chance, absence_n, check_claim, half_digit
from pytest_judgeaudit.corpora.claims import load_claims
from pytest_judgeaudit.records.claims import Claim
from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.records.grades import Grade, GradedRow
from pytest_judgeaudit.records.questions import Question

CELL = {"agent": "reader"}
OTHER = {"agent": "other"}


def rows(scores, agent="reader", **grade):
    question = Question(id="q", prompt="p")
    return [
        GradedRow(
            question=question, answer="a", agent=agent, replicate=n, grade=Grade(score=score, **grade)
        )
        for n, score in enumerate(scores)
    ]


def claim(value, kind="mean", **rest):
    return Claim(text="t", cell=CELL, value=value, kind=kind, **rest)


@pytest.mark.parametrize(
    ("stated", "state"),
    [(0.75, "verified"), (0.6, "failed"), (0.74, "failed"), (0.8, "verified"), (1.2, "failed")],
)
def test_a_mean_holds_to_the_digits_in_which_it_was_published(stated, state):
    assert check_claim(claim(stated), rows([1.0, 0.5])).state == state


def test_a_mean_times_n_must_equal_the_sum():
    scores = [1.0] * 42 + [0.5, 0.5]
    found = check_claim(claim(0.935, n=48, sum=43.0), rows(scores))
    assert found.state == "failed"
    assert found.computed == pytest.approx(43 / 44)
    assert found.reasons == (
        "stated 0.935 × 48 = 44.88, against the stated sum 43",
        "computed mean 0.977273, stated 0.935",
        "computed 44 graded rows, stated 48",
    )


def test_a_mean_above_the_maximum_is_impossible_even_without_rows():
    found = check_claim(claim(1.02), [])
    assert found.state == "failed"
    assert found.reasons[0] == "stated 1.02 lies outside of 0 to 1"


def test_without_rows_nothing_is_verified():
    for found in (check_claim(claim(0.5), []), check_claim(claim(0.5), rows([None, None]))):
        assert (found.state, found.computed) == ("not verified", None)


def test_a_void_grade_is_in_no_mean():
    assert check_claim(claim(1.0, n=2), rows([1.0, None, 1.0])).state == "verified"


@pytest.mark.parametrize(
    ("noise", "state"), [(0.3, "failed"), (0.25, "failed"), (0.2, "verified"), (None, "not verified")]
)
def test_an_effect_counts_above_the_noise_floor_only(noise, state):
    both = rows([1.0, 0.5]) + rows([0.5, 0.5], agent="other")
    found = check_claim(claim(0.25, "effect", against=OTHER), both, noise=noise)
    assert found.state == state
    assert found.computed == pytest.approx(0.25)


def test_a_median_of_two_values_is_no_median():
    found = check_claim(claim(1.0, "median"), rows([0.82, 1.0, 1.0]))
    assert found.state == "failed"
    assert "two values (1 × 0.82, 2 × 1)" in found.reasons[0]
    assert check_claim(claim(0.8, "median"), rows([0.5, 0.8, 1.0])).state == "verified"


def invented(n, of, agent):
    return rows([0.0] * n, agent, hallucinated=True) + rows([1.0] * (of - n), agent)


def test_an_absence_needs_the_sample_that_could_have_seen_it():
    weak = invented(0, 72, "reader") + invented(2, 72, "other")
    found = check_claim(claim(0, "absence", against=OTHER), weak)
    assert found.state == "failed"
    assert "0 of 72 against 2 of 72 would be seen with a chance of 0.37" in found.reasons[0]
    strong = invented(0, 72, "reader") + invented(20, 72, "other")
    assert check_claim(claim(0, "absence", against=OTHER), strong).state == "verified"
    none = invented(0, 72, "reader") + invented(0, 72, "other")
    assert check_claim(claim(0, "absence", against=OTHER), none).state == "not verified"
    assert (
        check_claim(claim(0, "absence", against=OTHER), invented(1, 9, "reader") + weak[72:]).state
        == "failed"
    )


@settings(deadline=None)
@given(st.integers(0, 12), st.integers(1, 12), st.integers(12, 20))
def test_the_chance_of_an_absence_is_the_binomial_probability_of_zero(seen, n, other):
    p = seen / (n + other)
    binomial = comb(n, 0) * p**0 * (1 - p) ** n
    assert absence_chance(seen, n=n, other=other) == pytest.approx(binomial)
    if 0 < p < 1:
        needed = absence_n(seen, n=n, other=other)
        assert (1 - p) ** needed <= 0.05 + 1e-9 < (1 - p) ** (needed - 1) + 1e-9


@settings(deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=6), st.integers(1, 4))
def test_a_rightly_rounded_mean_is_verified(scores, digits):
    mean = sum(scores) / len(scores)
    assert check_claim(claim(round(mean, digits)), rows(scores)).state == "verified"


@pytest.mark.parametrize(("value", "half"), [(0.935, 0.0005), (0.9, 0.05), (43, 0.5), (1e-05, 5e-06)])
def test_half_of_the_last_digit(value, half):
    assert half_digit(value) == pytest.approx(half)


FILE = """
[[claim]]
text = "mean of reader on lookup is .93"
cell = { agent = "reader", class = "lookup" }
value = 0.93
n = 48
sum = 44.64

[[claim]]
text = "other invents more"
cell = { agent = "reader" }
against = { agent = "other" }
kind = "absence"
value = 0
"""


def load(tmp_path, text):
    (tmp_path / "claims.toml").write_text(text, encoding="utf-8")
    return load_claims("claims.toml", root=tmp_path)


def test_claims_are_read_from_toml(tmp_path):
    mean, absence = load(tmp_path, FILE)
    assert (mean.value, mean.n, mean.sum, mean.place) == (0.93, 48, 44.64, "claims.toml:2")
    assert (absence.kind, absence.against, absence.event) == ("absence", {"agent": "other"}, "hallucinated")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("value = 0.93", "value = true", "value: expected a number, found true"),
        ("value = 0.93", "value = inf", "value: expected a number"),
        ("class =", "clas =", 'unknown field "clas"'),
        ("n = 48", "n = 0", "n: expected a whole number"),
        ("sum =", "summ =", 'unknown key "summ"'),
        ('kind = "absence"', 'kind = "abscence"', 'Did you mean "absence"'),
        ('kind = "absence"\n', "", "against: an effect or an absence needs it"),
        ('text = "other invents more"', 'text = " "', "text: expected a text"),
        ('cell = { agent = "reader" }', "cell = {}", "cell: expected a table"),
        ('[[claim]]\ntext = "mean', '[[claims]]\ntext = "mean', "expected [[claim]] tables"),
    ],
)
def test_a_broken_claim_is_refused_with_its_place(tmp_path, old, new, words):
    with pytest.raises(Refused) as caught:
        load(tmp_path, FILE.replace(old, new, 1))
    assert str(caught.value).startswith("claims.toml")
    assert words in str(caught.value)
