"""A text cut into sentences, and sentences into clauses where what is asserted may change."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from pytest_judgeaudit.grade.denial import NAME, WIDE, masked, without_idioms


class Sentence(NamedTuple):
    """A sentence of plain text; whether it asks; and the line with a colon above the list it stands in."""

    text: str
    asks: bool
    lead: str


class Clause(NamedTuple):
    """A part of a sentence that is asserted or denied as one, and the same text masked."""

    text: str
    masked: str


_ITEM = re.compile(r"\s+\S|[-+\u2022\u2023]\s|\(?\d{1,3}[.)]\s")
_OWN_LINE = re.compile(r"\s*(?:$|[#>|]|[-+\u2022\u2023]\s|\(?\d{1,3}[.)]\s|[`~]{3})")
_FUNCTION_WORDS = "a an the no not any such of in on at by for to and or is are was there that with"
_HANGING = frozenset(_FUNCTION_WORDS.split())
_END = re.compile(r"(?:[.!?]+[\"')\]\u00bb]*|;)(?=\s|$)|[\u3002\uff01\uff1f]+")
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.?g|i\.?e|cf|vs|resp|approx|incl|fig|sec)|\betc(?=\.\s+[a-z]))\Z", re.IGNORECASE
)


def sentences(text: str) -> Iterator[Sentence]:
    r"""
    Yield the sentences of a plain text.

    A full stop ends one only before white space: names and versions keep theirs. A line break ends one,
    unless the next line goes on in lower case, as wrapped prose does.

    >>> [s.text for s in sentences("It is in v2.1 notes. A single\nwriter; no lock")]
    ['It is in v2.1 notes.', 'A single writer;', 'no lock']
    """
    lead = ""
    for line in _lines(text):
        if not line.strip():
            continue
        within = lead if lead and (_ITEM.match(line) or _is_name(line)) else ""
        lead = within or (line if line.rstrip().endswith(":") else "")
        for part in _parts(line):
            yield Sentence(part, part.rstrip("\"')] ").endswith(("?", "\uff1f")), within)


def _lines(text: str) -> Iterator[str]:
    held: list[str] = []
    for line in text.splitlines():
        if held and not _goes_on(held[-1], line):
            yield " ".join(held)
            held = []
        held.append(line.strip() if held else line)
    if held:
        yield " ".join(held)


def _goes_on(before: str, line: str) -> bool:
    if _OWN_LINE.match(line) or before.lstrip().startswith("#") or before.rstrip().endswith(":"):
        return False
    words = before.rsplit(None, 1)
    if words and words[-1].lower() in _HANGING:
        return True
    return bool(before.strip()) and line.lstrip()[:1].islower() and not _is_name(line)


def _is_name(line: str) -> bool:
    return masked(line.lstrip()[:200]).startswith(NAME)


def _parts(line: str) -> Iterator[str]:
    start = 0
    for found in _END.finditer(line):
        if line[found.start()] == "." and _ABBREVIATION.search(
            line, max(start, found.start() - 12), found.start()
        ):
            continue
        if part := line[start : found.end()].strip():
            yield part
        start = found.end()
    if part := line[start:].strip():
        yield part


# Where the assertion changes: the named group begins a clause of its own.
_CUTS = re.compile(
    r"(?P<contrast>\b(?:but|however|whereas|although|though)\b)"
    r"|,\s+(?:and\s+)?(?P<turn>(?:yet|while|so)\b)"
    r"|(?P<rejected>\b(?:rather\s+than|instead\s+of|as\s+opposed\s+to|in\s+place\s+of"
    r"|in\s+contrast\s+to|unlike)\b)"
    r"|\b(?:replaced|superseded|succeeded|supplanted)\s+(?P<successor>by|with)\b"
    r"|(?P<favoured>\bin\s+favou?r\s+of\b)"
    r"|,\s+(?:and\s+)?(?P<tail>not\s+(?:in|on|at|by|from|via|inside|within|the)\b"
    r"(?!\s+(?:right|correct|one|case|place|same|real|actual|way)\b))"
    r"|,\s+(?P<splice>(?:it|this|that|they|these|those|we|i)(?:'s|'re|'ve|\s))"
)
_DASH = re.compile(r"\s[-\u2013]{1,2}\s|\u2014")
_FRONTED = re.compile(
    r"\W*(?:(?:although|though|even\s+though|while|despite|in\s+spite\s+of|rather\s+than"
    r"|instead\s+of|unlike|as\s+opposed\s+to"
    r"|in\s+contrast\s+to|besides|apart\s+from|without)\b[^,]*,|(?:no|nope)\s*[,:\u2014])"
)


def clauses(sentence: str) -> list[Clause]:
    """
    Cut a sentence where the assertion changes.

    Before contrasts ("but", "whereas"), before what is rejected ("rather than …"), before a successor
    ("replaced by …"), after a fronted clause, at a spliced sentence ("it is not A, it is B"), and at a
    dash behind which nothing is denied.
    """
    shadow = without_idioms(masked(sentence))
    cuts = {found.start(found.lastgroup or 0) for found in _CUTS.finditer(shadow)}
    cuts |= {found.start() for found in _DASH.finditer(shadow) if not WIDE.search(shadow, found.end())}
    fronted = _FRONTED.match(shadow)
    if fronted:
        cuts.add(fronted.end())
    edges = [0, *sorted(cuts - {0}), len(sentence)]
    return [Clause(sentence[a:b], shadow[a:b]) for a, b in pairwise(edges) if sentence[a:b].strip()]
