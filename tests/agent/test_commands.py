"""Agents that are programs: real processes, their ends, and what is kept."""

from __future__ import annotations

import sys
import time

import pytest

from pytest_judgeaudit.agent.commands import CommandKind
from pytest_judgeaudit.ask.world import World
from pytest_judgeaudit.records.errors import Refused, Unanswered
from pytest_judgeaudit.records.verdicts import Usage

PLAIN = "/nonexistent/bwrap"
"""In the place of bubblewrap: agents run without a box."""


@pytest.fixture
def ask(command_agent, sandboxes):
    def run(code, *, prompt="Where?", arm="sighted", **changes):
        agent = command_agent(sys.executable, "-c", code, "{prompt}", **{"bubblewrap": PLAIN, **changes})
        sandbox = sandboxes(arm)
        return agent.answer(agent.request(prompt, sandbox), sandbox)

    return run


def test_standard_output_is_the_answer(ask):
    reply = ask("import sys; print('You asked:', sys.argv[1])")
    assert (reply.text, reply.trace.outcome, reply.served) == ("You asked: Where?", "ok", "reader")
    assert reply.usage is None


@pytest.mark.parametrize("prompt", ["", "-x --y", "{prompt}", "a\nb", "ä \ud800", "$(id) `id` ; id"])
def test_a_prompt_reaches_the_program_as_it_is(ask, prompt):
    code = "import sys, os; print(os.fsencode(sys.argv[1]).hex())"
    assert ask(code, prompt=prompt).text == prompt.encode("utf-8", "surrogatepass").hex()


def test_a_prompt_that_no_argument_can_hold_is_an_error(ask):
    reply = ask("print(1)", prompt="a\0b")
    assert reply.trace.outcome == "error"
    assert "could not be started" in reply.trace.error


def test_the_program_sees_the_sandbox_and_a_scrubbed_environment(ask):
    code = "import os; print(sorted(os.listdir('.')), sorted(os.environ))"
    environ = {"PATH": "/usr/bin:/bin", "OPENAI_API_KEY": "sk-1", "MINE": "x", "OLDPWD": "/"}
    reply = ask(code, environ=environ, env=["MINE"])
    assert reply.text == (
        "['CALC.cbl', 'sub'] ['HOME', 'LANG', 'LC_ALL', 'MINE', 'PATH', 'TERM', 'TMPDIR']"
    )


def test_a_status_other_than_0_is_an_error_with_what_the_program_said(ask):
    reply = ask("import sys; print('half an answer'); sys.exit('no credit')")
    assert (reply.trace.outcome, reply.text) == ("error", "")
    assert reply.trace.error == "the program ended with status 1: no credit"


def test_a_program_is_ended_when_its_time_is_up_and_tried_again(ask):
    began = time.monotonic()
    reply = ask(
        "import time; print('x', flush=True); time.sleep(60)", limits={"timeout": 0.5, "attempts": 2}
    )
    assert time.monotonic() - began < 30
    assert reply.trace.outcome in ("timeout", "host_stalled")
    assert reply.text == ""
    windows = [attempt.ended - attempt.started for attempt in reply.attempts]
    assert all(window >= 0.5 for window in windows)


@pytest.mark.parametrize(("elapsed", "outcome"), [(1.1, "timeout"), (3.4, "host_stalled")])
def test_a_late_timer_is_the_machine_and_not_the_agent(ask, elapsed, outcome):
    ticks = iter([0.0, elapsed])
    world = World(monotonic=lambda: next(ticks))
    code = "import time; time.sleep(60)"
    assert ask(code, world=world, limits={"timeout": 1, "attempts": 1}).trace.outcome == outcome


def test_children_are_ended_with_their_program(ask, tmp_path):
    mark = tmp_path / "alive"
    child = f"import time; time.sleep(3); open({str(mark)!r}, 'w')"
    code = (
        f"import subprocess, sys, time; subprocess.Popen([sys.executable, '-c', {child!r}]); time.sleep(60)"
    )
    ask(code, limits={"timeout": 1, "attempts": 1})
    time.sleep(3.5)
    assert not mark.exists()


def test_endless_output_ends_the_program(ask, monkeypatch):
    monkeypatch.setattr("pytest_judgeaudit.agent.processes.MOST_OUTPUT", 10_000)
    reply = ask("while True: print('x' * 1000)", limits={"timeout": 60})
    assert (reply.trace.outcome, reply.text) == ("error", "")
    assert "wrote too much" in reply.trace.error


def test_a_changed_sandbox_is_a_policy_event(ask):
    reply = ask("open('new.txt', 'w').write('x'); print('done')")
    assert [event.code for event in reply.trace.policy_events] == ["changed-sandbox"]


def test_without_bubblewrap_nothing_is_enforced_and_the_answer_says_so(ask):
    enforcement = ask("print(1)").trace.enforcement
    assert (enforcement.mechanism, enforcement.state, enforcement.verified) == (
        "none",
        "not enforced",
        False,
    )
    assert enforcement.reason.startswith("bubblewrap does not work here")


def test_in_a_box_the_answer_says_how_that_was_verified(ask, bubblewrap):
    reply = ask("import os; print(os.getcwd(), sorted(os.listdir('.')))", bubblewrap=None)
    assert reply.text == "/workspace ['CALC.cbl', 'sub']"
    assert reply.trace.enforcement.verified
    assert [check.name for check in reply.trace.enforcement.checks] == [
        "the workspace is shown",
        "the workspace is read-only",
        "nothing outside is shown",
        "the environment is scrubbed",
        "other processes are not shown",
        "the network is closed",
    ]


def test_a_declared_network_is_open_in_the_box_and_said(ask, bubblewrap):
    code = "import os; print(os.readlink('/proc/self/ns/net'))"
    reply = ask(code, bubblewrap=None, network=True)
    assert reply.trace.enforcement.network
    assert reply.trace.enforcement.verified
    assert reply.text == ask(code, bubblewrap=PLAIN).text


def test_a_blind_box_is_empty(ask, bubblewrap):
    reply = ask("import os; print(os.listdir('.'))", arm="blind", bubblewrap=None)
    assert reply.text == "[]"
    assert reply.trace.enforcement.verified


def test_binds_are_shown_read_only(ask, bubblewrap, tmp_path):
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "a.txt").write_text("bound")
    path = str(tmp_path / "lib" / "a.txt")
    code = f"import os; print(open({path!r}).read(), os.access({path!r}, os.W_OK))"
    assert ask(code, bubblewrap=None, binds=[str(tmp_path / "lib")]).text == "bound False"


def test_a_bind_around_the_project_still_covers_it_up(ask, bubblewrap, project):
    code = f"import os; print(os.path.exists({str(project.root / 'judgeaudit.toml')!r}))"
    assert ask(code, bubblewrap=None, binds=[str(project.root.parent)]).text == "False"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"binds": ["/"]}, "would show the whole machine"),
        ({"binds": ["/nonexistent/x"]}, "there is no"),
        ({"env": ["NOT_SET_ANYWHERE"]}, "the environment variable NOT_SET_ANYWHERE is not set"),
        ({"trace": "claude-cod"}, 'Did you mean "claude-code"'),
        ({"command": ["true"]}, 'no argument holds "{prompt}"'),
        ({"command": ["no-such-program-here", "{prompt}"]}, "there is no program"),
    ],
)
def test_a_wrong_table_is_refused_in_one_line(settings, sandboxes, changes, said):
    with pytest.raises(Refused) as caught:
        CommandKind(settings("command", **changes), environ={"PATH": "/usr/bin"}).enforcement(sandboxes())
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_program_that_is_a_hidden_file_is_refused(command_agent, sandboxes, project):
    agent = command_agent(sys.executable, str(project.questions), "{prompt}")
    with pytest.raises(Refused, match="agents must not see"):
        agent.enforcement(sandboxes())


def test_a_stopped_run_ends_the_program_and_leaves_no_answer(command_agent, sandboxes):
    agent = command_agent(sys.executable, "-c", "import time; time.sleep(60)", "{prompt}", bubblewrap=PLAIN)
    sandbox = sandboxes()
    agent.enforcement(sandbox)
    agent.stop()
    began = time.monotonic()
    with pytest.raises(Unanswered, match="the run was stopped"):
        agent.answer(agent.request("q", sandbox), sandbox)
    assert time.monotonic() - began < 20


def test_a_trace_gives_tokens_model_and_tools(ask):
    lines = [
        (
            '{"type": "assistant", "message": {"model": "big-1", "content": '
            '[{"type": "tool_use", "id": "t", "name": "Read", "input": {"file_path": "a"}}]}}'
        ),
        (
            '{"type": "result", "subtype": "success", "is_error": false, "result": "In a.", '
            '"usage": {"input_tokens": 5, "cache_read_input_tokens": 7, "output_tokens": 2}}'
        ),
    ]
    reply = ask(f"print({chr(10).join(lines)!r})", trace="claude-code")
    assert (reply.text, reply.served, reply.usage) == ("In a.", "big-1", Usage(prompt=12, completion=2))
    assert reply.trace.by_tool == {"Read": 1}


def test_absolute_paths_do_not_move_the_fingerprint(command_agent, sandboxes, project):
    sandbox = sandboxes()
    one, other = project.write("a/run.py", ""), project.write("b/run.py", "")
    requests = [
        command_agent(sys.executable, str(script), "{prompt}").request("q", sandbox)
        for script in (one, other)
    ]
    assert requests[0].fingerprint() == requests[1].fingerprint()
