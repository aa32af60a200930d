"""Calls and tokens by time: when a run asked, and how much."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from pytest_judgeaudit.report.details import Call, Detail, asked
from pytest_judgeaudit.report.plots.canvas import COLOURS, Canvas, Picture

BINS = 24
STEPS_S = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400, 604800)
"""The widths that a bin may have."""


class Bin(NamedTuple):
    """The calls that began within one stretch of time, their known tokens, and how many state any."""

    begins: float
    calls: int
    prompt: int
    completion: int
    known: int


def traffic(details: Sequence[Detail]) -> Picture | None:
    """Draw when the calls of this report's answers began; None where nothing was ever asked."""
    calls = asked(details)
    if not calls:
        return None
    width, bins = _binned(calls)
    when = f"UTC from {_stamp(calls[0].begins)}, {_span(width)} a bar"
    counts = _bars(bins, width, {"calls": ("c1", [one.calls for one in bins])}, "")
    known = any(one.known for one in bins)
    parts = {
        "prompt": ("c3", [one.prompt for one in bins]),
        "completion": ("c4", [one.completion for one in bins]),
    }
    says = (
        "When the calls behind these answers began, those recalled from the snapshots too, and their "
        f"tokens where the service stated them. {when}."
    )
    drawn = [counts.svg("traffic-calls", "Calls by time", says)]
    drawn += [_bars(bins, width, parts, "tokens").svg("traffic-tokens", "Tokens by time", says)] * known
    return Picture(
        id="traffic",
        title="Calls and tokens by time",
        says=says,
        svg="".join(drawn),
        header=("begins (UTC)", "calls", "prompt tokens", "completion tokens"),
        rows=[(_clock(one.begins, width), f"{one.calls:,}", *_tokens(one)) for one in bins if one.calls],
    )


def _bars(
    bins: Sequence[Bin], width: float, parts: Mapping[str, tuple[str, Sequence[int]]], noun: str
) -> Canvas:
    """Draw counts by time, stacked."""
    canvas = Canvas(190, left=76, bottom=32, top=30)
    axes = canvas.axes
    feet = [0] * len(bins)
    handles: dict[str, Any] = {}
    for name, (colour, counts) in parts.items():
        drawn = axes.bar(
            range(len(bins)), counts, bottom=feet, width=0.86, color=COLOURS[colour], linewidth=0
        )
        handles[f"{name} {noun}".strip()] = drawn
        for patch, one, count in zip(drawn, bins, counts, strict=True):
            canvas.name(patch, f"{_clock(one.begins, width)}: {count:,} {name} {noun}".rstrip())
        feet = [foot + count for foot, count in zip(feet, counts, strict=True)]
    marks = list(range(0, len(bins), max(1, -(-len(bins) // 6))))
    axes.set_xticks(marks, [_clock(bins[mark].begins, width) for mark in marks])
    ticks = _ticks(max(feet))
    axes.set_yticks(ticks, [f"{tick:,}" for tick in ticks])
    axes.grid(axis="y")
    axes.set_axisbelow(True)
    canvas.legend(handles)
    return canvas


def _ticks(highest: int) -> list[int]:
    """
    Choose round counts up to the highest.

    >>> _ticks(100), _ticks(7), _ticks(0)
    ([0, 50, 100], [0, 2, 4, 6], [0, 1])
    """
    step = 10 ** max(0, len(str(max(1, highest))) - 1)
    steps = [step // 2, step, 2 * step, 5 * step]
    best = next((one for one in steps if one and highest // one <= 4), step)
    return [best * index for index in range(highest // best + 1)] if highest else [0, 1]


def _tokens(one: Bin) -> tuple[str, str]:
    """Word known tokens; unknown is not 0."""
    if not one.known:
        return "unknown", "unknown"
    more = " + unknown" if one.known < one.calls else ""
    return f"{one.prompt:,}{more}", f"{one.completion:,}{more}"


def _binned(calls: Sequence[Call]) -> tuple[float, Sequence[Bin]]:
    span = calls[-1].begins - calls[0].begins
    width = float(next((step for step in STEPS_S if span < BINS * step), 1 + span / BINS))
    first = calls[0].begins - calls[0].begins % width
    count = int((calls[-1].begins - first) // width) + 1
    found: list[list[Call]] = [[] for _ in range(count)]
    for call in calls:
        found[min(count - 1, int((call.begins - first) // width))].append(call)
    return width, [_bin(first + width * index, group) for index, group in enumerate(found)]


def _bin(begins: float, calls: Sequence[Call]) -> Bin:
    return Bin(
        begins=begins,
        calls=len(calls),
        prompt=sum(call.prompt or 0 for call in calls),
        completion=sum(call.completion or 0 for call in calls),
        known=sum(call.prompt is not None or call.completion is not None for call in calls),
    )


def _stamp(time: float) -> str:
    return datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%d %H:%M")


def _clock(time: float, width: float) -> str:
    form = (
        "%H:%M:%S"
        if width < 60
        else "%H:%M"
        if width < 3600
        else "%d %b %H:%M"
        if width < 86400
        else "%Y-%m-%d"
    )
    return datetime.fromtimestamp(time, UTC).strftime(form)


def _span(width: float) -> str:
    """
    Word a stretch of time.

    >>> [_span(one) for one in (5, 300, 7200, 86400)]
    ['5 s', '5 min', '2 h', '1 d']
    """
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if width >= size:
            return f"{width / size:.3g} {unit}"
    return f"{width:.3g} s"
