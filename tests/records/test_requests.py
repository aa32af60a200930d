"""The fingerprint of a request: the digest of its canonical JSON, whatever it holds."""

from __future__ import annotations

import hashlib
import json

from hypothesis import given
from hypothesis import strategies as st

from pytest_judgeaudit.records.requests import Message, Request

TEXT = st.text(st.characters(exclude_categories=()))  # lone surrogates and control characters included
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=5,
)
REQUESTS = st.builds(
    Request,
    messages=st.lists(st.builds(Message, role=TEXT, content=TEXT), max_size=3).map(tuple),
    model=TEXT,
    endpoint=TEXT,
    decoder=st.dictionaries(TEXT, VALUES, max_size=3),
    order=st.sampled_from(["AB", "BA"]),
    replicate=st.integers(1, 99),
    ingredients=st.dictionaries(TEXT, TEXT, max_size=2),
)


@given(REQUESTS)
def test_a_fingerprint_digests_the_request_as_json_with_sorted_keys_and_no_white_space(request_):
    body = {
        "messages": [[message.role, message.content] for message in request_.messages],
        "model": request_.model,
        "endpoint": request_.endpoint,
        "decoder": request_.decoder,
        "order": request_.order,
        "replicate": request_.replicate,
    }
    canonical = json.dumps(body, sort_keys=True, separators=(",", ":"))
    assert request_.fingerprint() == hashlib.sha256(canonical.encode("ascii")).hexdigest()


def test_a_fingerprint_stays_the_same_for_ever():
    # sha256sum of the canonical text written by hand: answers that people have stored depend on it.
    request = Request(
        messages=(Message(role="system", content="é\n"), Message(role="user", content='"?')),
        model="m",
        endpoint="openai 127.0.0.1",
        decoder={"temperature": 0, "seed": 42},
    )
    canonical = (
        r'{"decoder":{"seed":42,"temperature":0},"endpoint":"openai 127.0.0.1",'
        r'"messages":[["system","\u00e9\n"],["user","\"?"]],"model":"m","order":"AB","replicate":1}'
    )
    assert request.fingerprint() == hashlib.sha256(canonical.encode("ascii")).hexdigest()


def test_what_a_request_was_made_of_does_not_move_its_fingerprint():
    plain = Request(messages=(), model="m", endpoint="e", decoder={})
    told = Request(messages=(), model="m", endpoint="e", decoder={}, ingredients={"prompt": "p"})
    assert told.fingerprint() == plain.fingerprint()
