"""
Judges that ship with the package: planted ones with a known fault, and one that runs the candidates.

All of them write a text, which goes through the judge's declared parser like a model's. Their identity
holds by construction: what is served is what was requested.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_judgeaudit.judge.accepters import rule
from pytest_judgeaudit.judge.direct import Decision
from pytest_judgeaudit.judge.parsers import PARSERS, Parser, VerdictParser, verdict_of
from pytest_judgeaudit.judge.patterns import find_parser
from pytest_judgeaudit.records.errors import JudgeFault, Refused, nearest
from pytest_judgeaudit.records.items import Pair
from pytest_judgeaudit.records.labelled import LabelledAnswer
from pytest_judgeaudit.records.verdicts import Slot

if TYPE_CHECKING:  # pydantic is not needed to decide
    from pytest_judgeaudit.settings.models import JudgeSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """What an embedded judge may look at. ``seed`` is the protocol's."""

    pair: Pair
    criterion: str
    replicate: int
    seed: int


Writer = Callable[[Call], str]


def _object(slot: Slot) -> str:
    return f'{{"winner": "{slot}"}}'


def coin(call: Call) -> str:
    """Toss a coin for the slot: the same for the same call, another toss in the other order."""
    pair = call.pair
    shown = [pair.wording, pair.prompt, pair.slot_a, pair.slot_b, pair.order]
    lot = json.dumps([call.seed, call.criterion, call.replicate, *shown]).encode("ascii")
    return _object("A" if hashlib.sha256(lot).digest()[0] % 2 else "B")


def longest(call: Call) -> str:
    """Prefer the candidate with more characters; tie when they have equally many."""
    return _object(_more(len(call.pair.slot_a), len(call.pair.slot_b)))


def fenced(call: Call) -> str:
    """Judge as ``longest`` does, and put the JSON object into a Markdown fence."""
    return f"```json\n{longest(call)}\n```"


def program(call: Call) -> str:
    """
    Run both candidates on every input of the declared domain; more correct results win (METHODS 3).

    Only code whose digest is in the certified battery is run; anything else is a fault, not a verdict.
    """
    # Imported here: the battery and its oracle are only needed by this judge.
    from pytest_judgeaudit.corpora.finite_code import correct_inputs  # noqa: PLC0415

    try:
        (a, _), (b, _) = correct_inputs(call.pair.slot_a), correct_inputs(call.pair.slot_b)
    except Refused as error:
        where = call.pair.source or call.pair.id
        raise JudgeFault(f"judge program: {where}: {error}") from error
    return _object(_more(a, b))


def _more(a: int, b: int) -> Slot:
    return "tie" if a == b else "A" if a > b else "B"


def _single(does: str) -> Writer:
    """Refuse to compare: such a judge is about single answers."""

    def refuse(call: Call) -> str:
        raise JudgeFault(
            f"{call.pair.id}: this judge {does}; it does not compare pairs. "
            "Use a judge that compares, or deselect it with --judge"
        )

    return refuse


SCORES, ACCEPTS = _single("scores answers"), _single("accepts or rejects answers")

WRITERS: Mapping[str, Writer] = {
    "program": program,
    "first-slot": lambda _: _object("A"),
    "second-slot": lambda _: _object("B"),
    "coin": coin,
    "always-tie": lambda _: _object("tie"),
    "longest": longest,
    "fenced": fenced,
    "always-accept": ACCEPTS,
    "always-reject": ACCEPTS,
    "constant-score": SCORES,
    "prose": SCORES,
    "evidence": SCORES,
}
"""The model's name in the configuration → what it writes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddedJudge:
    """One of :data:`WRITERS`, or of those that rule on single answers, behind a parser."""

    model: str
    write: Writer
    parse: Parser
    seed: int
    parser: str = "strict"

    def decide(self, pair: Pair, *, criterion: str, replicate: int = 1) -> Decision:
        """Write a verdict and read it back. Raises JudgeFault where there is none to give."""
        raw = self.write(Call(pair=pair, criterion=criterion, replicate=replicate, seed=self.seed))
        reading = self.parse(raw, "stop")
        return Decision(verdict=verdict_of(reading, order=pair.order, raw=raw, served=self.model))

    def rule(self, item: LabelledAnswer, *, criterion: str) -> Decision:
        """Write a ruling on one answer and read it back; otherwise as :meth:`decide`."""
        said = rule(self.model, item, criterion=criterion, seed=self.seed, parser=self.parser)
        return Decision(verdict=said)


def build_embedded(
    judge: JudgeSettings, *, seed: int, parsers: Mapping[str, VerdictParser] | None = None
) -> EmbeddedJudge:
    """
    Return the embedded judge that a ``[[judge]]`` table names with ``model``.

    ``seed`` is the protocol's, ``parsers`` are those of other plug-ins. Refused: an unknown model or
    parser, and a verdict pattern (these judges write JSON).
    """
    model = judge.model
    if model not in WRITERS:
        raise Refused(
            f'judge "{judge.name}": no embedded judge is called "{model}"; model is one of '
            f"{', '.join(WRITERS)}.{nearest(model, WRITERS)}"
        )
    own = next((name for name in ("verdict", "acceptance") if getattr(judge, name) is not None), None)
    if own is not None:
        raise Refused(
            f'judge "{judge.name}": an embedded judge writes JSON; remove {own}, parser is one of '
            f"{', '.join((*PARSERS, *(parsers or ())))}"
        )
    parse = find_parser(judge.parser, contributed=parsers)
    return EmbeddedJudge(model=model, write=WRITERS[model], parse=parse, seed=seed, parser=judge.parser)
