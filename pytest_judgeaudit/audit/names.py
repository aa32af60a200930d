"""Names of gates and families, as they stand in node ids, in the report and in the protocol."""

from __future__ import annotations

from pytest_judgeaudit.records.items import slug
from pytest_judgeaudit.records.labelled import LABELLED_ARMS
from pytest_judgeaudit.records.plans import CellPlan

CONTROLS = "controls"
"""The family, within a study, of judges that are expected to fail."""


def gate_id(cell: CellPlan, kind: str) -> str:
    """
    Return the node id of a gate: ``FILE::TEST::KIND[JUDGE-CRITERION]``.

    Of questions it is ``[AGENT-ARM]``, of a floor, which is about all arms, ``[AGENT]``; a rate of labelled
    answers has ``[JUDGE-CRITERION-ARM]``; ``[all]`` without a judge or an agent.

    Parameters that are not ours follow. ASCII without colons, so that it can be given back to pytest.
    """
    seat = "-".join(slug(name) for name in (cell.judge, cell.criterion) if name is not None)
    if kind == "rate_gate" and cell.arm in LABELLED_ARMS:
        seat = f"{seat}-{cell.arm}"
    if cell.agent is not None:
        seat = slug(cell.agent) if kind == "blind_floor" else f"{slug(cell.agent)}-{cell.arm}"
    variant = f"-{slug(cell.variant)}" if cell.variant else ""
    return f"{cell.eval}::{kind}[{seat or 'all'}{variant}]"


def family_name(study: str, family: str | None, expect: str) -> str:
    """
    Name a Holm family: the study, the judges that are expected to fail apart, and a name of its own.

    >>> family_name("evals/test_a.py", None, "certified"), family_name("s", "x", "uncertified")
    ('evals/test_a.py', 's:controls:x')
    """
    return ":".join(filter(None, (study, CONTROLS if expect == "uncertified" else "", family)))


def label(cell: CellPlan) -> str:
    """Name a cell for a person: the test's name, its seat, its variant and, of an edge, its stratum."""
    test = cell.eval.rpartition("::")[2]
    asked = (cell.agent, cell.arm) if cell.agent is not None else ()
    arm = cell.arm if cell.arm in LABELLED_ARMS else None
    seat = "-".join(filter(None, (cell.judge, cell.criterion, arm, *asked, cell.variant)))
    edge = cell.stratum if cell.stratum not in {None, "core"} else None
    return " ".join(filter(None, (test, seat, edge)))
