"""Reads what STKREORD writes: lines of 30 characters, laid out as in copy/REORDLN.cpy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

LINE_WIDTH = 30


class ProposalError(ValueError):
    """A line that is not laid out as agreed."""


@dataclass(frozen=True)
class ProposalLine:
    """One part to buy; the cost is in pence."""

    part_no: str
    supplier_no: str
    line_qty: int
    unit_pence: int

    @property
    def pence_total(self) -> int:
        """What the line costs."""
        return self.line_qty * self.unit_pence


def parse_line(line: str) -> ProposalLine:
    """Cut one line at its columns."""
    if len(line) != LINE_WIDTH:
        raise ProposalError(f"expected {LINE_WIDTH} characters, found {len(line)}")
    digits = line[14:28]
    if not digits.isdigit():
        raise ProposalError(f"quantity and cost must be digits, found {digits!r}")
    return ProposalLine(
        part_no=line[0:8].strip(),
        supplier_no=line[8:14].strip(),
        line_qty=int(digits[:7]),
        unit_pence=int(digits[7:]),
    )


def read_proposals(path: Path) -> Iterator[ProposalLine]:
    """Yield the lines of a file; empty ones are skipped."""
    with path.open(encoding="ascii") as file:
        for line in file:
            bare = line.rstrip("\r\n")
            if bare:
                yield parse_line(bare)
