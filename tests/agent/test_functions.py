"""Agents that are functions: what they get, what they return, and how they end."""

from __future__ import annotations

import pytest

from pytest_judgeaudit.ask.world import World
from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.records.verdicts import Usage


@pytest.fixture
def ask(python_agent, sandboxes):
    def run(body, *, arm="sighted", **changes):
        agent = python_agent(body, **changes)
        sandbox = sandboxes(arm)
        return agent.answer(agent.request("Where?", sandbox), sandbox)

    return run


def test_a_text_is_the_answer(ask):
    reply = ask("return f'You asked: {prompt}'")
    assert (reply.text, reply.trace.outcome, reply.served) == ("You asked: Where?", "ok", "reader")


def test_the_sandbox_can_be_read_by_any_means(ask):
    body = (
        "from pathlib import Path\n"
        "found = sorted(path.name for path in Path(sandbox.path).rglob('*.cbl'))\n"
        "return repr((found, (Path(sandbox) / 'CALC.cbl').read_text()[:7], sandbox.arm))"
    )
    reply = ask(body)
    assert reply.text == "(['CALC.cbl', 'STORE.cbl'], 'PERFORM', 'sighted')"
    assert reply.trace.policy_events == ()


def test_the_tools_are_methods_and_are_counted(ask):
    reply = ask("return sandbox.list() + sandbox.grep('(V|x)*SAM.*') + sandbox.read('../key')")
    assert "sub/STORE.cbl:1:OPEN VSAM-MASTER." in reply.text
    assert reply.trace.by_tool == {"grep": 1, "list": 1, "read": 1}
    assert [event.code for event in reply.trace.policy_events] == ["outside-path"]


def test_a_mapping_states_model_tokens_and_tools(ask):
    body = (
        "return {'text': 't', 'served': 'big-1', 'usage': {'prompt': 3, 'completion': 1}, "
        "'tools': {'search': 2}}"
    )
    reply = ask(body)
    assert (reply.served, reply.usage, reply.trace.by_tool) == (
        "big-1",
        Usage(prompt=3, completion=1),
        {"search": 2},
    )


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return None", "returned null, expected a text or a mapping with text"),
        ("return {'text': 1}", "expected a text or a mapping with text"),
        ("return {'text': 'x', 'model': 'y'}", 'the key "model"'),
        ("return {'text': 'x', 'served': 1}", "served 1, expected a text"),
        ("return {'text': 'x', 'usage': {'prompt': -1}}", "expected prompt and completion in tokens"),
        ("return {'text': 'x', 'tools': ['read']}", "expected how often each tool was called"),
        ("raise ValueError('broken')", "raised ValueError: broken"),
        ("raise SystemExit(3)", "raised SystemExit: 3"),
        ("assert False", "raised AssertionError"),
    ],
)
def test_what_is_wrong_with_a_function_is_an_error_in_one_line(ask, body, said):
    reply = ask(body)
    assert (reply.trace.outcome, reply.text) == ("error", "")
    assert said in reply.trace.error
    assert "\n" not in reply.trace.error


def test_a_function_that_takes_too_long_is_given_up_and_may_do_nothing_more(ask, tmp_path):
    mark = tmp_path / "late"
    body = f"import time\ntime.sleep(1.0)\nopen({str(mark)!r}, 'w').write('x')\nreturn 'late'"
    reply = ask(body, limits={"timeout": 0.3, "attempts": 1})
    assert reply.trace.outcome in ("timeout", "host_stalled")
    assert not mark.exists()


@pytest.mark.parametrize(("elapsed", "outcome"), [(0.11, "timeout"), (0.34, "host_stalled")])
def test_a_late_timer_is_the_machine_and_not_the_agent(ask, elapsed, outcome):
    ticks = iter([0.0, elapsed])
    world = World(monotonic=lambda: next(ticks))
    body = "import time\ntime.sleep(0.5)\nreturn ''"
    assert ask(body, world=world, limits={"timeout": 0.1, "attempts": 1}).trace.outcome == outcome


def test_the_hook_is_probed_and_labelled(python_agent, sandboxes):
    enforcement = python_agent("return ''").enforcement(sandboxes("blind"))
    assert (enforcement.mechanism, enforcement.state, enforcement.verified) == (
        "audit hook",
        "in process",
        True,
    )
    assert len(enforcement.checks) == 7


def test_modules_of_the_project_can_be_imported_while_it_runs(ask, project):
    project.write("helper_of_reader.py", "VALUE = 'helped'\n")
    reply = ask("import helper_of_reader\nreturn helper_of_reader.VALUE")
    assert (reply.text, reply.trace.policy_events) == ("helped", ())


def test_a_corpus_of_python_cannot_be_imported_in_a_blind_arm(ask, project):
    project.write("corpora/lending/src/secret_module.py", "KEY = 'seen'\n")
    body = (
        f"import sys\nsys.path.insert(0, {str(project.source)!r})\n"
        "try:\n    import secret_module\nexcept (ImportError, OSError):\n    return 'not seen'\n"
        "return secret_module.KEY"
    )
    reply = ask(body, arm="blind")
    assert reply.text == "not seen"
    assert reply.trace.policy_events


def test_an_open_network_is_declared(python_agent, sandboxes):
    agent = python_agent("return ''", network=True)
    enforcement = agent.enforcement(sandboxes())
    assert enforcement.network
    assert enforcement.verified


def test_a_function_that_is_not_there_is_refused(python_agent):
    with pytest.raises(Refused, match=r'agent "reader": callable "nowhere:answer" cannot be imported'):
        python_agent("return ''", callable="nowhere:answer")
