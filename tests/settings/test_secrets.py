"""What counts as a secret, by name and by shape."""

from __future__ import annotations

import pytest

from pytest_judgeaudit.settings.secrets import looks_random, looks_secret, names_secret

SHAPES = [
    "sk-0123456789abcdef",
    "sk-proj-abcDEF0123_-xyz",
    "ghp_0123456789abcdefABCDEF",
    "github_pat_11ABCDEFG0123456789",
    "hf_abcdefghijklmnop",
    "AKIAIOSFODNN7EXAMPLE",
    "AIzaSyA0123456789abcdefghijk",
    "xoxb-0123456789-abcdef",
    "Bearer abcdef.ghijkl",
    "Basic dXNlcjpwYXNz",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln",
    "-----BEGIN RSA PRIVATE KEY-----",
    "http://user:password@host",
]


@pytest.mark.parametrize("text", SHAPES)
def test_a_known_shape_is_a_secret_wherever_it_stands(text):
    assert looks_secret(f"he said {text}, twice")


@pytest.mark.parametrize(
    "text",
    [
        "qwen2.5:32b",
        "gpt-4o-2024-08-06",
        "task-force",
        "http://host:80/v1",
        "2024-10-21",
        "a basic idea",
        "risk-1",
    ],
)
def test_plain_texts_are_none(text):
    assert not looks_secret(text)


@pytest.mark.parametrize(
    "name",
    ["key", "api-key", "x-api-key", "Authorization", "access_token", "client_secret", "Cookie", "PASSWORD"],
)
def test_names_of_secrets_are_known(name):
    assert names_secret(name)


@pytest.mark.parametrize("name", ["max_tokens", "api_key_env", "keyboard", "model", "monkey", "author"])
def test_other_names_are_not(name):
    assert not names_secret(name)


def test_a_long_mixed_word_looks_random_and_prose_does_not():
    assert looks_random("0123456789abcdef0123456789abcdef")
    assert not looks_random("an ordinary sentence of 24 characters")
    assert not looks_random("https://example.org/projects/1234567890")
