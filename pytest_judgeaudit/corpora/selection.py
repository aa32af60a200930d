"""
Choose the pairs of an audit before any judge has seen them: outcome-blind, seeded, with a receipt.

From a shell::

    python -m pytest_judgeaudit.corpora.selection SOURCE --out FILE --seed N --per-subset N

or from Python: :func:`select_pairs`, then :func:`write_selection`. What a row says besides its id, subset,
prompt and texts is never looked at, so no outcome of a judge can enter (METHODS 2, item selection).
"""

from __future__ import annotations

import hashlib
import json
import os
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from pytest_judgeaudit.corpora.found import printable
from pytest_judgeaudit.corpora.kinds import STRATA
from pytest_judgeaudit.corpora.sources import load_pairs
from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.records.items import Pair

MOST_WORDS = 20
MOST_SHARE = 0.25
"""The two texts of an eligible pair differ by at most so many words, and this share of the longer one."""

FORMAT = 1
TOO_FAR = f"the texts differ by more than {MOST_WORDS} words or {MOST_SHARE:.0%} of the longer one"
USED = "the normalised prompt is in an earlier set"
REPEATED = "the normalised prompt is that of a row that ranks before"
FULL = "the subset has its number of rows"
RULE = {
    "eligible": f"at most {MOST_WORDS} words and {MOST_SHARE:.0%} of the longer text apart",
    "rejected": "nearest in words, then in characters, then the first",
    "rank": "SHA-256 of SEED/ID",
    "prompts": "NFKC, case and white space folded; each once",
}


class Excluded(NamedTuple):
    """A row that was not taken, and why."""

    id: str
    subset: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The chosen pairs by subset, each in the order of its rank, and the receipt that says how."""

    pairs: tuple[Pair, ...]
    receipt: Mapping[str, Any]

    def text(self) -> str:
        """Return the pair file: JSON Lines in our own schema, in ASCII."""
        return _text(self.pairs)


def select_pairs(
    source: str | os.PathLike[str],
    *,
    root: Path,
    seed: int,
    per_subset: int,
    exclude: Sequence[str | os.PathLike[str]] = (),
    fields: Mapping[str, str] | None = None,
) -> Selection:
    """
    Choose up to ``per_subset`` pairs of each subset of a source file.

    The file may have any schema that :func:`~pytest_judgeaudit.corpora.sources.load_pairs` reads, or one
    that ``fields`` maps. Of a row with several answers the first chosen one is taken with the rejected one
    that is nearest in words, then in characters. A pair is eligible if its texts differ by at most 20 words
    and by at most 25 % of the longer one's words. Rows rank by SHA-256 of ``SEED/ID``; a prompt counts
    once, and not at all if a pair file of ``exclude`` has it; prompts are compared in Unicode's NFKC form,
    case and white space folded. Paths are relative to ``root``.

    Refused: what :func:`load_pairs` refuses, and a number of rows below 1.
    """
    if isinstance(per_subset, bool) or per_subset < 1:
        raise Refused(f"per_subset: found {per_subset!r}, expected a whole number of at least 1")
    path = root / source
    rows = load_pairs(path, kind="signal", root=root, fields=fields).pairs
    earlier = [_EarlierSet.of(root / one, root) for one in exclude]
    used = frozenset(prompt for one in earlier for prompt in one.prompts)
    judged = list(_judged(_ranked(rows, seed), used=used, per_subset=per_subset))
    subsets = list(dict.fromkeys(pair.subset for pair in rows))
    taken = sorted(
        (pair for pair, reason in judged if reason is None), key=lambda pair: subsets.index(pair.subset)
    )
    left = [Excluded(pair.id, pair.subset, reason) for pair, reason in judged if reason is not None]
    receipt = {
        "format": FORMAT,
        "seed": seed,
        "per_subset": per_subset,
        "rule": RULE,
        "fields": dict(fields or {}),
        "source": {"file": _shown(path, root), "sha256": _file_digest(path), "rows": len(rows)},
        "earlier": [one.entry() for one in earlier],
        "subsets": {name: _counts(name, rows, taken, left) for name in subsets},
        "excluded": [one._asdict() for one in left],
        "output": {"rows": len(taken), "sha256": _digest(_text(taken).encode("ascii"))},
    }
    return Selection(pairs=tuple(taken), receipt=receipt)


def write_selection(selection: Selection, path: Path) -> Path:
    """
    Write a selection and, beside it, its receipt ``NAME.receipt.json``; return the receipt's path.

    A frozen set is never replaced. Refused: a file that is there already, unless it is this very selection.
    """
    receipt = path.with_name(f"{path.name}.receipt.json")
    texts = {path: selection.text(), receipt: json.dumps(dict(selection.receipt), indent=1) + "\n"}
    for file, text in texts.items():
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            if file.exists() and file.read_text("utf-8", "replace") != text:
                raise Refused(
                    f"{printable(str(file), clip=200)}: is there already and holds another selection; "
                    "a frozen set is never replaced. Name another file, or remove this one"
                )
            file.write_text(text, encoding="ascii", newline="\n")
        except OSError as error:
            name = printable(str(file), clip=200)
            raise Refused(f"{name}: cannot be written: {error.strerror or error}") from None
    return receipt


def normalised(prompt: str) -> str:
    r"""
    Return the form in which prompts are compared: Unicode's NFKC, case and white space folded.

    >>> normalised("  Why\u00a0is the SKY\nblue? ")
    'why is the sky blue?'
    """
    return " ".join(unicodedata.normalize("NFKC", prompt).casefold().split())


def eligible(pair: Pair) -> bool:
    """Tell whether the two texts are near enough in length for a better answer not to be a longer one."""
    one, other = len(pair.first.split()), len(pair.second.split())
    apart = abs(one - other)
    return apart <= MOST_WORDS and apart <= MOST_SHARE * max(one, other)


@dataclass(frozen=True, slots=True, kw_only=True)
class _EarlierSet:
    file: str
    sha256: str
    prompts: frozenset[str]

    @classmethod
    def of(cls, path: Path, root: Path) -> _EarlierSet:
        # As copies: a row then needs one text only, and no label.
        pairs = load_pairs(path, kind="clone", root=root, strata=STRATA).pairs
        prompts = frozenset(normalised(pair.prompt) for pair in pairs)
        return cls(file=_shown(path, root), sha256=_file_digest(path), prompts=prompts)

    def entry(self) -> dict[str, Any]:
        return {"file": self.file, "sha256": self.sha256, "prompts": len(self.prompts)}


def _ranked(rows: Iterable[Pair], seed: int) -> list[Pair]:
    return sorted(rows, key=lambda pair: _digest(f"{seed}/{pair.id}".encode("utf-8", "surrogatepass")))


def _judged(
    ranked: Iterable[Pair], *, used: frozenset[str], per_subset: int
) -> Iterator[tuple[Pair, str | None]]:
    """Yield each row with the reason why it is not taken; None for those that are."""
    seen: set[str] = set()
    taken: Counter[str] = Counter()
    for pair in ranked:
        prompt = normalised(pair.prompt)
        reason = (
            USED
            if prompt in used
            else TOO_FAR
            if not eligible(pair)
            else REPEATED
            if prompt in seen
            else FULL
            if taken[pair.subset] >= per_subset
            else None
        )
        if reason is None:
            seen.add(prompt)
            taken[pair.subset] += 1
        yield pair, reason


def _counts(
    name: str, rows: Iterable[Pair], taken: Iterable[Pair], left: Iterable[Excluded]
) -> dict[str, Any]:
    return {
        "rows": sum(pair.subset == name for pair in rows),
        "taken": sum(pair.subset == name for pair in taken),
        "excluded": dict(Counter(one.reason for one in left if one.subset == name)),
    }


def _text(pairs: Iterable[Pair]) -> str:
    return "".join(json.dumps(_row(pair)) + "\n" for pair in pairs)


def _row(pair: Pair) -> dict[str, Any]:
    row = {"id": pair.id, "prompt": pair.prompt, "subset": pair.subset}
    row |= {"first": pair.first, "second": pair.second, "target": pair.target, "source": pair.source}
    return row if pair.family is None else {**row, "family": pair.family}


def _shown(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.as_posix()


def _file_digest(path: Path) -> str:
    return _digest(path.read_bytes())


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


if __name__ == "__main__":
    import sys

    from pytest_judgeaudit.corpora.selecting import main

    sys.exit(main(sys.argv[1:]))
