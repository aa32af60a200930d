"""A small, fixed project: judges of several kinds, gates that pass, miss and hold, and tests of others."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

TASKS = 24

CONFIGURATION = """
[[judge]]
name = "longest"
family = "planted"
api = "embedded"
model = "longest"

[[judge]]
name = "filed"
family = "gpt"
api = "recorded"
path = "filed.jsonl"
fields = {{ id = "item", order = "swap", verdict = "winner" }}
orders = {{ AB = false, BA = true }}
verdicts = {{ first = "1", second = "2", tie = "tie" }}

[[judge]]
name = "served"
family = "qwen"
api = "openai"
model = "served"
base_url = "http://{host}/v1"
limits = {{ in_flight = 4, attempts = 1 }}
"""

SOUND = """
import pytest


@pytest.mark.clone_pairs("copies.jsonl")
@pytest.mark.clone_gate(upper=0.3)
def test_copies_tie(judge, pair):
    assert judge.compare(pair).tie


@pytest.mark.rate_gate(lower=0.5)
@pytest.mark.parametrize("number", range(20))
def test_rate(number):
    assert number != 7
"""
"""Copies are ties to all three judges: 0 of 24 adverse."""

MISSING = """
import pytest


@pytest.mark.signal_pairs("contrasts.jsonl")
@pytest.mark.utility_gate(lower=0.75)
def test_better_wins(judge, pair):
    assert judge.compare(pair).winner == pair.target
"""
"""The log prefers the bad text of every other pair: 24 of 48 right misses 75 %."""

HELD = """
import pytest


@pytest.mark.rate_gate(lower=0.1)
@pytest.mark.parametrize("number", range(20))
def test_unmeasured(number):
    if number == 3:
        pytest.skip("not measured")
"""

PLAIN = """
import warnings

import pytest


@pytest.fixture
def folder(tmp_path):
    yield tmp_path
    assert tmp_path.is_dir()


@pytest.mark.parametrize("value", [1, 2, 3])
def test_value(value, folder):
    assert value


class TestMethods:
    def test_method(self):
        assert True

    @pytest.mark.xfail(reason="known")
    def test_known(self):
        assert False


def test_skipped():
    pytest.skip("elsewhere")


def test_warns():
    warnings.warn("a warning of the suite's own", UserWarning, stacklevel=1)
"""

SNAPSHOT = """
def test_answer_is_as_accepted(snapshot):
    assert {"answer": 42} == snapshot
"""
ACCEPTED = """# serializer version: 1
# name: test_answer_is_as_accepted
  dict({
    'answer': 42,
  })
# ---
"""


def decide(_: str, a: str, b: str) -> str:
    """Call copies a tie and prefer the good answer, in either slot."""
    return "tie" if a == b else "A" if a.startswith("good") else "B"


def _lines(rows: Iterable[Mapping[str, object]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def _pairs(letter: str) -> str:
    return _lines(
        {
            "id": f"{letter}{n:02}",
            "prompt": f"Ask {n}",
            "chosen": f"good {n} and more",
            "rejected": f"bad {n}",
        }
        for n in range(TASKS)
    )


def _log() -> str:
    copies = ({"item": f"c{n:02}", "swap": False, "winner": "tie"} for n in range(TASKS))
    contrasts = (
        {"item": f"s{n:02}", "swap": swap, "winner": "12"[n % 2]}
        for n in range(TASKS)
        for swap in (False, True)
    )
    return _lines([*copies, *contrasts])


def files(host: str) -> Mapping[str, str]:
    """The files of the project by their paths; ``host`` is where the served judge listens."""
    return {
        "pytest.ini": "[pytest]\naddopts = --strict-markers\n",
        "judgeaudit.toml": CONFIGURATION.format(host=host),
        "copies.jsonl": _pairs("c"),
        "contrasts.jsonl": _pairs("s"),
        "filed.jsonl": _log(),
        "evals/test_sound.py": SOUND,
        "evals/test_missing.py": MISSING,
        "evals/test_held.py": HELD,
        "tests/test_plain.py": PLAIN,
        "tests/test_accepted.py": SNAPSHOT,
        "tests/__snapshots__/test_accepted.ambr": ACCEPTED,
    }


def write(folder: Path, host: str, more: Mapping[str, str]) -> None:
    """Write the project, with ``more`` files or others in their place."""
    for name, text in {**files(host), **more}.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
