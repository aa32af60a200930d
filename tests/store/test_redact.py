"""Secrets leave before a byte is written."""

from __future__ import annotations

import json
import time
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_judgeaudit.records.answers import Attempt, Reply
from pytest_judgeaudit.store.lines import encode
from pytest_judgeaudit.store.redact import REDACTED, Redactor, redact_reply

KEY = "my/own+key=0123456789"

# Made up, in the shape of each service; cut in two so that no scanner takes this file for a leak.
SHAPES = {
    "openai": "sk-" + "proj-AbCdEfGhIjKlMnOp0123456789",
    "anthropic": "sk-ant-" + "api03-AbCdEfGhIjKlMnOp0123456789",
    "github": "ghp_" + "AbCdEfGhIjKlMnOpQrStUvWxYz0123456789",
    "github-fine": "github_pat_" + "11ABCDEFG0abcdefghij_KLMNOPQRSTUVWXYZ0123456789",
    "aws": "AKIA" + "IOSFODNN7EXAMPLE",
    "slack": "xoxb-" + "123456789012-abcdefghijkl",
    "google": "AIza" + "SyA1234567890abcdefghijklmnopqrstuv",
    "huggingface": "hf_" + "AbCdEfGhIjKlMnOpQrStUvWx",
    "jwt": "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0NTY3ODkwIn0." + "dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P",
}


@pytest.mark.parametrize("secret", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("around", ["{}", "the key is {}.", '{{"key": "{}"}}', "key={}\n", "({})"])
def test_keys_of_common_services_are_known_by_their_shape(secret, around):
    scrubbed = Redactor([]).scrub(around.format(secret))
    assert REDACTED in scrubbed
    assert secret[-8:] not in scrubbed


@pytest.mark.parametrize(
    ("text", "scrubbed"),
    [
        ("Authorization: Bearer abc.def-ghi", "Authorization: Bearer [redacted]"),
        ('{"authorization": "Basic dXNlcjpwYXNz"}', '{"authorization": "Basic [redacted]"}'),
        ("sent bearer 0123456789abcdef", "sent bearer [redacted]"),
        ("https://user:pass@host/path?a=b@c", "https://[redacted]@host/path?a=b@c"),
        ("postgresql://token@db:5432", "postgresql://[redacted]@db:5432"),
    ],
)
def test_headers_and_user_info_lose_their_secret_only(text, scrubbed):
    assert Redactor([]).scrub(text) == scrubbed


@pytest.mark.parametrize(
    "text",
    [
        "Basic understanding of bearer instruments is required.",
        "risk-adjusted returns, task-oriented dialogue, sk-learn and scikit-learn",
        "def f(api_key): return client(api_key=api_key)",
        "see https://example.org/a?b=c and mail a@example.org",
        '{"winner": "tie"}',
        "ASIAN MARKETS, the xoxo girl, hf_ is a prefix, eyJ too",
        "",
        "\ud83d",
    ],
)
def test_ordinary_text_stays_as_it_is(text):
    assert Redactor([KEY]).scrub(text) == text


WRITTEN = {
    "plain": KEY,
    "quoted": quote(KEY, safe=""),
    "json": json.dumps(KEY)[1:-1],
    "slashes": KEY.replace("/", "\\/"),
    "unicode escape": KEY.replace("k", "\\u006b"),
    "all escaped": "".join(f"\\u{ord(character):04X}" for character in KEY),
    "hex": KEY.replace("o", "\\x6f"),
    "escaped twice": KEY.replace("k", "\\\\u006B"),
    "markdown": KEY.replace("+", "\\+"),
}


@pytest.mark.parametrize("written", WRITTEN.values(), ids=WRITTEN)
def test_a_configured_key_is_found_however_it_is_written(written):
    redactor = Redactor([KEY])
    assert redactor.contains_secret(f"it is {written}, there")
    assert redactor.scrub(f"it is {written}, there") == f"it is {REDACTED}, there"


@pytest.mark.parametrize("key", ['with"quote\\and\\backslash', "naïve-ключ-12345", "tab\tand-more-0001"])
def test_a_key_with_odd_characters_is_found_in_a_line_of_json(key):
    redactor = Redactor([key])
    assert redactor.contains_secret(json.dumps({"text": f"x {key} y"}))
    assert redactor.contains_secret(json.dumps({"text": f"x {key} y"}, ensure_ascii=False))
    assert not redactor.contains_secret(json.dumps({"text": redactor.scrub(f"x {key} y")}))


def test_the_environment_says_which_values_are_secret():
    environ = {
        "QWEN": "configured-value",
        "SOME_API_KEY": "key-value-1",
        "A_TOKEN": "token-value",
        "B_SECRET": "secret-value",
        "C_PASSWORD": "password-value",
        "SHORT_KEY": "abc1234",
        "HOME": "/home/somebody",
        "KEYBOARD": "qwertyuiop",
    }
    redactor = Redactor.of(environ, ["QWEN", "NOT_SET"])
    secret = ["configured-value", "key-value-1", "token-value", "secret-value", "password-value"]
    ordinary = ["abc1234", "/home/somebody", "qwertyuiop"]
    assert redactor.scrub(" ".join(secret + ordinary)) == " ".join([REDACTED] * 5 + ordinary)
    assert redactor.contains_secret("configured-value")
    assert not redactor.contains_secret("key-value-1")


@pytest.mark.parametrize("value", ["", "   ", "abc", "ollama", "EMPTY", "none", "not-needed", "redacted"])
def test_placeholders_and_single_letters_are_no_keys(value):
    redactor = Redactor([value])
    assert redactor.scrub(f"say {value} twice") == f"say {value} twice"
    assert not redactor.contains_secret(f"say {value} twice")


def test_of_two_keys_the_longer_one_goes_whole():
    assert (
        Redactor(["key-0001", "key-0001-more"]).scrub("key-0001-more, key-0001") == "[redacted], [redacted]"
    )


PIECES = [*SHAPES.values(), KEY, " ", ":", "/", "@", "\\", "u006b", "Bearer ", "x1", "-", "://"]


@given(st.lists(st.sampled_from(PIECES)).map("".join))
def test_scrubbing_twice_is_scrubbing_once(text):
    redactor = Redactor([KEY])
    once = redactor.scrub(text)
    assert redactor.scrub(once) == once
    assert not redactor.contains_secret(once)


def test_json_is_scrubbed_to_its_leaves():
    redactor = Redactor([KEY])
    value = {
        "a": [f"x {KEY}", 1, None, True],
        KEY: {"b": KEY},
        "headers": {"Authorization": "Digest 1", "x-api-key": "z"},
    }
    assert redactor.scrub_json(value) == {
        "a": [f"x {REDACTED}", 1, None, True],
        REDACTED: {"b": REDACTED},
        "headers": {"Authorization": REDACTED, "x-api-key": REDACTED},
    }


def test_counts_of_tokens_are_no_secrets():
    assert Redactor([]).scrub_json({"total_tokens": 3, "token": 4}) == {"total_tokens": 3, "token": 4}


def test_depth_without_end_is_cut():
    value = []
    for _ in range(100_000):
        value = [value]
    assert REDACTED in json.dumps(Redactor([]).scrub_json(value))


def test_a_reply_is_scrubbed_in_all_its_parts():
    attempt = Attempt(started=1.0, ended=2.0, outcome="refused", status=401, error=f"bad key {KEY}")
    reply = Reply(
        text=f"text {KEY}",
        served=f"model-{KEY}",
        finish=KEY,
        attempts=(attempt, Attempt(started=2.0, ended=3.0, outcome="answered")),
        extra={"system_fingerprint": KEY, "nested": [KEY]},
    )
    scrubbed = redact_reply(Redactor([KEY]), reply)
    assert KEY not in repr(scrubbed)
    assert (scrubbed.text, scrubbed.served, scrubbed.finish) == (
        "text [redacted]",
        "model-[redacted]",
        "[redacted]",
    )
    assert scrubbed.attempts[0].error == "bad key [redacted]"
    assert scrubbed.attempts[1] is reply.attempts[1]


def test_a_scrubbed_reply_is_never_refused(answer):
    redactor = Redactor([KEY])
    for written in WRITTEN.values():
        reply = redact_reply(redactor, answer(text=f"a {written} b").reply)
        assert not redactor.contains_secret(encode(answer(text=reply.text)))


HOSTILE = [
    *["sk-", "eyJ", "eyJaaaaaaaa.", "\u00e9eyJ", "gh", "ghp_", "A", "AKIA", "xoxb-", "hf_", "github_pat_"],
    *["://", "@", "://@", "bearer ", "basic ", "authorization: ", "authorization: bearer ", "api_key='\\"],
    *["\\", "a\\", "\\u00", "\\u006d", "m", "my", "my\\"],
]


@pytest.mark.parametrize("unit", HOSTILE)
def test_hostile_text_takes_time_in_proportion_to_its_length(unit):
    redactor = Redactor([KEY])

    def cpu_s(length):
        text = unit * (length // len(unit))
        return min(timed(redactor.scrub, text) for _ in range(3))

    # Quadratic time would be 64 times as much; a floor keeps the clock's noise out of the quotient.
    assert cpu_s(160_000) < 24 * max(cpu_s(20_000), 0.001)


def timed(task, *arguments):
    started = time.process_time()
    task(*arguments)
    return time.process_time() - started


def test_ordinary_text_costs_a_few_searches():
    redactor = Redactor([KEY])
    texts = [f"{number} the quick brown fox, (jumps) over the lazy dog\n" * 40 for number in range(1000)]
    searching = min(timed(lambda: [text.count("zq") for text in texts]) for _ in range(5))
    assert min(timed(lambda: [redactor.scrub(text) for text in texts]) for _ in range(5)) < 40 * searching
