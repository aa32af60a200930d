"""What answers to questions amount to: rows, claim volumes, claims, floors, and what is odd about them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pytest_judgeaudit.audit.beside import Beside
from pytest_judgeaudit.audit.claims import check_claim
from pytest_judgeaudit.audit.comprehension import comprehension
from pytest_judgeaudit.audit.exclusions import left_out, marked, of_left_out
from pytest_judgeaudit.audit.graded import graded_rows
from pytest_judgeaudit.audit.grounded import claim_volumes, thin
from pytest_judgeaudit.audit.observations import Observed
from pytest_judgeaudit.audit.repeats import score_noise
from pytest_judgeaudit.audit.suspicions import suspicions
from pytest_judgeaudit.audit.unsettled import unsettled
from pytest_judgeaudit.records.plans import Finding, Plan


class Understanding(NamedTuple):
    """The fields of an Audit that are about answers, by name, and the findings about them."""

    fields: Mapping[str, Any]
    findings: tuple[Finding, ...]


def understanding(plan: Plan, observed: Sequence[Observed], beside: Beside, *, run: str) -> Understanding:
    """Analyse the answers of a run; ``run`` names it, for the floors that belong to it."""
    rows = marked(graded_rows(plan, observed), beside.exclusions)
    families = {judge.name: judge.family for judge in plan.judges}
    noise = score_noise(rows)
    counting = [row for row in rows if not row.excluded]
    fields = {
        "grades": rows,
        "claim_volumes": claim_volumes(rows),
        "claims": tuple(check_claim(claim, rows, noise=noise) for claim in beside.claims),
        "comprehension": comprehension(
            counting, families=families, run=run, predictions=beside.predictions
        ),
        "left_out": left_out(rows, beside.exclusions, beside.retired),
    }
    return Understanding(fields, tuple(_findings(fields)))


def _findings(fields: Mapping[str, Any]) -> Iterator[Finding]:
    yield from of_left_out(fields["left_out"])
    yield from unsettled(fields["grades"])
    yield from suspicions(fields["grades"])
    yield from thin(fields["claim_volumes"])
    yield from fields["comprehension"].findings
