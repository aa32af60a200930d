"""Why some cells have neither bound nor gate: the sentence that stands with them."""

from __future__ import annotations

from pytest_judgeaudit.records.plans import CellPlan

EDGE = (
    "counted apart over distinct prompts, without bound or gate: what a judge does without text to read is "
    "no property of judging text"
)
CONTEXT = "one half of a context audit, which describes: no gate"
EQUIVALENT = "certified equivalents are described: no gate, no family"
UNVALIDATED = "nobody validated that these texts are equally good: described, and in no risk"


def apart(cell: CellPlan) -> str:
    """Return the sentence of a cell; "" where its arm has a gate of its own."""
    if cell.context:
        return CONTEXT
    if cell.arm == "equivalent":
        return UNVALIDATED if cell.stratum == "unvalidated" else EQUIVALENT
    return EDGE if cell.stratum in {"empty", "whitespace"} else ""
