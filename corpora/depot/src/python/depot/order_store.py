"""The orders in SQLite; the tables are those of sql/schema.sql."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping

from depot.proposal_file import ProposalLine

ADD_ORDER = "INSERT INTO purchase_order (supplier_no, order_state) VALUES (?, ?)"
ADD_LINE = "INSERT INTO order_line (order_no, part_no, line_qty, unit_pence) VALUES (?, ?, ?, ?)"


class OrderStore:
    """Keeps orders; the caller commits."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection

    def add_order(self, supplier_no: str, lines: Iterable[ProposalLine], *, order_state: str) -> int:
        """Write an order with its lines, and return its number."""
        cursor = self.connection.execute(ADD_ORDER, (supplier_no, order_state))
        order_no = int(cursor.lastrowid or 0)
        for line in lines:
            self.connection.execute(ADD_LINE, (order_no, line.part_no, line.line_qty, line.unit_pence))
        return order_no

    def held_suppliers(self) -> set[str]:
        """Return the suppliers that get no orders at present."""
        rows = self.connection.execute("SELECT supplier_no FROM supplier WHERE on_hold = 1")
        return {row[0] for row in rows}

    def commitments(self) -> Mapping[str, int]:
        """Return what is ordered and not closed, in pence, by supplier."""
        return dict(self.connection.execute("SELECT supplier_no, pence_total FROM open_commitment"))
