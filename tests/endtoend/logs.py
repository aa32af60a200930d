"""From published counts to what a user would have: a file of pairs, and somebody's log of verdicts."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

SIX = ("Factuality", "Focus", "Math", "PreciseIF", "Safety", "Ties")
"""The subsets of RewardBench 2."""

Counts = tuple[int, int, int]
"""How many tasks of a stratum have score 0, ½ and 1."""

Outcomes = list[dict[str, str]]
"""For each task what AB and BA come to: ``correct``, ``tie``, ``wrong`` or ``invalid``."""

OTHER = {"first": "second", "second": "first"}


def pair_rows(sizes: Mapping[str, int]) -> list[dict[str, Any]]:
    """Pairs by subset; the better answer is listed first and second in turn, so that neither place wins."""
    subsets = [name for name, size in sizes.items() for _ in range(size)]
    return [
        {
            "id": f"t{i:03d}",
            "prompt": f"Question {i:03d}: which answer is better?",
            "subset": subset,
            "first": f"An answer to {i:03d}.",
            "second": f"Another answer to {i:03d}, of other words.",
            "target": ("first", "second")[i % 2],
        }
        for i, subset in enumerate(subsets)
    ]


def outcomes(strata: Sequence[Counts], *, ab_only: int, ties: int = 0, invalid: int = 0) -> Outcomes:
    """
    Tasks with these scores, stratum by stratum.

    ``ab_only`` of those with ½ are right in order AB, spread evenly. Calls that are not correct are first
    invalid, then ties, then wrong.
    """
    halves = sum(half for _, half, _ in strata)
    when = iter([(i + 1) * ab_only // halves > i * ab_only // halves for i in range(halves)])
    right: list[tuple[bool, bool]] = []
    for none, half, both in strata:
        right += [(False, False)] * none
        right += [(True, False) if next(when) else (False, True) for _ in range(half)]
        right += [(True, True)] * both
    wrong = sum(not call for task in right for call in task) - ties - invalid
    misses = iter(["invalid"] * invalid + ["tie"] * ties + ["wrong"] * wrong)
    return [
        {order: "correct" if ok else next(misses) for order, ok in zip(("AB", "BA"), task, strict=True)}
        for task in right
    ]


def signal_log(pairs: Iterable[Mapping[str, Any]], found: Outcomes, **who: Any) -> Iterator[dict[str, Any]]:
    """Rows on signal pairs, in both orders; ``who`` are further fields of each row."""
    for pair, task in zip(pairs, found, strict=True):
        words = {"correct": pair["target"], "wrong": OTHER[pair["target"]]}
        for order, outcome in task.items():
            yield row(pair["id"], "pair", order, words.get(outcome, outcome), **who)


def clone_log(
    pairs: Iterable[Mapping[str, Any]],
    *,
    adverse: Collection[str] = (),
    invalid: Collection[str] = (),
    **who: Any,
) -> Iterator[dict[str, Any]]:
    """Rows on exact copies: A for ids in ``adverse``, no verdict for those in ``invalid``, else ties."""
    for pair in pairs:
        said = "first" if pair["id"] in adverse else "invalid" if pair["id"] in invalid else "tie"
        yield row(pair["id"], "copy", "AB", said, **who)


SLOTS = {("first", "AB"): "A", ("second", "AB"): "B", ("first", "BA"): "B", ("second", "BA"): "A"}


def row(item: str, arm: str, order: str, winner: str, **who: Any) -> dict[str, Any]:
    """One row of a log that holds the same verdict three times: by content, by slot, and as text."""
    slot = SLOTS.get((winner, order), winner)
    text = json.dumps({"winner": slot})
    return {
        "item": item,
        "arm": arm,
        "swap": order == "BA",
        "winner": {"first": "1", "second": "2", "invalid": None}.get(winner, winner),
        "slot": None if winner == "invalid" else slot,
        "text": f"```json\n{text}\n```" if winner == "invalid" else text,
        **who,
    }


BY_CONTENT = {"verdict": "winner"}, {"first": "1", "second": "2", "tie": "tie"}
BY_SLOT = {"verdict": "slot"}, {"A": "A", "B": "B", "tie": "tie"}
AS_TEXT = {"raw": "text"}, {}


def judge(
    name: str,
    *,
    model: str | None = None,
    criteria: Sequence[str] = ("neutral", "strict"),
    reading: tuple[Mapping[str, str], Mapping[str, str]] = BY_CONTENT,
    **changes: Any,
) -> dict[str, Any]:
    """A recorded judge of such a log; ``reading`` tells which of the three forms of a verdict is read."""
    field, words = reading
    return {
        "name": name,
        "family": name.partition("-")[0],
        "api": "recorded",
        "model": model or name,
        "criteria": list(criteria),
        "path": "verdicts.jsonl",
        "where": {"judge": name},
        "fields": {
            "id": "item",
            "order": "swap",
            "arm": "arm",
            "criterion": "criterion",
            "served": "served",
            **field,
        },
        "orders": {"AB": False, "BA": True},
        "arms": {"clone": "copy", "equivalent": "equivalent", "signal": "pair"},
        **({"verdicts": words} if words else {}),
        **changes,
    }
