"""Pictures of rubric scores: floors by dimension, blind and sighted by judge, spreads, the noise ruler."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_judgeaudit.report import facts
from pytest_judgeaudit.report.facts import Entry, Report
from pytest_judgeaudit.report.plots.canvas import COLOURS, MOST, SERIES, Canvas, Picture

DIMENSIONS = ("accuracy", "completeness", "traceability", "usefulness")
TOTAL = "total"


def _points(value: Any) -> str:
    return facts.NONE if value is None else f"{value:.2f}"


def _signed(value: Any) -> str:
    return facts.NONE if value is None else f"{value:+.2f}".replace("-", "−")


def _place(one: Entry) -> str:
    parts = (one.get("corpus"), one.get("condition"), one.get("agent"))
    return " · ".join(str(part) for part in parts if part)


# Floors


def floors(report: Report) -> Picture | None:
    """Draw the blind score of each corpus and agent by dimension, and of each judge below it."""
    bars = [bar for one in report["floors"] for bar in _floor_bars(one)]
    if not bars:
        return None
    shown = bars[:MOST]
    canvas = Canvas(80 + 28 * len(shown), left=216, top=30, bottom=48)
    canvas.rows([name for name, _, _ in shown])
    _stack(canvas, shown)
    for row, (name, _, total) in enumerate(shown):
        if total is not None:
            mark = canvas.axes.text(total + 1.2, row, f"{total:.1f}", va="center", fontsize=11)
            canvas.name(mark, f"{name}: floor {total:.2f}")
    canvas.axes.set_xlim(0, 100)
    canvas.axes.grid(axis="x")
    canvas.axes.set_axisbelow(True)
    canvas.axes.set_xlabel("points of 100 without any access to the corpus")
    says = (
        "What answers score that had no access to the corpus, by dimension of the rubric: a score above it "
        "is what access added. A floor belongs to one run and one corpus."
    )
    return canvas.picture(
        "floors",
        "Plausibility floors",
        says,
        header=("corpus · agent, judge", *DIMENSIONS, "floor"),
        rows=[
            (name, *(_points(parts.get(dimension)) for dimension in DIMENSIONS), _points(total))
            for name, parts, total in bars
        ],
    )


Bar = tuple[str, Mapping[str, float], float | None]


def _floor_bars(one: Entry) -> Sequence[Bar]:
    place = _place(one)
    if one.get("floor") is None:
        return []
    verified = "" if one.get("verified_blind") else " (not verified)"
    bars: list[Bar] = [(f"{place}{verified}", one.get("by_dimension") or {}, one["floor"])]
    for judge, found in (one.get("judges") or {}).items():
        parts = found.get("by_dimension") if isinstance(found, Mapping) else None
        total = found.get("floor") if isinstance(found, Mapping) else found
        bars.append((f"  {judge}", parts or {}, total))
    return bars


def _stack(canvas: Canvas, bars: Sequence[Bar]) -> None:
    starts = [0.0] * len(bars)
    handles: dict[str, Any] = {}
    for dimension, colour in zip(DIMENSIONS, SERIES, strict=False):
        widths = [parts.get(dimension) or 0.0 for _, parts, _ in bars]
        drawn = canvas.axes.barh(
            range(len(bars)),
            widths,
            left=starts,
            height=0.62,
            color=COLOURS[colour],
            edgecolor=COLOURS["paper"],
            linewidth=0.8,
        )
        handles[dimension] = drawn
        for patch, (name, _, _), width in zip(drawn, bars, widths, strict=True):
            canvas.name(patch, f"{name.strip()}: {dimension} {width:.2f}")
        starts = [start + width for start, width in zip(starts, widths, strict=True)]
    canvas.legend(handles, columns=4)


def sights(report: Report) -> Picture | None:
    """Draw blind and sighted scores of each corpus and agent, and their adjusted score in the table."""
    found = [one for one in report["floors"] if one.get("floor") is not None and one.get("scores")]
    if not found:
        return None
    canvas = _sight(found[:MOST])
    says = (
        "Scores with access to the corpus beside those without: only the distance is what access added. "
        "Adjusted is that distance as a share of what was left above the floor."
    )
    return canvas.picture(
        "sights",
        "Blind and sighted",
        says,
        header=("corpus · agent", "arm", "blind", "score", "adjusted"),
        rows=[
            (
                _place(one),
                arm,
                _points(one["floor"]),
                _points(score),
                _points((one.get("adjusted") or {}).get(arm)),
            )
            for one in found
            for arm, score in one["scores"].items()
        ],
    )


def _sight(shown: Sequence[Entry]) -> Canvas:
    canvas = Canvas(96 + 32 * len(shown), left=216, top=30, bottom=48)
    canvas.rows([_place(one) for one in shown])
    handles: dict[str, Any] = {}
    for row, one in enumerate(shown):
        highest = max(one["scores"].values())
        canvas.axes.plot([one["floor"], highest], [row, row], color=COLOURS["grid"], linewidth=5, zorder=1)
        (handles["blind"],) = canvas.axes.plot(
            [one["floor"]], [row], "o", color=COLOURS["c2"], markersize=10, zorder=3
        )
        canvas.name(handles["blind"], f"{_place(one)}: blind {one['floor']:.2f}")
        for arm, score in one["scores"].items():
            (handles["with access"],) = canvas.axes.plot(
                [score], [row], "D", color=COLOURS["c1"], markersize=9, zorder=3
            )
            canvas.name(handles["with access"], f"{_place(one)}: {arm} {score:.2f}")
    canvas.axes.set_xlim(0, 100)
    canvas.axes.grid(axis="x")
    canvas.axes.set_xlabel("points of 100")
    canvas.legend(handles)
    return canvas


# Spreads


def spreads(report: Report) -> Picture | None:
    """Draw how far two families are apart, blind and sighted, signed, by dimension."""
    rows = [
        (one, dimension)
        for one in report["spreads"]
        for dimension in (TOTAL, *DIMENSIONS)
        if dimension in (one.get("blind") or {}) or dimension in (one.get("sighted") or {})
    ]
    if not rows:
        return None
    canvas = _apart(rows[: 2 * MOST])
    says = (
        "How far two families of judges are apart on the same answers. Far apart only where nobody had "
        "access means that the rubric leaves blind answers under-determined."
    )
    return canvas.picture(
        "spreads",
        "Spread between judge families",
        says,
        header=("families, corpus", "dimension", "blind", "sighted", "under-determined"),
        rows=[_spread_row(one, dimension) for one, dimension in rows],
    )


def _apart(shown: Sequence[tuple[Entry, str]]) -> Canvas:
    canvas = Canvas(96 + 26 * len(shown), left=250, top=30, bottom=48)
    canvas.rows([f"{dimension}, {_place(one)}" for one, dimension in shown])
    handles: dict[str, Any] = {}
    for row, (one, dimension) in enumerate(shown):
        for arm, marker, colour in (("sighted", "D", "c1"), ("blind", "o", "c2")):
            value = (one.get(arm) or {}).get(dimension)
            if value is not None:
                canvas.axes.plot([0, value], [row, row], color=COLOURS[colour], linewidth=2, alpha=0.5)
                (handles[arm],) = canvas.axes.plot(
                    [value], [row], marker, color=COLOURS[colour], markersize=9
                )
                canvas.name(handles[arm], f"{_pair(one)}, {dimension}, {arm}: {_signed(value)} points")
    canvas.axes.axvline(0, color=COLOURS["muted"], linewidth=1.2)
    canvas.axes.grid(axis="x")
    canvas.axes.set_xlabel("points, signed")
    canvas.legend(handles)
    return canvas


def _pair(one: Entry) -> str:
    return f"{one.get('minuend', '')} − {one.get('subtrahend', '')}"


def _spread_row(one: Entry, dimension: str) -> Sequence[str]:
    flag = (one.get("under_determined") or {}).get(dimension)
    return (
        f"{_pair(one)}, {_place(one)}",
        dimension,
        _signed((one.get("blind") or {}).get(dimension)),
        _signed((one.get("sighted") or {}).get(dimension)),
        facts.NONE if flag is None else "yes" if flag else "no",
    )


# Noise


def noise(report: Report) -> Picture | None:
    """Draw every contrast in points beside what two runs of one configuration differ by."""
    floor = report["noise"].get("total")
    figures = [
        (f"{one['design']}: {figure['name']}", figure)
        for one in report["designs"]
        for figure in one.get("figures", ())
        if figure.get("value") is not None and figure.get("unit", "points") == "points"
    ]
    if floor is None or not figures:
        return None
    canvas = _ruler(figures[:MOST], floor)
    says = (
        f"Contrasts beside the noise floor of {floor:.2f} points: what two runs of one configuration "
        "differ by. Below it a contrast is within noise; above it is not a test."
    )
    return canvas.picture(
        "noise",
        "Noise floor",
        says,
        header=("contrast", "points", "× noise floor", ""),
        rows=[
            (
                name,
                _signed(figure["value"]),
                _points(figure.get("multiple")),
                "within noise" if figure.get("within_noise") else "above",
            )
            for name, figure in figures
        ],
    )


def _ruler(shown: Sequence[tuple[str, Entry]], floor: float) -> Canvas:
    canvas = Canvas(92 + 26 * len(shown), left=250, top=24, bottom=48)
    canvas.rows([name for name, _ in shown])
    band = canvas.axes.axvspan(-floor, floor, color=COLOURS["muted"], alpha=0.16, linewidth=0)
    canvas.name(band, f"noise floor: {floor:.2f} points")
    canvas.axes.axvline(0, color=COLOURS["muted"], linewidth=1.2)
    for row, (name, figure) in enumerate(shown):
        within = figure.get("within_noise")
        colour = COLOURS["muted" if within else "c1"]
        canvas.axes.plot([0, figure["value"]], [row, row], color=colour, linewidth=2)
        (mark,) = canvas.axes.plot(
            [figure["value"]], [row], "D" if within else "o", color=colour, markersize=9
        )
        canvas.name(mark, f"{name}: {_signed(figure['value'])} points")
    canvas.axes.grid(axis="x")
    canvas.axes.set_xlabel("points; shaded: within the noise floor")
    return canvas
