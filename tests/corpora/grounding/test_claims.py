"""Sixty claims about the depot, labelled by hand before the code was written, and what must hold of any."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pytest_judgeaudit.corpora.grounding import ground, read_corpus

ROOT = Path(__file__).parents[3]
LABELLED = ROOT / "tests" / "corpora" / "depot_claims.jsonl"
ROWS = [json.loads(line) for line in LABELLED.read_text(encoding="utf-8").splitlines()]
DEPOT = read_corpus(ROOT / "corpora" / "depot" / "src")
EVERYTHING = "\n".join(line for lines in DEPOT.lines.values() for line in lines).lower()


def state(row):
    found = ground(row["text"], DEPOT).claims
    return next(
        (one.state for one in found if (one.claim.sort, one.claim.text) == (row["sort"], row["claim"])),
        None,
    )


def test_at_least_57_of_60_claims_are_verified_as_labelled(record_property, capsys):
    found = [state(row) for row in ROWS]
    right = sum(one == row["label"] for one, row in zip(found, ROWS, strict=True))
    record_property("claims verified as labelled", f"{right} of {len(ROWS)}")
    with capsys.disabled():
        sys.stdout.write(f"\n{right} of {len(ROWS)} claims verified as labelled\n")
    assert len(ROWS) == 60
    assert right >= 57


def test_nothing_unsupported_is_called_supported():
    assert [
        row["claim"] for row in ROWS if row["label"] == "UNSUPPORTED" and state(row) == "SUPPORTED"
    ] == []


def test_the_labelled_claims_are_of_all_sorts_and_states():
    assert {row["sort"] for row in ROWS} == {"path", "identifier", "number", "quote", "absence"}
    labels = [row["label"] for row in ROWS]
    assert {label: labels.count(label) >= 5 for label in labels} == {
        "SUPPORTED": True,
        "PARTIALLY_SUPPORTED": True,
        "UNSUPPORTED": True,
        "UNABLE_TO_VERIFY": True,
    }


# Laws


@settings(deadline=None)
@given(name=st.from_regex(r"[A-Z]{2,5}(?:[-_][A-Z]{2,6}){1,2}", fullmatch=True))
def test_a_name_that_is_nowhere_is_never_supported(name):
    assume(name.lower() not in EVERYTHING)
    (one,) = ground(f"It is done in {name}.", DEPOT).claims
    assert (one.state, one.where) == ("UNSUPPORTED", "")


LINES = [
    (file, number, line)
    for file, lines in DEPOT.lines.items()
    for number, line in enumerate(lines, start=1)
    if len("".join(line.split())) > 12
]


@pytest.mark.parametrize("file", sorted(DEPOT.lines))
def test_every_line_of_the_corpus_is_supported_where_it_is_quoted(file):
    for _, number, line in [one for one in LINES if one[0] == file]:
        (one,) = ground(f"```\n{line}\n```", DEPOT).claims
        assert one.state == "SUPPORTED"
        held = " ".join(DEPOT.lines[one.file][one.line - 1 : one.line + 1])
        assert "".join(re.findall(r"\w+", line)) in "".join(re.findall(r"\w+", held)), number


NAMES = ("WS-REJECT-LIMIT", "BOX_GRAMS", "LINE_WIDTH", "WS-SLOW-DAYS", "COUNT-LINE")


@pytest.mark.parametrize("name", NAMES)
def test_of_all_numbers_only_those_beside_a_name_are_supported(name):
    beside = [line for _, _, line in LINES if re.search(rf"(?<![\w-]){name}(?![\w-])", line)]
    numbers = re.findall(r"(?<![\w.])\d[\d_]*", " ".join(beside))
    supported = []
    for number in (*range(10, 200), 12_000):
        claim = next(
            one for one in ground(f"{name} is {number}.", DEPOT).claims if one.claim.sort == "number"
        )
        supported += [claim.claim.text] * (claim.state == "SUPPORTED")
    # A level number such as 05 is not five.
    assert supported
    assert set(supported) == {
        plain for one in numbers if len(plain := one.replace("_", "")) > 1 and plain[0] != "0"
    }
