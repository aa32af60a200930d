"""Pictures of cells: the certificate map, verdicts, order patterns, subsets."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pytest_judgeaudit.audit.numbers import share
from pytest_judgeaudit.report import facts
from pytest_judgeaudit.report.facts import Entry, Report
from pytest_judgeaudit.report.plots.canvas import COLOURS, MARKERS, MOST, SERIES, Canvas, Picture

VERDICTS = ("correct", "tie", "wrong", "invalid")
PATTERNS = ("tie", "stable", "position", "one_sided", "invalid")
EDGES = ("empty", "whitespace")
TIED = ("clone", "equivalent")
"""Arms in which a tie is the correct verdict."""

SHOWN = 12
"""The most marks of the map."""

MAPS = 6
"""The most pictures of subsets; the cells' table holds the rest."""


class Place(NamedTuple):
    """One judge and criterion on the map; a bound is None where it was not measured."""

    name: str
    upper: float | None
    lower: float | None
    state: str
    label: str


# The certificate map


def certificate_map(report: Report) -> Picture | None:
    """Draw each judge's clone bound against its utility bound; None where nobody has both arms."""
    places = list(_places(report))
    numbered = list(enumerate(places, 1))
    placed = [one for one in numbered if one[1].upper is not None and one[1].lower is not None]
    held = [one for one in numbered if one[1].state == "HOLD"]
    if not placed and not held:
        return None
    canvas = Canvas(380, left=66, bottom=54, top=48 if held else 16)
    _limits(canvas, report, [place for _, place in placed])
    for number, place in placed[:SHOWN]:
        _point(canvas, place, number)
    _annotate(canvas, placed[:SHOWN])
    _apart(canvas, held[:SHOWN])
    says = (
        "One mark a judge and criterion, numbered as in the table: the upper bound on how often exact "
        "copies are not called a tie, against the lower bound on how often the better answer wins. The "
        "shaded corner meets both limits."
    )
    return canvas.picture(
        "certificates",
        "Certificate map",
        says,
        header=("judge · criterion", "copies, upper", "better, lower", "joint label"),
        rows=[
            (f"{number}  {place.name}", facts.share(place.upper), facts.share(place.lower), place.label)
            for number, place in numbered
        ],
    )


def _apart(canvas: Canvas, held: Sequence[tuple[int, Place]]) -> None:
    """Set what is on HOLD apart, above the map."""
    if not held:
        return
    where: dict[str, Any] = {
        "transform": canvas.axes.transAxes,
        "color": COLOURS["hold"],
        "fontsize": 11,
        "va": "center",
    }
    canvas.axes.text(0, 1.09, "HOLD, not placed:", **where)
    for index, (number, place) in enumerate(held):
        mark = canvas.axes.text(0.27 + 0.06 * index, 1.09, f"× {number}", **where)
        canvas.name(mark, f"{place.name}: HOLD, not placed")


def _annotate(canvas: Canvas, placed: Sequence[tuple[int, Place]]) -> None:
    """Number the marks; those that lie on each other share a text."""
    groups: dict[tuple[int, int], list[int]] = defaultdict(list)
    points: dict[tuple[int, int], tuple[float, float]] = {}
    low, high = canvas.axes.get_ylim()
    right = canvas.axes.get_xlim()[1] ** 0.5
    for number, place in placed:
        x, y = place.upper or 0.0, place.lower or 0.0
        key = (round(25 * x**0.5 / right), round(25 * (y - low) / (high - low)))
        groups[key].append(number)
        points.setdefault(key, (x, y))
    for key, numbers in groups.items():
        canvas.axes.annotate(
            ", ".join(map(str, numbers)),
            points[key],
            xytext=(10, 6),
            textcoords="offset points",
            fontsize=12,
            zorder=6,
        )


def _places(report: Report) -> Iterator[Place]:
    gates = facts.gates_of(report)
    labels = {(one["study"], one["judge"], one["criterion"]): one["label"] for one in report["joint"]}
    found: dict[tuple[str, str, str], dict[str, Entry]] = defaultdict(dict)
    for cell in report["cells"]:
        tabled = cell["arm"] in {"clone", "signal"} and cell["stratum"] not in EDGES
        if tabled and cell["judge"] and not cell.get("context"):
            found[cell["study"], cell["judge"], cell["criterion"]].setdefault(cell["arm"], cell)
    studies = {study for study, _, _ in found}
    for (study, judge, criterion), arms in found.items():
        name = f"{judge} · {criterion}" + (f" ({study})" if len(studies) > 1 else "")
        held = any(cell["state"] == "HOLD" for cell in arms.values())
        yield Place(
            name=name,
            upper=None if held else arms.get("clone", {}).get("upper"),
            lower=None if held else _lower(arms.get("signal", {}), gates),
            state="HOLD" if held else "OK",
            label=labels.get((study, judge, criterion), facts.NONE),
        )


def _lower(cell: Entry, gates: Mapping[str, Sequence[Entry]]) -> float | None:
    """Return the bound that the gate used, else the smaller one."""
    used = (gate["bound"] for gate in gates.get(cell.get("id", ""), ()) if gate["kind"] == "utility_gate")
    known = [cell.get(name) for name in ("lower", "lower_checked")]
    smaller = min((bound for bound in known if bound is not None), default=None)
    return next((bound for bound in used if bound is not None), smaller)


def _limits(canvas: Canvas, report: Report, placed: Sequence[Place]) -> None:
    axes = canvas.axes
    uppers = sorted({gate["threshold"] for gate in report["gates"] if gate["kind"] == "clone_gate"})
    lowers = sorted({gate["threshold"] for gate in report["gates"] if gate["kind"] == "utility_gate"})
    # The square root spreads the small rates, which are the ones that matter.
    axes.set_xscale("function", functions=(lambda x: abs(x) ** 0.5, lambda x: x**2))
    highest = max([place.upper or 0.0 for place in placed] + [2 * (uppers or [0.05])[-1]])
    axes.set_xlim(0, min(1.0, 1.15 * highest))
    ticks = [tick for tick in (0, 0.01, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1) if tick <= axes.get_xlim()[1]]
    axes.set_xticks(ticks, [f"{100 * tick:g} %" for tick in ticks])
    axes.minorticks_off()
    bottom = min([place.lower or 0.0 for place in placed] + [(lowers or [0.75])[0]])
    canvas.shares("y")
    axes.set_ylim(max(0.0, 0.25 * int(4 * (bottom - 0.05))), 1)
    axes.set_xlabel("exact copies not tied: upper bound")
    axes.set_ylabel("better answer wins: lower bound")
    if uppers and lowers:
        axes.fill_between([0, uppers[0]], lowers[-1], 1.0, color=COLOURS["good"], alpha=0.13, linewidth=0)
    for limit in uppers:
        canvas.limit(limit, f"limit: at most {facts.share(limit)}")
    for limit in lowers:
        canvas.limit(limit, f"limit: at least {facts.share(limit)}", axis="y")


def _point(canvas: Canvas, place: Place, number: int) -> None:
    index = number - 1
    (mark,) = canvas.axes.plot(
        [place.upper or 0.0],
        [place.lower or 0.0],
        MARKERS[index % len(MARKERS)],
        color=COLOURS[SERIES[index % len(SERIES)]],
        markersize=11,
        markeredgecolor=COLOURS["paper"],
        clip_on=False,
        zorder=5,
    )
    bounds = f"copies at most {facts.share(place.upper)}, better answer at least {facts.share(place.lower)}"
    canvas.name(mark, f"{number} {place.name}: {bounds} ({place.label})")


# Stacked bars


def stacked(
    canvas: Canvas, bars: Sequence[tuple[str, Mapping[str, int]]], parts: Sequence[str], noun: str
) -> None:
    """Draw one bar a row, its parts as shares of their sum, each named."""
    canvas.rows([name for name, _ in bars])
    handles: dict[str, Any] = {}
    starts = [0.0] * len(bars)
    for part in parts:
        widths = [counts.get(part, 0) / max(1, sum(counts.values())) for _, counts in bars]
        if not any(widths):
            continue
        drawn = canvas.axes.barh(
            range(len(bars)),
            widths,
            left=starts,
            height=0.62,
            color=COLOURS[part],
            edgecolor=COLOURS["paper"],
            linewidth=0.8,
        )
        handles[part.replace("_", "-")] = drawn
        for patch, (name, counts) in zip(drawn, bars, strict=True):
            told = share(counts.get(part, 0), sum(counts.values()))
            canvas.name(patch, f"{name}: {part.replace('_', '-')} {told} {noun}")
        starts = [start + width for start, width in zip(starts, widths, strict=True)]
    canvas.shares()
    canvas.legend(handles)


def decomposition(report: Report) -> Picture | None:
    """Draw what the calls of each cell were; a HOLD cell has its row, and no bar."""
    names = facts.cell_names(report["cells"])
    cells = [cell for cell in report["cells"] if any(kind in cell["counts"] for kind in VERDICTS)]
    if not cells:
        return None
    bars = [(names[cell["id"]], _verdicts(cell)) for cell in cells]
    canvas = Canvas(66 + 30 * len(bars[:MOST]), left=216, top=32, bottom=34)
    stacked(canvas, bars[:MOST], VERDICTS, "calls")
    for row, cell in enumerate(cells[:MOST]):
        if not _verdicts(cell):
            canvas.axes.text(0.01, row, cell["state"], va="center", color=COLOURS["hold"], fontsize=11)
    says = (
        "What the calls of each cell were. Of copies and certified equivalents a tie is the correct "
        "verdict. Invalid outputs stay in the denominator."
    )
    return canvas.picture(
        "verdicts",
        "Verdicts by cell",
        says,
        header=("cell", *VERDICTS),
        rows=[(name, *(_count(counts, kind) for kind in VERDICTS)) for name, counts in bars],
    )


def _verdicts(cell: Entry) -> Mapping[str, int]:
    if cell["state"] != "OK":
        return {}
    counts = {kind: cell["counts"].get(kind, 0) for kind in VERDICTS}
    # Where a tie is correct it is counted as both.
    return {kind: count for kind, count in counts.items() if kind != "tie" or cell["arm"] not in TIED}


def _count(counts: Mapping[str, int], kind: str) -> str:
    return f"{counts[kind]:,}" if kind in counts else facts.NONE


def patterns(report: Report) -> Picture | None:
    """Draw how both orders of each task fit together."""
    names = facts.cell_names(report["cells"])
    bars = [(names[cell["id"]], cell["patterns"]) for cell in report["cells"] if cell["patterns"]]
    if not bars:
        return None
    canvas = Canvas(66 + 30 * len(bars[:MOST]), left=216, top=32, bottom=34)
    stacked(canvas, bars[:MOST], PATTERNS, "tasks")
    says = (
        "How the verdicts on both orders of a task fit together: stable prefers the same content twice, "
        "position the same slot twice. A same-slot pattern is a pattern, not a cause."
    )
    return canvas.picture(
        "patterns",
        "Order patterns",
        says,
        header=("cell", *(name.replace("_", "-") for name in PATTERNS)),
        rows=[(name, *(_count(counts, kind) for kind in PATTERNS)) for name, counts in bars],
    )


# Subsets


def forests(report: Report) -> Iterator[Picture]:
    """Draw the subsets of each signal cell that has several, beside the cell's own mean and interval."""
    names = facts.cell_names(report["cells"])
    gates = facts.gates_of(report)
    cells = [cell for cell in report["cells"] if cell["arm"] == "signal" and len(cell["subsets"]) > 1]
    for index, cell in enumerate(cells[:MAPS], 1):
        limit = facts.threshold(gates.get(cell["id"], ()), "utility_gate")
        yield _forest(f"subsets-{index}", cell, names[cell["id"]], limit)


def _forest(key: str, cell: Entry, name: str, limit: float | None) -> Picture:
    subsets = sorted(cell["subsets"], key=lambda one: one["estimate"])
    shown = subsets[:MOST]
    canvas = Canvas(74 + 26 * (len(shown) + 1), left=216, top=14, bottom=48)
    canvas.rows([*(one["name"] for one in shown), "all tasks"])
    canvas.shares()
    _subsets(canvas, shown)
    _overall(canvas, cell, len(shown))
    if limit is not None:
        canvas.limit(limit, f"limit on the lower bound of all tasks: {facts.share(limit)}")
    canvas.axes.set_xlabel("better answer wins")
    title = f"Subsets of {name}"
    says = (
        "Mean utility of each subset, weakest first, larger marks for more tasks; descriptive, without a "
        "bound. Below 50 % a subset is flagged: a whole that passes can hide a weak part."
    )
    return canvas.picture(
        key,
        title,
        says,
        header=("subset", "tasks", "mean"),
        rows=[(one["name"], f"{one['tasks']:,}", facts.share(one["estimate"])) for one in subsets],
    )


def _subsets(canvas: Canvas, shown: Sequence[Entry]) -> None:
    largest = max(one["tasks"] for one in shown)
    for row, one in enumerate(shown):
        weak = one["estimate"] < 0.5
        (mark,) = canvas.axes.plot(
            [one["estimate"]],
            [row],
            "D" if weak else "o",
            color=COLOURS["bad" if weak else "c1"],
            markersize=6 + 6 * (one["tasks"] / largest) ** 0.5,
            markeredgecolor=COLOURS["paper"],
            clip_on=False,
            zorder=4,
        )
        canvas.name(mark, f"{one['name']}: {facts.share(one['estimate'])} of {one['tasks']} tasks")


def _overall(canvas: Canvas, cell: Entry, row: int) -> None:
    if cell["estimate"] is None:
        return
    if cell["interval"]:
        low, high = cell["interval"]
        (line,) = canvas.axes.plot(
            [low, high], [row, row], color=COLOURS["ink"], linewidth=2.5, clip_on=False
        )
        canvas.name(line, f"interval {facts.share(low)} to {facts.share(high)}")
    (mark,) = canvas.axes.plot(
        [cell["estimate"]], [row], "s", color=COLOURS["ink"], markersize=9, clip_on=False, zorder=5
    )
    canvas.name(mark, f"all {cell['tasks']} tasks: {facts.share(cell['estimate'])}")
