"""Whether answers of a blind arm were given blind, as far as that was made sure and watched."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from pytest_judgeaudit.agent.trees import Tree
from pytest_judgeaudit.records.traces import Trace

EMPTY = Tree().digest
"""The digest of a sandbox that shows nothing."""


class Blindness(NamedTuple):
    """Whether an arm was verified to be blind; ``reasons`` say why not, or what else to know."""

    verified: bool
    reasons: tuple[str, ...]


def blindness(traces: Iterable[Trace]) -> Blindness:
    """
    Judge the traces of one agent's blind arm, of answers that were given at all.

    Verified: every answer came from an empty sandbox, behind something that was probed and held, and
    nothing was tried that is not allowed. An open network is named: what was asked there is not seen.
    """
    traces = list(traces)
    faults = dict.fromkeys(reason for trace in traces for reason in _faults(trace))
    if not traces:
        faults["no answer of the blind arm"] = None
    remarks = dict.fromkeys(reason for trace in traces for reason in _remarks(trace))
    return Blindness(verified=not faults, reasons=(*faults, *remarks))


def _faults(trace: Trace) -> Iterable[str]:
    enforcement = trace.enforcement
    if trace.corpus != EMPTY:
        yield "its sandbox was not empty"
    if enforcement.state == "not enforced":
        yield f"not enforced: {enforcement.reason or 'nothing kept the agent in'}"
    elif not enforcement.verified:
        yield f"{enforcement.mechanism}: not verified by a probe"
    for code in dict.fromkeys(event.code for event in trace.policy_events):
        yield f"policy event {code}"


def _remarks(trace: Trace) -> Iterable[str]:
    if trace.enforcement.state == "in process":
        yield "in process: an audit hook is no boundary"
    if trace.enforcement.network:
        yield "the network was open, as declared"
