"""What a judge says of an item's answer: a score on a rubric, or a verdict on its checklist."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Generic, TypeVar

from pytest_judgeaudit.corpora.grounding import grounding_text
from pytest_judgeaudit.judge.campaign import Campaign, Obtained, Place
from pytest_judgeaudit.judge.checklist_prompts import standing as checklist_standing
from pytest_judgeaudit.judge.checklist_replies import read_checklist
from pytest_judgeaudit.judge.rubric_prompts import rubric_standing
from pytest_judgeaudit.judge.rubric_replies import read_rubric
from pytest_judgeaudit.judge.scoring import Asking, Scoring, What
from pytest_judgeaudit.records.agents import Answer
from pytest_judgeaudit.records.answers import Reply, StoredAnswer
from pytest_judgeaudit.records.errors import JudgeAuditError, JudgeFault, StaleAnswer, Void
from pytest_judgeaudit.records.grades import ChecklistVerdict, GradedRow
from pytest_judgeaudit.records.grounding import Grounding
from pytest_judgeaudit.records.questions import Question
from pytest_judgeaudit.records.requests import Request
from pytest_judgeaudit.records.scores import RubricScore
from pytest_judgeaudit.records.trials import AnswerState, JudgeCall
from pytest_judgeaudit.session.trial import Slot, judged_name

if TYPE_CHECKING:
    from pytest_judgeaudit.settings.models import JudgeSettings

Said = TypeVar("Said", RubricScore, ChecklistVerdict)

EmbeddedScorer = Callable[[Question, str, str], RubricScore]
"""From question, answer and grounding to a score, in the process."""


class Scorers:
    """
    The judges of answers of this process.

    ``scorings`` are those that are recalled or asked, ``embedded`` those that answer in the process.
    ``grounding`` verifies the claims of an item's answer.
    """

    def __init__(
        self,
        *,
        scorings: Mapping[str, Scoring],
        embedded: Mapping[str, EmbeddedScorer],
        campaign: Campaign,
        grounding: Callable[[Slot], Grounding],
        state_of: Callable[[Void], AnswerState],
    ) -> None:
        self._scorings = scorings
        self._embedded = embedded
        self._campaign = campaign
        self._grounding = grounding
        self._state_of = state_of

    def score(self, slot: Slot, judge: JudgeSettings, question: Question, answer: Answer) -> RubricScore:
        """Score the item's answer on the rubric, once; what has no score says why."""
        row = _row(slot, question, answer, call="judge.score")
        if judge.name not in slot.heard.scores:
            slot.heard.scores[judge.name] = self._scored(slot, judge.name, row)
        return slot.heard.scores[judge.name]

    def stored(self, slot: Slot, judge: str, row: GradedRow) -> Reply | None:
        """Return what is stored of a judge about an item's answer and still stands, asking nothing."""
        if judge not in self._scorings or row.unjudged or not row.answer.strip():
            return None
        scoring = self._scorings[judge]
        report = self._grounded(slot, row)
        askings: Mapping[What, Asking] = {
            "rubric": scoring.on_rubric(row.question, row.answer, grounding=report),
            "checklist": scoring.on_checklist(row.question, row.answer),
        }
        for what, asking in askings.items():
            place = Place(module=slot.module, name=judged_name(slot.name, judge, what))
            found = self._campaign.stored(scoring, asking.request, place)
            if found is not None:
                return found
        return None

    def looked_up(
        self, slot: Slot, judge: str, row: GradedRow
    ) -> Iterator[tuple[RubricScore | ChecklistVerdict, StoredAnswer | None]]:
        """
        Yield what is known of a judge about an item's answer, with what is stored of it; asks nothing.

        A stored reply to another request is stale.
        """
        skipped = row.unjudged
        settled = rubric_standing(row.question, row.answer, None, judged_key=None)
        if skipped or settled.state != "pending":
            reason = skipped or settled.reason
            yield (RubricScore(state="not applicable", reason=reason) if skipped else settled), None
            return
        report = self._grounded(slot, row)
        if judge in self._embedded:
            yield self._embedded[judge](row.question, row.answer, report), None
            return
        scoring = self._scoring(judge)
        facts = [fact.id for fact in (*row.question.facts, *row.question.forbidden)]
        forms: Sequence[tuple[What, Asking, _Rubric | _Checklist]] = (
            ("rubric", scoring.on_rubric(row.question, row.answer, grounding=report), _Rubric()),
            ("checklist", scoring.on_checklist(row.question, row.answer), _Checklist(facts)),
        )
        for what, asking, form in forms:
            place = Place(module=slot.module, name=judged_name(slot.name, judge, what))
            stored = self._campaign.kept(scoring, asking.request, place)
            if stored is not None:
                yield _looked_at(form, stored, asking.request), stored

    def _scored(self, slot: Slot, judge: str, row: GradedRow) -> RubricScore:
        if row.unjudged:
            return RubricScore(state="not applicable", reason=row.unjudged)
        settled = rubric_standing(row.question, row.answer, None, judged_key=None)
        if settled.state != "pending":
            return settled
        report = self._grounded(slot, row)
        if judge in self._embedded:
            found = self._embedded[judge](row.question, row.answer, report)
            slot.heard.calls.append(
                JudgeCall(
                    judge=judge,
                    what="rubric",
                    answer="direct",
                    valid=found.state == "ok",
                    reason=found.reason,
                )
            )
            return found
        asking = self._scoring(judge).on_rubric(row.question, row.answer, grounding=report)
        _note_cut(slot, asking)
        return self._said(slot, judge, "rubric", asking, _Rubric())

    def _grounded(self, slot: Slot, row: GradedRow) -> str:
        """Return what was found of the answer's claims as a text; verified once, and kept in the row."""
        if row.grounding is None:
            row = slot.heard.row = replace(row, grounding=self._grounding(slot))
        return "" if row.grounding is None else grounding_text(row.grounding)

    def check(
        self, slot: Slot, judge: JudgeSettings, question: Question, answer: Answer
    ) -> ChecklistVerdict:
        """Check the item's answer against the checklist, once; what is no verdict says why."""
        row = _row(slot, question, answer, call="judge.check")
        if judge.name not in slot.heard.checks:
            slot.heard.checks[judge.name] = self._checked(slot, judge.name, row)
        return slot.heard.checks[judge.name]

    def _checked(self, slot: Slot, judge: str, row: GradedRow) -> ChecklistVerdict:
        if row.unjudged:
            return ChecklistVerdict(state="not applicable", reason=row.unjudged)
        settled = checklist_standing(row.question, row.answer, None, judged_key=None)
        if settled.state != "pending":
            return settled
        asking = self._scoring(judge).on_checklist(row.question, row.answer)
        _note_cut(slot, asking)
        facts = [fact.id for fact in (*row.question.facts, *row.question.forbidden)]
        return self._said(slot, judge, "checklist", asking, _Checklist(facts))

    def _scoring(self, judge: str) -> Scoring:
        if judge not in self._scorings:
            raise JudgeFault(
                f"{judge}: this judge does not judge answers. Ask one that is asked over an API."
            )
        return self._scorings[judge]

    def _said(self, slot: Slot, judge: str, what: What, asking: Asking, form: _Form[Said]) -> Said:
        """Recall or ask, and note the call; without a reply that stands, say why."""
        place = Place(module=slot.module, name=judged_name(slot.name, judge, what))
        scoring = self._scoring(judge)
        try:
            obtained = self._campaign.obtain(scoring, asking.request, place)
        except JudgeAuditError as error:
            return self._unsaid(slot, judge, what, error, form)
        except AssertionError as error:
            fault = JudgeFault(f"an assertion failed inside the judge: {error}")
            return self._unsaid(slot, judge, what, fault, form)
        said = form.read(obtained.reply)
        slot.heard.calls.append(_call(judge, what, obtained, valid=form.valid(said), reason=said.reason))
        return said

    def _unsaid(
        self, slot: Slot, judge: str, what: What, error: JudgeAuditError, form: _Form[Said]
    ) -> Said:
        slot.heard.late.append(f"{judge}: {error}")
        state = self._state_of(error) if isinstance(error, Void) else "failed"
        slot.heard.calls.append(JudgeCall(judge=judge, what=what, answer=state, reason=str(error)[:300]))
        stored = error.stored if isinstance(error, StaleAnswer) else None
        if isinstance(stored, StoredAnswer):
            return form.stale(form.read(stored.reply), str(error))
        return form.pending(str(error))


class _Form(Generic[Said]):
    """How one kind of reply is read, and what stands where there is none."""

    def read(self, reply: Reply) -> Said:
        raise NotImplementedError

    def valid(self, said: Said) -> bool:
        return said.state == "ok"

    def stale(self, said: Said, reason: str) -> Said:
        return replace(said, state="stale", reason=reason)

    def pending(self, reason: str) -> Said:
        raise NotImplementedError


class _Rubric(_Form[RubricScore]):
    def read(self, reply: Reply) -> RubricScore:
        found = read_rubric(reply.text, reply.finish)
        return replace(found, raw=reply.text, served=reply.served, usage=reply.usage)

    def pending(self, reason: str) -> RubricScore:
        return RubricScore(state="pending", reason=reason)


class _Checklist(_Form[ChecklistVerdict]):
    def __init__(self, facts: list[str]) -> None:
        self._facts = facts

    def read(self, reply: Reply) -> ChecklistVerdict:
        found = read_checklist(reply.text, reply.finish, facts=self._facts)
        return replace(found, served=reply.served, replied=True)

    def pending(self, reason: str) -> ChecklistVerdict:
        return ChecklistVerdict(state="pending", reason=reason)


def _looked_at(
    form: _Rubric | _Checklist, stored: StoredAnswer, request: Request
) -> RubricScore | ChecklistVerdict:
    said = form.read(stored.reply)
    if stored.fingerprint == request.fingerprint():
        return said
    moved = ", ".join(request.moved(stored.parts)) or "the request"
    return replace(said, state="stale", reason=f"{moved} moved")


def _row(slot: Slot, question: Question, answer: Answer, *, call: str) -> GradedRow:
    """Return what was made of the item's answer; JudgeFault where the call is about another one."""
    if slot.asked is None or slot.heard.row is None:
        raise JudgeFault(f"{call} needs the answer of the item's agent. Call agent.answer first.")
    if question is not slot.asked.question and question != slot.asked.question:
        raise JudgeFault(f"{call} was given another question than the item's. Pass `question` itself.")
    if answer is not slot.heard.answer and answer != slot.heard.answer:
        raise JudgeFault(f"{call} was given another answer than the item's. Pass it as it is.")
    return slot.heard.row


def _note_cut(slot: Slot, asking: Asking) -> None:
    """Note in the item's row that a judge sees a part of the answer only."""
    if asking.truncated and slot.heard.row is not None:
        slot.heard.row = replace(slot.heard.row, truncated=True)


def _call(judge: str, what: What, obtained: Obtained, *, valid: bool, reason: str) -> JudgeCall:
    reply, usage = obtained.reply, obtained.reply.usage
    return JudgeCall(
        judge=judge,
        what=what,
        answer=obtained.state,
        valid=valid,
        reason=reason[:300] or None,
        served=reply.served,
        attempts=len(reply.attempts),
        prompt_tokens=usage.prompt if usage else None,
        completion_tokens=usage.completion if usage else None,
        asked_at=reply.attempts[0].started if reply.attempts else None,
        unkept=obtained.unkept,
    )
