"""Live runs that are killed at random moments, and what is on disk afterwards."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "kill_fuzz.py"


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="finds the workers of a run under /proc")
def test_no_answer_is_lost_or_asked_for_twice_in_twenty_kills() -> None:
    done = subprocess.run(
        [sys.executable, SCRIPT, "--kills", "20"], capture_output=True, text=True, timeout=1200, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout)
    assert (found["kills"], found["lost"], found["asked twice"], found["missing at the end"]) == (
        20,
        0,
        0,
        0,
    )
    assert found["killed while asking"] > 5
