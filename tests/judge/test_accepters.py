"""Embedded judges of single answers: each has the fault that it is planted for."""

from __future__ import annotations

from itertools import starmap

import pytest

from pytest_judgeaudit.corpora.labelled import load_answers
from pytest_judgeaudit.judge.accepters import ACCEPTERS, rule
from pytest_judgeaudit.judge.embedded import WRITERS, build_embedded
from pytest_judgeaudit.records.errors import JudgeFault, Refused
from pytest_judgeaudit.records.labelled import LabelledAnswer
from pytest_judgeaudit.settings import tables

ITEM = LabelledAnswer(id="a", prompt="Ask", answer="Four.", label="good", source="a.jsonl:1")


def ruled(model, item=ITEM, **changes):
    return rule(model, item, **{"criterion": "neutral", "seed": 7, "parser": "strict", **changes})


def test_the_settings_know_who_accepts():
    assert set(ACCEPTERS) == set(tables.ACCEPTERS)
    assert set(tables.ACCEPTERS) <= set(tables.EMBEDDED) == set(WRITERS)


@pytest.mark.parametrize(("model", "ruling"), [("always-accept", "accept"), ("always-reject", "reject")])
def test_a_constant_judge_looks_at_nothing(model, ruling):
    for item in (ITEM, ITEM.shown("blank"), ITEM.shown("repeated")):
        assert ruled(model, item).ruling == ruling


def test_a_coin_is_tossed_anew_where_a_call_is_repeated_and_only_there():
    items = [LabelledAnswer(id="a", prompt=f"p{n}", answer="x", label="good") for n in range(200)]
    again = [item.shown("repeated") for item in items]
    first = [ruled("coin", item).ruling for item in items]
    assert first == [ruled("coin", item).ruling for item in items]
    changed = sum(
        starmap(str.__ne__, zip(first, (ruled("coin", item).ruling for item in again), strict=True))
    )
    assert 70 < changed < 130  # 100 ± 4.2 standard deviations
    assert 70 < first.count("accept") < 130


def test_a_fenced_object_is_invalid_to_a_strict_parser_and_read_by_a_lenient_one():
    assert ruled("fenced").ruling == "invalid"
    assert ruled("fenced", parser="lenient").ruling == "accept"
    assert ruled("fenced", ITEM.shown("whitespace"), parser="lenient").ruling == "reject"


def test_the_program_accepts_what_is_right_on_every_input_and_nothing_blank(tmp_path):
    answers = load_answers("battery:finite-code", root=tmp_path, controls=("blank",)).answers
    some = [*answers[:6], answers[-1]]
    assert [ruled("program", item).accepted for item in some] == [item.good for item in some]


def test_the_program_runs_nothing_else():
    with pytest.raises(JudgeFault, match=r"judge program: a.jsonl:1: .*it was not executed"):
        ruled("program")


def test_a_judge_of_pairs_accepts_nothing(judge_of):
    with pytest.raises(JudgeFault, match="the judge longest does not accept or reject single answers"):
        ruled("longest")
    own = build_embedded(judge_of(api="embedded", model="always-accept"), seed=7)
    assert own.rule(ITEM, criterion="neutral").verdict.accepted


def test_words_of_ones_own_are_refused(judge_of):
    with pytest.raises(Refused, match="an embedded judge writes JSON; remove acceptance"):
        build_embedded(judge_of(api="embedded", model="coin", acceptance="PASS|FAIL"), seed=7)
