from __future__ import annotations

import sys

import pytest

from pytest_judgeaudit.judge.python import PythonAsker, load_function
from pytest_judgeaudit.records.answers import Attempt
from pytest_judgeaudit.records.errors import CampaignStopped, JudgeFault, Refused
from pytest_judgeaudit.records.requests import Message, Request
from pytest_judgeaudit.records.verdicts import Usage

REQUEST = Request(
    messages=(Message(role="system", content="S"), Message(role="user", content="U\ud800")),
    model="mine",
    endpoint="python my_judge:ask",
    decoder={},
)


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A folder for a user's module, forgotten again afterwards."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(sys, "modules", dict(sys.modules))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    return tmp_path


@pytest.fixture
def asker(project, judge_of):
    """An asker of a function with this body."""

    def make(body, *, head="def ask(messages):", model="mine"):
        (project / "my_judge.py").write_text(f"import pytest\n\n{head}\n    {body}\n", encoding="utf-8")
        settings = judge_of(api="python", base_url=None, model=model, callable="my_judge:ask")
        return PythonAsker(settings, root=project, clock=iter([10.0, 12.5]).__next__)

    return make


def test_a_function_gets_the_messages_as_plain_values(asker):
    body = "return repr(messages)"
    assert asker(body).ask(REQUEST).text == repr(
        [{"role": "system", "content": "S"}, {"role": "user", "content": "U\ud800"}]
    )


def test_a_text_is_a_reply_of_the_judge_itself_in_one_attempt(asker):
    reply = asker("return 'tie'").ask(REQUEST)
    assert (reply.text, reply.served, reply.finish, reply.usage) == ("tie", "mine", None, None)
    assert reply.attempts == (Attempt(started=10.0, ended=12.5, outcome="answered"),)


def test_a_mapping_says_more(asker):
    body = (
        "return {'text': '', 'served': 'gpt', 'finish': 'length', 'usage': {'prompt': 3, 'completion': 0}}"
    )
    reply = asker(body).ask(REQUEST)
    assert (reply.text, reply.served, reply.finish) == ("", "gpt", "length")
    assert reply.usage == Usage(prompt=3, completion=0)


def test_a_judge_with_a_model_of_its_own_states_what_served_or_nothing(asker):
    assert asker("return 'tie'", model="gpt-5").ask(REQUEST).served is None


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("assert False, 'inside'", "AssertionError: inside"),
        ("assert messages == []", "AssertionError"),
        ("raise ValueError('a\\nb\\x1b[31m')", "ValueError: a\\nb\\x1b[31m"),
        ("raise KeyError", "KeyError"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("pytest.fail('no')", "Failed: no"),
        ("pytest.skip('later')", "Skipped: later"),
        (
            "raise type('E', (Exception,), {'__str__': lambda self: 1 / 0})",
            "E: (its message cannot be shown)",
        ),
        ("return ask(messages)", "RecursionError: maximum recursion depth exceeded"),
    ],
)
def test_whatever_a_function_raises_is_a_fault_in_one_line(asker, body, reason):
    with pytest.raises(JudgeFault) as fault:
        asker(body).ask(REQUEST)
    assert str(fault.value).startswith(f"judge mine (my_judge:ask) raised {reason}")
    assert str(fault.value).isprintable()


def test_a_long_message_is_cut(asker):
    with pytest.raises(JudgeFault) as fault:
        asker("raise ValueError('x' * 1_000_000)").ask(REQUEST)
    assert len(str(fault.value)) < 400


def test_an_interrupt_passes(asker):
    with pytest.raises(KeyboardInterrupt):
        asker("raise KeyboardInterrupt").ask(REQUEST)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("return None", "returned null, expected a text or a mapping with text"),
        ("return b'tie'", "returned a value of type bytes, expected a text or a mapping with text"),
        ("return ('tie', 'gpt')", "returned a list of 2, expected a text or a mapping with text"),
        ("return {}", "returned no text"),
        ("return {'text': None}", "returned no text"),
        ("return {'text': 3}", "returned text 3, expected a text"),
        ("return {'text': '', 'served': 4}", "returned served 4, expected a text"),
        ("return {'text': '', 'finish': True}", "returned finish true, expected a text"),
        (
            "return {'text': '', 'serve': 'x'}",
            'returned the key "serve"; there are text, served, finish, usage. Did you mean "served"?',
        ),
        ("return {'text': '', 1: 2}", "returned the key 1; there are text, served, finish, usage."),
        ("return {'text': '', 'usage': 7}", "returned usage 7, expected prompt and completion in tokens"),
        ("return {'text': '', 'usage': {'prompt': -1}}", "returned usage an object, expected prompt"),
        ("return {'text': '', 'usage': {'prompt': 10**5000}}", "returned usage an object, expected prompt"),
        ("return {'text': '', 'usage': {'prompt': 1.5}}", "returned usage an object, expected prompt"),
        ("return {'text': '', 'usage': {'total': 1}}", "returned usage an object, expected prompt"),
    ],
)
def test_a_result_of_another_form_is_a_fault(asker, body, reason):
    with pytest.raises(JudgeFault) as fault:
        asker(body).ask(REQUEST)
    assert str(fault.value).startswith(f"judge mine (my_judge:ask) {reason}")


def test_a_coroutine_is_a_fault_and_leaves_no_warning(asker):
    with pytest.raises(JudgeFault, match="returned a coroutine; write a plain function"):
        asker("return 'tie'", head="async def ask(messages):").ask(REQUEST)


@pytest.mark.parametrize(
    "path", ["", "my_judge", "my_judge:", ":ask", "my judge:ask", "a:b:c", "../x:ask", "a..b:c"]
)
def test_a_callable_of_another_form_is_refused(project, path):
    with pytest.raises(
        Refused, match=r'^judge "mine": callable ".*" is not of the form "module:function"$'
    ):
        load_function(path, judge="mine", root=project)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (None, "ModuleNotFoundError: No module named 'my_judge'"),
        ("import nowhere_to_be_found", "ModuleNotFoundError: No module named 'nowhere_to_be_found'"),
        ("assert False, 'at import'", "AssertionError: at import"),
        ("raise SystemExit", "SystemExit"),
        ("def ask(:", "SyntaxError: "),
    ],
)
def test_a_module_that_cannot_be_imported_is_refused(project, text, reason):
    if text is not None:
        (project / "my_judge.py").write_text(text, encoding="utf-8")
    with pytest.raises(Refused) as refused:
        load_function("my_judge:ask", judge="mine", root=project)
    found = str(refused.value)
    assert found.startswith(
        f'judge "mine": callable "my_judge:ask" cannot be imported from {project}: {reason}'
    )
    assert found.isprintable()


def test_a_missing_function_is_refused_with_the_near_one(project):
    (project / "my_judge.py").write_text("def asks(messages): ...\nask_not = 3\n", encoding="utf-8")
    with pytest.raises(Refused, match=r'my_judge has no function ask\. Did you mean "asks"\?'):
        load_function("my_judge:ask", judge="mine", root=project)


def test_the_root_and_nothing_else_is_put_on_the_path_once(project):
    (project / "my_judge.py").write_text("def ask(messages): ...\n", encoding="utf-8")
    before = list(sys.path)
    for _ in range(2):
        load_function("my_judge:ask", judge="mine", root=project)
    assert sys.path == [str(project), *before]


class Flight:
    """Writes down what it is told; departs only where it may."""

    def __init__(self, *, may):
        self.may, self.log = may, []

    def departs(self, attempts):
        self.log.append("departs")
        if not self.may:
            raise CampaignStopped("nothing further is asked")

    def landed(self, attempts, served=None):
        self.log.append(f"landed, served {served}")


def test_a_function_is_called_where_it_may_be_and_its_model_is_told(asker):
    flight = Flight(may=True)
    asker("return {'text': 'tie', 'served': 'gpt'}").ask(REQUEST, flight)
    assert flight.log == ["departs", "landed, served gpt"]


def test_a_function_is_not_called_where_it_may_not_be(asker):
    with pytest.raises(CampaignStopped):
        asker("raise ValueError('called')").ask(REQUEST, Flight(may=False))
