"""The protocol of a run: what was fixed before the first call, as digests."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING

from pytest_judgeaudit.records.audits import Protocol
from pytest_judgeaudit.records.items import short_digest
from pytest_judgeaudit.records.plans import Plan
from pytest_judgeaudit.store.lock import protocol_digest

if TYPE_CHECKING:
    from pytest_judgeaudit.settings.models import Configuration


def protocol_of(plan: Plan, configuration: Configuration) -> Protocol:
    """Digest what the plan and the configuration fix; not frozen, until freezing is built."""
    return Protocol(sha256=protocol_digest(protocol_parts(plan, configuration)))


def protocol_parts(plan: Plan, configuration: Configuration) -> Mapping[str, str]:
    """
    Name the parts of the protocol with a digest each.

    ``items``: every task with the digest of its text; ``schedule``: seed and presentations;
    ``thresholds``: every gate; ``families``: the declared members; ``configurations``: the judges and
    criteria as written.
    """
    cells = sorted(plan.cells, key=lambda cell: cell.id)
    described: Mapping[str, object] = {
        "items": {
            name: sorted((task.id, task.digest, task.target) for task in tasks.values())
            for name, tasks in plan.tasks.items()
        },
        "schedule": [
            configuration.audit.seed,
            configuration.audit.schedule,
            [(c.id, sorted(c.declared)) for c in cells],
        ],
        "thresholds": [(cell.id, [asdict(gate) for gate in cell.gates]) for cell in cells],
        "families": sorted(plan.members),
        "configurations": configuration.model_dump(mode="json", exclude={"file"}),
    }
    return {name: short_digest(json.dumps(part, sort_keys=True)) for name, part in described.items()}
