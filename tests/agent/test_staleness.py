"""Whether a stored answer answers what is asked now, and what moved."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_judgeaudit.agent.blindness import EMPTY, blindness
from pytest_judgeaudit.agent.staleness import standing
from pytest_judgeaudit.records.agents import AgentRequest, Answer
from pytest_judgeaudit.records.answers import Attempt, Reply, StoredAnswer
from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.records.traces import Check, Enforcement, PolicyEvent, ToolCall, Trace
from pytest_judgeaudit.store.lines import decode, encode
from pytest_judgeaudit.store.redact import Redactor, redact_reply

REQUEST = AgentRequest(
    prompt="Where?",
    corpus="c0",
    arm="sighted",
    tools=("list", "read"),
    model="m",
    endpoint="openai h",
    decoder={"temperature": 0},
    command=("run", "{prompt}"),
    instructions="Answer.",
)
ENFORCED = Enforcement(
    mechanism="bubblewrap", state="enforced", checks=(Check(name="nothing outside is shown", held=True),)
)
TRACE = Trace(
    outcome="ok",
    arm="sighted",
    corpus="c0",
    enforcement=ENFORCED,
    tool_calls=(
        ToolCall(tool="read", arguments='{"path": "a"}', characters=3),
        ToolCall(tool="bash", outcome="denied"),
    ),
    policy_events=(PolicyEvent(code="denied-tool", detail="bash \ud800"),),
    facts={"turns": 2},
)
REPLY = Reply(
    text="In a.",
    served="m",
    attempts=(
        Attempt(started=1.0, ended=2.0, outcome="timeout"),
        Attempt(started=2.0, ended=4.5, outcome="answered"),
    ),
    trace=TRACE,
)


def stored(request=REQUEST, reply=REPLY, **changes):
    values = {"fingerprint": request.fingerprint(), "parts": request.parts(), **changes}
    return StoredAnswer(name="n", instrument="", reply=reply, **values)


def test_an_answer_to_the_same_request_is_current():
    assert standing(stored(), REQUEST).state == "current"
    assert standing(stored(), replace(REQUEST, tools=("read", "list"))).state == "current"


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("prompt", "Where then?"),
        ("corpus", "c1"),
        ("arm", "renamed-sighted"),
        ("tools", ("read",)),
        ("model", "m2"),
        ("endpoint", "openai h2"),
        ("decoder", {"temperature": 1}),
        ("command", ("walk", "{prompt}")),
        ("instructions", "Reply."),
        ("replicate", 2),
    ],
)
def test_every_part_moves_the_fingerprint_and_is_named(part, value):
    found = standing(stored(), replace(REQUEST, **{part: value}))
    assert (found.state, found.moved) == ("stale", (part,))
    assert f"is stale: {part} moved. Ask again with --judge-live." in found.line("n")
    assert not found.usable


@pytest.mark.parametrize(
    ("changes", "lacking"),
    [({"fingerprint": ""}, "fingerprint"), ({"parts": {"model": "x"}}, "prompt digest")],
)
def test_what_cannot_be_checked_is_not_taken_as_checked(changes, lacking):
    found = standing(stored(**changes), REQUEST)
    assert (found.state, found.moved, found.usable) == ("unverifiable", (lacking,), False)
    assert f"holds no {lacking}" in found.line("n")


def test_a_missing_answer_is_missing():
    assert standing(None, REQUEST).line("n") == "no stored answer for n. Ask for it with --judge-live."


@pytest.mark.parametrize(
    ("outcome", "state"),
    [("error", "void"), ("host_stalled", "void"), ("timeout", "current"), ("refusal", "current")],
)
def test_only_what_measured_nothing_is_asked_again(outcome, state):
    reply = replace(REPLY, trace=replace(TRACE, outcome=outcome))
    assert standing(stored(reply=reply), REQUEST).state == state


def test_a_line_keeps_the_trace_as_it_is():
    line = encode(stored())
    assert line.isascii()
    assert '"policy_events": [{' in line
    assert '"tools": {"bash": 1, "read": 1}' in line
    assert decode(line) == stored()


def test_a_line_without_a_trace_is_what_it_always_was():
    judged = stored(reply=replace(REPLY, trace=None))
    assert "trace" not in encode(judged)
    assert decode(encode(judged)) == judged


@pytest.mark.parametrize("damage", ['"outcome": "fine"', '"outcome": []'])
def test_a_damaged_trace_is_refused(damage):
    line = encode(stored()).replace('"trace": {"outcome": "ok"', f'"trace": {{{damage}')
    with pytest.raises(Refused):
        decode(line)


def test_secrets_are_scrubbed_from_a_trace():
    told = replace(
        REPLY,
        trace=replace(
            TRACE,
            error="my-own-key failed",
            tool_calls=(ToolCall(tool="read", arguments="my-own-key"),),
            policy_events=(PolicyEvent(code="network", detail="my-own-key"),),
            facts={"x": "my-own-key"},
        ),
    )
    assert "my-own-key" not in encode(stored(reply=redact_reply(Redactor(["my-own-key"]), told)))


def test_an_answer_counts_tools_and_takes_its_time_from_its_attempts():
    answer = Answer.of(REPLY, grader=lambda answer, question: (answer.text, question))
    assert (answer.tool_calls, answer.outcome, answer.served) == ({"bash": 1, "read": 1}, "ok", "m")
    assert answer.wall_s == 3.5
    assert answer.grade("q") == ("In a.", "q")
    assert repr(answer) == "<answer ok>"


def test_an_answer_without_a_grader_says_so():
    with pytest.raises(Refused, match="without a grader"):
        Answer.of(REPLY).grade("q")


BLIND = replace(TRACE, arm="blind", corpus=EMPTY, policy_events=(), tool_calls=())


def test_a_probed_empty_sandbox_without_events_is_verified():
    assert blindness([BLIND, BLIND]) == (True, ())


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"corpus": "c0"}, "its sandbox was not empty"),
        ({"policy_events": TRACE.policy_events}, "policy event denied-tool"),
        (
            {"enforcement": Enforcement(mechanism="none", state="not enforced", reason="no bwrap")},
            "not enforced: no bwrap",
        ),
        ({"enforcement": replace(ENFORCED, checks=())}, "bubblewrap: not verified by a probe"),
        (
            {"enforcement": replace(ENFORCED, checks=(Check(name="x", held=False),))},
            "bubblewrap: not verified by a probe",
        ),
    ],
)
def test_one_answer_that_was_not_blind_unverifies_the_arm(changes, reason):
    assert blindness([BLIND, replace(BLIND, **changes)]) == (False, (reason,))


def test_an_arm_without_answers_is_not_verified():
    assert blindness([]) == (False, ("no answer of the blind arm",))


def test_what_else_to_know_is_named():
    hook = Enforcement(mechanism="audit hook", state="in process", network=True, checks=ENFORCED.checks)
    assert blindness([replace(BLIND, enforcement=hook)]) == (
        True,
        ("in process: an audit hook is no boundary", "the network was open, as declared"),
    )
