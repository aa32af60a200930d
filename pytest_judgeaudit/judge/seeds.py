"""A seed for each call that draws: one seed for all would make the draws of all calls alike."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from pytest_judgeaudit.records.items import Pair
from pytest_judgeaudit.records.labelled import LabelledAnswer, call_arm

DEFAULT_TEMPERATURE = 0.8
"""llama.cpp's, where a decoder names none."""


def draws(decoder: Mapping[str, Any]) -> bool:
    """
    Whether a local model's decoder draws its tokens.

    >>> draws({"temperature": 0}), draws({"temperature": 1}), draws({})
    (False, True, True)
    """
    return bool(decoder.get("temperature", DEFAULT_TEMPERATURE))


def drawn_seed(seed: int, judge: str, criterion: str, pair: Pair, *, replicate: int) -> int:
    """
    Return the seed of one call, from 0 to 2^31 - 1.

    It follows from the audit's seed and from what names the call, never from its texts: a prompt that moved
    makes an answer stale by itself.
    """
    return _drawn([seed, judge, criterion, pair.kind, pair.stratum, pair.id, pair.order, replicate])


def drawn_for_answer(seed: int, judge: str, criterion: str, item: LabelledAnswer) -> int:
    """Return the seed of one call about a labelled answer; its label is no part of that."""
    return _drawn(
        [seed, judge, criterion, "answer", call_arm(item.arm, item.stratum), item.id, item.replicate]
    )


def _drawn(call: Sequence[str | int]) -> int:
    digest = hashlib.sha256(json.dumps(call).encode("ascii")).digest()
    return int.from_bytes(digest[:4], "big") >> 1
