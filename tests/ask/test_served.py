"""Which served names are the requested model."""

from __future__ import annotations

import pytest

from pytest_judgeaudit.ask.served import same_model

SAME = [
    ("m-5", "m-5"),
    ("m-5", "M-5"),
    ("m-5", "m-5-20260115"),
    ("m-5", "m-5-2026-01-15"),
    ("m-5", "m-5@20260115"),
    ("m-5-20260115", "m-5"),
    ("m-5-20260115", "m-5-2026-01-15"),
    ("claude-sonnet-4.6", "claude-sonnet-4-6-20260101"),
    ("gpt-4o", "gpt-4o-2024-08-06"),
    ("llama3", "llama3:latest"),
    ("qwen2.5:32b", "Qwen2.5:32b"),
    ("tiny.gguf", "tiny.gguf@sha256:0123456789abcdef"),
    ("tiny.gguf@sha256:0123456789abcdef", "tiny.gguf@sha256:0123456789abcdef"),
]

OTHER = [
    ("gpt-4o", "gpt-4o-mini"),
    ("gpt-4o", "gpt-4"),
    ("claude-sonnet-4.6", "claude-sonnet-4-5"),
    ("gpt-4o-2024-05-13", "gpt-4o-2024-08-06"),
    ("m-5", "m-5-20261340"),
    ("m-5", "m-5-12345678"),
    ("m-5", "openai/m-5"),
    ("m-5", "m-5 "[:-2]),
    ("llama3:8b", "llama3"),
    ("tiny.gguf@sha256:0123456789abcdef", "tiny.gguf@sha256:0000000000000000"),
    ("tiny.gguf", "other.gguf@sha256:0123456789abcdef"),
    ("m-5", None),
    ("m-5", ""),
    ("m-5", " "),
    ("", ""),
]


@pytest.mark.parametrize(("requested", "served"), SAME)
def test_what_does_not_tell_models_apart_does_not_count(requested, served):
    assert same_model(requested, served, {})
    assert same_model(served, requested, {})


@pytest.mark.parametrize(("requested", "served"), OTHER)
def test_another_name_is_another_model(requested, served):
    assert not same_model(requested, served, {})


@pytest.mark.parametrize(
    ("requested", "served", "aliases"),
    [
        ("house-gpt", "gpt-5.1", {"house-gpt": "gpt-5.1"}),
        ("gpt-5.1", "house-gpt", {"house-gpt": "gpt-5.1"}),
        ("House-GPT", "gpt-5-1-20260101", {"house-gpt": "gpt-5.1"}),
        ("m-5", "openai/m-5", {"openai/m-5": "m-5"}),
        ("m-5", "openai/m-5-20260115", {"openai/m-5": "m-5"}),
        ("a", "c", {"a": "b", "b": "c"}),
        ("a", "b", {"a": "b", "b": "a"}),
        ("one", "two", {"one": "base", "two": "base"}),
    ],
)
def test_aliases_hold_in_either_direction(requested, served, aliases):
    assert same_model(requested, served, aliases)


@pytest.mark.parametrize(
    ("requested", "served", "aliases"),
    [
        ("gpt-5.1", "gpt-5", {"house-gpt": "gpt-5.1"}),
        ("house", "gpt-5.1-20260202", {"house": "gpt-5.1-20260101"}),
    ],
)
def test_an_alias_says_nothing_about_other_names(requested, served, aliases):
    assert not same_model(requested, served, aliases)
