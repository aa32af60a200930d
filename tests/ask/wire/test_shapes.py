"""Whatever JSON comes back is read or refused, by every wire format."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_judgeaudit.ask.wire.shapes import Unreadable, failure, joined
from pytest_judgeaudit.ask.wire.table import WIRES

NAMES = st.sampled_from(
    [
        "choices",
        "message",
        "content",
        "model",
        "usage",
        "prompt_tokens",
        "completion_tokens",
        "finish_reason",
        "type",
        "text",
        "error",
        "stop_reason",
        "input_tokens",
        "output_tokens",
        "done",
        "done_reason",
        "refusal",
    ]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.just("text"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=5),
    max_leaves=25,
)


@pytest.mark.parametrize("name", sorted(WIRES))
@settings(deadline=None, max_examples=100)
@given(body=JSON)
def test_any_body_is_a_reply_or_no_answer(name, body):
    with contextlib.suppress(Unreadable):
        reply = WIRES[name].read(body)
        assert isinstance(reply.text, str)
        assert reply.served is None or reply.served.strip()
        assert reply.usage is None or min(reply.usage.prompt, reply.usage.completion) >= 0


def test_strings_in_a_list_of_parts_count():
    assert joined(["A", {"text": "B"}, 3, {"type": "image_url"}]) == "AB"


@pytest.mark.parametrize(
    ("body", "text"),
    [({"error": {}}, "an error without a message"), ({"error": 3}, "3"), ({"error": None}, None)],
)
def test_an_error_in_any_form_is_an_error(body, text):
    assert failure(body) == text
