"""The controlled ladder: its texts are what it says they are."""

from __future__ import annotations

import difflib
from itertools import combinations

import pytest

from pytest_judgeaudit.corpora.ladder import LEVELS, OPENINGS, pairs, tasks
from pytest_judgeaudit.records.errors import Refused

TASKS = tasks()
MOST_RATIO = 1.073
"""The maximum length ratio of the published ladder."""


def test_ten_tasks_of_five_requirements_each():
    assert len(TASKS) == len({task.id for task in TASKS}) == 10
    assert {(len(task.met), len(task.missed)) for task in TASKS} == {(5, 5)}
    for task in TASKS:
        assert [f"({n})" in task.prompt for n in range(1, 7)] == [True] * 5 + [False]


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_texts_of_a_task_have_nearly_one_length(task):
    lengths = [len(task.text(level, surface=surface)) for level in LEVELS for surface in (0, 1)]
    assert max(lengths) / min(lengths) <= MOST_RATIO


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_a_level_meets_a_prefix_of_the_requirements_and_nothing_else(task):
    for level in LEVELS:
        text = task.text(level)
        assert [sentence in text for sentence in task.met] == [n < level for n in range(5)]
        assert [sentence in text for sentence in task.missed] == [n >= level for n in range(5)]


def test_surfaces_are_at_most_five_words_apart():
    first, second = (opening.split() for opening in OPENINGS)
    changed = list(difflib.SequenceMatcher(a=first, b=second, autojunk=False).get_opcodes())
    apart = sum(max(i2 - i1, j2 - j1) for tag, i1, i2, j1, j2 in changed if tag != "equal")
    assert 1 <= apart <= 5


def test_no_sentence_stands_twice():
    sentences = [sentence for task in TASKS for sentence in (*task.met, *task.missed)]
    assert len(sentences) == len(set(sentences)) == 100


def test_150_pairs_of_two_levels_and_60_of_one():
    signal, flat = pairs("signal"), pairs("equivalent")
    by_gap = {f"gap {gap}": 10 * (6 - gap) for gap in range(1, 6)}
    assert {name: sum(pair.subset == name for pair in signal) for name in by_gap} == by_gap
    assert len(signal) == 10 * len(list(combinations(LEVELS, 2))) == 150
    assert [sum(pair.subset == f"level {level}" for pair in flat) for level in LEVELS] == [10] * 6
    assert len({pair.id for pair in (*signal, *flat)}) == 210
    assert {(pair.target, pair.first == pair.second) for pair in flat} == {("tie", False)}


def test_there_are_no_copies():
    with pytest.raises(Refused, match="battery:ladder has no clone pairs; there are signal and equivalent"):
        pairs("clone")
