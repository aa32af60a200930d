"""One question as a person asks about it: its key, each agent's answers, and what judges said of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from pytest_judgeaudit.records.answers import StoredAnswer
from pytest_judgeaudit.records.grades import ChecklistVerdict, GradedRow
from pytest_judgeaudit.records.questions import Fact, Question
from pytest_judgeaudit.records.scores import DIMENSIONS, RubricScore
from pytest_judgeaudit.report.details import attempt_text
from pytest_judgeaudit.report.graded import findings_of
from pytest_judgeaudit.report.lines import Line, line
from pytest_judgeaudit.report.task import quoted


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """
    What a judge says of an answer: on a rubric, or on the question's checklist.

    ``stored`` is None for a judge that answers in the process, and ``said`` where nothing is known.
    """

    judge: str
    said: RubricScore | ChecklistVerdict | None = None
    stored: StoredAnswer | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """
    One answer of an agent to a question in one arm, as stored; None where nothing is stored.

    ``graded`` is that answer under the present key, ``problem`` why it has no grade or is one to another
    request; ``accepted`` the accepted grade: answer digest, score, state and the facts that were met.
    """

    eval: str
    question: Question
    agent: str
    arm: str
    replicate: int
    name: str
    stored: StoredAnswer | None = None
    graded: GradedRow | None = None
    problem: str | None = None
    accepted: str | None = None
    judged: Sequence[Judged] = ()


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
    if one.problem:
        yield line(f"  {one.problem}", yellow=True)
    if one.graded is not None:
        yield from _grade(one.graded)
    yield line(f"  accepted grade: {one.accepted or 'none'}")
    for judged in one.judged:
        yield from _judged(judged)


def _grade(row: GradedRow) -> Iterator[Line]:
    grade, asked = row.grade, row.question
    why = f": {grade.reason}" if grade.reason else ""
    if grade.score is None:
        yield line(f"  grade: none ({grade.state}){why}", yellow=True)
    else:
        yield line(f"  grade: {grade.score:.4g} of 1 ({grade.state}){why}")
    for fact in asked.facts:
        if fact.id in grade.per_fact:
            met = grade.per_fact[fact.id]
            needed = "" if fact.must else "optional "
            mark = {"yellow": True} if fact.must and not met else {}
            yield line(f"    {needed}fact {fact.id}: {'met' if met else 'not met'}", **mark)
    for fact in asked.forbidden:
        said = grade.forbidden_hit.get(fact.id)
        told = "not asserted" if said is None else f"asserted: {said}"
        yield line(f"    forbidden {fact.id}: {told}", **({} if said is None else {"yellow": True}))
    found = [*findings_of(row), *row.exposed, *([f"left out: {row.excluded}"] if row.excluded else [])]
    if found:
        yield line(f"  findings: {', '.join(found)}", yellow=True)


def _judged(one: Judged) -> Iterator[Line]:
    kind = {RubricScore: ", rubric", ChecklistVerdict: ", checklist"}.get(type(one.said), "")
    yield line(f"{one.judge}{kind}:", bold=True)
    if one.stored is not None:
        yield from _reply(one.stored)
    if isinstance(one.said, RubricScore):
        yield _score(one.said)
    elif one.said is not None:
        yield _verdict(one.said)
    else:
        yield line("  nothing is stored", yellow=True)


def _score(said: RubricScore) -> Line:
    parts = [f"{name} {value:g} of {DIMENSIONS[name]}" for name, value in (said.dimensions or {}).items()]
    total = "none" if said.total is None else f"{said.total:g} of 100 ({', '.join(parts)})"
    label = f", label {said.label}" if said.label else ""
    return _stated("score", f"{total}{label}{', a refusal' if said.refusal else ''}", said)


def _verdict(said: ChecklistVerdict) -> Line:
    facts = ", ".join(f"{name} {'met' if met else 'not met'}" for name, met in said.per_fact.items())
    score = "none" if said.score is None else f"{said.score:.4g} of 1"
    return _stated("verdict", f"{score}{f' ({facts})' if facts else ''}", said)


def _stated(what: str, text: str, said: RubricScore | ChecklistVerdict) -> Line:
    unread = isinstance(said, ChecklistVerdict) and said.replied and said.state == "pending"
    word = "no verdict in the reply" if unread else said.state
    state = "" if said.state == "ok" else f"; {word}: {said.reason or 'no reason was given'}"
    wrong = said.state not in {"ok", "not applicable"}
    return line(f"  {what}: {text}{state}", **({"yellow": True} if wrong else {}))


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
