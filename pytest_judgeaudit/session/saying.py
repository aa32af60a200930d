"""Saying something where pytest is not configured yet, so that there is no terminal reporter."""

from __future__ import annotations

import sys

from pytest_judgeaudit.report.lines import line


def say(text: str) -> None:
    """Write one line to standard output: without control characters, in what its encoding can hold."""
    coding = sys.stdout.encoding or "ascii"
    sys.stdout.write(line(text).text.encode(coding, "replace").decode(coding) + "\n")
    sys.stdout.flush()
