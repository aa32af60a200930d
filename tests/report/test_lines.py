"""Lines for a terminal: what is cut, and where a line breaks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_judgeaudit.report.lines import columns, wrapped

ID = "evals/test_support.py::test_better_answer_wins::utility_gate[qwen2.5-32b-instruct-neutral]"


def test_no_name_is_broken_that_fits_into_a_line():
    name = "test_exact_copies_tie-mine-neutral-refund-clone-AB-1"
    for width in range(len(name) + 4, 120):
        lines = wrapped(f"no stored answer for {name}. Ask for it with --judge-live.", width)
        assert any(name in line for line in lines), width
        assert all(len(line) <= width for line in lines)


def test_an_id_that_is_longer_than_a_line_breaks_after_a_part_of_it():
    lines = [line.strip() for line in wrapped(f"found {ID} there", 60)]
    assert lines == [
        "found evals/test_support.py::test_better_answer_wins::",
        "utility_gate[qwen2.5-32b-instruct-neutral] there",
    ]


@given(st.lists(st.text("ab/:[-_", min_size=1, max_size=90), min_size=1, max_size=12), st.integers(20, 120))
def test_wrapping_loses_nothing_and_keeps_to_the_width(words, width):
    lines = wrapped(" ".join(words), width)
    assert "".join("".join(lines).split()) == "".join(words)
    assert all(len(line) <= width for line in lines)


ROWS = [
    ("name", "notes", "size", "least"),
    ("test_reads", "13 invalid, 4 not applicable, 1 stale", "100", "9.5"),
]


def test_spare_columns_go_before_anything_is_cut():
    wide, narrow = (
        list(columns(ROWS, right={2, 3}, flexible=(1, 0), spare=(3, 2), worded={1}, width=width))[1]
        for width in (80, 56)
    )
    assert wide == "  test_reads  13 invalid, 4 not applicable, 1 stale   100    9.5"
    assert narrow == "  test_reads 13 invalid, 4 not applicable, 1 stale  100"


@pytest.mark.parametrize(
    ("width", "notes"), [(44, "13 invalid, 4 not applicable…"), (30, "13 invalid, 4…")]
)
def test_a_list_is_cut_after_a_word(width, notes):
    row = list(columns(ROWS, flexible=(1, 0), spare=(3, 2), worded={1}, width=width))[1]
    assert row.rstrip() == f"  test_reads {notes}"
