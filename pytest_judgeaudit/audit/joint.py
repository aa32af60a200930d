"""The joint label: what the clone and the utility gate say together, on matched tasks (RULES R19)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from pytest_judgeaudit.audit.gates import Gated
from pytest_judgeaudit.records.audits import Joint

LABELS = {
    (True, True): "both gates pass",
    (True, False): "clone gate only",
    (False, True): "utility gate only",
    (False, False): "neither",
}


def joint(gates: Sequence[Gated]) -> tuple[Joint, ...]:
    """
    Label every study, judge and criterion that has a clone or a utility gate.

    Several gates of one kind must all pass. HOLD comes before all other labels; a gate that was not
    evaluated because a part was run counts as not measured, and where neither was measured there is no
    label.
    """
    groups: dict[tuple[str, str, str], list[Gated]] = defaultdict(list)
    for gated in gates:
        gate = gated.gate
        if gate.kind in {"clone_gate", "utility_gate"} and gate.judge is not None:
            groups[gate.study, gate.judge, gate.criterion or ""].append(gated)
    return tuple(
        Joint(study=study, judge=judge, criterion=criterion, label=label)
        for (study, judge, criterion), group in groups.items()
        for label in _label(group)
    )


def _label(group: Sequence[Gated]) -> Iterator[str]:
    clone, utility = ([g for g in group if g.gate.kind == kind] for kind in ("clone_gate", "utility_gate"))
    measured = [bool(kind) and all(g.gate.state != "PARTIAL" for g in kind) for kind in (clone, utility)]
    if any(gated.gate.state == "HOLD" for gated in group):
        yield "HOLD"
    elif measured == [True, True]:
        passed = [all(g.gate.state == "PASS" for g in kind) for kind in (clone, utility)]
        yield LABELS[passed[0], passed[1]] if _tasks(clone) == _tasks(utility) else "unmatched"
    elif measured == [True, False]:
        yield "utility not measured"
    elif measured == [False, True]:
        yield "clone not measured"


def _tasks(gates: Sequence[Gated]) -> set[str]:
    return {presentation.task for gated in gates for presentation in gated.cell.observed.scheduled}
