"""
Nothing that a run does grows faster than its trials: counted in lines of ours that run, not in time.

The same study runs at three sizes, each twice as large as the one before. From one to the next, a function
whose work is linear adds twice as many lines as the time before, whatever it does once a run; one that
looks at every trial for every trial adds four times as many. What happens inside of numpy runs no line of
ours: ``statistics_at_size.py`` of the benchmarks times it.
"""

from __future__ import annotations

import json
import math
from collections import Counter

import pytest

TASKS = (34, 68, 136)
"""Six calls a task: 204, 408 and 816 trials of pairs; beside them an answer and two scores a task."""

MOST = 2.0 * math.log2(4 * TASKS[2]) / math.log2(2 * TASKS[1])
"""What sorting may add: n log n."""

LEAST, SHARE = 6 * TASKS[2], 4
"""
Lines that a function must add for its growth to mean something, and one in how many of all that it runs:
what it does once a run varies with the width of a number.
"""

COUNTER = '''
"""Counts the lines of pytest_judgeaudit that run, by function."""
import json, os, sys, threading
from collections import Counter

LINES = Counter()
OURS = os.sep + "pytest_judgeaudit" + os.sep

def called(frame, event, arg):
    return within if OURS in frame.f_code.co_filename else None

def within(frame, event, arg):
    if event == "line":
        LINES[frame.f_code] += 1
    return within

sys.settrace(called)
threading.settrace(called)

def pytest_unconfigure():
    sys.settrace(None)
    found = Counter()
    for code, lines in LINES.items():
        found[f"{code.co_filename.rpartition(OURS)[2]}::{code.co_qualname}"] += lines
    with open("lines.json", "w") as file:
        json.dump(found, file)
'''
JUDGE = '''
import zlib

def ask(messages):
    """Calls most a tie, and names a slot on one call in twelve."""
    shown = messages[-1]["content"]
    drawn = zlib.crc32(shown.encode()) % 24
    winner = "AB"[drawn] if drawn < 2 else "tie"
    return {"text": '{"winner": "%s"}' % winner, "served": "own-1", "finish": "stop"}

def answer(prompt, sandbox):
    return f"The limit is {len(prompt)}, as in limits.py:1."
'''
EVALS = """
import pytest

@pytest.mark.clone_pairs("pairs.jsonl")
@pytest.mark.clone_gate(upper=0.9)
def test_copies_tie(judge, pair):
    assert judge.compare(pair).tie

@pytest.mark.signal_pairs("pairs.jsonl")
@pytest.mark.utility_gate(lower=0.01)
def test_better_wins(judge, pair):
    assert judge.compare(pair).winner == pair.target
"""
ANSWERS = """
import pytest

@pytest.mark.questions("questions.toml", corpus="code", arms=("sighted", "blind"))
def test_answers(agent, judges, question, sandbox):
    answer = agent.answer(question, sandbox)
    for judge in judges:
        judge.score(question, answer)
    assert answer.grade(question).score >= 0
"""
QUESTION = """
[[question]]
id = "q{0:04}"
prompt = "What is limit {0}?"
class = "lookup"
evidence = ["limits.py:1"]

[[question.fact]]
id = "f1"
must = true
desc = "the limit"
match = {{ type = "literal", value = "40" }}
"""
CONFIGURATION = """
[[judge]]
name = "own"
family = "own"
api = "python"
callable = "own:ask"
model = "own-1"
criteria = ["neutral", "strict"]

[[judge]]
name = "prose"
family = "prose"
api = "embedded"
model = "prose"

[[judge]]
name = "evidence"
family = "evidence"
api = "embedded"
model = "evidence"

[[agent]]
name = "reader"
kind = "python"
callable = "own:answer"

[[corpus]]
name = "code"
path = "code"
"""


def write(project, tasks):
    project.write("pytest.ini", "[pytest]\n")
    project.write("lines_counter.py", COUNTER)
    project.write("own.py", JUDGE)
    project.write("evals/test_pairs.py", EVALS)
    project.write("evals/test_answers.py", ANSWERS)
    project.write("judgeaudit.toml", CONFIGURATION)
    project.write("code/limits.py", "LIMIT = 40\n")
    project.jsonl(
        "pairs.jsonl",
        [
            {
                "id": f"t{n:04}",
                "prompt": f"Ask {n}",
                "subset": f"s{n % 4}",
                "chosen": f"good {n} and more",
                "rejected": f"bad {n}",
            }
            for n in range(tasks)
        ],
    )
    project.write("questions.toml", "".join(map(QUESTION.format, range(tasks))))


@pytest.fixture(scope="module")
def counted(new_project):
    """The lines of every kind of run at each size, by function."""
    found = {}
    for tasks in TASKS:
        project = new_project(f"growth-{tasks}")
        write(project, tasks)
        for name, options in RUNS.items():
            ran = project.audit("-p", "lines_counter", "-p", "no:hypothesispytest", *options)
            assert ran.code in {0, 1, 10}, ran.text
            assert (project.root / "lines.json").exists()
            found[name, tasks] = Counter(json.loads((project.root / "lines.json").read_text("utf-8")))
            (project.root / f"{name}.json").write_text(json.dumps(ran.report), "utf-8")
    return found


RUNS = {
    "missing": ("--judge-report=r.md",),
    "live": ("--judge-live",),
    "replay": ("--judge-report=r.html", "--judge-report=r.md", "--judge-baseline=live.json", "-v"),
    "pruning": ("--judge-prune", "--snapshot-update"),
    "workers": ("-n", "1"),
}


@pytest.mark.slow
@pytest.mark.parametrize("run", RUNS)
def test_no_function_grows_faster_than_the_trials(counted, run):
    small, middle, large = (counted[run, tasks] for tasks in TASKS)
    assert steep(small, middle, large) == {}
    assert sum(large.values()) > 100 * TASKS[2]


def steep(small, middle, large):
    """The functions that grow faster than a sort does, with their lines at the three sizes."""
    return {
        name: (small[name], middle[name], lines)
        for name, lines in large.items()
        if lines - middle[name] > max(LEAST, lines // SHARE, MOST * (middle[name] - small[name]))
    }


def test_linear_work_and_sorting_pass_and_what_looks_at_every_pair_of_trials_does_not():
    def lines(n):
        comparisons = int(n * math.log2(n))
        return Counter(
            linear=70 * n + 900,
            sorting=comparisons,
            once=9000 + n,
            pairs=n * n // 8,
            late=max(0, n - 700) * n,
        )

    assert set(steep(*(lines(6 * tasks) for tasks in TASKS))) == {"pairs", "late"}
