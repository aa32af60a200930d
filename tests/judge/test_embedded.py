from __future__ import annotations

import pytest

from pytest_judgeaudit.judge.embedded import WRITERS, build_embedded
from pytest_judgeaudit.judge.parsers import PARSERS
from pytest_judgeaudit.records.errors import JudgeFault, Refused
from pytest_judgeaudit.settings import tables


@pytest.fixture(scope="session")
def decide(judge_of):
    def run(model, pair, *, criterion="neutral", replicate=1, seed=1, parser="strict"):
        judge = build_embedded(judge_of(api="embedded", model=model, parser=parser), seed=seed)
        return judge.decide(pair, criterion=criterion, replicate=replicate)

    return run


def test_the_embedded_judges_are_those_of_the_configuration():
    assert tuple(WRITERS) == tables.EMBEDDED


@pytest.mark.parametrize(
    ("model", "ab", "ba"),
    [
        ("first-slot", "first", "second"),
        ("second-slot", "second", "first"),
        ("always-tie", "tie", "tie"),
        ("longest", "first", "first"),
    ],
)
def test_a_planted_judge_has_its_fault_in_both_orders(decide, pair_of, model, ab, ba):
    pair = pair_of(first="the longer one", second="short")
    assert decide(model, pair).verdict.winner == ab
    assert decide(model, pair.shown("BA")).verdict.winner == ba


def test_longest_ties_on_equal_lengths(decide, pair_of):
    assert decide("longest", pair_of(first="ab", second="xy")).verdict.tie


def test_every_verdict_was_a_text_and_is_served_as_requested(decide, pair_of):
    verdict = decide("first-slot", pair_of()).verdict
    assert (verdict.raw, verdict.served, verdict.slot) == ('{"winner": "A"}', "first-slot", "A")
    assert not decide("first-slot", pair_of()).duplicated


def test_fenced_is_invalid_under_strict_and_read_under_lenient(decide, pair_of):
    strict = decide("fenced", pair_of()).verdict
    assert (strict.winner, (strict.reason or "").partition(",")[0]) == (
        "invalid",
        "the output stands in a Markdown fence",
    )
    assert decide("fenced", pair_of(), parser="lenient").verdict.valid


def test_the_coin_falls_the_same_way_again_and_on_both_sides_evenly(decide, pair_of):
    pairs = [pair_of(id=str(i), prompt=f"Question {i}") for i in range(400)]
    slots = [decide("coin", pair).verdict.slot for pair in pairs]
    assert [decide("coin", pair).verdict.slot for pair in pairs] == slots
    assert set(slots) == {"A", "B"}
    assert 150 < slots.count("A") < 250  # 5 standard deviations of Bin(400, 1/2)


@pytest.mark.parametrize(
    "change", [{"order": "BA"}, {"prompt": "Q"}, {"seed": 2}, {"criterion": "strict"}, {"replicate": 2}]
)
def test_every_call_is_a_toss_of_its_own(decide, pair_of, change):
    options = {name: change[name] for name in ("seed", "criterion", "replicate") if name in change}
    texts = {name: value for name, value in change.items() if name not in options}
    pairs = [{"first": f"{i}", "second": "x"} for i in range(200)]
    before = [decide("coin", pair_of(**pair)).verdict.slot for pair in pairs]
    after = [decide("coin", pair_of(**pair, **texts), **options).verdict.slot for pair in pairs]
    assert 60 < sum(one == other for one, other in zip(before, after, strict=True)) < 140


@pytest.mark.parametrize("model", ["constant-score", "prose", "evidence"])
def test_a_judge_of_rubrics_compares_nothing(decide, pair_of, model):
    with pytest.raises(JudgeFault, match="this judge scores answers; it does not compare pairs"):
        decide(model, pair_of())


@pytest.mark.parametrize(("kind", "slot"), [("clone", "tie"), ("equivalent", "tie"), ("signal", "A")])
def test_program_decides_the_certified_battery_in_both_orders(decide, kind, slot):
    pair = finite_code().pairs(kind)[0]
    assert decide("program", pair).verdict.slot == slot
    assert decide("program", pair.shown("BA")).verdict.winner == pair.target


@pytest.mark.parametrize("order", ["AB", "BA"])
def test_program_refuses_code_that_is_not_certified_and_does_not_run_it(decide, pair_of, order):
    certified = finite_code().pairs("clone")[0].first
    pair = pair_of(first="raise SystemExit", second=certified, order=order, source="pairs.jsonl:3")
    with pytest.raises(JudgeFault, match=r"^judge program: pairs\.jsonl:3: .*not executed"):
        decide("program", pair)


def finite_code():
    return pytest.importorskip("pytest_judgeaudit.corpora.finite_code")


def test_an_unknown_model_is_refused_with_the_near_one(judge_of):
    with pytest.raises(Refused, match=r'"first-slt"; model is one of .*Did you mean "first-slot"\?$'):
        build_embedded(judge_of(api="embedded", model="first-slt"), seed=1)


def test_a_verdict_pattern_is_refused_for_judges_that_write_json(judge_of):
    with pytest.raises(Refused, match='judge "mine": an embedded judge writes JSON; remove verdict'):
        build_embedded(judge_of(api="embedded", model="coin", verdict="[[A]]"), seed=1)


def test_an_unknown_parser_is_refused(judge_of):
    with pytest.raises(Refused, match=f"there are {', '.join(PARSERS)}"):
        build_embedded(judge_of(api="embedded", model="coin", parser="loose"), seed=1)
