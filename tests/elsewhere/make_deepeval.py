"""
How ``deepeval.json`` was made: deepeval 4.3.1 with a metric that asks no model, no network.

    pip install deepeval
    DEEPEVAL_TELEMETRY_OPT_OUT=1 DEEPEVAL_RESULTS_FOLDER=results python make_deepeval.py PAIRS.jsonl

The judge's answers as test cases: which presentation each one is stands in the case's metadata.
"""

from __future__ import annotations

import sys

from deepeval import evaluate
from deepeval.evaluate import AsyncConfig, DisplayConfig
from deepeval.metrics import BaseMetric
from deepeval.test_case import LLMTestCase
from presentations import CANDIDATES, presentations, winner


class Right(BaseMetric):
    """1 where the judge named the target."""

    def __init__(self):
        self.threshold = 0.5
        self.async_mode = False

    def measure(self, test_case):
        self.score = float(test_case.actual_output == test_case.expected_output)
        self.success = self.score >= self.threshold
        self.reason = "compared"
        return self.score

    async def a_measure(self, test_case, *_, **__):
        return self.measure(test_case)

    def is_successful(self):
        return self.success

    @property
    def __name__(self):
        return "Right"


evaluate(
    test_cases=[
        LLMTestCase(
            name=f"{shown.task}-{shown.arm}-{shown.order}",
            input=shown.prompt,
            actual_output=winner(*CANDIDATES.search(shown.prompt).groups()),
            expected_output=shown.target,
            metadata={"task": shown.task, "arm": shown.arm, "order": shown.order},
        )
        for shown in presentations(sys.argv[1])
    ],
    metrics=[Right()],
    async_config=AsyncConfig(run_async=False),
    display_config=DisplayConfig(print_results=False, show_indicator=False),
)
