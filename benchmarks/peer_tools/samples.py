"""What the scripts share: the samples, the call where a tool leaves it to its user, the verdict."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

MODEL = "mine"
SAMPLES = [json.loads(line) for line in Path("samples.jsonl").read_text(encoding="utf-8").splitlines()]
"""Each with ``id``, ``prompt`` and the stored ``reply``. The right winner is always a tie."""

TARGET = "tie"


def winner(reply: str) -> str:
    """Read the verdict."""
    return str(json.loads(reply)["winner"])


def body(prompt: str) -> dict[str, Any]:
    """What a request holds."""
    return {"model": MODEL, "messages": [{"role": "user", "content": prompt}]}


def text(answer: dict[str, Any]) -> str:
    """What the model said."""
    return str(answer["choices"][0]["message"]["content"])


def expect(right: float) -> None:
    """End with an error unless all verdicts were right: a run that did less is not to be measured."""
    if right != len(SAMPLES):
        sys.exit(f"{right} of {len(SAMPLES)} were right")
