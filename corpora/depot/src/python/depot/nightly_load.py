"""After the batch: proposals of one supplier become one order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from depot.order_store import OrderStore
from depot.proposal_file import ProposalLine
from depot.spending_rule import needs_signature


def by_supplier(lines: Iterable[ProposalLine]) -> dict[str, list[ProposalLine]]:
    """Group proposals, each group in the order of the file."""
    groups: dict[str, list[ProposalLine]] = defaultdict(list)
    for line in lines:
        groups[line.supplier_no].append(line)
    return dict(groups)


def load_proposals(lines: Iterable[ProposalLine], store: OrderStore) -> list[int]:
    """Make the orders; suppliers on hold are left out. Return the numbers."""
    held = store.held_suppliers()
    numbers = []
    for supplier_no, group in by_supplier(lines).items():
        if supplier_no in held:
            continue
        order_state = "draft" if needs_signature(group) else "sent"
        numbers.append(store.add_order(supplier_no, group, order_state=order_state))
    return numbers
