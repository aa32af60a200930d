"""What moved, what is new, and what may be accepted."""

from __future__ import annotations

import pytest

from pytest_judgeaudit.store.grades import Terms, decide

OLD = {"a": "1 tie success", "b": "2 tie success", "c": "3 A adverse"}
MOVED = {**OLD, "b": "2 B adverse"}
WHOLE, PART = Terms(complete=True), Terms(complete=False)
LIVE = Terms(complete=True, live=True)


def test_the_same_rows_are_the_same():
    grades, wanted = decide(OLD, OLD, WHOLE)
    assert (grades.state, grades.message, wanted) == ("same", "", None)


def test_a_moved_row_is_named_with_its_two_lines_only():
    grades, wanted = decide(MOVED, OLD, WHOLE)
    assert (grades.state, wanted) == ("moved", None)
    assert grades.moved == (("b", "2 tie success", "2 B adverse"),)
    assert grades.message.splitlines() == [
        "1 grade moved: b",
        "- b: 2 tie success",
        "+ b: 2 B adverse",
        "Accept them with --snapshot-update, on a run of the whole cell.",
    ]


def test_many_moved_rows_are_counted_and_some_are_shown():
    old = {f"t{number:03d}": "x tie success" for number in range(500)}
    grades, _ = decide(dict.fromkeys(old, "y A adverse"), old, WHOLE)
    lines = grades.message.splitlines()
    assert len(grades.moved) == 500
    assert lines[0].startswith("500 grades moved: t000, t001")
    assert lines[-2] == "… and 480 more"
    assert len(lines) == 43


def test_update_accepts_what_was_seen_as_a_whole():
    terms = Terms(complete=True, update=True)
    rows = {"a": "1 tie success", "b": "2 B adverse", "d": "4 tie success"}
    grades, wanted = decide(rows, OLD, terms)
    assert (grades.state, wanted) == ("written", rows)
    assert grades.message == "accepted 2 grades, 1 of them moved; removed 1"
    assert decide(OLD, OLD, terms)[1] is None
    assert decide(OLD, None, terms)[1] == OLD


@pytest.mark.parametrize(
    "terms", [Terms(complete=False, update=True), Terms(complete=True, sharded=True, update=True)]
)
def test_update_accepts_nothing_on_a_part_or_a_shard(terms):
    grades, wanted = decide(MOVED, OLD, terms)
    assert (grades.state, wanted) == ("moved", None)
    assert decide(OLD, None, terms)[0].state == "none"


def test_a_part_is_compared_row_by_row():
    assert decide({"a": OLD["a"]}, OLD, PART)[0].state == "same"
    grades, wanted = decide({"b": MOVED["b"]}, OLD, PART)
    assert (grades.state, grades.vanished, wanted) == ("moved", (), None)


def test_nothing_accepted_yet_is_a_finding_of_a_replay():
    for terms in (WHOLE, PART, Terms(complete=True, live=True, sharded=True)):
        grades, wanted = decide(OLD, None, terms)
        assert (grades.state, wanted) == ("none", None)
        assert grades.message.startswith("no grades are accepted yet")


def test_a_live_run_accepts_the_first_grades():
    grades, wanted = decide(OLD, None, LIVE)
    assert (grades.state, wanted) == ("written", OLD)


def test_a_live_run_replaces_the_rows_it_asked_and_adds_new_ones():
    terms = Terms(complete=True, live=True, asked=frozenset({"b", "d"}))
    grades, wanted = decide({**MOVED, "d": "4 tie success"}, OLD, terms)
    assert grades.state == "written"
    assert wanted == {**MOVED, "d": "4 tie success"}


def test_a_live_run_does_not_accept_rows_that_moved_without_being_asked():
    terms = Terms(complete=True, live=True, asked=frozenset({"a"}))
    rows = {"a": "9 A adverse", "b": "2 B adverse", "c": OLD["c"]}
    grades, wanted = decide(rows, OLD, terms)
    assert grades.state == "moved"
    assert [key for key, _, _ in grades.moved] == ["b"]
    assert wanted == {**OLD, "a": "9 A adverse"}


def test_a_part_of_a_live_run_accepts_nothing_and_calls_what_it_asked_new():
    terms = Terms(complete=False, live=True, asked=frozenset({"b"}))
    grades, wanted = decide({"b": MOVED["b"]}, OLD, terms)
    assert (grades.state, grades.new, wanted) == ("new", ("b",), None)


def test_rows_that_vanished_are_named_and_stay_accepted():
    rows = {"a": OLD["a"], "b": OLD["b"]}
    for terms in (WHOLE, LIVE):
        grades, wanted = decide(rows, OLD, terms)
        assert (grades.state, grades.vanished, wanted) == ("same", ("c",), None)
        assert grades.message == "1 accepted grade without a trial: c"


def test_new_rows_of_a_replay_are_named_and_not_accepted():
    grades, wanted = decide({**OLD, "d": "4 tie success"}, OLD, WHOLE)
    assert (grades.state, grades.new, wanted) == ("new", ("d",), None)
    assert grades.message == "1 grade not accepted yet: d"


def test_update_new_only_accepts_a_cell_that_has_none():
    terms = Terms(complete=True, update_new=True)
    assert decide(OLD, None, terms)[1] == OLD
    assert decide(MOVED, OLD, terms)[0].state == "moved"
    assert decide({**OLD, "d": "4"}, OLD, terms)[1] is None


def test_a_cell_without_rows_accepts_and_removes_nothing():
    assert decide({}, OLD, Terms(complete=True, update=True, live=True))[1] is None
    assert decide({}, None, LIVE)[0].state == "none"


def test_control_characters_and_long_rows_do_not_reach_the_terminal():
    grades, _ = decide({"\x1b[31m": "n" * 10_000}, {"\x1b[31m": "\n\ud83d"}, WHOLE)
    assert grades.message.replace("\n", "").replace("…", "").isprintable()
    assert max(map(len, grades.message.splitlines())) < 300
