"""
A project with questions, planted judges of answers and an agent that peeks, and what an audit must find.

See :mod:`pytest_judgeaudit.session.planted`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pytest_judgeaudit.session.planting import Check, Missed, Planted, Report, expect, judge_table, one

QUESTIONS = """
[[question]]
id = "rate"
prompt = "Which function computes the daily rate, and in which file?"
class = "lookup"
genre = "behaviour"
evidence = ["rates.py:1"]
[[question.fact]]
id = "function"
desc = "names daily_rate"
match = { type = "literal", value = "daily_rate" }
[[question.fact]]
id = "file"
desc = "names rates.py"
match = { type = "path", value = "rates.py" }

[[question]]
id = "fee"
prompt = "Which function adds the late fee, and in which file?"
class = "lookup"
genre = "behaviour"
evidence = ["fees.py:1"]
[[question.fact]]
id = "function"
desc = "names late_fee"
match = { type = "literal", value = "late_fee" }
[[question.fact]]
id = "file"
desc = "names fees.py"
match = { type = "path", value = "fees.py" }
"""
EVALS = """
import pytest

@pytest.mark.questions("corpora/questions.toml", corpus="till")
@pytest.mark.blind_floor(max=50)
def test_till(agent, judges, question, sandbox):
    answer = agent.answer(question, sandbox)
    for judge in judges:
        judge.score(question, answer)
"""
READERS = """
from pathlib import Path

FLUENT = (
    "The calculation is handled by a dedicated module, because the code base separates its concerns well. "
    "It validates the input first, and then it applies the configured rate, so that rounding happens once. "
    "However, there is also a fallback, which is used when no rate is configured for the account at hand. "
    "Therefore the result is consistent, since every caller goes through the same function in the end. "
) * 2

def reader(prompt, sandbox):
    if not any(Path(sandbox).iterdir()):
        return FLUENT
    if "late fee" in prompt:
        return "late_fee adds it, in fees.py."
    return "daily_rate computes it, in rates.py."

def peeking(prompt, sandbox):
    try:
        open("/etc/passwd").read()
    except Exception:
        pass
    return reader(prompt, sandbox)
"""
SCORERS = ("constant-score", "prose", "evidence")


def _agent(name: str, function: str) -> str:
    return f'[[agent]]\nname = "{name}"\nkind = "python"\ncallable = "readers:{function}"\n'


def answered() -> Planted:
    """Return the project."""
    corpus = '[[corpus]]\nname = "till"\npath = "corpora/till"\n'
    agents = _agent("reader", "reader") + _agent("peeking", "peeking")
    judges = "".join(judge_table(name, api="embedded", model=name) for name in SCORERS)
    return Planted(
        {
            "evals/test_till.py": EVALS,
            "corpora/questions.toml": QUESTIONS,
            "corpora/till/rates.py": "def daily_rate(rate):\n    return rate / 365\n",
            "corpora/till/fees.py": "def late_fee(days):\n    return 2 * days\n",
            "readers.py": READERS,
            "judgeaudit.toml": corpus + agents + judges,
        },
        [("--judge-live",)],
        (
            Check("constant-score", _constant),
            Check("prose", _prose),
            Check("evidence (no fault)", _evidence),
            Check("peeking agent", _peeking),
        ),
    )


def _floor(report: Report, agent: str = "reader") -> Mapping[str, Any]:
    return one(report["floors"], agent=agent)


def _judged(report: Report, judge: str) -> tuple[float, float]:
    """Return a judge's floor, and its mean over answers that saw the code."""
    floor = float(_floor(report)["judges"][judge]["floor"])
    rows = [row for row in report["grades"] if row["agent"] == "reader" and row["arm"] == "sighted"]
    totals = [row["judges"][judge]["total"] for row in rows]
    return floor, sum(totals) / len(totals)


def _constant(report: Report) -> str:
    floor, score = _judged(report, "constant-score")
    expect((floor, score), (70.0, 70.0))
    return "answers without access score 70.0 of 100, as much as answers with it"


def _prose(report: Report) -> str:
    floor, score = _judged(report, "prose")
    _above(floor, score)
    return f"plausible prose without access scores {floor:.1f} of 100, right answers {score:.1f}"


def _evidence(report: Report) -> str:
    floor, score = _judged(report, "evidence")
    _above(score, floor)
    expect(floor, 0.0)
    expect(_floor(report)["verified_blind"], expected=True)
    return f"answers without access score {floor:.1f} of 100, right answers {score:.1f}"


def _above(more: float, less: float) -> None:
    if more <= less + 10:
        raise Missed(f"expected far more than {less:.1f}, found {more:.1f}")


def _peeking(report: Report) -> str:
    floor = _floor(report, "peeking")
    expect(floor["verified_blind"], expected=False)
    expect(_gate(report["gates"], "peeking")["state"], "HOLD")
    return f"HOLD: not verified to be blind: {'; '.join(floor['reasons'])[:120]}"


def _gate(gates: Iterable[Mapping[str, Any]], agent: str) -> Mapping[str, Any]:
    return one([gate for gate in gates if gate["kind"] == "blind_floor"], agent=agent)
