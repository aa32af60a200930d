"""Each guard refuses with one line that names the argument, what it got and what it expects."""

from __future__ import annotations

import re

import numpy as np
import pytest

from pytest_judgeaudit.stats import _checks


@pytest.mark.parametrize(
    ("guard", "message"),
    [
        (lambda: _checks.check_whole("m", 0, least=1), "m must be an integer of at least 1, got 0"),
        (lambda: _checks.check_whole("m", 1.0, least=1), "m must be an integer of at least 1, got 1.0"),
        (
            lambda: _checks.check_counts("adverse", 11, 10),
            "adverse must be an integer from 0 to n = 10, got 11",
        ),
        (
            lambda: _checks.check_counts("adverse", -1, 10),
            "adverse must be an integer from 0 to n = 10, got -1",
        ),
        (lambda: _checks.check_counts("adverse", 0, 0), "n must be an integer of at least 1, got 0"),
        (
            lambda: _checks.check_level("confidence", 95),
            "confidence must lie strictly between 0 and 1, got 95; write 0.95 for 95 %",
        ),
        (lambda: _checks.check_rate("rate", 1.5), "rate must lie between 0 and 1, got 1.5"),
        (lambda: _checks.check_rate("rate", float("nan")), "rate must lie between 0 and 1, got nan"),
        (lambda: _checks.check_finite("a loss", float("inf")), "a loss must be a finite number, got inf"),
        (
            lambda: _checks.check_weights({"a": 0.5, "c": 0.5}, {"a": [], "b": []}),
            "weights must name every stratum once; these differ: 'b', 'c'",
        ),
        (
            lambda: _checks.check_weights({"a": -0.5, "b": 1.5}, {"a": [], "b": []}),
            "the weight of 'a' must lie between 0 and 1, got -0.5",
        ),
        (
            lambda: _checks.check_weights({"a": 0.5, "b": 0.4}, {"a": [], "b": []}),
            "weights must sum to 1, got 0.9",
        ),
    ],
)
def test_a_refusal_says_what_it_got_and_what_it_expects(guard, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        guard()


def test_integers_of_numpy_are_integers():
    _checks.check_counts("adverse", np.int64(3), np.int32(10))
