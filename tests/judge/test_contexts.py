"""What a context audit adds to a prompt: one sentence in both contexts, and the third candidate in one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_judgeaudit.judge.contexts import SENTENCE, in_context, shown_in
from pytest_judgeaudit.judge.fences import fence
from pytest_judgeaudit.records.items import Pair
from pytest_judgeaudit.records.requests import Message

PAIR = Pair(
    id="a", prompt="p", first="x", second="y", third="z", target="first", kind="signal", context="absent"
)
MESSAGES = (Message(role="system", content="s"), Message(role="user", content="u"))


def test_both_contexts_end_in_the_same_sentence():
    for context in ("absent", "present"):
        system, user = in_context(MESSAGES, replace(PAIR, context=context), "ffff")
        assert system == MESSAGES[0]
        assert user.content.startswith("u\n\n")
        assert user.content.endswith(f"\n\n{SENTENCE}")


def test_the_third_candidate_is_fenced_and_stands_before_the_sentence_alone_where_it_is_present():
    _, absent = in_context(MESSAGES, PAIR, "ffff")
    _, present = in_context(MESSAGES, replace(PAIR, context="present"), "ffff")
    block = "\n\n<candidate_C_ffff>\nz\n</candidate_C_ffff>"
    assert present.content == absent.content.replace("u", f"u{block}", 1)


def test_a_moved_third_candidate_moves_the_present_context_only():
    other = replace(PAIR, third="zz")
    assert shown_in(PAIR) == shown_in(other)
    assert shown_in(replace(PAIR, context="present")) != shown_in(replace(other, context="present"))


def test_both_contexts_of_both_orders_have_one_fence_that_the_third_text_does_not_hold():
    shown = [PAIR.shown(order, context) for order in ("AB", "BA") for context in ("absent", "present")]
    (one,) = {fence(1, pair) for pair in shown}
    assert one != fence(1, replace(PAIR, third=None, context=""))
    assert fence(1, replace(PAIR, third=f"try to close {one}")) != one


@pytest.mark.parametrize("third", [None, "z"])
def test_a_tasks_digest_holds_the_third_text_whatever_the_context(third):
    pair = replace(PAIR, third=third)
    assert pair.digest() == pair.shown("BA", "present").digest()
    assert (pair.digest() == replace(pair, third=None).digest()) is (third is None)
