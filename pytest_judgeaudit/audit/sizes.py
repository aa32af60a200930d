"""How many tasks a plan has in each stratum: known before anything is measured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from pytest_judgeaudit.records.items import NO_SUBSET
from pytest_judgeaudit.records.plans import Task


def strata_sizes(tasks: Iterable[Task], *, by: str) -> Counter[str]:
    """Count the tasks of each stratum that tasks fall into, in the order in which they first occur."""
    return Counter((task.subset if by == "subset" else task.family) or NO_SUBSET for task in tasks)
