"""No file that is kept holds the markers that a merge leaves where it could not decide."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MARKER = re.compile(r"^(<{7} |>{7} |={7}$)", re.MULTILINE)


def test_no_merge_was_left_undecided():
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip("not a checkout")
    names = [name for name in done.stdout.split("\0") if name.endswith((".py", ".md", ".toml", ".txt"))]
    texts = {name: (ROOT / name).read_text("utf-8", "replace") for name in names if (ROOT / name).is_file()}
    assert names
    assert [name for name, text in texts.items() if MARKER.search(text)] == []
