"""
pytest-evals: a parametrised eval, and the analysis over all its results, in the two runs that it asks for.

Live it is spread over as many pytest-xdist workers as there may be calls in flight, as its documentation
advises: an eval is a plain test, and waits for its call.
"""

from __future__ import annotations

import os

import httpx
import pytest
from samples import SAMPLES, TARGET, body, expect, text, winner

URL = os.environ.get("JUDGE_URL")


@pytest.fixture(scope="session")
def judge():
    """Ask the judge where there is one, else recall the stored reply."""
    if URL is None:
        yield lambda row: row["reply"]
        return
    with httpx.Client() as client:
        yield lambda row: text(client.post(f"{URL}/chat/completions", json=body(row["prompt"])).json())


@pytest.mark.eval(name="copies")
@pytest.mark.parametrize("row", SAMPLES, ids=lambda row: row["id"])
def test_copies_tie(row, eval_bag, judge):
    """Keep the verdict."""
    eval_bag.winner = winner(judge(row))
    eval_bag.right = eval_bag.winner == TARGET
    assert eval_bag.right


@pytest.mark.eval_analysis(name="copies")
def test_analysis(eval_results):
    """Count what is right."""
    expect(sum(one.result.right for one in eval_results))
