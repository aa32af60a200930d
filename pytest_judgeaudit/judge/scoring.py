"""A judge of answers: from a question and an answer to a request, on a rubric or on a checklist."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pytest_judgeaudit.judge.checklist_prompts import VERSION, checklist_prompt
from pytest_judgeaudit.judge.instruments import endpoint_of
from pytest_judgeaudit.judge.rubric_prompts import load_rubric, rubric_prompt
from pytest_judgeaudit.judge.templates import PromptTemplate, Template
from pytest_judgeaudit.records.errors import addressed
from pytest_judgeaudit.records.items import short_digest
from pytest_judgeaudit.records.questions import Question
from pytest_judgeaudit.records.requests import Message, Request

if TYPE_CHECKING:  # the settings bring pydantic, which reading a stored score does not need
    from pytest_judgeaudit.settings.models import Configuration, JudgeSettings

What = Literal["rubric", "checklist"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """What a judge is asked about an answer, and whether it sees a part of the answer only."""

    request: Request
    truncated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Scoring:
    """
    One judge of answers. Pure: no file is read and nothing is asked.

    ``endpoint`` and ``decoder`` are as for pairs; ``seed`` is the protocol's; ``rubric`` the prepared text.
    """

    judge: JudgeSettings
    endpoint: str
    decoder: Mapping[str, Any]
    seed: int
    rubric: Template

    @property
    def digest(self) -> str:
        """The digest of what reads a reply; the texts are part of a request."""
        return short_digest("rubric/1 checklist/1")

    def on_rubric(self, question: Question, answer: str, *, grounding: str = "") -> Asking:
        """Ask for a score on the rubric; ``grounding`` is what was found of the answer's claims."""
        prompt = rubric_prompt(question, answer, seed=self.seed, version=self.rubric, grounding=grounding)
        parts = {"template": self.rubric.text, "grounding": grounding}
        return self._asking(question, answer, prompt.messages, parts, truncated=prompt.truncated)

    def on_checklist(self, question: Question, answer: str) -> Asking:
        """Ask for a verdict on the checklist."""
        prompt = checklist_prompt(question, answer, seed=self.seed)
        return self._asking(
            question, answer, prompt.messages, {"template": VERSION}, truncated=prompt.truncated
        )

    def _asking(
        self,
        question: Question,
        answer: str,
        messages: tuple[Message, ...],
        parts: Mapping[str, str],
        *,
        truncated: bool,
    ) -> Asking:
        request = Request(
            messages=messages,
            model=self.judge.requested,
            endpoint=self.endpoint,
            decoder=self.decoder,
            order="",
            ingredients={
                "prompt": question.prompt,
                "key": question.key_digest(),
                "answer": answer,
                **parts,
            },
        )
        return Asking(request=request, truncated=truncated)


def build_scoring(
    judge: JudgeSettings,
    *,
    configuration: Configuration,
    root: Path,
    templates: Mapping[str, PromptTemplate] | None = None,
) -> Scoring:
    """
    Prepare a judge for answers.

    ``templates`` are those of other plug-ins. A rubric of the judge's own is looked for beside the
    configuration file, or in ``root`` when there is none. Refused, with the judge: a rubric that is not
    known or cannot be used.
    """
    folder = Path(configuration.file).parent if configuration.file else root
    with addressed(f'judge "{judge.name}"'):
        rubric = load_rubric(judge.rubric, folder=folder, contributed=templates)
    return Scoring(
        judge=judge,
        endpoint=endpoint_of(judge),
        decoder=judge.decoding,
        seed=configuration.audit.seed,
        rubric=rubric,
    )
