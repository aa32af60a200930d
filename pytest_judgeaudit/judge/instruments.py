"""The instrument: one judge under one criterion, from a pair to a request and from a reply to a verdict."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_judgeaudit.judge import criteria
from pytest_judgeaudit.judge.contexts import in_context, shown_in
from pytest_judgeaudit.judge.fences import fence
from pytest_judgeaudit.judge.parsers import Parser, VerdictParser, verdict_of
from pytest_judgeaudit.judge.patterns import Pattern, find_parser, reply_instruction
from pytest_judgeaudit.judge.seeds import drawn_seed, draws
from pytest_judgeaudit.judge.templates import PromptTemplate, Template, load_template
from pytest_judgeaudit.records.answers import Reply
from pytest_judgeaudit.records.errors import Refused, addressed
from pytest_judgeaudit.records.items import Pair, short_digest
from pytest_judgeaudit.records.labelled import LabelledAnswer
from pytest_judgeaudit.records.requests import REPLY, Request
from pytest_judgeaudit.records.verdicts import Verdict

if TYPE_CHECKING:  # the settings bring pydantic, which reading a stored verdict does not need
    from pytest_judgeaudit.settings.models import Configuration, JudgeSettings


EVERY = "*"
"""The wording set of a criterion of one's own, which holds for every material."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """A criterion's text for one material, and the template with it and the reply instruction filled in."""

    criterion: str
    template: Template
    reply: str

    def ingredients(self) -> Mapping[str, str]:
        """Return the texts of a request that are the same for every task of this material."""
        told = {REPLY: self.reply} if self.reply else {}
        return {"criterion": self.criterion, "template": self.template.text, **told}


@dataclass(frozen=True, slots=True, kw_only=True)
class Instrument:
    """
    One judge × one criterion. Pure: no file is read and nothing is asked.

    ``digest`` covers the template's text and the parser, the part that regrades stored answers; it is
    kept apart from a request's fingerprint, which says whether an answer is stale. ``endpoint`` is the
    API and the host, without port and path, or ``python module:function``; ``decoder`` all that shapes
    the answer beside messages and model. ``wordings`` maps a pair's wording set, or EVERY, to the
    criterion's text and the prepared template.
    """

    judge: JudgeSettings
    criterion: str
    digest: str
    endpoint: str
    decoder: Mapping[str, Any]
    seed: int
    wordings: Mapping[str, Wording]
    parse: Parser

    def request(self, pair: Pair, *, replicate: int = 1) -> Request:
        """Return the call that asks for this presentation. Refused: a material without a wording."""
        wording = wording_of(self.wordings, pair, self.criterion)
        values = {
            "prompt": pair.prompt,
            "candidate_A": pair.slot_a,
            "candidate_B": pair.slot_b,
            "fence": fence(self.seed, pair),
        }
        messages = wording.template.render(values)
        # A pair outside of a context audit is asked for exactly as it always was.
        context = shown_in(pair) if pair.context else {}
        return Request(
            messages=in_context(messages, pair, values["fence"]) if context else messages,
            model=self.judge.requested,
            endpoint=self.endpoint,
            decoder=self._decoder(pair, replicate),
            order=pair.order,
            replicate=replicate,
            ingredients={
                **wording.ingredients(),
                "prompt": pair.prompt,
                "candidates": f"{pair.first}\x1f{pair.second}",
                **context,
            },
        )

    def _decoder(self, pair: Pair, replicate: int) -> Mapping[str, Any]:
        """Return the decoder; where a local model draws, with a seed of this call's own."""
        if self.judge.api != "local" or not draws(self.decoder):
            return self.decoder
        seed = drawn_seed(self.seed, self.judge.name, self.criterion, pair, replicate=replicate)
        return {**self.decoder, "seed": seed}

    def read(self, reply: Reply, pair: Pair) -> Verdict:
        """Read the verdict out of a reply to :meth:`request` of the same presentation."""
        return verdict_of(
            self.parse(reply.text, reply.finish),
            order=pair.order,
            raw=reply.text,
            served=reply.served,
            usage=reply.usage,
        )


def build_instrument(
    judge: JudgeSettings,
    criterion: str,
    *,
    configuration: Configuration,
    root: Path,
    parsers: Mapping[str, VerdictParser] | None = None,
    templates: Mapping[str, PromptTemplate] | None = None,
) -> Instrument:
    """
    Prepare a judge that is asked (over a wire format, or ``python``) under a criterion.

    ``parsers`` and ``templates`` are those of other plug-ins. A template file of the judge's own is looked
    for beside the configuration file, or in ``root`` when there is none. Refused, with the file and the
    judge: an unknown template, parser, criterion, or verdict pattern, and a template that cannot be used.
    """
    folder = Path(configuration.file).parent if configuration.file else root
    with addressed(f'judge "{judge.name}"'):
        template = load_template(judge.template, folder=folder, contributed=templates)
        parse = find_parser(judge.parser, verdict=judge.verdict, contributed=parsers)
        own_parser = (parsers or {}).get(judge.parser)
        wordings = worded(
            template,
            criterion,
            reply=(own_parser and own_parser.reply) or reply_instruction(judge.verdict),
            configuration=configuration,
            built_in=criteria.BUILT_IN,
        )
    return Instrument(
        judge=judge,
        criterion=criterion,
        digest=instrument_digest(template, parser=judge.versioned("parser"), verdict=judge.verdict),
        endpoint=endpoint_of(judge),
        decoder=judge.decoding,
        seed=configuration.audit.seed,
        wordings=wordings,
        parse=parse,
    )


def endpoint_of(judge: JudgeSettings) -> str:
    """Say where a judge answers: the API and the host, or the function, which has no host."""
    return f"python {judge.callable}" if judge.api == "python" else judge.endpoint


def worded(
    template: Template,
    criterion: str,
    *,
    reply: str,
    configuration: Configuration,
    built_in: Mapping[str, Mapping[str, str]],
) -> Mapping[str, Wording]:
    """Fill a template with a criterion's text for each material. Refused: an unknown criterion."""
    own = {entry.name: entry.text for entry in configuration.criteria}
    if criterion in own:
        texts = {EVERY: own[criterion]}
    else:
        known = built_in.get(criterion, ("text",))  # of an unknown one the first text is refused
        texts = {
            wording: criteria.criterion_text(criterion, wording, own, built_in=built_in)
            for wording in known
        }
    shown = reply if "reply" in template.holes else ""
    return {
        wording: Wording(
            criterion=text, template=template.filled({"criterion": text, "reply": reply}), reply=shown
        )
        for wording, text in texts.items()
    }


def wording_of(wordings: Mapping[str, Wording], shown: Pair | LabelledAnswer, criterion: str) -> Wording:
    """Return the wording for the material of what is shown. Refused: a material without one."""
    found = wordings.get(shown.wording) or wordings.get(EVERY)
    if found is None:
        raise Refused(
            f"{shown.source or shown.id}: the criterion {criterion} has no wording for "
            f'"{shown.wording}"; there are {", ".join(wordings)}. Write a [[criterion]] of your own for '
            "this material"
        )
    return found


def instrument_digest(template: Template, *, parser: str, verdict: Pattern | None) -> str:
    """Digest template, parser and verdict pattern: 16 hexadecimal digits."""
    pattern = verdict if verdict is None or isinstance(verdict, str) else dict(verdict)
    return short_digest(json.dumps([template.text, parser, pattern], sort_keys=True))
