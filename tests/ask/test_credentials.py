"""What is taken from the environment, and from nowhere else."""

from __future__ import annotations

import pytest

from pytest_judgeaudit.ask.credentials import headers_of, query_of
from pytest_judgeaudit.ask.wire.table import WIRES
from pytest_judgeaudit.records.errors import Refused


@pytest.mark.parametrize(
    ("api", "header"),
    [
        ("openai", {"Authorization": "Bearer k-1"}),
        ("anthropic", {"x-api-key": "k-1"}),
        ("ollama", {"Authorization": "Bearer k-1"}),
    ],
)
def test_each_format_has_its_place_for_a_key(judge, api, header):
    endpoint = judge(api=api, api_key_env="KEY")
    assert headers_of(endpoint, WIRES[api], {"KEY": " k-1\n"}) == header


def test_without_a_name_no_key_is_sent_whatever_the_environment_holds(judge):
    environ = {"OPENAI_API_KEY": "k-1", "API_KEY": "k-2"}
    assert headers_of(judge(), WIRES["openai"], environ) == {}


def test_headers_and_query_take_their_variables_from_the_environment(judge):
    endpoint = judge(headers={"api-key": "$A", "x": "plain $5"}, query={"k": "x-$A", "n": 3})
    assert headers_of(endpoint, WIRES["openai"], {"A": "one$A"}) == {"api-key": "one$A", "x": "plain $5"}
    assert query_of(endpoint, {"A": "1"}) == {"k": "x-1", "n": 3}


@pytest.mark.parametrize(
    ("environ", "message"),
    [
        ({}, "qwen: api_key_env: the environment variable KEY is not set. Set it where pytest runs."),
        (
            {"KEY": " "},
            "qwen: api_key_env: the environment variable KEY is empty. Set it where pytest runs.",
        ),
        (
            {"KEY": "hunter2\r\nx: y"},
            "qwen: api_key_env: the value of KEY holds characters that no header may hold.",
        ),
    ],
)
def test_a_key_that_cannot_be_sent_is_refused_by_its_name(judge, environ, message):
    with pytest.raises(Refused) as caught:
        headers_of(judge(api_key_env="KEY"), WIRES["openai"], environ)
    assert str(caught.value) == message
