"""Combinations of markers, fixtures and arguments that would measure something else, or nothing."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.records.labelled import LABELLED_ARMS, LABELS
from pytest_judgeaudit.records.plans import GateSpec
from pytest_judgeaudit.session.markers import AnswersSpec, QuestionSpec, Spec, gates_of
from pytest_judgeaudit.session.marking import OURS, SOURCES, parametrized

FIXTURES = ("judge", "judges", "agent", "sandbox")
ASKED = ("question", "arm", "replicate")
"""Fixtures of ours that a test has only with the marker ``questions``."""
CORE_ONLY = ("clone_gate", "rate_gate")
FITS = {"clone_gate": "clone_pairs", "utility_gate": "signal_pairs", "blind_floor": "questions"}


def check(definition: pytest.Item, source: Spec | None, names: Sequence[str]) -> None:
    """Refuse combinations of markers and fixtures that would measure something else."""
    _refuse_near_misses(definition)
    gates = gates_of(definition)
    marker = source.marker if source else None
    for gate in gates:
        wanted = FITS.get(gate.kind)
        if wanted and marker != wanted:
            raise Refused(f"{gate.kind}: found the source {marker or 'none'}, expected {wanted}")
        fixtures = ("judge", "judges") if wanted == "questions" else ("judge",)
        if wanted and not set(fixtures) & set(names):
            raise Refused(
                f"{gate.kind}: the test takes no fixture `{fixtures[-1]}`. Add it to its arguments."
            )
        _refuse_idle(gate, source)
        _refuse_success(gate, source)
        _refuse_gated_context(gate, source)
    _refuse_missing(source, names)
    filled = {*FIXTURES, *(SOURCES[source.marker] if source else ())}
    for name in parametrized(definition):
        if name in filled:
            raise Refused(f"parametrize: {name!r} is filled by {marker or 'the plug-in'}. Rename yours.")
    refuse_xfail(definition)
    own = (
        ASKED if isinstance(source, QuestionSpec) else ("item",) if isinstance(source, AnswersSpec) else ()
    )
    _refuse_shadows(definition, (*FIXTURES, *own))


def _refuse_near_misses(definition: pytest.Item) -> None:
    """Refuse an unknown marker that is nearly one of ours: the run would be green without it."""
    lines: Sequence[str] = definition.config.getini("markers")
    known = {re.split(r"[:(]", line, maxsplit=1)[0].strip() for line in lines}
    for mark in definition.iter_markers():
        near = difflib.get_close_matches(mark.name, OURS, n=1, cutoff=0.75)
        if mark.name not in known and near:
            raise Refused(f'{mark.name}: unknown marker. Did you mean "{near[0]}"?')


def _refuse_missing(source: Spec | None, names: Sequence[str]) -> None:
    """Refuse a test that does not take what its rows are about, or takes what nothing fills."""
    wanted = [source.carrier] if source else []
    wanted += ["agent", "sandbox"] if isinstance(source, QuestionSpec) else []
    wanted += ["judge"] if isinstance(source, AnswersSpec) else []
    for name in wanted:
        if source and name not in names:
            raise Refused(f"{source.marker}: the test takes no argument `{name}`. Add it to its arguments.")
    if not isinstance(source, QuestionSpec):
        for name in ("agent", "sandbox", "judges"):
            if name in names:
                raise Refused(
                    f"the fixture `{name}` needs questions to answer. Mark the test with questions."
                )


def _refuse_idle(gate: GateSpec, source: Spec | None) -> None:
    """Refuse a gate that no cell of its test would have: it would be green for ever."""
    arms: tuple[str, ...]
    if isinstance(source, QuestionSpec):
        arms = source.arms
    elif isinstance(source, AnswersSpec):
        arms = tuple(arm for arm in LABELLED_ARMS if arm in (*LABELS, *source.controls))
    else:
        arms = (source.kind if source else "all",)
    if gate.where is not None and gate.where["arm"].partition("@")[0] not in arms:
        raise idle(gate, arms)
    if isinstance(source, QuestionSpec | AnswersSpec):
        return
    if gate.kind in CORE_ONLY and source and source.kind == "clone" and "core" not in source.strata:
        raise Refused(
            f"{gate.kind}: found the strata {', '.join(source.strata)}, which are counted apart and never "
            "gated. Add core to strata, or leave the gate out."
        )


def idle(gate: GateSpec, arms: Sequence[str]) -> Refused:
    """Return the refusal of a gate on an arm that its test does not have."""
    known = " and ".join(map(repr, arms))
    found = gate.where["arm"] if gate.where else ""
    return Refused(f"{gate.kind}: where: found the arm {found!r}, this test has {known}")


def _refuse_success(gate: GateSpec, source: Spec | None) -> None:
    """Refuse to bound a success rate of labelled answers: errors are bounded there, of each kind."""
    if isinstance(source, AnswersSpec) and gate.lower is not None and gate.kind == "rate_gate":
        raise Refused(
            f"{gate.kind}: found lower={gate.lower:g}; of labelled answers the rate of errors is bounded. "
            f"Write upper={1 - gate.lower:.6g}."
        )


def _refuse_gated_context(gate: GateSpec, source: Spec | None) -> None:
    """Refuse a gate on a context audit, but for the operational one: it describes, and tests nothing."""
    if isinstance(source, QuestionSpec | AnswersSpec) or source is None or source.context is None:
        return
    if gate.kind != "operational_gate":
        raise Refused(
            f"{gate.kind}: a context audit is descriptive and has no gate. Leave the gate out, or context."
        )


def refuse_xfail(item: pytest.Item) -> None:
    """Refuse an expected failure: its trials would not be counted."""
    if item.get_closest_marker("xfail"):
        raise Refused(
            "xfail would take trials out of the sample in silence. Of a judge that is known to be bad, "
            'write expect = "uncertified" in the configuration.'
        )


def _refuse_shadows(definition: pytest.Item, names: Sequence[str]) -> None:
    # pytest has no public way to ask which fixture a name resolves to.
    info = getattr(definition, "_fixtureinfo", None)
    known: Mapping[str, Sequence[Any]] = getattr(info, "name2fixturedefs", {})
    for name in names:
        for found in known.get(name, ())[-1:]:
            if not getattr(found.func, "__module__", "").startswith("pytest_judgeaudit."):
                code = getattr(found.func, "__code__", None)
                where = f"{code.co_filename}:{code.co_firstlineno}" if code else found.baseid
                raise Refused(f"the fixture {name!r} at {where} hides the plug-in's. Rename yours.")
