"""One task as a person asks about it: what was shown, in both orders, what came back, how it is graded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from pytest_judgeaudit.records.answers import StoredAnswer
from pytest_judgeaudit.records.items import Pair
from pytest_judgeaudit.records.labelled import Control, LabelledAnswer
from pytest_judgeaudit.records.requests import Request
from pytest_judgeaudit.records.verdicts import Acceptance, Verdict
from pytest_judgeaudit.report.details import attempt_text, block
from pytest_judgeaudit.report.lines import Line, line

LONGEST = 20_000
"""The most characters of one text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Presented:
    """
    One presentation of a task to one judge under one criterion.

    ``request`` and ``stored`` are None for a judge that answers in the process. ``fresh`` tells whether the
    stored answer is one to this very request; ``problem`` says why there is no verdict. ``accepted`` is the
    accepted grade: answer digest, verdict and outcome.
    """

    eval: str
    judge: str
    criterion: str
    arm: str
    replicate: int
    shown: Pair | LabelledAnswer
    request: Request | None = None
    stored: StoredAnswer | None = None
    fresh: bool = False
    verdict: Verdict | Acceptance | None = None
    problem: str | None = None
    accepted: str | None = None


def render(shown: Sequence[Presented]) -> Iterator[Line]:
    """
    Yield what is known of a task, eval by eval and judge by judge, both orders of each.

    All text of models and files is escaped: no control character reaches a terminal.
    """
    for name, group in groupby(shown, key=lambda one: one.eval):
        cells = list(group)
        first = cells[0].shown
        yield line(f"task {first.id} in {name}", bold=True)
        yield from _answered(first) if isinstance(first, LabelledAnswer) else _paired(first)
        for seat, orders in groupby(cells, key=lambda one: (one.judge, one.criterion)):
            yield from _seat(seat, list(orders))


def _paired(pair: Pair) -> Iterator[Line]:
    yield line(
        f"{pair.kind} pair, target {pair.target}, subset {pair.subset}, from {pair.source or 'nowhere'}"
    )
    yield from quoted("prompt", pair.prompt)
    yield from quoted("first", pair.first)
    if pair.second == pair.first:
        yield line("second: an exact copy of the first")
    else:
        yield from quoted("second", pair.second)


def _answered(item: LabelledAnswer) -> Iterator[Line]:
    yield line(f"{item.label} answer, subset {item.subset}, from {item.source or 'nowhere'}")
    yield from quoted("prompt", item.prompt)
    yield from quoted("text", item.answer)


def _seat(seat: tuple[str, str], orders: Sequence[Presented]) -> Iterator[Line]:
    yield line("")
    yield line(f"{seat[0]}, criterion {seat[1]}", bold=True)
    request = orders[0].request
    if request is None:
        yield line("answers in the process: nothing is asked or stored")
    else:
        decoder = (
            ", ".join(f"{name} = {value}" for name, value in request.decoder.items())
            or "as the service likes"
        )
        yield line(f"asks for {request.model} at {request.endpoint}; {decoder}")
        yield from quoted("criterion", request.ingredients.get("criterion", ""))
        yield line("digests: " + ", ".join(f"{name} {digest}" for name, digest in request.parts().items()))
    first = next((one for one in orders if getattr(one.shown, "control", None) == ""), None)
    for one in orders:
        yield from _order(one, first)


def _order(one: Presented, first: Presented | None) -> Iterator[Line]:
    yield line(_how(one), bold=True)
    if one.request is not None:
        yield line(f"  fingerprint {one.request.fingerprint()}")
    yield from _answer(one)
    if one.verdict is not None:
        said, (wanted, fits) = _said(one.verdict), _wish(one, first)
        reason = f" ({one.verdict.reason})" if one.verdict.reason else ""
        slot = getattr(one.verdict, "slot", None)
        where = "" if slot is None else f", slot {slot}"
        yield line(
            f"  verdict: {said}{where}{reason}; {fits}", **({} if said == wanted else {"yellow": True})
        )
    if one.problem:
        yield line(f"  no verdict: {one.problem}", yellow=True)
    yield line(f"  accepted grade: {one.accepted or 'none'}")


def _how(one: Presented) -> str:
    """Say how what is judged is shown."""
    if isinstance(one.shown, LabelledAnswer):
        return _CONTROLS[one.shown.control]
    first, second = ("first", "second") if one.shown.order == "AB" else ("second", "first")
    again = f", replicate {one.replicate}" if one.replicate > 1 else ""
    third = f", third candidate {one.shown.context}" if one.shown.context else ""
    return f"order {one.shown.order}{again}: A is the {first}, B the {second}{third}"


_CONTROLS: Mapping[Control, str] = {
    "": "the answer itself",
    "blank": "control blank: an empty answer to this prompt",
    "whitespace": "control whitespace: an answer of white space to this prompt",
    "repeated": "control repeated: the very same request once more, counted against the first verdict",
}


def _said(verdict: Verdict | Acceptance) -> str:
    return verdict.ruling if isinstance(verdict, Acceptance) else verdict.winner


def _wish(one: Presented, first: Presented | None) -> tuple[str | None, str]:
    """Return what a verdict is counted against, and how the two compare in words."""
    said = None if one.verdict is None else _said(one.verdict)
    if getattr(one.shown, "control", None) != "repeated":
        wanted = _wanted(one.shown)
        return wanted, "as the arm wants" if said == wanted else f"the arm wants {wanted}"
    if first is None or first.verdict is None or not first.verdict.valid:
        return None, "the first call has no verdict to compare it with"
    before = _said(first.verdict)
    return before, "as the first call said" if said == before else f"the first call said {before}"


def _wanted(shown: Pair | LabelledAnswer) -> str:
    if isinstance(shown, LabelledAnswer):
        return "accept" if shown.good else "reject"
    return "tie" if shown.kind in {"clone", "equivalent"} else shown.target


def _answer(one: Presented) -> Iterator[Line]:
    stored = one.stored
    if stored is None:
        if one.verdict is not None:
            yield from quoted("answer", one.verdict.raw, indent="  ")
        return
    reply = stored.reply
    if not one.fresh:
        moved = one.request.moved(stored.parts) if one.request else []
        yield line(
            f"  stale, an answer to another request: {', '.join(moved) or 'the request'} moved", yellow=True
        )
    yield line(f"  served {reply.served or 'not stated'}, finish reason {reply.finish or 'not stated'}")
    for number, attempt in enumerate(reply.attempts, 1):
        yield line(f"  attempt {number}: {attempt_text(attempt)}")
    yield from quoted("answer", reply.text, indent="  ")


def quoted(title: str, text: str, *, indent: str = "") -> Iterator[Line]:
    """Yield a text below its title, escaped line by line, cut at LONGEST."""
    if not text:
        yield line(f"{indent}{title}: empty")
        return
    yield line(f"{indent}{title}:")
    yield from (line(f"{indent}  | {part}") for part in block(text, shown=LONGEST).split("\n"))
