"""What the clone and the utility gate say together, on matched tasks, and where that is unexpected."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from pytest_judgeaudit.audit.gates import Gated
from pytest_judgeaudit.records.audits import Joint
from pytest_judgeaudit.records.labelled import LABELLED_ARMS
from pytest_judgeaudit.records.labelled import LABELS as BOTH_LABELS

BOTH = "both gates pass"
LABELS = {
    (True, True): BOTH,
    (True, False): "clone gate only",
    (False, True): "utility gate only",
    (False, False): "neither",
}


BOTH_PASSED = (
    'expected = "uncertified", but the judge passed both gates: it is no known-bad judge, or the tasks '
    "cannot tell it from a good one"
)

ALL_PASSED = (
    'expected = "uncertified", but the judge passed all gates on labelled answers: it is no known-bad '
    "judge, or the answers cannot tell it from a good one"
)

Key = tuple[str, str | None, str | None]
"""A study, a judge and a criterion."""


def joint(gates: Sequence[Gated]) -> tuple[Joint, ...]:
    """
    Label every study, judge and criterion that has a clone or a utility gate (RULES R19).

    Several gates of one kind must all pass. HOLD comes before all other labels; a gate that was not
    evaluated because a part was run counts as not measured, and where neither was measured there is no
    label.
    """
    return tuple(
        Joint(study=study, judge=judge, criterion=criterion or "", label=label)
        for (study, judge, criterion), group in _groups(gates).items()
        if judge is not None
        for label in _label(group)
    )


def surprises(gates: Sequence[Gated]) -> tuple[Gated, ...]:
    """
    Fail the later gate of each known-bad judge of which both gates pass, or all on labelled answers.

    That is what the joint label says: where the tasks do not match, nothing is claimed of both.
    """
    late = {
        group[-1].gate.id: BOTH_PASSED
        for group in _groups(gates).values()
        if group[-1].gate.expected == "uncertified" and BOTH in _label(group)
    }
    late |= {group[-1].gate.id: ALL_PASSED for group in _labelled(gates) if _all_passed(group)}
    return tuple(_failed(gated, late[gated.gate.id]) if gated.gate.id in late else gated for gated in gates)


def _labelled(gates: Sequence[Gated]) -> Iterator[Sequence[Gated]]:
    """Put the gates on labelled answers of each test, judge and criterion together."""
    groups: dict[Key, list[Gated]] = defaultdict(list)
    for gated in gates:
        if gated.gate.kind == "rate_gate" and gated.gate.arm in LABELLED_ARMS:
            groups[gated.gate.eval, gated.gate.judge, gated.gate.criterion].append(gated)
    yield from groups.values()


def _all_passed(group: Sequence[Gated]) -> bool:
    """Whether a known-bad judge passes on good and on bad answers, and everything else that is gated."""
    bad = all(one.gate.expected == "uncertified" and one.gate.state == "PASS" for one in group)
    return bad and set(BOTH_LABELS) <= {one.gate.arm for one in group}


def _failed(gated: Gated, why: str) -> Gated:
    gate = replace(gated.gate, outcome="failed", reasons=(*gated.gate.reasons, why))
    return replace(gated, gate=gate)


def _groups(gates: Sequence[Gated]) -> dict[Key, list[Gated]]:
    """Put the clone and utility gates of each study, judge and criterion together, in their order."""
    groups: dict[Key, list[Gated]] = defaultdict(list)
    for gated in gates:
        gate = gated.gate
        if gate.kind in {"clone_gate", "utility_gate"}:
            groups[gate.study, gate.judge, gate.criterion].append(gated)
    return groups


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
