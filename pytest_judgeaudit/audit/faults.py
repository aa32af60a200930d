"""Gates that contradict themselves or each other, as far as the plan alone tells."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from pytest_judgeaudit.audit.families import families
from pytest_judgeaudit.audit.names import CONTROLS, gate_id
from pytest_judgeaudit.audit.numbers import some
from pytest_judgeaudit.audit.sizes import strata_sizes
from pytest_judgeaudit.records.plans import GateSpec, Plan, Presentation, Task


def check_gates(plan: Plan) -> list[str]:
    """
    Name the faults of a plan's gates, one line each with the test; empty when all is well.

    Faults are: a family named as the known-bad judges' is, members of one Holm family with several
    confidences (a family has one level), utility weights that do not name every stratum or name one of a
    single task, a confidence of a utility gate that the checked bound cannot have, and the exact bound with
    weights or more than two presentations a task.
    """
    return list(dict.fromkeys([*_mistaken(plan), *_mixed(plan), *_misfits(plan)]))


def _mistaken(plan: Plan) -> Iterator[str]:
    for cell in plan.cells:
        for gate in cell.gates:
            if gate.family is not None and gate.family.partition(":")[0] == CONTROLS:
                yield (
                    f"{cell.eval}: {gate.kind}: family: found {gate.family!r}, which is the family of "
                    'judges with expect = "uncertified". Give it another name.'
                )


def _mixed(plan: Plan) -> Iterator[str]:
    family_of = {gate: family for family, gates in families(plan).items() for gate in gates}
    levels: dict[str, dict[float, str]] = defaultdict(dict)
    for cell in plan.cells:
        for gate in cell.gates:
            family = family_of.get(gate_id(cell, gate.kind))
            if gate.kind == "clone_gate" and gate.adjust == "holm" and family is not None:
                levels[family].setdefault(gate.confidence, cell.eval)
    for family, tests in levels.items():
        if len(tests) > 1:
            found = " and ".join(f"{level:g} ({test})" for level, test in tests.items())
            yield (
                f"{next(iter(tests.values()))}: clone_gate: the family {family!r} has the confidences "
                f"{found}, expected one. Give them the same confidence, or families of their own."
            )


def _misfits(plan: Plan) -> Iterator[str]:
    for cell in plan.cells:
        known = plan.tasks.get(cell.eval, {})
        for gate in cell.gates:
            fault = utility_fault(gate, cell.declared, known.values())
            if fault:
                yield f"{cell.eval}: utility_gate: {fault}"


def utility_fault(
    gate: GateSpec, presentations: Iterable[Presentation], tasks: Iterable[Task]
) -> str | None:
    """Say why a utility gate cannot be computed for these tasks; None when it can, and for other gates."""
    if gate.kind != "utility_gate":
        return None
    if gate.confidence <= 0.5:
        return f"confidence: found {gate.confidence:g}, expected more than 0.5. Write 0.95 for 95 %."
    shown = {(order, replicate) for _, order, replicate in presentations}
    if gate.bound == "exact" and len(shown) > 2:
        return f"bound: found 'exact' with {len(shown)} presentations a task, expected two at most"
    return None if gate.weights is None else _weights_fault(gate, strata_sizes(tasks, by=gate.strata))


def _weights_fault(gate: GateSpec, strata: Mapping[str, int]) -> str | None:
    weights = gate.weights or {}
    if set(weights) != set(strata):
        return f"weights name {some(sorted(weights))}, expected the strata {some(sorted(strata))}"
    if gate.bound == "exact":
        return "bound: found 'exact' with weights, which it cannot use. Write 'checked', or no weights."
    alone = [name for name, tasks in strata.items() if tasks == 1]
    if alone:
        # Merged with another, as unweighted strata of one task are, it would lose its weight.
        return (
            f"weights: found one task in {some(map(repr, alone))}, expected two or more in each stratum. "
            f"Add tasks to {'it' if len(alone) == 1 else 'them'}, name subsets more coarsely, or leave "
            "weights out."
        )
    return None
