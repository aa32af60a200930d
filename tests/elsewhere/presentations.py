"""What the samples here have in common: thirty presentations, and a judge that counts letters."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

CANDIDATES = re.compile(r"\[A\]\n(.*?)\n\[B\]\n(.*?)\n\[End\]", re.DOTALL)


class Presentation(NamedTuple):
    """One call of the judge."""

    task: str
    arm: str
    order: str
    target: str
    prompt: str


def winner(a: str, b: str) -> str:
    """Prefer the longer text."""
    return "tie" if len(a) == len(b) else "A" if len(a) > len(b) else "B"


def presentations(pairs: str) -> Iterator[Presentation]:
    """Each better answer beside its copy, and each pair in both orders."""
    for line in Path(pairs).read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        good, bad = row["chosen"], row["rejected"]
        for arm, order, target, a, b in (
            ("clone", "AB", "tie", good, good),
            ("signal", "AB", "A", good, bad),
            ("signal", "BA", "B", bad, good),
        ):
            text = f"Which answer is better?\n{row['prompt']}\n[A]\n{a}\n[B]\n{b}\n[End]"
            yield Presentation(row["id"], arm, order, target, text)
