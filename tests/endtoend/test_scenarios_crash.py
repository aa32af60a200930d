"""A worker that is killed in the middle: scenario 18 of questions."""

from __future__ import annotations

import json

RATE = "Which function computes the daily rate?"
DIES = """
    if question.id == "q5" and not pathlib.Path("died").exists():
        pathlib.Path("died").touch()
        os.kill(os.getpid(), signal.SIGKILL)
"""
TIMES = ("attempts", "load")


def without_times(line):
    return {key: value for key, value in json.loads(line).items() if key not in TIMES}


def test_18_a_killed_worker_loses_nothing_that_was_answered(library, scripted):
    names = [f"q{number}" for number in range(8)]
    library.chat.on("reader", "", lambda text: f"daily_rate, as was asked: {text[-3:]}")
    library.chat.on("opus", "", scripted.checklist(1.0, f1=True))
    library.questions(*(scripted.lookup(name, f"{RATE} {name}.", "daily_rate") for name in names))
    library.configure(library.judge("opus"))
    library.evals()
    body = "    for judge in judges"
    text = (library.root / "evals/test_e.py").read_text("utf-8")
    library.write("evals/test_e.py", f"import os, pathlib, signal\n{text.replace(body, DIES + body)}")

    run = library.live("-n4", apart=True)
    assert (library.root / "died").exists()
    assert run.code != 0
    assert run.gates() == {"rate_gate[reader-sighted]": "HOLD"}
    first = library.chat.asked("reader")
    again = library.live("-n4", apart=True)
    assert again.code == 0, again.out
    assert (again.report["agents"][0]["answers"], len(again.grades())) == (8, 8)
    assert library.chat.asked("reader") == 8
    assert first >= 8 - 1

    parallel = {owner: library.stored(owner) for owner in ("reader", "opus")}
    (library.root / "snapshots").rename(library.root / "apart")
    assert library.live("-n0").code == 0
    for owner, lines in parallel.items():
        alone = library.stored(owner)
        assert list(lines) == list(alone)
        assert len(alone) == 8
        assert list(map(without_times, lines.values())) == list(map(without_times, alone.values()))
