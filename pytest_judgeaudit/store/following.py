"""The journals of a run that is going on, followed from outside: what has been asked so far."""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pytest_judgeaudit.store.files import JOURNAL_FOLDER, safe_name


@dataclass(slots=True)
class Asked:
    """
    What the journals of a run say: calls begun and ended, by judge.

    ``since`` is when the first of them began, in seconds since the epoch. ``tokens`` are those that
    services stated, prompt and completion together.
    """

    since: float = math.inf

    begun: Counter[str] = field(default_factory=Counter)
    ended: Counter[str] = field(default_factory=Counter)
    tokens: int = 0


class Follower:
    """
    Reads the journals of one run below a folder, each line once, as far as they are written.

    Costs no process that asks anything: only what was added since the last look is read. Journals that
    were removed keep their share of the count.
    """

    def __init__(self, folder: Path, run: str) -> None:
        self._journals = folder / JOURNAL_FOLDER
        self._names = f"{safe_name(run)}*.jsonl"
        self._read: Counter[Path] = Counter()
        self._asked = Asked()

    def look(self) -> Asked:
        """Read on, and return all that was read so far."""
        for path in sorted(self._journals.glob(self._names)):
            self._follow(path)
        return self._asked

    def _follow(self, path: Path) -> None:
        try:
            with path.open("rb") as file:
                file.seek(self._read[path])
                added = file.read()
        except OSError:
            return
        whole = added.rpartition(b"\n")[0]
        self._read[path] += len(whole) + 1 if whole else 0
        for line in whole.split(b"\n"):
            try:
                self._take(json.loads(line))
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
                continue  # torn, or none of ours: who absorbs the journal counts those

    def _take(self, found: dict[str, Any]) -> None:
        kind, judge, answer = found["kind"], found.get("judge", ""), found.get("answer")
        if kind == "intent":
            self._asked.begun[judge] += 1
            self._asked.since = min(self._asked.since, found["at"])
        elif kind in ("answer", "failed"):
            self._asked.ended[judge] += 1
        if kind == "answer" and answer is not None:
            usage = answer.get("usage") or {}
            self._asked.tokens += int(usage.get("prompt", 0)) + int(usage.get("completion", 0))
