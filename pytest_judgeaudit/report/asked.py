"""One question as a person asks about it: its key, each agent's answers, and what judges said of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from pytest_judgeaudit.records.answers import StoredAnswer
from pytest_judgeaudit.records.questions import Fact, Question
from pytest_judgeaudit.report.details import attempt_text
from pytest_judgeaudit.report.lines import Line, line
from pytest_judgeaudit.report.task import quoted


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """
    One answer of an agent to a question in one arm, as stored; None where nothing is stored.

    ``judged`` maps ``JUDGE, rubric`` or ``JUDGE, checklist`` to what that judge said of it.
    """

    eval: str
    question: Question
    agent: str
    arm: str
    replicate: int
    name: str
    stored: StoredAnswer | None = None
    judged: Mapping[str, StoredAnswer] = field(default_factory=dict)


def render(shown: Sequence[Answered]) -> Iterator[Line]:
    """Yield what is stored of a question, eval by eval; no control character reaches a terminal."""
    for name, group in groupby(shown, key=lambda one: one.eval):
        answers = list(group)
        question = answers[0].question
        yield line(f"question {question.id} in {name}", bold=True)
        yield line(
            f"class {question.cls or 'none'}, grader {question.grader}, from {question.place or 'nowhere'}"
        )
        yield from quoted("prompt", question.prompt)
        for title, facts in (("fact", question.facts), ("forbidden", question.forbidden)):
            yield from (line(f"{title} {fact.id}: {_fact(fact)}") for fact in facts)
        for one in answers:
            yield from _answer(one)


def _fact(fact: Fact) -> str:
    needed = "" if fact.must else " (optional)"
    described = f"{fact.desc}: " if fact.desc else ""
    return f"{described}{fact.match.type} {' | '.join(fact.match.values)}{needed}"


def _answer(one: Answered) -> Iterator[Line]:
    yield line("")
    again = f", replicate {one.replicate}" if one.replicate > 1 else ""
    yield line(f"{one.agent or 'agent'}, {one.arm}{again}", bold=True)
    if one.stored is None:
        yield line(f"no stored answer for {one.name}", yellow=True)
        return
    yield from _reply(one.stored)
    for name, stored in one.judged.items():
        yield line(f"{name}:", bold=True)
        yield from _reply(stored)


def _reply(stored: StoredAnswer) -> Iterator[Line]:
    reply, trace = stored.reply, stored.reply.trace
    yield line(f"  served {reply.served or 'not stated'}, finish reason {reply.finish or 'not stated'}")
    for number, attempt in enumerate(reply.attempts, 1):
        yield line(f"  attempt {number}: {attempt_text(attempt)}")
    if trace is not None:
        yield line(f"  outcome {trace.outcome}")
        yield from (
            line(f"  tool {call.tool} {call.arguments}: {call.outcome}") for call in trace.tool_calls
        )
        yield from (line(f"  not allowed: {event.code} {event.detail}") for event in trace.policy_events)
    yield from quoted("answer", reply.text, indent="  ")
