"""Combinations of markers, fixtures and arguments that would measure something else, or nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.records.plans import GateSpec
from pytest_judgeaudit.session.markers import SourceSpec, gates_of
from pytest_judgeaudit.session.marking import parametrized

FIXTURES = ("judge", "judges", "agent", "sandbox")
CORE_ONLY = ("clone_gate", "rate_gate")
FITS = {"clone_gate": "clone_pairs", "utility_gate": "signal_pairs"}


def check(definition: pytest.Item, source: SourceSpec | None, names: Sequence[str]) -> None:
    """Refuse combinations of markers and fixtures that would measure something else."""
    gates = gates_of(definition)
    marker = source.marker if source else None
    for gate in gates:
        wanted = FITS.get(gate.kind)
        if wanted and marker != wanted:
            raise Refused(f"{gate.kind}: found the source {marker or 'none'}, expected {wanted}")
        if wanted and "judge" not in names:
            raise Refused(f"{gate.kind}: the test takes no fixture `judge`. Add it to its arguments.")
        _refuse_idle(gate, source)
    if source and "pair" not in names:
        raise Refused(f"{marker}: the test takes no argument `pair`. Add it to its arguments.")
    for name in parametrized(definition):
        if name in FIXTURES or (source and name == "pair"):
            raise Refused(f"parametrize: {name!r} is filled by {marker or 'the plug-in'}. Rename yours.")
    refuse_xfail(definition)
    _refuse_shadows(definition)


def _refuse_idle(gate: GateSpec, source: SourceSpec | None) -> None:
    """Refuse a gate that no cell of its test would have: it would be green for ever."""
    arm = source.kind if source else "all"
    if gate.where is not None and gate.where["arm"] != arm:
        raise Refused(f"{gate.kind}: where: found the arm {gate.where['arm']!r}, this test has {arm!r}")
    if gate.kind in CORE_ONLY and source and source.kind == "clone" and "core" not in source.strata:
        raise Refused(
            f"{gate.kind}: found the strata {', '.join(source.strata)}, which are counted apart and never "
            "gated. Add core to strata, or leave the gate out."
        )


def refuse_xfail(item: pytest.Item) -> None:
    """Refuse an expected failure: its trials would not be counted."""
    if item.get_closest_marker("xfail"):
        raise Refused(
            "xfail would take trials out of the sample in silence. Of a judge that is known to be bad, "
            'write expect = "uncertified" in the configuration.'
        )


def _refuse_shadows(definition: pytest.Item) -> None:
    # pytest has no public way to ask which fixture a name resolves to.
    info = getattr(definition, "_fixtureinfo", None)
    known: Mapping[str, Sequence[Any]] = getattr(info, "name2fixturedefs", {})
    for name in FIXTURES:
        for found in known.get(name, ())[-1:]:
            if not getattr(found.func, "__module__", "").startswith("pytest_judgeaudit."):
                code = getattr(found.func, "__code__", None)
                where = f"{code.co_filename}:{code.co_firstlineno}" if code else found.baseid
                raise Refused(f"the fixture {name!r} at {where} hides the plug-in's. Rename yours.")
