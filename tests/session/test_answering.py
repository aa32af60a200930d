"""The agent that a test holds: one answer an item, graded at once, no observation where it is void."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from pytest_judgeaudit.agent.blindness import EMPTY
from pytest_judgeaudit.grade.guarding import Guard
from pytest_judgeaudit.judge.campaign import Obtained
from pytest_judgeaudit.records.agents import AgentRequest, Answer
from pytest_judgeaudit.records.answers import Attempt, Reply, StoredAnswer
from pytest_judgeaudit.records.errors import JudgeFault, MissingAnswer, StaleAnswer, Void
from pytest_judgeaudit.records.questions import Fact, Match, Question
from pytest_judgeaudit.records.traces import Check, Enforcement, PolicyEvent, ToolCall, Trace
from pytest_judgeaudit.session.answering import Desk, ItemAgent
from pytest_judgeaudit.session.grading import graded
from pytest_judgeaudit.session.trial import Asked, Hearing, Slot

FACT = Fact(id="f1", match=Match(type="literal", values=("daily_rate",)), must=True)
QUESTION = Question(id="q1", prompt="Where?", facts=(FACT,))
BOX = SimpleNamespace(digest="d", arm="sighted")
KEPT = Enforcement(mechanism="tool surface", state="enforced", checks=(Check(name="c", held=True),))


def reply(text="It is daily_rate.", *, ended="ok", served="m-5", tools=(), events=(), arm="sighted"):
    trace = Trace(
        outcome=ended,
        arm=arm,
        corpus=EMPTY if arm == "blind" else "d",
        enforcement=KEPT,
        tool_calls=tuple(ToolCall(tool=name) for name in tools),
        policy_events=tuple(events),
        error=None if ended == "ok" else "what went wrong",
    )
    attempt = Attempt(started=5.0, ended=6.0, outcome="answered")
    return Reply(text=text, served=served, attempts=(attempt,), trace=trace)


class Campaign:
    """Brings one reply, or raises, and notes the calls."""

    def __init__(self, said):
        self.said = said
        self.calls = []

    def bring(self, call, place):
        self.calls.append((call, place))
        if isinstance(self.said, Exception):
            raise self.said
        return Obtained(reply=self.said, state="asked", unkept="disk full")

    def recalled(self, call, place):
        self.calls.append((call, place))
        return self.said


class Crew:
    """One agent of kind ``tools`` whose model is ``m-5``."""

    def __init__(self, **changes):
        known = {"kind": "tools", "family": "m", "requested": "m-5", "trace": None}
        self.own = SimpleNamespace(**{**known, **changes})

    def settings(self, _):
        return self.own

    def agent(self, _):
        def request(prompt, sandbox, *, replicate):
            return AgentRequest(
                prompt=prompt,
                corpus=sandbox.digest,
                arm=sandbox.arm,
                tools=(),
                model="m-5",
                endpoint="e",
                replicate=replicate,
            )

        return SimpleNamespace(request=request, answer=lambda *_: reply())


def asked(question=QUESTION, arm="sighted", **changes):
    known = {"replicate": 1, "agent": "reader", "corpus": "code", "guard": Guard(files=("q.toml",))}
    return Asked(question=question, arm=arm, **{**known, **changes})


def seated(said=None, *, question=QUESTION, arm="sighted", **crew):
    desk = Desk(
        crew=Crew(**crew),
        workspaces=SimpleNamespace(sandbox=lambda *_: BOX),
        campaign=Campaign(reply() if said is None else said),
        same_model=str.__eq__,
    )
    one = asked(question, arm)
    slot = Slot(
        cell="c",
        module="evals/test_a.py",
        test="test_x",
        arm=arm,
        task=question.id,
        asked=one,
        hearing=Hearing(),
    )
    return ItemAgent(one, slot, desk), slot, desk


def test_an_answer_is_graded_and_noted_in_the_slot():
    agent, slot, _ = seated(reply(tools=["read", "read"]))
    answer = agent.answer(QUESTION, BOX)
    assert (answer.text, answer.served, answer.tool_calls) == ("It is daily_rate.", "m-5", {"read": 2})
    assert answer.grade(QUESTION).score == 1.0
    assert (slot.answer, slot.asked_at, slot.attempts, slot.unkept) == ("asked", 5.0, 1, "disk full")
    assert (slot.heard.row.tool_calls, slot.heard.row.outcome, slot.heard.late) == (2, "ok", [])


def test_asked_again_the_same_answer_comes_back():
    agent, _, desk = seated()
    assert agent.answer(QUESTION, BOX) is agent.answer(QUESTION, BOX)
    ((_, place),) = desk._campaign.calls
    assert (place.module, place.name) == ("evals/test_a.py", "test_x-reader-q1-sighted-1")


@pytest.mark.parametrize("error", [MissingAnswer("none stored"), JudgeFault("it raised")])
def test_what_brings_no_answer_is_void_each_time(error):
    agent, slot, _ = seated(error)
    for _ in range(2):
        with pytest.raises(Void, match=str(error)):
            agent.answer(QUESTION, BOX)
    assert (slot.problem, slot.heard.answer, slot.heard.row) == (str(error), None, None)


def test_an_assertion_inside_an_agent_is_no_observation():
    agent, _, _ = seated(AssertionError("mine"))
    with pytest.raises(JudgeFault, match="an assertion failed inside the agent: mine"):
        agent.answer(QUESTION, BOX)


@pytest.mark.parametrize(
    ("question", "box", "what"),
    [
        (Question(id="other", prompt="?"), BOX, "another question"),
        (QUESTION, SimpleNamespace(), "another sandbox"),
    ],
)
def test_only_the_items_own_question_is_asked_in_its_own_sandbox(question, box, what):
    agent, _, desk = seated()
    with pytest.raises(JudgeFault, match=what):
        agent.answer(question, box)
    assert desk._campaign.calls == []


@pytest.mark.parametrize("ended", ["error", "host_stalled", "unavailable"])
def test_what_measured_nothing_is_void_and_keeps_its_row(ended):
    agent, slot, _ = seated(reply("", ended=ended))
    with pytest.raises(JudgeFault, match=rf"measured nothing \({ended}\): what went wrong"):
        agent.answer(QUESTION, BOX)
    assert (slot.heard.row.outcome, slot.heard.row.grade.score, slot.heard.row.grade.state) == (
        ended,
        None,
        "unanswered",
    )


def test_a_time_out_counts_against_the_agent():
    agent, slot, _ = seated(reply("", ended="timeout"))
    assert agent.answer(QUESTION, BOX).grade(QUESTION).score == 0.0
    assert (slot.heard.row.outcome, slot.heard.late) == ("timeout", [])


def test_a_refusal_scores_nothing_and_is_no_low_score():
    agent, slot, _ = seated(reply("I'm sorry, but I can't help with that request."))
    found = agent.answer(QUESTION, BOX).grade(QUESTION)
    assert (found.score, found.state) == (0.0, "refusal")
    assert (slot.heard.row.outcome, slot.heard.row.grade.score) == ("refusal", None)


def test_a_contaminated_answer_fails_its_item_and_its_score_is_void():
    agent, slot, _ = seated(reply("It is daily_rate, as the answer key in q.toml says."))
    found = agent.answer(QUESTION, BOX).grade(QUESTION)
    assert (found.state, found.score_if_clean, found.per_fact) == ("contaminated", 1.0, {"f1": True})
    with pytest.raises(JudgeFault, match=r"the grade is void \(contaminated\)"):
        _ = found.score
    assert [line.startswith("reader: contaminated") for line in slot.heard.late] == [True]


def test_a_grade_is_of_the_items_own_answer_and_question():
    agent, _, _ = seated()
    answer = agent.answer(QUESTION, BOX)
    with pytest.raises(JudgeFault, match="another question or answer"):
        answer.grade(Question(id="other", prompt="?"))


@pytest.mark.parametrize(
    ("crew", "tools", "calls"),
    [
        ({}, [], 0),
        ({"kind": "python"}, [], None),
        ({"kind": "python"}, ["read"], 1),
        ({"kind": "command", "trace": "claude-stream"}, [], 0),
    ],
)
def test_no_tool_call_is_counted_where_nothing_tells_of_them(crew, tools, calls):
    agent, slot, _ = seated(reply(tools=tools), **crew)
    agent.answer(QUESTION, BOX)
    assert slot.heard.row.tool_calls == calls


@pytest.mark.parametrize(
    ("changes", "exposed"),
    [
        ({}, False),
        ({"events": [PolicyEvent(code="denied-tool", detail="read")]}, True),
    ],
)
def test_a_blind_answer_says_what_it_tried(changes, exposed):
    answer = Answer.of(reply(arm="blind", **changes))
    row = graded(asked(arm="blind"), answer, traced=True)
    assert bool(row.exposed) is exposed
    assert graded(asked(), Answer.of(reply(**changes)), traced=True).exposed == ()


def stored(call, **changes):
    known = {
        "name": "n",
        "fingerprint": call.fingerprint,
        "parts": call.parts(),
        "instrument": "",
        "reply": reply(),
    }
    return StoredAnswer(**{**known, **changes})


@pytest.mark.parametrize(
    ("changes", "refused", "kept"),
    [
        ({}, None, True),
        ({"fingerprint": "0" * 64, "parts": {"prompt": "0"}}, StaleAnswer, False),
        ({"fingerprint": ""}, StaleAnswer, False),
        ({"reply": reply("", ended="host_stalled")}, None, False),
        ({"reply": reply("", ended="error")}, None, False),
        ({"reply": reply("", ended="timeout")}, None, True),
        ({"reply": reply(served="m-6")}, None, False),
    ],
)
def test_what_a_replay_may_use_and_what_a_live_run_keeps(changes, refused, kept):
    _, slot, desk = seated()
    call = desk.call(slot.asked)
    found = stored(call, **changes)
    error = call.refusal(found, "n")
    assert (None if error is None else type(error)) == refused
    assert call.keeps(found) is kept


def test_what_is_not_stored_is_missing():
    _, slot, desk = seated()
    assert isinstance(desk.call(slot.asked).refusal(None, "n"), MissingAnswer)


@pytest.mark.parametrize(("served", "other"), [("m-5", False), (None, False), ("m-6", True)])
def test_another_model_is_told(served, other):
    _, slot, desk = seated()
    assert (desk.call(slot.asked).substituted(served) is not None) is other
