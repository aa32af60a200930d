"""How answers end: scenarios 11 to 14, 17 and 27 of questions."""

from __future__ import annotations

import json

import pytest

from pytest_judgeaudit.agent import functions
from pytest_judgeaudit.ask.world import World

RATE = "Which function computes the daily rate?"
RIGHT = "daily_rate in src/rates.py computes it."
LIMIT_S = 0.05

READER = f'''
import time

tries = {{}}

def answer(prompt, sandbox):
    """Be late as often as the question says, then answer, and say what that took."""
    tries[prompt] = tries.get(prompt, 0) + 1
    for name, late in LATE.items():
        if name in prompt and tries[prompt] <= late:
            time.sleep({3 * LIMIT_S})
    return {{"text": "{RIGHT}", "usage": None if "q-free" in prompt else {{"prompt": 10, "completion": 5}}}}
'''


@pytest.fixture
def timed(library, scripted, monkeypatch):
    """Return a function that writes a reader which is late, on a clock that says how late it was."""

    def write(late, *, attempts=1, clock=None):
        if clock is not None:
            times = iter([time for one in clock for time in (0.0, one * LIMIT_S)])
            monkeypatch.setattr(functions, "World", lambda: World(monotonic=lambda: next(times)))
        library.write("readers.py", f"LATE = {late!r}\n{READER}")
        limits = {"timeout": LIMIT_S, "attempts": attempts}
        reader = {"name": "reader", "kind": "python", "callable": "readers:answer", "limits": limits}
        library.configure(agent=[reader])

    library.evals(scripted.GRADED)
    return write


def ask(library, scripted, *names):
    library.questions(*(scripted.lookup(name, f"{RATE} This is {name}.", "daily_rate") for name in names))


def test_11_a_time_out_counts_and_a_stalled_machine_does_not(library, scripted, timed):
    ask(library, scripted, "q-slow")
    # The timer of one unit fires after 1.1, and after 3.4.
    timed({"q-slow": 1}, clock=[1.1])
    run = library.live()
    slow = run.grade("q-slow")
    assert (slow["state"], slow["score"], run.code) == ("timeout", 0.0, 1)
    assert run.report["agents"][0]["outcomes"] == {"timeout": 1}
    assert run.gates() == {"rate_gate[reader-sighted]": "MISS"}

    timed({"q-slow": 1}, clock=[3.4])
    run = library.live("--judge-live-all")
    stalled = run.grade("q-slow")
    assert (stalled["state"], stalled["score"]) == ("host_stalled", None)
    assert run.report["agents"][0]["outcomes"] == {"host_stalled": 1}
    assert run.gates() == {"rate_gate[reader-sighted]": "HOLD"}


def test_12_three_stalls_in_a_row_stop_a_live_run(library, scripted, timed):
    names = [f"q{number}" for number in range(8)]
    ask(library, scripted, *names)
    # Items run in the order of the schedule, whatever it is: the first two answer, the others stall.
    timed({}, clock=[0.1, 0.1])
    order = [line.split("reader-")[1][:2] for line in library.audit("-q", "--co").out.splitlines()[:8]]
    timed(dict.fromkeys(order[2:], 1), clock=[0.1, 0.1, 3.4, 3.4, 3.4])
    run = library.live()
    states = {one["question"]: one["state"] for one in run.report["grades"]}
    assert states == {name: "ok" if name in order[:2] else "host_stalled" for name in order[:5]}
    assert "stood still in 3 calls in a row" in run.words
    assert "go on with --judge-live" in run.words
    assert run.code == 1
    assert len(library.stored()) == 5

    finished = {name: line for name, line in library.stored().items() if '"ok"' in line}
    timed({}, clock=[0.1] * 6)
    run = library.live()
    assert (run.code, run.report["answers"]["hit"], run.report["answers"]["asked"]) == (0, 2, 6)
    assert finished.items() <= library.stored().items()
    assert (len(finished), len(library.stored())) == (2, 8)


def test_13_and_14_only_answers_that_lean_on_the_key_are_contaminated(library, scripted):
    says = {
        "q-leak": f"{RIGHT} I took this from the answer key in questions.toml.",
        "q-probe": f"{RIGHT} This looks like a trick question.",
        "q-domain": f"{RIGHT} The provenance field is the ground-truth of a rate, so is a rubric.",
        "q-suffix": f"{RIGHT} See also src/allquestions.toml and src/my_questions.toml, which it reads.",
    }
    for name, answer in says.items():
        library.chat.on("reader", f"This is {name}.", answer)
    ask(library, scripted, *says)
    library.evals(scripted.GRADED)
    library.configure()
    run = library.live()
    leak = run.grade("q-leak")
    assert (leak["state"], leak["score"], leak["score_if_clean"]) == ("contaminated", None, 1.0)
    assert run.code == 1
    assert run.gates() == {"rate_gate[reader-sighted]": "HOLD"}
    for name in ("q-probe", "q-domain", "q-suffix"):
        assert (run.grade(name)["state"], run.grade(name)["score"]) == ("ok", 1.0)
    assert run.grade("q-probe")["findings"] == ["guesses-probe"]
    assert "1 of 4" in run.findings("suspected-probe")[0]["symptom"]
    assert "q-leak" in run.findings("contaminated")[0]["symptom"]
    assert run.grade("q-domain")["findings"] == run.grade("q-suffix")["findings"] == []


def test_17_a_row_reproduces_its_own_totals(library, scripted, timed):
    ask(library, scripted, "q-late", "q-once", "q-free")
    timed({"q-late": 1}, attempts=3)
    assert library.live().code == 0
    rows = {name.split("-")[3]: json.loads(line) for name, line in library.stored().items()}
    late, once, free = rows["late"], rows["once"], rows["free"]
    assert [one["outcome"] for one in late["attempts"]] == ["timeout", "answered"]
    windows = [(one["started"], one["ended"]) for one in late["attempts"]]
    wall = max(end for _, end in windows) - min(start for start, _ in windows)
    assert all(end >= start for start, end in windows)
    assert wall >= sum(end - start for start, end in windows) >= LIMIT_S
    # The first try stated no tokens: that is a call of unknown usage, and not one of none.
    assert [one["usage"] for one in late["attempts"]] == [None, {"prompt": 10, "completion": 5}]
    assert late["usage"] == {"prompt": 10, "completion": 5, "unknown_calls": 1}
    assert once["usage"] == {"prompt": 10, "completion": 5}
    assert free["usage"] is None
    (agent,) = library.audit().report["agents"]
    assert agent["later_attempts"] == 1
    assert agent["usage"]["prompt"] == 20
    assert agent["usage"]["unknown_calls"] == 2


def test_27_tools_out_of_reach_are_no_invention(library, scripted):
    said = "I cannot answer: the search tool was not reachable, every call returned an error."
    library.chat.on("reader", "retry queue", said)
    absent = {"place": {"desc": "names a place", "match": {"type": "regex", "value": "drained (in|by) "}}}
    queue = {"id": "q-queue", "prompt": "Where is the retry queue drained?", "class": "abstain"}
    library.questions({**queue, "forbidden": absent})
    library.evals(scripted.GRADED)
    library.configure()
    run = library.live()
    found = run.grade("q-queue")
    assert (found["state"], found["score"]) == ("unavailable", None)
    assert "hallucinated" not in found["findings"]
    assert run.findings("unavailable")
    assert run.gates() == {"rate_gate[reader-sighted]": "HOLD"}
