"""
Projects with planted faults, and what an audit of each must find.

Each project is written to an empty folder and audited by a pytest of its own, as a user's would be. A check
reads the JSON report and says what it saw; it raises :class:`Missed` where the fault went by.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

Report = Mapping[str, Any]
Row = dict[str, Any]

TASKS = 60
"""The fewest tasks of which a clean clone gate can pass are 59."""


class Missed(Exception):  # noqa: N818 - reads as what it is: the audit missed a fault
    """What was found where something else had to be."""


class Check(NamedTuple):
    """A planted fault by name, and the function that looks for it in the report of its project."""

    fault: str
    look: Callable[[Report], str]


class Planted(NamedTuple):
    """A project: its files, the options of each run of it, and the checks of the last run's report."""

    files: Mapping[str, str]
    runs: Sequence[Sequence[str]]
    checks: Sequence[Check]


def projects() -> Iterator[Planted]:
    """Yield all projects."""
    yield Planted({"evals/test_planted.py": BATTERY, "judgeaudit.toml": _embedded()}, [()], EMBEDDED)
    files = {"evals/test_planted.py": PAIRED, "corpora/pairs.jsonl": _lines(_pairs())}
    yield Planted({**files, "judgeaudit.toml": LONGEST}, [()], [Check("longest", _longest)])
    logs = {f"{name}.jsonl": _lines(rows) for name, rows in _logs().items()}
    yield Planted({**files, **logs, "judgeaudit.toml": _recorded(_logs())}, [()], RECORDED)
    own = {"judgeaudit.toml": OWN, "moved.toml": MOVED, "own_judge.py": JUDGE}
    yield Planted({**files, **own}, [LIVE, CHANGED], STALE)


# Judges that come with the package, on the finite-code battery

EVALS = """
import pytest

@pytest.mark.clone_pairs({source!r})
@pytest.mark.clone_gate(upper=0.05)
def test_copies(judge, pair):
    assert judge.compare(pair).tie

@pytest.mark.signal_pairs({source!r})
@pytest.mark.utility_gate(lower=0.75)
def test_better(judge, pair):
    assert judge.compare(pair).winner == pair.target
"""
BATTERY = EVALS.format(source="battery:finite-code")
MODELS = ("program", "first-slot", "second-slot", "coin", "always-tie", "fenced")


def _embedded() -> str:
    return "".join(_judge(name, api="embedded", model=name) for name in MODELS)


def _judge(name: str, **keys: Any) -> str:
    values = {"name": name, "family": name, **keys}
    return "[[judge]]\n" + "".join(f"{key} = {_toml(value)}\n" for key, value in values.items())


def _toml(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {_toml(entry)}" for key, entry in value.items()) + " }"
    return json.dumps(value)


def _program(report: Report) -> str:
    _expect(_label(report, "program"), "both gates pass")
    _expect(_cell(report, "program", "signal")["estimate"], 1.0)
    return "a judge without a fault passes both gates"


def _slot(name: str) -> Callable[[Report], str]:
    def look(report: Report) -> str:
        copies, pairs = (_cell(report, name, arm) for arm in ("clone", "signal"))
        _expect(copies["counts"]["adverse"], copies["tasks"])
        _expect(pairs["patterns"]["position"], pairs["tasks"])
        _expect(_label(report, name), "neither")
        return f"{copies['tasks']} of {copies['tasks']} copies adverse, every pair decided by position"

    return look


def _coin(report: Report) -> str:
    _expect(_label(report, "coin"), "neither")
    copies, pairs = (_cell(report, "coin", arm) for arm in ("clone", "signal"))
    adverse, utility = copies["counts"]["adverse"], pairs["estimate"]
    return f"{adverse} of {copies['tasks']} copies adverse, utility {utility:.2f}"


def _always_tie(report: Report) -> str:
    _expect(_label(report, "always-tie"), "clone gate only")
    _expect(_cell(report, "always-tie", "signal")["estimate"], 0.0)
    return "no copy adverse and no utility: the clone gate alone would have passed it"


def _fenced(report: Report) -> str:
    found = _configuration(report, "fenced")
    _expect((found["state"], found["invalid_rate"]), ("HOLD", 1.0))
    _expect(_cell(report, "fenced", "signal").get("estimate"), None)
    return "every output invalid: HOLD, and nothing estimated"


EMBEDDED = (
    Check("program (no fault)", _program),
    Check("first-slot", _slot("first-slot")),
    Check("second-slot", _slot("second-slot")),
    Check("coin", _coin),
    Check("always-tie", _always_tie),
    Check("fenced", _fenced),
)

# A judge of length, and logs with faults, on pairs

PAIRED = EVALS.format(source="corpora/pairs.jsonl")
LONGEST = _judge("longest", api="embedded", model="longest")


def _pairs() -> Iterator[Row]:
    """Sums: the right answer is short, the wrong one long."""
    for number in range(TASKS):
        prompt = f"What is {number} + {number + 1}?"
        wrong = f"After careful thought: {2 * number + 2}, as is well known."
        yield {"id": f"p{number:03}", "prompt": prompt, "chosen": str(2 * number + 1), "rejected": wrong}


def _lines(rows: Iterable[Row]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def _longest(report: Report) -> str:
    pairs = _cell(report, "longest", "signal")
    _expect((pairs["estimate"], pairs["patterns"]["stable"]), (0.0, TASKS))
    _expect(_label(report, "longest"), "clone gate only")
    return f"{TASKS} of {TASKS} longer wrong answers preferred, in both orders"


def _logs() -> Mapping[str, list[Row]]:
    """Logs of a judge that is always right, each with one fault."""
    right = list(_right())
    other = [{**row, "served": "another-model"} for row in right]
    contradicting = {**right[5], "winner": "B"}
    return {
        "served-by-another-model": other,
        "duplicate": [*right, contradicting],
        "missing": right[:-1],
    }


def _right() -> Iterator[Row]:
    for row in _pairs():
        for order, winner in (("AB", "A"), ("BA", "B")):
            yield {"item": row["id"], "order": order, "kind": "pair", "winner": winner, "served": "judge"}
        yield {"item": row["id"], "order": "AB", "kind": "copy", "winner": "tie", "served": "judge"}


def _recorded(names: Iterable[str]) -> str:
    fields = {"id": "item", "order": "order", "verdict": "winner", "served": "served", "arm": "kind"}
    keys = {
        "api": "recorded",
        "model": "judge",
        "fields": fields,
        "arms": {"clone": "copy", "signal": "pair"},
        "verdicts": {"A": "A", "B": "B", "tie": "tie"},
    }
    return "".join(_judge(name, path=f"{name}.jsonl", **keys) for name in names)


def _held(name: str, words: str) -> Callable[[Report], str]:
    def look(report: Report) -> str:
        found = _configuration(report, name)
        _expect(found["state"], "HOLD")
        reasons = "; ".join(found["reasons"])
        _expect(words in reasons, expected=True, found=reasons)
        return f"HOLD: {reasons}"

    return look


RECORDED = (
    Check("served-by-another-model", _held("served-by-another-model", "another-model")),
    Check("duplicate", _held("duplicate", "1 ")),
    Check("missing", _held("missing", "1 ")),
)

# Stored answers to a prompt that has moved

OWN = _judge("stale", api="python", callable="own_judge:ask")
JUDGE = """
def ask(messages):
    return '{"winner": "tie"}'
"""
LIVE = ("--judge-live",)
CHANGED = ("--judge-config=moved.toml",)
MOVED = OWN + "decoder = { temperature = 1 }\n"


def _stale(report: Report) -> str:
    answers = report["answers"]
    _expect((answers["stale"], answers["hit"]), (3 * TASKS, 0))
    _expect(_configuration(report, "stale")["state"], "HOLD")
    return f"HOLD: {answers['stale']} stored answers are not of this request"


STALE = (Check("stale", _stale),)

# Reading a report


def _expect(value: object, expected: object, *, found: object = None) -> None:
    if value != expected:
        raise Missed(f"expected {expected}, found {found or value}")


def _one(entries: Iterable[Mapping[str, Any]], **keys: str) -> Mapping[str, Any]:
    for entry in entries:
        if all(entry[key] == value for key, value in keys.items()):
            return entry
    raise Missed(f"no entry of {', '.join(keys.values())} in the report")


def _cell(report: Report, judge: str, arm: str) -> Mapping[str, Any]:
    return _one(report["cells"], judge=judge, arm=arm)


def _configuration(report: Report, judge: str) -> Mapping[str, Any]:
    return _one(report["configurations"], judge=judge)


def _label(report: Report, judge: str) -> str:
    return str(_one(report["joint"], judge=judge)["label"])
