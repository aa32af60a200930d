"""Projects to be measured: pairs, a judge, evals of ours, and the same items without us."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

SUBSETS = ("factuality", "focus", "math", "format", "safety", "ties")
PROMPT, ANSWER = 300, 800
"""Characters of a prompt and of an answer."""

CALLS_PER_TASK = 6
"""Two criteria, each with one copy and both orders of one contrast."""

SINGLE = 1
"""The least that a pair can cost: one criterion, one copy, one order."""

CONFIGURATION = """
[[judge]]
name = "own"
family = "own"
api = "python"
callable = "own_judge:ask"
model = "own-1"
criteria = {criteria}
"""

# A judge that errs on one call in twenty: a failed assertion costs more than one that holds.
JUDGE = """
import os
import re
import zlib

os.fsync = lambda _: None  # recording is not what is measured, and the folder is temporary

BLOCKS = re.compile(r"<candidate_([AB])_(\\w+)>\\n(.*?)\\n</candidate_", re.DOTALL)


def ask(messages):
    shown = messages[-1]["content"]
    texts = {name: text for name, _, text in BLOCKS.findall(shown)}
    alike, wrong = texts["A"] == texts["B"], zlib.crc32(shown.encode()) % 20 == 0
    better = "A" if texts["A"].startswith("right") != wrong else "B"
    winner = "tie" if alike and not wrong else better
    usage = {"prompt": len(shown) // 4, "completion": 6}
    return {"text": '{"winner": "%s"}' % winner, "served": "own-1", "finish": "stop", "usage": usage}
"""

COPIES = """
import pytest


@pytest.mark.clone_pairs("pairs.jsonl")
@pytest.mark.clone_gate(upper=0.9)
def test_copies_tie(judge, pair):
    assert judge.compare(pair).tie
"""
"""One call a task, of the judge of :func:`served_judge`."""

CLONES = """
import pytest


@pytest.mark.clone_pairs("pairs.jsonl")
@pytest.mark.clone_gate(upper=0.5)
def test_exact_copies_tie(judge, pair):
    assert judge.compare(pair).tie
"""

CONTRASTS = """

@pytest.mark.signal_pairs("pairs.jsonl")
@pytest.mark.utility_gate(lower=0.5)
def test_better_answer_wins(judge, pair):
    assert judge.compare(pair).winner == pair.target
"""

BARE_CLONES = """
import pytest

CRITERIA, TASKS = {criteria}, [f"t{{n:06}}" for n in range({tasks})]
CLONES = [f"own-{{criterion}}-{{task}}-AB" for criterion in CRITERIA for task in TASKS]


@pytest.mark.parametrize("judge, pair", [("own", name) for name in CLONES], ids=CLONES)
def test_exact_copies_tie(judge, pair):
    assert judge == "own"
"""

BARE_CONTRASTS = """
SIGNAL = [
    f"own-{criterion}-{task}-{order}"
    for criterion in CRITERIA
    for task in TASKS
    for order in ("AB", "BA")
]


@pytest.mark.parametrize("judge, pair", [("own", name) for name in SIGNAL], ids=SIGNAL)
def test_better_answer_wins(judge, pair):
    assert judge == "own"
"""


def write_project(folder: Path, *, tasks: int, calls_per_task: int = CALLS_PER_TASK) -> Path:
    """
    Write a project of ``tasks`` tasks: evals of ours in ``evals``, the same items bare in ``bare``.

    ``calls_per_task`` is :data:`CALLS_PER_TASK` or :data:`SINGLE`.
    """
    several = calls_per_task != SINGLE
    criteria = json.dumps(["neutral", "strict"] if several else ["neutral"])
    bare = BARE_CLONES.format(criteria=criteria, tasks=tasks)
    for name, text in {
        "pytest.ini": "[pytest]\n",
        "judgeaudit.toml": CONFIGURATION.format(criteria=criteria),
        "own_judge.py": JUDGE,
        "evals/test_study.py": CLONES + CONTRASTS * several,
        "bare/test_study.py": bare + BARE_CONTRASTS * several,
    }.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    # A line at a time: the peak of a child's memory is at least that of the process which starts it.
    with (folder / "pairs.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(f"{json.dumps(row)}\n" for row in rows(tasks))
    return folder


def rows(tasks: int) -> Iterator[dict[str, str]]:
    """Tasks of even length in six subsets."""
    for number in range(tasks):
        yield {
            "id": f"t{number:06}",
            "prompt": _text(f"task {number}: ", PROMPT),
            "subset": SUBSETS[number % len(SUBSETS)],
            "chosen": _text(f"right {number}: ", ANSWER),
            "rejected": _text(f"wrong {number}: ", ANSWER),
        }


def _text(start: str, length: int) -> str:
    return (start + "what it says of this one, and why. " * length)[:length]


def served_judge(port: int, limits: str) -> str:
    """Return the configuration of a judge behind a server on this machine."""
    return f"""
[[judge]]
name = "mine"
family = "mine"
api = "openai"
model = "mine"
base_url = "http://127.0.0.1:{port}/v1"
limits = {{ {limits} }}
"""
