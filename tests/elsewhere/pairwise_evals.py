"""
How ``pytest_evals.json`` was made: pytest-evals 0.3.4 with a judge that asks no model, no network.

    pip install pytest-evals && PAIRS=PAIRS.jsonl pytest --run-eval pairwise_evals.py

The judge's answers as pytest-evals keeps them: ``test-out/eval-results-raw.json``.
"""

from __future__ import annotations

import os

import pytest
from presentations import CANDIDATES, presentations, winner


@pytest.mark.eval(name="pairwise")
@pytest.mark.parametrize(
    "shown", presentations(os.environ["PAIRS"]), ids=lambda shown: f"{shown.task}-{shown.arm}-{shown.order}"
)
def test_pairwise(shown, eval_bag):
    eval_bag.task, eval_bag.arm, eval_bag.order = shown.task, shown.arm, shown.order
    eval_bag.verdict = winner(*CANDIDATES.search(shown.prompt).groups())
    assert eval_bag.verdict == shown.target
