"""Questions, agents and projects that mean no good, or that change under a run."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

RATE = "Which function computes the daily rate?"
RIGHT = "daily_rate in src/rates.py computes it."
READER = f'''
def answer(prompt, sandbox):
    """Find what there is to find."""
    return "{RIGHT}" if sandbox.list() else "I cannot say."
'''


@pytest.fixture
def python(library, scripted):
    """A reader that is a function, on three questions."""
    library.write("readers.py", READER)
    library.configure(agent=[{"name": "reader", "kind": "python", "callable": "readers:answer"}])
    library.questions(*(scripted.lookup(f"q{n}", f"{RATE} This is q{n}.", "daily_rate") for n in range(3)))
    library.evals(scripted.GRADED)
    return library


@pytest.mark.parametrize(
    "name",
    [
        "../../../etc/passwd",
        "a b",
        "q[1]::x",
        "größe 🙂",
        "-x",
        "q\u202e1",
        "a" * 300,
        "q\n1",
        "CON",
        "q%s{0}",
    ],
)
def test_ids_of_questions_are_only_names(library, scripted, name):
    library.chat.on("reader", "", RIGHT)
    library.questions(
        scripted.lookup(name, RATE, "daily_rate"), scripted.lookup("other", f"{RATE} 2", "daily_rate")
    )
    library.configure()
    library.evals(scripted.GRADED)
    run = library.live()
    assert run.code == 0, run.out
    assert {one["question"] for one in run.report["grades"]} == {name, "other"}
    assert "\u202e" not in run.out
    again = library.audit()
    assert (again.code, again.report["answers"]["hit"]) == (0, 2)


def test_a_prompt_may_hold_lone_surrogates(library, scripted):
    questions = [
        {
            "id": "q1",
            "prompt": f"{RATE} \ud83d",
            "class": "lookup",
            "checklist": [
                {"id": "f1", "must": True, "desc": "d", "match": {"type": "literal", "value": "daily_rate"}}
            ],
        }
    ]
    library.write("questions.json", json.dumps({"questions": questions}))
    library.chat.on("reader", "", f"{RIGHT} \ud83d")
    library.chat.on("opus", "", scripted.checklist(1.0, f1=True))
    library.configure(library.judge("opus"))
    library.evals()
    text = (library.root / "evals/test_e.py").read_text("utf-8")
    library.write("evals/test_e.py", text.replace("questions.toml", "questions.json"))
    for run in (library.live(), library.audit("-n1", apart=True)):
        assert run.code == 0, run.out
        assert run.grade("q1")["judge"]["state"] == "ok"


def test_terminal_escapes_of_an_agent_reach_no_terminal(library, scripted):
    nasty = "\x1b[2J\x1b]0;owned\x07 \x9b31m I did not find it.\r\n\x00"
    library.chat.on("reader", "", nasty)
    library.chat.on("opus", "", {"text": f'{{"score": 1}} {nasty}', "served": f"opus{nasty}"})
    library.questions(scripted.lookup("q1", RATE, "daily_rate"))
    library.configure(library.judge("opus"))
    library.evals()
    for run in (library.live("-v", "-rA"), library.audit("-v", "-rA")):
        assert not any(ord(c) < 32 and c != "\n" for c in run.out), run.out
        assert "\x9b" not in run.out


@pytest.mark.parametrize("name", ["two words", "", "a/b", "reader\n", "../up"])
def test_names_of_agents_are_checked(library, scripted, name):
    library.questions(scripted.lookup("q1", RATE, "daily_rate"))
    library.configure(agent=[library.agent(name)])
    library.evals(scripted.GRADED)
    run = library.live()
    assert run.code == 4
    assert "name" in run.out
    assert library.chat.asked() == 0


@pytest.mark.parametrize(
    ("agent", "said"),
    [
        ({"kind": "python", "callable": "readers:answre"}, 'Did you mean "answer"?'),
        ({"kind": "python", "callable": "nowhere:answer"}, "No module named 'nowhere'"),
        ({"kind": "command", "command": ["no-such-program", "{prompt}"]}, "there is no program"),
    ],
)
def test_agents_that_cannot_be_made_are_refused_before_anything_is_asked(library, scripted, agent, said):
    library.write("readers.py", READER)
    library.chat.on("second", "", RIGHT)
    library.questions(scripted.lookup("q1", RATE, "daily_rate"))
    library.configure(agent=[{"name": "reader", **agent}, library.agent("second")])
    library.evals(scripted.GRADED)
    run = library.live()
    assert (run.code, library.chat.asked()) == (4, 0), run.out
    assert said in run.words
    assert library.audit("--co", "--judge-live").code == 0


def test_a_question_file_that_changes_during_the_run_changes_nothing_of_it(library, scripted):
    library.questions(scripted.lookup("q1", RATE, "daily_rate"))

    def answer(_):
        library.questions(scripted.lookup("q1", "Another prompt?", "weekly_rate"))
        return RIGHT

    library.chat.on("reader", "", answer)
    library.configure()
    library.evals(scripted.GRADED)
    run = library.live()
    assert (run.code, run.grade("q1")["score"]) == (0, 1.0)
    assert "stale: prompt moved" in library.audit().words


def test_a_corpus_may_be_a_link(library, scripted):
    (library.root / "corpora/code").rename(library.root / "elsewhere")
    (library.root / "corpora/code").symlink_to(library.root / "elsewhere")
    library.chat.on("reader", "", {"text": RIGHT, "tools": [("read", {"path": "src/rates.py"})]})
    library.questions(scripted.lookup("q1", RATE, "daily_rate", evidence=["src/rates.py:1"]))
    library.configure()
    library.evals(scripted.GRADED)
    run = library.live()
    assert run.code == 0, run.out
    assert run.grade("q1")["tool_calls"] == 1
    assert "def daily_rate" in library.chat.calls[-1][1]


def test_functions_answer_in_workers(python):
    run = python.live("-n2", apart=True)
    assert run.code == 0, run.out
    assert len(python.stored()) == 3
    assert run.report["answers"]["asked"] == 3


def test_a_replay_starts_no_process_and_imports_no_numpy_in_workers(python):
    assert python.live().code == 0
    python.write(
        "conftest.py",
        """
import subprocess, sys, pytest

def refuse(*_, **__):
    raise RuntimeError("a process was started")

def pytest_sessionstart(session):
    if hasattr(session.config, "workerinput"):
        subprocess.Popen.__init__ = refuse

@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    if hasattr(session.config, "workerinput"):
        found = {"numpy", "scipy", "httpx", "readers"} & set(sys.modules)
        open(f"imported-{session.config.workerinput['workerid']}", "w").write(repr(found))
""",
    )
    run = python.audit("-n2", apart=True)
    assert run.code == 0, run.out
    found = {path.name: path.read_text("utf-8") for path in python.root.glob("imported-*")}
    assert found == {"imported-gw0": "set()", "imported-gw1": "set()"}


def test_a_replay_needs_neither_program_nor_module_nor_key(library, scripted, monkeypatch):
    monkeypatch.setenv("READER_KEY", "secret-key-of-the-reader")
    library.write("readers.py", READER)
    script = library.root / "reader.py"
    script.write_text(f"print({RIGHT!r})", "utf-8")
    program = {
        "kind": "command",
        "command": [sys.executable, str(script), "{prompt}"],
        "env": ["READER_KEY"],
    }
    agents = [
        {"name": "function", "kind": "python", "callable": "readers:answer"},
        {"name": "program", **program},
        library.agent("reader", api_key_env="READER_KEY"),
    ]
    library.chat.on("reader", "", RIGHT)
    library.configure(agent=agents)
    library.questions(scripted.lookup("q1", RATE, "daily_rate"))
    library.evals(scripted.GRADED)
    assert library.live().code == 0
    (library.root / "readers.py").unlink()
    script.unlink()
    monkeypatch.delenv("READER_KEY")
    program["command"][0] = "/nowhere/" + sys.executable.rpartition("/")[2]
    library.configure(agent=[agents[0], {"name": "program", **program}, agents[2]])
    run = library.audit()
    assert (run.code, run.report["answers"]["hit"]) == (0, 3), run.out


def test_two_evals_of_the_same_questions_keep_their_answers_apart(python):
    text = (python.root / "evals/test_e.py").read_text("utf-8")
    second = text[text.index("@pytest") :].replace("test_reads", "test_again")
    python.write("evals/test_e.py", f"{text}\n{second}")
    run = python.live()
    assert (run.code, run.report["answers"]["asked"], len(python.stored())) == (0, 6, 6)
    again = python.audit("--judge-prune")
    assert (again.report["answers"]["hit"], len(python.stored())) == (6, 6)


def test_narrowed_to_one_agent_gates_stand_and_nothing_is_pruned(library, scripted):
    for name in ("reader", "second", "opus", "gpt"):
        library.chat.on(name, "", scripted.checklist(1.0, f1=True) if len(name) < 5 else RIGHT)
    agents = [library.agent("reader"), library.agent("second")]
    library.configure(library.judge("opus"), library.judge("gpt"), agent=agents)
    library.questions(
        scripted.lookup("q1", RATE, "daily_rate"), scripted.lookup("q2", f"{RATE} 2", "daily_rate")
    )
    library.evals()
    assert library.live().code == 0
    kept = {name: library.stored(name) for name in ("reader", "second", "opus", "gpt")}
    refused = library.audit("--agent=second", "--judge-prune")
    assert (refused.code, "Leave --judge, --criterion and --agent out" in refused.words) == (4, True)
    for options in (["--agent=second"], ["--judge=gpt"], ["--judge-shard=1/2", "--judge-prune"]):
        run = library.audit(*options, "--snapshot-update")
        assert run.code == 0, run.out
        assert run.findings("unused-answers") == []
        assert kept == {name: library.stored(name) for name in kept}
        judges = {one["judge"] for one in run.report["configurations"]}
        assert judges == ({"gpt"} if options == ["--judge=gpt"] else {"opus", "gpt"})
    plan = library.audit("--judge-plan")
    assert plan.code == 0
    assert library.chat.asked() == 2 * 2 * 3
    frozen = library.audit("--judge-freeze")
    assert frozen.code == 0
    assert (library.root / "snapshots/protocol.lock.json").exists()
    run = library.audit("--judge-prune")
    assert kept == {name: library.stored(name) for name in kept}

    # One judge fewer: its verdicts are unused, and go when that is asked for; the others stay.
    library.configure(library.judge("opus"), agent=agents)
    assert library.audit().findings("unused-answers")
    library.audit("--judge-prune")
    assert library.stored("gpt") == {}
    assert library.stored("opus") == kept["opus"]


def test_shards_answer_each_question_once(library, scripted):
    library.chat.on("reader", "", RIGHT)
    library.configure()
    library.questions(*(scripted.lookup(f"q{n}", f"{RATE} {n}", "daily_rate") for n in range(6)))
    library.evals(scripted.GRADED)
    for part in (1, 2):
        assert library.live(f"--judge-shard={part}/2").code == 0
    assert library.chat.asked() == 6
    run = library.audit()
    assert (run.code, run.report["answers"]["hit"]) == (0, 6)


def test_ctrl_c_during_an_answer_keeps_what_was_answered(library, scripted):
    waiting = threading.Event()

    def answer(text):
        if "q0" in text:
            waiting.set()
            return {"text": RIGHT, "wait": 1.0}
        return RIGHT

    library.chat.on("reader", "", answer)
    library.configure()
    library.questions(*(scripted.lookup(f"q{n}", f"{RATE} q{n}", "daily_rate") for n in range(4)))
    library.evals(scripted.GRADED)
    words = [w for p in ("judgeaudit", "xdist", "syrupy") for w in ("-p", p)]
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "pytest",
            *words,
            "--judge-audit",
            "--judge-live",
            "--judge-report=report.json",
        ],
        cwd=library.root,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=dict(os.environ),
    )
    assert waiting.wait(20)
    time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=30)
    assert process.returncode == 2, out
    assert "INTERNALERROR" not in out
    report = json.loads((library.root / "report.json").read_text())
    assert {gate["state"] for gate in report["gates"]} <= {"PARTIAL", "HOLD"}
    asked = library.chat.asked()
    run = library.live()
    assert run.code == 0, run.out
    assert library.chat.asked() in (4, 5), asked
