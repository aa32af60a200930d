"""Differences between criteria and orders on the same tasks (RULES R12–R15)."""

from __future__ import annotations

from dataclasses import replace

import pytest

ORDERS = ("AB", "BA")


def audited(studies, neutral, strict, **options):
    """One judge; per task the winners in AB and BA, under each criterion; the target is ``first``."""
    known = studies.tasks(len(neutral))
    cells = [studies.cell("signal", known, criterion=name) for name in ("strict", "neutral")]
    observed = []
    for planned, rows in zip(cells, (strict, neutral), strict=True):
        observed += studies.trials(planned, [winner for row in rows for winner in row])
    return studies.run(studies.plan(cells, known), observed, **options)


def found(audit, kind, of, **keys):
    (one,) = (
        c
        for c in audit.contrasts
        if (c.kind, c.of) == (kind, of) and all(getattr(c, k) == v for k, v in keys.items())
    )
    return one


NEUTRAL = [("first", "first")] * 6 + [("first", "second")] * 2 + [("tie", "tie")] * 2
STRICT = [("first", "tie")] * 4 + [("tie", "tie")] * 3 + [("second", "first")] * 2 + [("second", "tie")]


def test_strict_is_subtracted_from_by_neutral_and_ties_count_alone(studies):
    audit = audited(studies, NEUTRAL, STRICT)
    # Right calls: 14 of 20 and 6 of 20. Ties: 4 of 20 and 4 + 6 + 1 = 11 of 20.
    utility, ties = found(audit, "criterion", "utility"), found(audit, "criterion", "tie")
    assert (utility.minuend, utility.subtrahend) == ("strict", "neutral")
    assert utility.difference == pytest.approx((6 - 14) / 20)
    assert ties.difference == pytest.approx((11 - 4) / 20)


def test_an_order_is_ba_minus_ab(studies):
    audit = audited(studies, NEUTRAL, STRICT)
    # Neutral: AB 8 of 10, BA 6 of 10. Strict: AB 4 of 10, BA 2 of 10.
    assert found(audit, "order", "utility", criterion="neutral").difference == pytest.approx(-0.2)
    assert found(audit, "order", "utility", criterion="strict").difference == pytest.approx(-0.2)
    assert found(audit, "order", "tie", criterion="strict").difference == pytest.approx(0.8 - 0.3)


def test_an_interaction_is_the_difference_of_differences_and_not_halved(studies):
    audit = audited(studies, NEUTRAL, STRICT)
    # (strict − neutral): BA .2 − .6 = −.4; AB .4 − .8 = −.4.
    assert found(audit, "interaction", "utility").difference == pytest.approx(0.0)
    # Ties: BA .8 − .2, AB .3 − .2.
    assert found(audit, "interaction", "tie").difference == pytest.approx(0.6 - 0.1)


def test_no_schedule_is_randomized_so_there_is_no_p(studies):
    audit = audited(studies, NEUTRAL, STRICT)
    assert {(one.p, one.p_holm, one.reason) for one in audit.contrasts} == {
        (None, None, "schedule not randomized")
    }
    families = {"criterion", "order, interaction"}
    # An order's contrast of one of several criteria is a part of that of all, and has no place of its own.
    assert {one.family for one in audit.contrasts} == {*families, *(f"{f} (ties)" for f in families), ""}


def test_copies_have_a_family_of_their_own(studies):
    known = studies.tasks(4)
    cells = [studies.cell("clone", known, criterion=name) for name in ("neutral", "strict")]
    observed = studies.copies(cells[0], adverse=2) + studies.copies(cells[1], adverse=1)
    audit = studies.run(studies.plan(cells, known), observed)
    one = found(audit, "clone-criterion", "adverse")
    assert (one.difference, one.family, one.tasks) == (-0.25, "clone-criterion", 4)
    assert [c.kind for c in audit.contrasts] == ["clone-criterion"] * 2


def test_a_part_on_hold_is_not_compared(studies):
    known = studies.tasks(10)
    cells = [studies.cell("signal", known, criterion=name) for name in ("neutral", "strict")]
    observed = studies.trials(cells[0], ["first"] * 20)
    audit = studies.run(studies.plan(cells, known), observed)
    assert {one.difference for one in audit.contrasts} == {None}
    assert {one.reason for one in audit.contrasts} == {"HOLD"}


def test_other_tasks_are_not_compared(studies):
    known = {**studies.tasks(10), **studies.tasks(10, prefix="u")}
    cells = [
        studies.cell("signal", [name for name in known if name[0] == first], criterion=criterion)
        for first, criterion in (("t", "neutral"), ("u", "strict"))
    ]
    observed = [t for planned in cells for t in studies.trials(planned, ["first"] * 20)]
    audit = studies.run(studies.plan(cells, known), observed)
    one = found(audit, "criterion", "utility")
    assert (one.difference, one.reason) == (None, "the task sets differ")
    assert found(audit, "order", "utility", criterion="strict").difference == 0


def test_one_criterion_in_one_order_has_no_contrast(studies):
    known = studies.tasks(4)
    planned = studies.cell("signal", known, orders=("AB",))
    audit = studies.run(studies.plan([planned], known), studies.trials(planned, ["first"] * 4))
    assert audit.contrasts == ()


def test_a_failed_assertion_is_no_success_whatever_the_verdict(studies):
    known = studies.tasks(2)
    cells = [studies.cell("signal", known, criterion=name) for name in ("neutral", "strict")]
    observed = [t for planned in cells for t in studies.trials(planned, ["first"] * 4)]
    observed[0] = replace(observed[0], outcome="adverse")
    audit = studies.run(studies.plan(cells, known), observed)
    assert found(audit, "criterion", "utility").difference == pytest.approx(0.25)
