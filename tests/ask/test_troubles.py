"""What is repeated, after which pause, and how it is said."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_judgeaudit.ask.troubles import (
    LONGEST_WAIT_S,
    of_status,
    of_timeout,
    pause_after,
    said,
    seconds_of,
)

NOW = 784111777.0  # Sun, 06 Nov 1994 08:49:37 GMT, the example of RFC 9110, 5.6.7


def status(code, retry_after=None):
    return of_status(code, '"because"', retry_after=retry_after, now=NOW)


@pytest.mark.parametrize("code", [429, 500, 502, 503, 504, 529])
def test_a_busy_or_broken_service_is_asked_again(code):
    assert pause_after(status(code), tries=1, attempts=2, chance=0.0) is not None


@pytest.mark.parametrize("code", [301, 302, 307, 400, 401, 403, 404, 408, 413, 422])
def test_another_refusal_is_final(code):
    assert pause_after(status(code), tries=1, attempts=9, chance=0.0) is None


def test_the_last_attempt_is_the_last():
    assert pause_after(status(503), tries=3, attempts=3, chance=0.0) is None


@pytest.mark.parametrize(
    ("tries", "chance", "pause"),
    [
        (1, 0.0, 0.25),
        (1, 1.0, 0.5),
        (2, 0.0, 0.5),
        (3, 0.0, 1.0),
        (4, 0.5, 3.0),
        (7, 1.0, 30.0),
        (99, 0.0, 15.0),
    ],
)
def test_pauses_double_up_to_half_a_minute(tries, chance, pause):
    assert pause_after(status(500), tries=tries, attempts=100, chance=chance) == pytest.approx(pause)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("0", 0.0),
        (" 17 ", 17.0),
        ("2.5", 2.5),
        ("Sun, 06 Nov 1994 08:49:47 GMT", 10.0),
        ("Sun, 06 Nov 1994 08:49:00 GMT", 0.0),
        ("Sunday, 06-Nov-94 08:49:47 GMT", 10.0),
        (None, None),
        ("", None),
        ("-1", None),
        ("soon", None),
        ("1e9", None),
        ("٣", None),
        ("Sun, 99 Nov 1994 08:49:47 GMT", None),
    ],
)
def test_retry_after_is_seconds_or_a_date(header, seconds):
    assert seconds_of(header, now=NOW) == seconds


@given(st.text(max_size=40))
def test_any_header_is_read_or_ignored(header):
    wait = seconds_of(header, now=NOW)
    assert wait is None or wait >= 0


def test_what_the_service_asks_for_is_waited_in_full():
    trouble = status(429, "20")
    assert pause_after(trouble, tries=1, attempts=3, chance=0.0) == 20.0
    assert 20.0 < pause_after(trouble, tries=1, attempts=3, chance=0.9) < 21.0


def test_a_service_that_asks_for_an_hour_is_left_alone():
    trouble = status(429, str(int(LONGEST_WAIT_S) + 1))
    assert pause_after(trouble, tries=1, attempts=3, chance=0.0) is None
    assert "asked again in 301 s" in trouble.line(name="q", host="h", tries=1)


def test_a_wait_is_asked_for_only_where_there_is_another_time():
    assert status(404, "5").wait_s is None


@pytest.mark.parametrize(
    ("elapsed", "outcome"), [(1.0, "timeout"), (1.1, "timeout"), (1.5, "timeout"), (3.4, "host_stalled")]
)
def test_a_timer_that_fires_far_beyond_its_limit_is_a_stall(elapsed, outcome):
    trouble = of_timeout(limit_s=1.0, elapsed_s=elapsed, connecting=False)
    assert (trouble.outcome, trouble.transient) == (outcome, False)


def test_a_time_out_while_connecting_sent_nothing_and_is_repeated():
    trouble = of_timeout(limit_s=1.0, elapsed_s=1.0, connecting=True)
    assert (trouble.outcome, trouble.transient) == ("failed", True)


@pytest.mark.parametrize(
    ("trouble", "tries", "line"),
    [
        (status(503), 3, 'qwen: HTTP 503 from h after 3 attempts: "because".'),
        (status(401), 1, 'qwen: HTTP 401 from h: "because". Check api_key_env and the key it names.'),
        (status(404), 1, 'qwen: HTTP 404 from h: "because". Check base_url and model.'),
        (status(302), 1, 'qwen: HTTP 302 from h: "because". Redirects are not followed: check base_url.'),
        (
            of_timeout(limit_s=20, elapsed_s=20, connecting=False),
            1,
            (
                "qwen: no answer from h: timed out after 20 s. "
                "Raise limits.timeout, or ask again with --judge-live."
            ),
        ),
        (
            of_timeout(limit_s=300, elapsed_s=1010, connecting=False),
            1,
            (
                "qwen: no answer from h: this machine stalled, a limit of 300 s ended after 1010 s. "
                "Ask again with --judge-live."
            ),
        ),
    ],
)
def test_a_trouble_is_one_line(trouble, tries, line):
    assert trouble.line(name="qwen", host="h", tries=tries) == line


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (b'{"error": {"message": "overloaded", "code": 529}}', "overloaded"),
        (b'{"error": {"type": "overloaded_error"}}', "overloaded_error"),
        (b'{"error": "model not found"}', "model not found"),
        (b'{"detail": "x"}', '{"detail": "x"}'),
        (b"[1]", "[1]"),
        (b"<html>", "<html>"),
        (b"\xff", "�"),
        (b"[" * 100_000, "[" * 100_000),
    ],
)
def test_the_words_of_a_refusal_are_found(body, text):
    assert said(body) == text
