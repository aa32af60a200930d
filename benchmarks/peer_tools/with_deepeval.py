"""
deepeval: a metric of one's own, which reads a stored reply or asks the judge; ``evaluate`` runs the cases.

No indicator, no printed results, no cache. Stored replies need no event loop; live cases run side by side.
"""

from __future__ import annotations

import sys
from functools import cache
from typing import Any

import httpx
from deepeval import evaluate
from deepeval.evaluate import AsyncConfig, CacheConfig, DisplayConfig
from deepeval.metrics import BaseMetric
from deepeval.test_case import LLMTestCase
from samples import SAMPLES, TARGET, body, expect, text, winner


class Right(BaseMetric):
    """1 where the judge named the target. deepeval copies it for each case, by these attributes."""

    def __init__(self, url: str, *, live: bool, connections: int) -> None:
        self.threshold = 0.5
        self.async_mode = self.live = live
        self.url, self.connections = url, connections

    def measure(self, test_case: LLMTestCase, *_: Any, **__: Any) -> float:
        """Read a stored reply."""
        return self._marked(test_case.actual_output, test_case)

    async def a_measure(self, test_case: LLMTestCase, *_: Any, **__: Any) -> float:
        """Ask for a reply."""
        reply = await client_of(self.connections).post(
            f"{self.url}/chat/completions", json=body(test_case.input)
        )
        return self._marked(text(reply.json()), test_case)

    def _marked(self, reply: str, test_case: LLMTestCase) -> float:
        self.score = float(winner(reply) == test_case.expected_output)
        self.success = self.score >= self.threshold
        self.reason = "compared"
        return self.score

    def is_successful(self) -> bool:
        """Whether the last case was right."""
        return bool(self.success)

    @property
    def __name__(self) -> str:
        return "Right"


@cache
def client_of(connections: int) -> httpx.AsyncClient:
    """The connections of all copies."""
    return httpx.AsyncClient(limits=httpx.Limits(max_connections=connections))


if __name__ == "__main__":
    mode, address, flying = sys.argv[1:]
    live = mode == "live"
    found = evaluate(
        test_cases=[
            LLMTestCase(
                name=row["id"], input=row["prompt"], actual_output=row["reply"], expected_output=TARGET
            )
            for row in SAMPLES
        ],
        metrics=[Right(address, live=live, connections=int(flying))],
        async_config=AsyncConfig(run_async=live, max_concurrent=int(flying)),
        display_config=DisplayConfig(print_results=False, show_indicator=False, inspect_after_run=False),
        cache_config=CacheConfig(write_cache=False),
    )
    expect(sum(bool(result.success) for result in found.test_results))
