"""The command of :mod:`pytest_judgeaudit.corpora.selection`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pytest_judgeaudit.corpora.selection import Selection, select_pairs, write_selection
from pytest_judgeaudit.records.errors import Refused


def main(arguments: Sequence[str], *, root: Path | None = None) -> int:
    """Select, write, and say what was taken of each subset; 4 where something is refused, in one line."""
    given = _parser().parse_args(arguments)
    root = root or Path.cwd()
    try:
        fields = _fields(given.fields)
        selection = select_pairs(
            given.source,
            root=root,
            seed=given.seed,
            per_subset=given.per_subset,
            exclude=given.exclude,
            fields=fields,
        )
        receipt = write_selection(selection, root / given.out)
    except Refused as error:
        sys.stderr.write(f"ERROR: {error}\n")
        return 4
    sys.stdout.write("".join(f"{line}\n" for line in _said(selection, given.out, receipt.name)))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m pytest_judgeaudit.corpora.selection",
        description="Choose pairs for an audit without looking at any outcome, and write a receipt.",
    )
    parser.add_argument("source", help="a pair file in any schema that is read")
    parser.add_argument("--out", required=True, help="the pair file to write; it is never replaced")
    parser.add_argument("--seed", type=int, required=True, help="of the ranking")
    parser.add_argument("--per-subset", type=int, required=True, help="the most rows of each subset")
    parser.add_argument("--exclude", action="append", default=[], help="an earlier pair file; repeatable")
    parser.add_argument("--fields", help="names of a foreign schema's fields, as a JSON object")
    return parser


def _fields(text: str | None) -> Any:
    try:
        return None if text is None else json.loads(text)
    except (ValueError, RecursionError):
        raise Refused(
            f'--fields: found {text!r:.80}, expected a JSON object such as {{"id": "no"}}'
        ) from None


def _said(selection: Selection, out: str, receipt: str) -> list[str]:
    lines = [f"{out}: {len(selection.pairs)} pairs; how they were chosen: {receipt}"]
    for name, counts in selection.receipt["subsets"].items():
        left = "".join(f"; {times}: {reason}" for reason, times in counts["excluded"].items())
        lines.append(f"  {name!a}: {counts['taken']} of {counts['rows']}{left}")
    return lines
