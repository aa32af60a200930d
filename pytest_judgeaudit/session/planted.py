"""
Projects with planted faults, and what an audit of each must find.

Each project is written to an empty folder and audited by a pytest of its own, as a user's would be. A check
reads the JSON report and says what it saw; it raises Missed where the fault went by.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from pytest_judgeaudit.session.planted_answers import answered
from pytest_judgeaudit.session.planting import Check, Planted, Report, expect, judge_table, one

Row = dict[str, Any]

TASKS = 60
"""The fewest tasks of which a clean clone gate can pass are 59."""


def projects() -> Iterator[Planted]:
    """Yield all projects."""
    yield Planted({"evals/test_planted.py": BATTERY, "judgeaudit.toml": _embedded()}, [()], EMBEDDED)
    files = {"evals/test_planted.py": PAIRED, "corpora/pairs.jsonl": _lines(_pairs())}
    yield Planted({**files, "judgeaudit.toml": LONGEST}, [()], [Check("longest", _longest)])
    logs = {f"{name}.jsonl": _lines(rows) for name, rows in _logs().items()}
    yield Planted({**files, **logs, "judgeaudit.toml": _recorded(_logs())}, [()], RECORDED)
    own = {"judgeaudit.toml": OWN, "moved.toml": MOVED, "own_judge.py": JUDGE}
    yield Planted({**files, **own}, [LIVE, CHANGED], STALE)
    labelled = {"evals/test_planted.py": LABELLED, "judgeaudit.toml": _graders()}
    yield Planted(labelled, [()], GRADERS)
    yield answered()


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
    return "".join(judge_table(name, api="embedded", model=name) for name in MODELS)


def _program(report: Report) -> str:
    expect(_label(report, "program"), "both gates pass")
    expect(_cell(report, "program", "signal")["estimate"], 1.0)
    return "a judge without a fault passes both gates"


def _slot(name: str) -> Callable[[Report], str]:
    def look(report: Report) -> str:
        copies, pairs = (_cell(report, name, arm) for arm in ("clone", "signal"))
        expect(copies["counts"]["adverse"], copies["tasks"])
        expect(pairs["patterns"]["position"], pairs["tasks"])
        expect(_label(report, name), "neither")
        return f"{copies['tasks']} of {copies['tasks']} copies adverse, every pair decided by position"

    return look


def _coin(report: Report) -> str:
    expect(_label(report, "coin"), "neither")
    copies, pairs = (_cell(report, "coin", arm) for arm in ("clone", "signal"))
    adverse, utility = copies["counts"]["adverse"], pairs["estimate"]
    return f"{adverse} of {copies['tasks']} copies adverse, utility {utility:.2f}"


def _always_tie(report: Report) -> str:
    expect(_label(report, "always-tie"), "clone gate only")
    expect(_cell(report, "always-tie", "signal")["estimate"], 0.0)
    return "no copy adverse and no utility: the clone gate alone would have passed it"


def _fenced(report: Report) -> str:
    found = _configuration(report, "fenced")
    expect((found["state"], found["invalid_rate"]), ("HOLD", 1.0))
    expect(_cell(report, "fenced", "signal").get("estimate"), None)
    return "every output invalid: HOLD, and nothing estimated"


EMBEDDED = (
    Check("program (no fault)", _program),
    Check("first-slot", _slot("first-slot")),
    Check("second-slot", _slot("second-slot")),
    Check("coin", _coin),
    Check("always-tie", _always_tie),
    Check("fenced", _fenced),
)

# Judges that accept or reject single answers, on the same battery

LABELLED = """
import pytest

@pytest.mark.labelled_answers("battery:finite-code")
@pytest.mark.rate_gate(upper=0.05)
def test_graded(judge, item):
    assert judge.accepts(item).accepted == item.good
"""
ALL_ARMS = ("good", "bad", "blank", "repeated")


def _graders() -> str:
    models = ("program", "always-accept", "always-reject", "coin", "fenced")
    return "".join(judge_table(name, api="embedded", model=name) for name in models)


def _missing(name: str, *arms: str) -> Callable[[Report], str]:
    """Expect a judge to miss the gates of these arms, and to pass the others."""

    def look(report: Report) -> str:
        states = {arm: one(report["gates"], judge=name, arm=arm)["state"] for arm in ALL_ARMS}
        expect(states, {arm: "MISS" if arm in arms else "PASS" for arm in ALL_ARMS})
        cells = [_cell(report, name, arm) for arm in arms]
        errors = [f"{cell['counts']['adverse']} of {cell['tasks']} {cell['arm']}" for cell in cells]
        return f"{', '.join(errors)} adverse" if errors else "no error on right, wrong, blank and repeated"

    return look


def _unread(report: Report) -> str:
    expect({one(report["gates"], judge="fenced", arm=arm)["state"] for arm in ALL_ARMS}, {"HOLD"})
    return "every output invalid: HOLD, and nothing counts as rejected"


GRADERS = (
    Check("program, single answers", _missing("program")),
    Check("always-accept", _missing("always-accept", "bad", "blank")),
    Check("always-reject", _missing("always-reject", "good")),
    Check("coin, single answers", _missing("coin", *ALL_ARMS)),
    Check("fenced, single answers", _unread),
)

# A judge of length, and logs with faults, on pairs

PAIRED = EVALS.format(source="corpora/pairs.jsonl")
LONGEST = judge_table("longest", api="embedded", model="longest")


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
    expect((pairs["estimate"], pairs["patterns"]["stable"]), (0.0, TASKS))
    expect(_label(report, "longest"), "clone gate only")
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
    return "".join(judge_table(name, path=f"{name}.jsonl", **keys) for name in names)


def _held(name: str, words: str) -> Callable[[Report], str]:
    def look(report: Report) -> str:
        found = _configuration(report, name)
        expect(found["state"], "HOLD")
        reasons = "; ".join(found["reasons"])
        expect(words in reasons, expected=True, found=reasons)
        return f"HOLD: {reasons}"

    return look


RECORDED = (
    Check("served-by-another-model", _held("served-by-another-model", "another-model")),
    Check("duplicate", _held("duplicate", "1 ")),
    Check("missing", _held("missing", "1 ")),
)

# Stored answers to a prompt that has moved

OWN = judge_table("stale", api="python", callable="own_judge:ask")
JUDGE = """
def ask(messages):
    return '{"winner": "tie"}'
"""
LIVE = ("--judge-live",)
CHANGED = ("--judge-config=moved.toml",)
MOVED = OWN + "decoder = { temperature = 1 }\n"


def _stale(report: Report) -> str:
    answers = report["answers"]
    expect((answers["stale"], answers["hit"]), (3 * TASKS, 0))
    expect(_configuration(report, "stale")["state"], "HOLD")
    return f"HOLD: {answers['stale']} stored answers are not of this request"


STALE = (Check("stale", _stale),)

# Reading a report


def _cell(report: Report, judge: str, arm: str) -> Mapping[str, Any]:
    return one(report["cells"], judge=judge, arm=arm)


def _configuration(report: Report, judge: str) -> Mapping[str, Any]:
    return one(report["configurations"], judge=judge)


def _label(report: Report, judge: str) -> str:
    return str(one(report["joint"], judge=judge)["label"])
