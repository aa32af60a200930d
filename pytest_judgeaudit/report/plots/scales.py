"""Pictures over a scale: quality ladders by gap, and the grid of declared losses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pytest_judgeaudit.report import facts
from pytest_judgeaudit.report.facts import Entry, Report
from pytest_judgeaudit.report.plots.canvas import COLOURS, MARKERS, MOST, SERIES, Canvas, Picture

ENOUGH = 0.75
"""The share of right calls that the smallest gap must reach (METHODS 2)."""

GRID = ("pi_c", "lambda_c", "lambda_t", "lambda_i")


def ladders(report: Report) -> Picture | None:
    """Draw the share of right calls by gap, one line a judge and criterion."""
    found = [one for one in report["ladders"] if one["success"]]
    if not found:
        return None
    gaps = sorted({int(gap) for one in found for gap in one["success"]})
    canvas = _curves(found[:MOST], gaps)
    says = (
        "How often the better text is preferred, by the gap in quality; a tie is a miss. The smallest gap "
        "of 75 % is what a judge can see. Length is nearly equal, its direction not independent of quality."
    )
    return canvas.picture(
        "ladders",
        "Quality ladders",
        says,
        header=("judge · criterion", *(f"gap {gap}" for gap in gaps), "smallest gap", "false preference"),
        rows=[
            (
                _title(one),
                *(facts.share(one["success"].get(str(gap))) for gap in gaps),
                one["smallest_gap"],
                facts.share(one["false_preference"]),
            )
            for one in found
        ],
    )


def _curves(shown: Sequence[Entry], gaps: Sequence[int]) -> Canvas:
    canvas = Canvas(300, left=62, top=20 + 20 * -(-len(shown) // 2), bottom=50)
    canvas.axes.set_xticks(gaps)
    canvas.axes.set_xlim(gaps[0] - 0.3, gaps[-1] + 0.3)
    canvas.shares("y")
    canvas.limit(ENOUGH, "75 %", axis="y")
    handles = {_title(one): _ladder(canvas, one, index) for index, one in enumerate(shown)}
    canvas.legend(handles, columns=2)
    canvas.axes.set_xlabel("gap in quality")
    canvas.axes.set_ylabel("better text preferred")
    return canvas


def _title(one: Entry) -> str:
    return " · ".join(filter(None, (one["judge"], one["criterion"])))


def _ladder(canvas: Canvas, one: Entry, index: int) -> Any:
    points = sorted((int(gap), share) for gap, share in one["success"].items())
    (line,) = canvas.axes.plot(
        [gap for gap, _ in points],
        [share for _, share in points],
        marker=MARKERS[index % len(MARKERS)],
        color=COLOURS[SERIES[index % len(SERIES)]],
        markersize=8,
        markeredgecolor=COLOURS["paper"],
        clip_on=False,
        zorder=4,
    )
    canvas.name(line, f"{_title(one)}: smallest gap {one['smallest_gap']}")
    return line


# Expected losses


def risks(report: Report) -> Iterator[Picture]:
    """Draw, for each study with several cells, which loses least in each of the source's scenarios."""
    studies = [one for one in report["risk"].get("studies", ()) if len(one["cells"]) > 1]
    for index, study in enumerate(studies, 1):
        named = [one for one in study["scenarios"] if not one.get("name")]
        if len(named) > 1:
            yield _risk(f"risk-{index}", study, named)


def _risk(key: str, study: Entry, scenarios: Sequence[Entry]) -> Picture:
    names = list(study["cells"])
    canvas = _grid(scenarios, names)
    title = f"Lowest expected loss, {study['study']}"
    says = (
        "Which judge and criterion loses least in each scenario of the source's grid; ties stand side by "
        "side. Small marks: fewer than 90 % of resampled task sets agree. An illustration of consequences "
        "under declared losses, not a ranking of judges."
    )
    times = Counter(name for one in scenarios for name in one["cheapest"])
    named = [one for one in study["scenarios"] if one.get("name")]
    return canvas.picture(
        key,
        title,
        says,
        header=("judge/criterion", f"lowest in, of {len(scenarios)}", *(str(one["name"]) for one in named)),
        rows=[(name, f"{times[name]}", *(f"{one['risk'][name]:.4f}" for one in named)) for name in names],
    )


def _grid(scenarios: Sequence[Entry], names: Sequence[str]) -> Canvas:
    used = {name: index for index, name in enumerate(_ever_cheapest(scenarios, names))}
    across = sorted({(one["pi_c"], one["lambda_c"]) for one in scenarios})
    down = sorted({(one["lambda_t"], one["lambda_i"]) for one in scenarios})
    canvas = Canvas(
        110 + 24 * len(down) + 20 * -(-len(used) // 2),
        left=112,
        bottom=64,
        top=14 + 20 * -(-len(used) // 2),
    )
    handles: dict[str, Any] = {}
    for one in scenarios:
        column = across.index((one["pi_c"], one["lambda_c"]))
        row = down.index((one["lambda_t"], one["lambda_i"]))
        _scenario(canvas, one, used, (column, row), handles)
    _frame(canvas, across, down)
    canvas.legend({name: handles[name] for name in used}, columns=2)
    return canvas


def _ever_cheapest(scenarios: Sequence[Entry], names: Sequence[str]) -> Sequence[str]:
    cheapest = {name for one in scenarios for name in one["cheapest"]}
    return [name for name in names if name in cheapest]


def _scenario(
    canvas: Canvas, one: Entry, used: Mapping[str, int], at: tuple[int, int], handles: dict[str, Any]
) -> None:
    agreement = one.get("agreement")
    sure = agreement is None or agreement >= 0.9
    tied = [name for name in one["cheapest"] if name in used]
    for place, name in enumerate(tied):
        index = used[name]
        (mark,) = canvas.axes.plot(
            [at[0] + (place - (len(tied) - 1) / 2) * 0.8 / max(1, len(tied))],
            [at[1]],
            MARKERS[index % len(MARKERS)],
            color=COLOURS[SERIES[index % len(SERIES)]],
            markersize=(11 if sure else 6) / max(1.0, len(tied) ** 0.5),
            linestyle="none",
        )
        handles.setdefault(name, mark)
        agreed = "" if agreement is None else f", {facts.share(agreement)} agree"
        losses = ", ".join(f"{name_} {one[name_]:g}" for name_ in GRID)
        canvas.name(mark, f"{losses}: {name} {one['risk'][name]:.4f}{agreed}")


def _frame(
    canvas: Canvas, across: Sequence[tuple[float, float]], down: Sequence[tuple[float, float]]
) -> None:
    axes = canvas.axes
    axes.set_xlim(-0.6, len(across) - 0.4)
    axes.set_ylim(-0.6, len(down) - 0.4)
    axes.set_xticks(range(len(across)), [f"{weight:g}" for _, weight in across])
    axes.set_yticks(range(len(down)), [f"{tie:g} · {invalid:g}" for tie, invalid in down])
    axes.set_ylabel("loss of a tie · of invalid")
    axes.tick_params(length=0)
    for share in sorted({share for share, _ in across}):
        columns = [index for index, (one, _) in enumerate(across) if one == share]
        middle = sum(columns) / len(columns)
        axes.annotate(
            f"copies {100 * share:g} %",
            (middle, 0),
            xycoords=("data", "axes fraction"),
            xytext=(0, -32),
            textcoords="offset points",
            ha="center",
            fontsize=11,
            color=COLOURS["muted"],
        )
        if columns[0]:
            axes.axvline(columns[0] - 0.5, color=COLOURS["grid"], linewidth=1)
    axes.set_xlabel("loss of a copy that is not tied, by share of copies", labelpad=24)
