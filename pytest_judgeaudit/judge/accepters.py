"""
Embedded judges of single answers: planted ones with a known fault, and one that runs the answer.

All of them write a text, which goes through the judge's declared parser like a model's.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pytest_judgeaudit.judge.acceptances import acceptance_of, find_ruler
from pytest_judgeaudit.records.errors import JudgeFault, Refused
from pytest_judgeaudit.records.labelled import LabelledAnswer
from pytest_judgeaudit.records.verdicts import Acceptance


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """What such a judge may look at. ``seed`` is the protocol's."""

    item: LabelledAnswer
    criterion: str
    seed: int


def _object(*, accept: bool) -> str:
    return json.dumps({"accept": accept})


def coin(call: Call) -> str:
    """Toss a coin: the same for the same call, another toss where the call is repeated."""
    item = call.item
    shown = [item.wording, item.prompt, item.answer, item.replicate]
    lot = json.dumps([call.seed, call.criterion, *shown]).encode("ascii")
    return _object(accept=bool(hashlib.sha256(lot).digest()[0] % 2))


def fenced(call: Call) -> str:
    """Accept whatever holds a text, and put the JSON object into a Markdown fence."""
    return f"```json\n{_object(accept=bool(call.item.answer.strip()))}\n```"


def program(call: Call) -> str:
    """
    Run the answer on every input of the declared domain; it is accepted if it is right on all of them.

    Nothing to run is rejected. Only code whose digest is in the certified battery is run; anything else is
    a fault, not a verdict.
    """
    # Imported here: the battery and its oracle are only needed by this judge.
    from pytest_judgeaudit.corpora.finite_code import correct_inputs  # noqa: PLC0415

    if not call.item.answer.strip():
        return _object(accept=False)
    try:
        right, of = correct_inputs(call.item.answer)
    except Refused as error:
        raise JudgeFault(f"judge program: {call.item.source or call.item.id}: {error}") from error
    return _object(accept=right == of)


ACCEPTERS: Mapping[str, Callable[[Call], str]] = {
    "program": program,
    "coin": coin,
    "fenced": fenced,
    "always-accept": lambda _: _object(accept=True),
    "always-reject": lambda _: _object(accept=False),
}
"""The model's name in the configuration → what it writes."""


def rule(model: str, item: LabelledAnswer, *, criterion: str, seed: int, parser: str) -> Acceptance:
    """
    Return the ruling of an embedded judge on one answer.

    JudgeFault for a judge that has none to give, Refused for a parser that does not read rulings.
    """
    if model not in ACCEPTERS:
        raise JudgeFault(
            f"{item.id}: the judge {model} does not accept or reject single answers. "
            "Use one that does, or deselect it with --judge"
        )
    raw = ACCEPTERS[model](Call(item=item, criterion=criterion, seed=seed))
    return acceptance_of(find_ruler(parser)(raw, "stop"), raw=raw, served=model)
