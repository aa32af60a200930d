"""
How ``inspect.json`` was made: inspect_ai 0.3.285 with its own mock model, no network.

    pip install inspect_ai openai && python make_inspect.py PAIRS.jsonl logs/

A pairwise judge as an Inspect task: one sample a presentation, which one it is in the sample's metadata.
"""

from __future__ import annotations

import sys

from inspect_ai import Task
from inspect_ai import eval as evaluate
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import match
from inspect_ai.solver import generate
from presentations import CANDIDATES, presentations, winner

samples = [
    Sample(
        id=f"{shown.task}-{shown.arm}-{shown.order}",
        input=shown.prompt,
        target=shown.target,
        metadata={"task": shown.task, "arm": shown.arm, "order": shown.order},
    )
    for shown in presentations(sys.argv[1])
]


def judge(messages, tools, tool_choice, config):
    """Prefer the longer candidate."""
    found = CANDIDATES.search(messages[-1].text)
    output = ModelOutput.from_content("mockllm/model", f'{{"winner": "{winner(*found.groups())}"}}')
    # Without a usage of its own, Inspect fetches a tokenizer to estimate one.
    output.usage = ModelUsage(input_tokens=60, output_tokens=6, total_tokens=66)
    return output


evaluate(
    Task(name="pairwise", dataset=samples, solver=generate(), scorer=match()),
    model=get_model("mockllm/model", custom_outputs=judge),
    log_dir=sys.argv[2],
    log_format="json",
    display="none",
)
