"""The instrument for single answers: one judge under one criterion, from an answer to its ruling."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_judgeaudit.judge import criteria
from pytest_judgeaudit.judge.acceptances import Ruler, acceptance_of, find_ruler, ruling_instruction
from pytest_judgeaudit.judge.fences import fence_around
from pytest_judgeaudit.judge.instruments import Wording, endpoint_of, instrument_digest, worded, wording_of
from pytest_judgeaudit.judge.seeds import drawn_for_answer, draws
from pytest_judgeaudit.judge.templates import POINTWISE, load_template
from pytest_judgeaudit.records.answers import Reply
from pytest_judgeaudit.records.errors import addressed
from pytest_judgeaudit.records.labelled import LabelledAnswer
from pytest_judgeaudit.records.requests import Request
from pytest_judgeaudit.records.verdicts import Acceptance

if TYPE_CHECKING:  # the settings bring pydantic, which reading a stored ruling does not need
    from pytest_judgeaudit.settings.models import Configuration, JudgeSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class Pointwise:
    """
    One judge × one criterion, for single answers. Pure: no file is read and nothing is asked.

    All fields are as of an :class:`~pytest_judgeaudit.judge.instruments.Instrument`.
    """

    judge: JudgeSettings
    criterion: str
    digest: str
    endpoint: str
    decoder: Mapping[str, Any]
    seed: int
    wordings: Mapping[str, Wording]
    parse: Ruler

    def request(self, item: LabelledAnswer) -> Request:
        """
        Return the call that asks for this answer. Refused: a material without a wording.

        A repeated call differs from the first one in its replicate and in nothing that a model sees.
        """
        wording = wording_of(self.wordings, item, self.criterion)
        values = {
            "prompt": item.prompt,
            "answer": item.answer,
            "fence": fence_around(self.seed, item.prompt, item.answer),
        }
        return Request(
            messages=wording.template.render(values),
            model=self.judge.requested,
            endpoint=self.endpoint,
            decoder=self._decoder(item),
            replicate=item.replicate,
            ingredients={
                **wording.ingredients(),
                "prompt": item.prompt,
                "answer": item.answer,
            },
        )

    def _decoder(self, item: LabelledAnswer) -> Mapping[str, Any]:
        """Return the decoder; where a local model draws, with a seed of this call's own."""
        if self.judge.api != "local" or not draws(self.decoder):
            return self.decoder
        drawn = drawn_for_answer(self.seed, self.judge.name, self.criterion, item)
        return {**self.decoder, "seed": drawn}

    def read(self, reply: Reply) -> Acceptance:
        """Read the ruling out of a reply to :meth:`request`."""
        read = self.parse(reply.text, reply.finish)
        return acceptance_of(read, raw=reply.text, served=reply.served, usage=reply.usage)


def build_pointwise(
    judge: JudgeSettings, criterion: str, *, configuration: Configuration, root: Path
) -> Pointwise:
    """
    Prepare a judge that is asked to accept or reject single answers under a criterion.

    A template file of the judge's own is looked for beside the configuration file, or in ``root`` when
    there is none. Refused, with the file and the judge: an unknown template, parser or criterion, words
    that cannot be told apart, and a template that cannot be used.
    """
    folder = Path(configuration.file).parent if configuration.file else root
    with addressed(f'judge "{judge.name}"'):
        template = load_template(judge.pointwise, folder=folder, form=POINTWISE)
        parse = find_ruler(judge.parser, words=judge.acceptance)
        wordings = worded(
            template,
            criterion,
            reply=ruling_instruction(judge.acceptance),
            configuration=configuration,
            built_in=criteria.POINTWISE,
        )
    return Pointwise(
        judge=judge,
        criterion=criterion,
        digest=instrument_digest(template, parser=judge.parser, verdict=judge.acceptance),
        endpoint=endpoint_of(judge),
        decoder=judge.decoding,
        seed=configuration.audit.seed,
        wordings=wordings,
        parse=parse,
    )
