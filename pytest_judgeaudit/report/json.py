"""The audit as JSON, schema 1: full precision, standard, one line a trial (DESIGN 5)."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from pytest_judgeaudit.records.audits import Audit
from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.records.floors import Comprehension
from pytest_judgeaudit.report.graded import grade_entry

SCHEMA = 1

RISK = (
    "lowest expected loss under declared losses, over these tasks; an illustration of consequences, not a "
    "ranking of judges"
)

_encode = json.JSONEncoder(allow_nan=False).encode


def to_json(audit: Audit) -> str:
    """
    Return the audit in schema 1, one entry a line, ASCII only, without NaN or Infinity.

    Additive keys beside DESIGN 5: ``study``, ``id``, ``state``, ``outcome`` and the like of the nouns.
    """
    entries = {key: _value(value) for key, value in document(audit).items()}
    return "{\n" + ",\n".join(f'"{key}": {text}' for key, text in entries.items()) + "\n}\n"


def document(audit: Audit) -> dict[str, Any]:
    """Return the audit as the values of schema 1, by key."""
    requested = {one.judge: one.requested for one in audit.configurations}
    return {
        "schema": SCHEMA,
        "state": audit.state,
        "exit": audit.exit,
        "protocol": asdict(audit.protocol),
        "answers": asdict(audit.answers),
        "configurations": [asdict(configuration) for configuration in audit.configurations],
        "cells": [asdict(cell) for cell in audit.cells],
        # A family is one for all of its gates: each copy would be as long as they are many.
        "gates": [{**asdict(replace(gate, family=None)), "family": gate.family} for gate in audit.gates],
        "joint": [asdict(joint) for joint in audit.joint],
        "trials": list(audit.trials),
        "contrasts": [asdict(contrast) for contrast in audit.contrasts],
        "risk": _risk(audit),
        "ladders": [asdict(ladder) for ladder in audit.ladders],
        "contexts": [asdict(effect) for effect in audit.contexts],
        **_comprehension(audit.comprehension),
        "agents": [asdict(agent) for agent in audit.agents],
        "grades": [grade_entry(row, requested=requested) for row in audit.grades],
        "claims": [asdict(result) for result in audit.claims],
        "left_out": [asdict(one) for one in audit.left_out],
        "claim_volumes": [asdict(volume) for volume in audit.claim_volumes],
        "findings": [asdict(finding) for finding in audit.findings],
    }


def _comprehension(found: Comprehension) -> dict[str, Any]:
    """Return what rubric scores amount to; empty where no rubric's judge was asked."""
    return {
        "floors": [asdict(floor) for floor in found.floors],
        "spreads": [asdict(spread) for spread in found.spreads],
        "noise": {} if found.noise is None else asdict(found.noise),
        "designs": [asdict(design) for design in found.designs],
        "means": [asdict(cell) for cell in found.means],
        "exclusions": {} if found.exclusions is None else asdict(found.exclusions),
        "predictions": [asdict(one) for one in found.predictions],
    }


def _risk(audit: Audit) -> dict[str, Any]:
    if not audit.risk:
        return {}
    return {"statement": RISK, "studies": [asdict(found) for found in audit.risk]}


def _value(value: Any) -> str:
    if isinstance(value, list) and value:
        return "[\n" + ",\n".join(map(_dumped, value)) + "\n]"
    return _dumped(value)


def _dumped(value: Any) -> str:
    try:
        return _encode(value)
    except ValueError:
        return _encode(_finite(value))


def _finite(value: Any) -> Any:
    """Replace what standard JSON has no number for by null."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _finite(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(entry) for entry in value]
    return value


def read(path: Path) -> Mapping[str, Any]:
    """Read a report that :func:`write` wrote. Refused, in one line: anything else."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise Refused(f"{path}: cannot be read: {error.strerror}. Name a JSON report.") from None
    except (ValueError, RecursionError):
        raise Refused(f"{path}: is no JSON. Name a report that --judge-report=FILE.json wrote.") from None
    if not isinstance(found, dict) or found.get("schema") != SCHEMA or not _is_report(found):
        raise Refused(
            f"{path}: is no report of schema {SCHEMA}. Name one that --judge-report=FILE.json wrote."
        )
    return found


LARGEST = 1e9
"""No bound or threshold is as large."""

_NEEDED = {
    "cells": {"id", "state"},
    "configurations": {"study", "judge"},
    "trials": {"cell", "task", "outcome"},
}


def _is_report(found: Mapping[str, Any]) -> bool:
    """Whether the parts that a comparison reads are there, each entry with its keys."""
    gates = found.get("gates", [])
    return (
        all(_are_entries(found.get(name), keys) for name, keys in _NEEDED.items())
        and isinstance(found.get("protocol", {}), dict)
        and _are_entries(gates, {"id", "kind", "state"})
        and all(_is_bound(gate.get(key)) for gate in gates for key in ("threshold", "bound"))
        and all(isinstance(one.get("served", {}), dict) for one in found["configurations"])
    )


def _are_entries(found: Any, keys: Collection[str]) -> bool:
    """Whether a part is a list of objects with these keys, each a text."""
    return isinstance(found, list) and all(
        isinstance(entry, dict) and all(isinstance(entry.get(key), str) for key in keys) for entry in found
    )


def _is_bound(value: Any) -> bool:
    """Whether a value is null or a number that can be worded; no truth value, no infinity."""
    return value is None or (
        isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < LARGEST
    )


def write(path: Path, text: str) -> None:
    """
    Write a report whole or not at all; a missing folder is made.

    Raises Refused, in one line, where that is not possible.
    """
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft.write_text(text, encoding="utf-8", newline="\n")
        draft.replace(path)
    except OSError as error:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        reason = error.strerror or str(error)
        raise Refused(
            f"{path}: the report could not be written: {reason}. Name a file in a folder of your own."
        ) from error
