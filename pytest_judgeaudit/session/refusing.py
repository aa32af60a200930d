"""Refusals as pytest tells them: one usage error, in whichever process they were found."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from pytest_judgeaudit.records.errors import JudgeAuditError

FAULTS = "judgeaudit_faults"
"""Key of a worker's output: what it refused."""


@contextmanager
def told() -> Iterator[None]:
    """Turn an error of ours into pytest's usage error, which is shown without a traceback."""
    try:
        yield
    except JudgeAuditError as error:
        raise pytest.UsageError(*str(error).splitlines()) from None


def refuse(config: pytest.Config, items: list[pytest.Item], faults: Iterable[str]) -> None:
    """
    Raise all faults as one usage error, after collection.

    An xdist worker collects nothing instead and leaves them to the controller: whatever is raised in a
    worker ends the run with a traceback of xdist's.
    """
    found = list(dict.fromkeys(faults))
    output: dict[str, Any] | None = getattr(config, "workeroutput", None)
    if output is None:
        raise pytest.UsageError(*found)
    output[FAULTS] = json.dumps(found)
    items.clear()


def faults_of(node: Any) -> list[str]:
    """Return what an xdist worker that has ended refused."""
    output: dict[str, Any] = getattr(node, "workeroutput", None) or {}
    return list(json.loads(output.get(FAULTS, "[]")))
