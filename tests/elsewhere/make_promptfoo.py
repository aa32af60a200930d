"""
How ``promptfoo.json`` was made: promptfoo 0.121.20 with a provider in JavaScript, no network.

    python make_promptfoo.py PAIRS.jsonl promptfooconfig.json
    npx promptfoo eval --no-cache --no-write -c promptfooconfig.json -o promptfoo.json

A pairwise judge as a promptfoo suite: one test a presentation, which one it is in the test's variables.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from presentations import presentations

tests = [
    {
        "vars": {"task": shown.task, "arm": shown.arm, "order": shown.order, "question": shown.prompt},
        "assert": [
            {"type": "contains", "value": "[[C]]" if shown.target == "tie" else f"[[{shown.target}]]"}
        ],
    }
    for shown in presentations(sys.argv[1])
]
suite = {"prompts": ["{{question}}"], "providers": ["file://judge.js"], "tests": tests}
Path(sys.argv[2]).write_text(json.dumps(suite, indent=1) + "\n", encoding="utf-8")
