"""Two reports side by side: what changed between them, gate by gate and task by task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pytest_judgeaudit.report import facts
from pytest_judgeaudit.report.facts import NONE, Entry, Report


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A gate in both reports, as texts: state and bound before and after."""

    gate: str
    before: str
    after: str
    bound_before: str
    bound_after: str
    moved: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """
    What two reports differ in.

    ``words`` and ``protocols`` are those of the earlier report and of this one; ``cells`` the comparisons
    with their flipped tasks, ``configurations`` what changed by judge.
    """

    words: tuple[str, str]
    protocols: tuple[str, str]
    same_protocol: bool
    changes: Sequence[Change]
    cells: Sequence[Entry]
    configurations: Mapping[str, Sequence[str]]


def comparison(report: Report, baseline: Report | None) -> Comparison | None:
    """Compare a report with an earlier one of schema 1; None without one."""
    if baseline is None:
        return None
    cells = facts.against(report)
    protocols = [str(one.get("protocol", {}).get("sha256", "")) for one in (baseline, report)]
    return Comparison(
        words=(_word(baseline), _word(report)),
        protocols=(protocols[0][:12] or NONE, protocols[1][:12] or NONE),
        same_protocol=protocols[0] == protocols[1],
        changes=_changes(report, baseline),
        cells=cells,
        configurations={one["judge"]: one["changed"] for one in cells if one["changed"]},
    )


def _word(report: Report) -> str:
    try:
        return facts.verdict(report)[0]
    except (KeyError, TypeError, AttributeError):
        # A report by another hand: the comparison has checked what it needs, not this.
        return NONE


def _changes(report: Report, baseline: Report) -> Sequence[Change]:
    found = baseline.get("gates")
    earlier = {gate["id"]: gate for gate in found if _is_gate(gate)} if isinstance(found, list) else {}
    now = {gate["id"]: gate for gate in report["gates"]}
    return [_change(name, earlier.get(name), now.get(name)) for name in dict.fromkeys([*now, *earlier])]


def _is_gate(entry: object) -> bool:
    return isinstance(entry, dict) and {"id", "kind", "state", "threshold", "bound"} <= entry.keys()


def _change(name: str, before: Entry | None, after: Entry | None) -> Change:
    states = [NONE if gate is None else str(gate["state"]) for gate in (before, after)]
    bounds = [NONE if gate is None else facts.bound(gate) for gate in (before, after)]
    return Change(
        gate=name,
        before=states[0],
        after=states[1],
        bound_before=bounds[0],
        bound_after=bounds[1],
        moved=states[0] != states[1],
    )
