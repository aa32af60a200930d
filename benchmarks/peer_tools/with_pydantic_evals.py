"""
pydantic-evals: a data set, a task that recalls or asks, and the evaluator that compares; one event loop.

Without a progress bar, and without logfire, which it uses only where it is installed.
"""

from __future__ import annotations

import sys

import httpx
from pydantic_evals import Case, Dataset
from pydantic_evals.evaluators import EqualsExpected
from samples import SAMPLES, TARGET, body, expect, text, winner


def main(mode: str, url: str, in_flight: int) -> None:
    """Evaluate, and count what is right."""
    replies = {row["prompt"]: row["reply"] for row in SAMPLES}
    client = httpx.AsyncClient(limits=httpx.Limits(max_connections=in_flight))

    async def recall(prompt: str) -> str:
        return winner(replies[prompt])

    async def ask(prompt: str) -> str:
        reply = await client.post(f"{url}/chat/completions", json=body(prompt))
        return winner(text(reply.json()))

    data = Dataset(
        name="copies",
        cases=[Case(name=row["id"], inputs=row["prompt"], expected_output=TARGET) for row in SAMPLES],
        evaluators=[EqualsExpected()],
    )
    live = mode == "live"
    report = data.evaluate_sync(ask if live else recall, max_concurrency=in_flight, progress=False)
    expect(sum(case.assertions["EqualsExpected"].value for case in report.cases))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
