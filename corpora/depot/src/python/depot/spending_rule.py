"""What may be ordered without a signature (change C-0441)."""

from __future__ import annotations

from collections.abc import Iterable

from depot.proposal_file import ProposalLine

APPROVAL_LIMIT_PENCE = 250_000
"""An order of more than 2,500 pounds waits for the depot manager."""


def order_total(lines: Iterable[ProposalLine]) -> int:
    """Return what the lines cost together, in pence."""
    return sum(line.pence_total for line in lines)


def needs_signature(lines: Iterable[ProposalLine]) -> bool:
    """Whether an order stays a draft until somebody signs it."""
    return order_total(lines) > APPROVAL_LIMIT_PENCE
