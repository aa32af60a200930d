"""Budgets: what is expected is set aside, what was used is booked, and the end is final."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from pytest_judgeaudit.ask.purse import Budget, Paid, Purse
from pytest_judgeaudit.ask.usage import length, used_by
from pytest_judgeaudit.records.answers import Attempt, Reply
from pytest_judgeaudit.records.errors import BudgetSpent, CampaignStopped, Unanswered
from pytest_judgeaudit.records.requests import Message, Request
from pytest_judgeaudit.records.verdicts import Usage


def request(size=40):
    return Request(
        messages=(Message(role="user", content="x" * size),), model="m", endpoint="e", decoder={}
    )


def purse(folder, *, patience_s=60.0, **limits):
    return Purse(lambda: folder, "mine", Budget(judge="mine", **limits), patience_s=patience_s)


def calls(one, used, *, known=True):
    """Make calls of one usage until the budget ends it, and count them."""
    for made in range(1000):
        try:
            ticket = one.open(request())
        except BudgetSpent:
            return made
        one.close(ticket, used, known=known)
    return 1000


@pytest.mark.parametrize(("tokens", "made"), [(9, 0), (100, 1), (199, 1), (200, 2), (1050, 10)])
def test_calls_are_made_as_long_as_the_next_one_is_expected_to_fit(tmp_path, tokens, made):
    # The first is expected to have 40 / 4 = 10 tokens, all others the mean, 100.
    assert calls(purse(tmp_path, tokens=tokens), Usage(prompt=60, completion=40)) == made


def test_money_is_counted_by_both_prices(tmp_path):
    # 1,000 x 2 + 500 x 8 = 6,000 per million a call: 0.03 pays for five.
    one = purse(tmp_path, money=0.03, prompt=2.0, completion=8.0)
    assert calls(one, Usage(prompt=1000, completion=500)) == 5


def test_calls_in_flight_count_before_they_end(tmp_path):
    one = purse(tmp_path, tokens=100, patience_s=0.0)
    one.close(one.open(request()), Usage(prompt=30, completion=10), known=True)
    one.open(request())
    with pytest.raises(BudgetSpent, match=r"^mine: the budget of this run is spent: 100 tokens "):
        one.open(request())


def test_a_call_that_does_not_fit_beside_those_in_flight_waits_for_them(tmp_path):
    one = purse(tmp_path, tokens=100)
    first = one.open(request(360))
    with ThreadPoolExecutor(1) as pool:
        second = pool.submit(one.open, request(360))
        with pytest.raises(TimeoutError):
            second.result(0.2)
        one.close(first, Usage(prompt=50), known=True)
        one.close(second.result(5), Usage(prompt=50), known=True)


def test_who_waits_is_sent_away_when_the_run_ends(tmp_path):
    one = purse(tmp_path, tokens=100)
    one.open(request(360))
    with ThreadPoolExecutor(1) as pool:
        second = pool.submit(one.open, request(360))
        one.stop()
        with pytest.raises(Unanswered):
            second.result(5)


def test_a_budget_that_is_spent_stays_spent(tmp_path):
    one = purse(tmp_path, tokens=100, patience_s=0.0)
    ticket = one.open(request(360))
    with pytest.raises(BudgetSpent):
        one.open(request(360))
    one.close(ticket, Usage(prompt=1), known=True)
    with pytest.raises(BudgetSpent):
        purse(tmp_path, tokens=100).open(request(4))


def test_all_purses_of_a_folder_are_one(tmp_path):
    with ThreadPoolExecutor(4) as pool:
        made = pool.map(
            lambda _: calls(purse(tmp_path, tokens=5000), Usage(prompt=60, completion=40)), range(4)
        )
        assert 48 <= sum(made) <= 50


def test_unknown_usage_is_counted_and_sets_no_mean(tmp_path):
    one = purse(tmp_path, tokens=60)
    # 20 booked a call, 10 expected: 0 + 10, 20 + 10, 40 + 10 fit; 60 + 10 does not.
    assert calls(one, Usage(prompt=20), known=False) == 3


def test_an_account_that_was_torn_ends_the_asking(tmp_path):
    (tmp_path / "mine.purse").write_text("{")
    with pytest.raises(BudgetSpent, match="lost with a process that died"):
        purse(tmp_path, tokens=100).open(request())


def test_a_token_is_taken_to_be_four_bytes():
    assert [length([text]) for text in ("", "a", "abcd", "abcde", "\ud83d", "ü" * 4)] == [0, 1, 1, 2, 1, 2]


def attempt(outcome, usage=None):
    return Attempt(started=0.0, ended=1.0, outcome=outcome, usage=usage)


@pytest.mark.parametrize(
    ("reply", "tries", "expected"),
    [
        (
            Reply(text="x" * 8, usage=Usage(prompt=5, completion=1)),
            ["answered"],
            (Usage(prompt=5, completion=1), True),
        ),
        (Reply(text="x" * 8), ["answered"], (Usage(prompt=10, completion=2), False)),
        (Reply(text="x" * 8), ["refused", "timeout", "answered"], (Usage(prompt=20, completion=2), False)),
        (None, ["refused", "refused"], (Usage(), False)),
        (None, ["timeout", "unreadable", "failed"], (Usage(prompt=20), False)),
    ],
)
def test_what_nobody_states_is_counted_by_length(reply, tries, expected):
    assert used_by(request(), reply, [attempt(outcome) for outcome in tries]) == expected


class Stopped:
    """An asker whose first try may have been served, and whose second may not leave."""

    def __init__(self, *outcomes):
        self.attempts = [Attempt(started=0, ended=1, outcome=outcome) for outcome in outcomes]

    def ask(self, request, flight):
        raise CampaignStopped("nothing further is asked", tuple(self.attempts))

    def close(self):
        """Hold nothing."""


@pytest.mark.parametrize(("outcomes", "left"), [((), 10), (("timeout",), 9)])
def test_what_a_call_used_is_booked_also_when_it_may_not_be_tried_again(tmp_path, outcomes, left):
    one = purse(tmp_path, tokens=100)
    with pytest.raises(CampaignStopped):
        Paid(Stopped(*outcomes), one).ask(request())
    assert calls(one, Usage(prompt=10)) == left
