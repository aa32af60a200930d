"""What is laid beside the answers of a run: declared before it, or kept from earlier ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pytest_judgeaudit.records.claims import Claim
from pytest_judgeaudit.records.exclusions import Exclusion
from pytest_judgeaudit.records.floors import Prediction
from pytest_judgeaudit.records.grades import GradedRow


class Beside(NamedTuple):
    """See :func:`pytest_judgeaudit.audit.auditing.audit`, whose arguments these are."""

    predictions: Sequence[Prediction] = ()
    claims: Sequence[Claim] = ()
    exclusions: Sequence[Exclusion] = ()
    retired: Sequence[GradedRow] = ()
