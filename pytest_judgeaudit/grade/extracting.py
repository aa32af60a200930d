"""
The checkable claims of an answer, found without a model: paths, identifiers, numbers, quoted code.

Pure and bounded: a part of a very long answer is left out and said so, and no expression backtracks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from pytest_judgeaudit.grade.abstention import absence
from pytest_judgeaudit.grade.normalise import plain
from pytest_judgeaudit.grade.paths import denied
from pytest_judgeaudit.grade.sentences import Clause, clauses, sentences
from pytest_judgeaudit.grade.shapes import Shape, shape_of
from pytest_judgeaudit.records.grounding import AnswerClaim

MOST_CHARACTERS = 50_000
"""Characters of an answer that are read."""

MOST_CLAIMS = 200
"""Claims of an answer that are kept."""

_LONGEST_SENTENCE = 600
_LONGEST_BLOCK = 4000
# Characters for private use: each stands for something quoted, which may hold full stops and stars.
_HIDDEN = range(0xE100, 0xF800)
_MARK = re.compile("[\ue100-\uf7ff]")
_SPAN = re.compile(
    r"`(?P<code>[^`\n]{1,500})`"
    r'|"(?P<quote>[^"\n]{3,500})"'
    r"|\u201c(?P<curly>[^\u201c\u201d\n]{3,500})\u201d"
)
_TOKEN = re.compile(
    r"\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\w,])"
    r"|[^\s()\[\]{}<>\"',;!?|=\u201c\u201d`\ue100-\uf7ff]+(?:\(\))?"
)
_EDGES = ".:*-\u2013\u2014/"
_PERCENT = re.compile(r"\s?(?:%|per\s?cent\b)", re.IGNORECASE)
_LINES = re.compile(
    r"\blines?\s+(?P<line>\d{1,7})(?:\s*(?:-|\u2013|to|and)\s*(?P<last>\d{1,7}))?", re.IGNORECASE
)
_MARKER = re.compile(r"\s*(?:[-+\u2022]\s+|#+\s+)?\(?\d{1,3}[.)](?:\s|\Z)")
_CODED = re.compile(r"[_=(){};<>']|\w-\w")
_FENCE = re.compile(r"\s{0,3}(?P<mark>`{3,}|~{3,})")


class Extraction(NamedTuple):
    """The claims of an answer in their order, and whether some were left out."""

    claims: tuple[AnswerClaim, ...]
    cut: bool


class _Part(NamedTuple):
    """A claim in the making: its shape, and where it stands in its clause; a quote has no shape."""

    shape: Shape | None
    text: str
    start: int
    end: int


def claims_of(text: str) -> Extraction:
    """
    Extract what a corpus can confirm or refute.

    What is denied is no claim, unless the sentence says that it is not there: that is the claim of an
    ``absence``. Questions claim nothing.

    >>> [(one.sort, one.text) for one in claims_of("`post_all` in src/a.py stops after 50 rows.").claims]
    [('identifier', 'post_all'), ('path', 'src/a.py'), ('number', '50')]
    """
    cut = len(text) > MOST_CHARACTERS
    prose, blocks = _without_blocks(text[:MOST_CHARACTERS])
    seen: dict[tuple[str, str, tuple[str, ...], tuple[str, ...]], AnswerClaim] = {}
    for claim in (*_of_prose(prose), *blocks):
        key = (claim.sort, claim.text, claim.names[:1] if claim.sort == "number" else (), claim.paths)
        seen.setdefault(key, claim)
        if len(seen) > MOST_CLAIMS:
            return Extraction(tuple(seen.values())[:MOST_CLAIMS], True)
    return Extraction(tuple(seen.values()), cut)


def _without_blocks(text: str) -> tuple[str, list[AnswerClaim]]:
    """Take fenced code out of a text: the prose, and each block as a quote."""
    prose: list[str] = []
    blocks: list[AnswerClaim] = []
    held: list[str] = []
    mark = ""
    for line in [*text.split("\n"), None]:
        fence = _FENCE.match(line) if line is not None else None
        if mark and (line is None or (fence and fence["mark"].startswith(mark))):
            block = "\n".join(held).strip("\n").rstrip()[:_LONGEST_BLOCK]
            if len("".join(block.split())) > 5:
                blocks.append(AnswerClaim(sort="quote", text=block))
            held, mark = [], ""
        elif mark and line is not None:
            held.append(line)
        elif fence and line is not None:
            mark = fence["mark"]
            prose.append("")
        elif line is not None:
            prose.append(line)
    return "\n".join(prose), blocks


def _of_prose(prose: str) -> Iterator[AnswerClaim]:
    spans: list[re.Match[str]] = []

    def hide(span: re.Match[str]) -> str:
        if len(spans) == len(_HIDDEN):
            return " "
        spans.append(span)
        return chr(_HIDDEN[len(spans) - 1])

    hidden = _SPAN.sub(hide, _MARK.sub(" ", prose))
    for sentence in sentences(plain(hidden)):
        if not sentence.asks:
            for part in _portions(sentence.text):
                yield from _of_sentence(part, spans)


def _portions(sentence: str) -> Iterator[str]:
    """Cut what is too long for one sentence, at blanks where there are any."""
    while len(sentence) > _LONGEST_SENTENCE:
        blank = sentence.rfind(" ", _LONGEST_SENTENCE // 2, _LONGEST_SENTENCE)
        end = blank if blank > 0 else _LONGEST_SENTENCE
        yield sentence[:end]
        sentence = sentence[end:]
    yield sentence


def _of_sentence(sentence: str, spans: Sequence[re.Match[str]]) -> Iterator[AnswerClaim]:
    def span_of(mark: re.Match[str]) -> re.Match[str]:
        return spans[ord(mark[0]) - _HIDDEN[0]]

    marker = _MARKER.match(sentence)
    skip = marker.end() if marker else 0
    for clause in clauses(sentence):
        inner = [(mark.start(), span_of(mark)) for mark in _MARK.finditer(clause.text)]
        parts = sorted([*_quoted(inner), *_tokens(clause.text, skip)], key=lambda part: part.start)
        yield from _claims(parts, clause, _MARK.sub(lambda mark: span_of(mark)[0], clause.text).strip())
        skip = 0


def _quoted(spans: Sequence[tuple[int, re.Match[str]]]) -> Iterator[_Part]:
    """Yield what stands between back-ticks or quotation marks."""
    for start, span in spans:
        code = span["code"] is not None
        text = (span["code"] or span["quote"] or span["curly"] or "").strip()
        shape = shape_of(text, code=code) if " " not in text else None
        if code:
            wanted = shape is not None or len(text) >= 4
        else:
            wanted = len(text.split()) >= 3 or (_CODED.search(text) is not None and len(text) >= 6)
        if wanted:
            yield _Part(shape, text, start, start + 1)


def _tokens(clause: str, skip: int) -> Iterator[_Part]:
    cited = [found.span() for found in _LINES.finditer(clause)]
    for found in _TOKEN.finditer(clause):
        token = found[0].lstrip("*-\u2013\u2014").rstrip(_EDGES)
        start = found.start() + found[0].index(token) if token else found.start()
        if start < skip or any(a <= start < b for a, b in cited):
            continue
        shape = shape_of(token)
        if shape is not None:
            yield _Part(shape, token, start, start + len(token))


def _claims(parts: Sequence[_Part], clause: Clause, context: str) -> Iterator[AnswerClaim]:
    cited = _LINES.search(clause.text)
    paths = [part for part in parts if part.shape and part.shape.sort == "path"]
    names = [part for part in parts if part.shape and part.shape.sort == "identifier"]
    for part in parts:
        claim = AnswerClaim(
            sort=part.shape.sort if part.shape else "quote",
            text=part.shape.text if part.shape and part.shape.sort == "identifier" else part.text,
            context=context[:500],
            names=tuple(one.shape.text for one in _nearest(names, part) if one.shape and one is not part),
            paths=tuple(one.shape.text for one in _nearest(paths, part) if one.shape and one is not part),
            line=part.shape.line if part.shape else None,
            last=part.shape.last if part.shape else None,
        )
        if claim.sort == "path" and claim.line is None and cited and part is _nearest(paths, cited)[0]:
            last = int(cited["last"]) if cited["last"] else None
            claim = replace(claim, line=int(cited["line"]), last=last)
        if claim.sort == "number":
            percent = _PERCENT.match(clause.text, part.end)
            claim = replace(claim, text=claim.text + percent[0] if percent else claim.text)
        if not denied(clause, part.start, part.end):
            yield claim
        elif claim.sort in {"path", "identifier"} and absence(context) == "stated":
            yield replace(claim, sort="absence")


def _nearest(parts: Sequence[_Part], to: _Part | re.Match[str]) -> list[_Part]:
    """Sort parts by nearness: first those in front of a place, from it backwards, then those behind."""
    start = to.start if isinstance(to, _Part) else to.start()
    return sorted(parts, key=lambda part: (part.start > start, abs(part.start - start)))
