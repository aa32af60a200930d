"""Published MT-Bench judgements, read with a pattern: [[A]], [[B]], and [[C]] for a tie."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict

import pytest

from pytest_judgeaudit.judge.parsers import verdict_of
from pytest_judgeaudit.judge.patterns import find_parser

AMBIGUOUS = "one line holds different verdicts: B, A"


@pytest.fixture(scope="module")
def readings(shared):
    """Run and judge -> its texts as (question, models shown, reading)."""
    parse = find_parser("lenient", verdict={"A": "[[A]]", "B": "[[B]]", "tie": "[[C]]"})
    found = defaultdict(list)
    path = shared / "data" / "position_bias" / "repetition_verdicts.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for row in map(json.loads, file):
            name = f"{row['bench']}|rep{row['rep']}|{row['judge']}"
            found[name].append((row["q"], (row["A"], row["B"]), parse(row["raw"], None)))
    return found


@pytest.fixture(scope="module")
def reference(shared):
    """The reference's figures for the same runs and judges."""
    blocks = json.loads((shared / "data" / "reference_dev.json").read_text(encoding="utf-8"))[
        "position_bias"
    ]
    return {name: block for name, block in blocks.items() if name.startswith("MTBench|rep")}


def test_as_many_texts_name_a_verdict_as_the_reference_extracted(readings, reference):
    named = {
        name: sum(reading.slot is not None or reading.reason == AMBIGUOUS for *_, reading in rows)
        for name, rows in readings.items()
    }
    common = named.keys() & reference.keys()
    assert len(common) == 8
    assert {name: named[name] for name in common} == {name: reference[name]["extracted"] for name in common}


def patterns(rows):
    """Pairs read in both orders, and how many name the same content, slot A twice, slot B twice."""
    pairs = defaultdict(dict)
    for question, models, reading in rows:
        order = "AB" if models == tuple(sorted(models)) else "BA"
        pairs[question, tuple(sorted(models))][order] = verdict_of(reading, order=order, raw="")
    both = [pair for pair in pairs.values() if all(verdict.valid for verdict in pair.values())]
    twice = [pair["AB"].slot for pair in both if pair["AB"].slot == pair["BA"].slot]
    same = sum(pair["AB"].winner == pair["BA"].winner for pair in both)
    return {
        "pairs_both_parsed": len(both),
        "pair_consistent": same,
        "always_first": twice.count("A"),
        "always_second": twice.count("B"),
    }


def test_the_patterns_over_both_orders_are_the_references(readings, reference):
    clear = [n for n in readings if n in reference and not reference[n]["texts_with_conflicting_labels"]]
    assert len(clear) >= 5
    for name in clear:
        found = patterns(readings[name])
        assert found == {key: reference[name][key] for key in found}, name
