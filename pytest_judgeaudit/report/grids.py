"""Tables of a page: differences, contexts, agents, answers, designs, claims and more; none without data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_judgeaudit.audit.numbers import some
from pytest_judgeaudit.report import facts
from pytest_judgeaudit.report.facts import NONE, Entry, Report

ROWS = 500
"""The most rows of one table or list of a page; the JSON report holds all."""

Row = Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """One table with its title and how it is read; ``missing`` rows are left out."""

    id: str
    title: str
    says: str
    header: Row
    rows: Sequence[Row]
    missing: int = 0


def grids(report: Report) -> Sequence[Grid]:
    """Return a table for each part of a report that has entries, in the order in which they are read."""
    made = (
        _grid("contrasts", "Differences", CONTRASTS, _CONTRASTS, _contrast, report.get("contrasts")),
        _grid("contexts", "A third candidate", CONTEXTS, _CONTEXTS, _context, report.get("contexts")),
        _grid("agents", "Agents", AGENTS, _AGENTS, _agent, report.get("agents")),
        _grid("designs", "Designs", DESIGNS, _DESIGNS, _figure, _figures(report)),
        _grid(
            "predictions", "Predictions", PREDICTIONS, _PREDICTIONS, _prediction, report.get("predictions")
        ),
        _grid("claims", "Published figures", CLAIMS, _CLAIMS, _claim, report.get("claims")),
        _grid("volumes", "What answers claim", VOLUMES, _VOLUMES, _volume, report.get("claim_volumes")),
        _grid("grades", "Answers", GRADES, _GRADES, _grade, report.get("grades")),
    )
    return [grid for grid in made if grid.rows]


def _grid(
    key: str,
    title: str,
    says: str,
    header: Row,
    row: Callable[[Entry], Row],
    entries: Sequence[Entry] | None,
) -> Grid:
    found = entries or ()
    rows = [row(entry) for entry in found[:ROWS]]
    return Grid(id=key, title=title, says=says, header=header, rows=rows, missing=len(found) - len(rows))


def _text(value: Any) -> str:
    """Word a value that may be missing."""
    if value is None or value in ("", (), [], {}):
        return NONE
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_text(entry)}" for name, entry in value.items())
    if isinstance(value, (list, tuple)):
        return some(map(str, value))
    return f"{value:.4g}" if isinstance(value, float) else str(value)


CONTRASTS = (
    "Differences on the same tasks, minuend − subtrahend. A p is there only for a schedule that was "
    "randomised, stored and kept; it rejects a schedule-wide sharp null and names no cause."
)
_CONTRASTS = ("judge", "kind", "of", "minuend", "subtrahend", "difference", "p", "tasks", "why without a p")


def _contrast(one: Entry) -> Row:
    seat = " · ".join(filter(None, (one["judge"], one.get("criterion"), one["arm"])))
    return (
        seat,
        one["kind"],
        one["of"],
        one["minuend"],
        one["subtrahend"],
        _text(one.get("difference")),
        _text(one.get("p_holm") if one.get("p_holm") is not None else one.get("p")),
        f"{one['tasks']:,}",
        _text(one.get("reason") if one.get("p") is None else None),
    )


CONTEXTS = (
    "The same comparison with and without a displayed third, ineligible candidate: present − absent, "
    "descriptive. A task is adverse if its winner changes in either order, or a call is invalid."
)
_CONTEXTS = ("judge", "absent", "present", "difference", "interval", "adverse", "tasks", "why nothing")


def _context(one: Entry) -> Row:
    low, high = one.get("interval") or (None, None)
    return (
        " · ".join(filter(None, (one["judge"], one.get("criterion"), one["arm"]))),
        _text(one.get("absent")),
        _text(one.get("present")),
        _text(one.get("difference")),
        NONE if low is None else f"{_text(low)} to {_text(high)}",
        _text(one.get("adverse")),
        f"{one['tasks']:,}",
        _text(one.get("reason")),
    )


AGENTS = "Tool calls stand beside tokens: costs alone cannot tell an expensive agent from a broken one."
_AGENTS = (
    "agent",
    "state",
    "requested",
    "served",
    "answers",
    "outcomes",
    "tool calls",
    "tokens",
    "reasons",
)


def _agent(one: Entry) -> Row:
    counts = (f"{one['answers']:,} of {one['calls']:,}", _text(one["outcomes"]), _text(one["tool_calls"]))
    served = _text(one["served"])
    return (
        one["agent"],
        one["state"],
        one["requested"],
        served,
        *counts,
        facts.tokens(one),
        _text(one["reasons"]),
    )


DESIGNS = (
    "Contrasts of blind scores. Within noise: no more than what two runs of one configuration differ by. "
    "Above it is not a test."
)
_DESIGNS = ("design", "figure", "value", "× noise floor", "")


def _figures(report: Report) -> Sequence[Entry]:
    return [{**figure, "design": one} for one in report["designs"] for figure in one.get("figures", ())]


def _figure(one: Entry) -> Row:
    design, value = one["design"], one.get("value")
    levels = " → ".join(design.get("levels") or ())
    parts = (design["design"], levels, design.get("agent"), *design.get("corpora", ()))
    name = " · ".join(filter(None, parts))
    unit = facts.share(value) if one.get("unit") == "share" and value is not None else _text(value)
    within = {True: "within noise", False: "above", None: one.get("reason") or ""}[one.get("within_noise")]
    return name, one["name"], unit, _text(one.get("multiple")), within


PREDICTIONS = "What was written into the protocol before any call, beside what came."
_PREDICTIONS = ("prediction", "expects", "outcome", "value", "reason")


def _prediction(one: Entry) -> Row:
    return one["id"], one["expects"], one["outcome"], _text(one.get("value")), _text(one.get("reason"))


CLAIMS = "Figures as they were published, recomputed from the rows of this run."
_CLAIMS = ("claim", "state", "published", "computed", "reasons")


def _claim(one: Entry) -> Row:
    claim = one["claim"]
    return (
        claim["text"],
        one["state"],
        _text(claim["value"]),
        _text(one.get("computed")),
        _text(one.get("reasons")),
    )


VOLUMES = "Accuracy over few checkable claims says nearly nothing: their number stands beside it."
_VOLUMES = ("agent", "arm", "answers", "claims an answer", "few claims", "what came of the claims")


def _volume(one: Entry) -> Row:
    counts = (f"{one['answers']:,}", f"{one['claims_per_answer']:.2f}", f"{one['few']:,}")
    return one["agent"], one["arm"], *counts, _text(one["states"])


GRADES = "Each answer with its checklist's score, what judges say of it, and what is to be said of it."
_GRADES = (
    "question",
    "arm",
    "agent",
    "run",
    "state",
    "score",
    "facts",
    "judge",
    "rubric totals",
    "findings",
)


def _grade(one: Entry) -> Row:
    per_fact = one.get("per_fact") or {}
    found = f"{sum(map(bool, per_fact.values()))} of {len(per_fact)}" if per_fact else NONE
    judge = one.get("judge") or {}
    said = " ".join(
        filter(None, (str(judge.get("state", "")), _text(judge.get("score")).replace(NONE, "")))
    )
    totals = {name: score.get("total") for name, score in (one.get("judges") or {}).items()}
    return (
        *(str(one[name]) for name in ("question", "arm", "agent", "replicate", "state")),
        *(_text(one.get("score")), found, said or NONE, _text(totals), _text(one.get("findings"))),
    )
