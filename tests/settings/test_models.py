"""What the nouns of the configuration derive from their fields."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from pytest_judgeaudit.settings.fields import variables
from pytest_judgeaudit.settings.models import JudgeSettings


def judge(**changes):
    return JudgeSettings.model_validate(
        {"name": "q", "family": "q", "api": "openai", "model": "m", **changes}
    )


def test_settings_cannot_be_changed():
    with pytest.raises(ValidationError):
        judge().name = "other"


@pytest.mark.parametrize(
    ("url", "endpoint"),
    [
        ("http://127.0.0.1:8000/v1/", "openai 127.0.0.1"),
        ("https://API.Example/a/b", "openai api.example"),
        ("http://[::1]:8000", "openai ::1"),
    ],
)
def test_the_endpoint_is_api_and_host(url, endpoint):
    assert judge(base_url=url).endpoint == endpoint


def test_a_judge_in_the_process_has_no_host():
    assert judge(api="embedded", model="coin").endpoint == "embedded"


def test_extra_body_keys_belong_to_what_shapes_an_answer():
    assert judge(decoder={"a": 1}).decoding == {"a": 1}
    assert judge(decoder={"a": 1}, body={"b": 2}).decoding == {"a": 1, "body": {"b": 2}}


def test_the_names_of_secrets_are_those_that_anything_takes_from_the_environment():
    found = judge(
        api_key_env="A", headers={"x": "Bearer $B"}, query={"k": "$C", "n": 1}, proxy="$D"
    ).secret_names
    assert found == ("A", "B", "C", "D")


def test_a_variable_is_a_dollar_and_a_name():
    assert variables("$A_1 costs $5, ${B} does not count") == ["A_1"]
