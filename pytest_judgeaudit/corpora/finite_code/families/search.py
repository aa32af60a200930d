"""A search with a bound: the fewest rounds that reach a target, if the allowed rounds suffice."""

from __future__ import annotations

from pytest_judgeaudit.corpora.finite_code.domains import Domain, Integers
from pytest_judgeaudit.corpora.finite_code.templates import Family, Fault, Setting

TASK = """\
A game is played in rounds. The yield of the first round is $FIRST, and the yield of each later \
round is $GROWTH more than that of the round before it. Return the smallest number of rounds, from 0 \
up to and including limit, after which the yields of all rounds played add up to at least target. \
Return -1 if limit rounds are not enough."""

ROUND_BY_ROUND = """\
def solve(target, limit):
    rounds = points = 0
    gain = $FIRST
    while points < target and rounds < limit:
        rounds += 1
        points += gain
        gain += $GROWTH
    return rounds if points >= target else -1
"""

BISECTION = """\
def solve(target, limit):
    low, high = 0, limit + 1
    while low < high:
        mid = (low + high) // 2
        if $FIRST * mid + $GROWTH * mid * (mid - 1) // 2 < target:
            low = mid + 1
        else:
            high = mid
    return -1 if low > limit else low
"""

FAULTS = {
    "last round not allowed": Fault(shape="round by round", was="rounds < limit", now="rounds < limit - 1"),
    "must be exceeded": Fault(shape="round by round", was="points >= target", now="points > target"),
    "starts with the first gain": Fault(
        shape="round by round",
        was="rounds = points = 0\n    gain = $FIRST",
        now="rounds = 0\n    points = gain = $FIRST",
    ),
    "gain grows too early": Fault(
        shape="round by round",
        was="points += gain\n        gain += $GROWTH",
        now="gain += $GROWTH\n        points += gain",
    ),
    "no growth": Fault(shape="round by round", was="\n        gain += $GROWTH", now=""),
    "growth from the first round on": Fault(shape="bisection", was="mid - 1", now="mid + 1"),
    "exceeded by bisection": Fault(shape="bisection", was="// 2 < target", now="// 2 <= target"),
    "upper end cut off": Fault(shape="bisection", was="0, limit + 1", now="0, limit"),
    "bound handed out": Fault(
        shape="bisection", was="return -1 if low > limit else low", now="return min(low, limit)"
    ),
}


def _setting(first: int, growth: int, *, target: int, limit: int, reference: str, fault: str) -> Setting:
    domain = Domain(
        arguments=(
            Integers(name="target", low=0, high=target),
            Integers(name="limit", low=0, high=limit),
        )
    )
    return Setting(
        values={"FIRST": first, "GROWTH": growth}, domain=domain, reference=reference, fault=fault
    )


FAMILY = Family(
    name="search",
    task=TASK,
    shapes={"round by round": ROUND_BY_ROUND, "bisection": BISECTION},
    faults=FAULTS,
    settings=(
        _setting(1, 1, target=60, limit=9, reference="round by round", fault="bound handed out"),
        _setting(2, 1, target=60, limit=8, reference="bisection", fault="last round not allowed"),
        _setting(3, 2, target=80, limit=6, reference="round by round", fault="must be exceeded"),
        _setting(1, 2, target=60, limit=7, reference="bisection", fault="exceeded by bisection"),
        _setting(
            4, 1, target=60, limit=8, reference="round by round", fault="growth from the first round on"
        ),
        _setting(5, 3, target=99, limit=5, reference="bisection", fault="gain grows too early"),
        _setting(2, 3, target=80, limit=6, reference="round by round", fault="last round not allowed"),
        _setting(3, 1, target=60, limit=8, reference="bisection", fault="upper end cut off"),
        _setting(6, 2, target=99, limit=5, reference="round by round", fault="exceeded by bisection"),
        _setting(1, 3, target=60, limit=7, reference="bisection", fault="starts with the first gain"),
        _setting(7, 4, target=99, limit=5, reference="round by round", fault="upper end cut off"),
        _setting(5, 2, target=80, limit=6, reference="bisection", fault="no growth"),
    ),
)
