"""
inspect_ai: a task of one generation and one scorer, live; or the scorer alone over a log recorded before.

Its own client of services with the API of OpenAI; no display, no copies of what goes over the wire, no
flushing of samples for a viewer.
"""

from __future__ import annotations

import sys
from pathlib import Path

from inspect_ai import Task, score
from inspect_ai import eval as evaluate
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.model import GenerateConfig, get_model
from inspect_ai.scorer import CORRECT, INCORRECT, Score, Scorer, Target, accuracy, scorer
from inspect_ai.solver import TaskState, generate
from samples import MODEL, SAMPLES, TARGET, expect, winner


@scorer(metrics=[accuracy()])
def verdict() -> Scorer:
    """Right where the judge named the target."""

    async def mark(state: TaskState, target: Target) -> Score:
        named = winner(state.output.completion)
        return Score(value=CORRECT if named == target.text else INCORRECT, answer=named)

    return mark


def ask(url: str, in_flight: int, *, scored: bool) -> EvalLog:
    """Evaluate live."""
    samples = [Sample(id=row["id"], input=row["prompt"], target=TARGET) for row in SAMPLES]
    (log,) = evaluate(
        Task(name="copies", dataset=samples, solver=generate(), scorer=verdict()),
        model=get_model(
            f"openai-api/{MODEL}/{MODEL}",
            base_url=url,
            api_key="none",
            config=GenerateConfig(max_connections=in_flight),
        ),
        score=scored,
        display="none",
        log_dir="logs",
        log_realtime=False,
        log_model_api=False,
        ctl_server=False,
    )
    return log


def check(log: EvalLog) -> None:
    """Count what is right."""
    assert log.results is not None
    expect(round(log.results.scores[0].metrics["accuracy"].value * len(SAMPLES)))


if __name__ == "__main__":
    mode, address, flying = sys.argv[1:]
    if mode == "record":
        Path(ask(address, int(flying), scored=False).location).rename("stored.eval")
    elif mode == "live":
        check(ask(address, int(flying), scored=True))
    else:
        check(score(read_eval_log("stored.eval"), verdict(), display="none", copy=False))
