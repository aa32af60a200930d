"""Paths in prose: which mention names a file, which file, and whether the text denies it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from pytest_judgeaudit.grade.denial import NAME, NARROW, without_hedges
from pytest_judgeaudit.grade.sentences import Clause, clauses, sentences

# Letters of scripts that put no blanks between words bound a path; other word characters do not.
_UNSPACED = "\u2e80-\u9fff\uac00-\ud7af\uff00-\uffef"
_WORD = rf"(?![{_UNSPACED}])\w"

_LIST_BEFORE = re.compile(
    rf"(?:{NAME}+\s*(?:,\s*(?:and|or|nor)\b|,|/|\band\b|\bor\b|\bnor\b)\s*(?:in\s+)?)+\Z"
)
_BREAK = re.compile(
    rf"{NAME}|[,:;\u2014|]|\s[-\u2013]+\s|\b(?:and|so|because|since|as|which|that"
    rf"|where|whose|if|until|than|except|besides|only)\b"
)
_LIST_AFTER = re.compile(rf"(?:\s*(?:,|and|or|,\s*and|,\s*or)\s*{NAME}+)*")
_MOST_WORDS = 6  # between a denial and what it denies: words, since subjects are long compounds
_REACH = 200

_NOT_IT = (
    r"(?:the\b|it\b|this\b|that\b|part\b|where\b|here\b|there\b|used\b|involved\b"
    r"|relevant\b|related\b|responsible\b|in\s+use\b"
    r"|what\b|one\b|present\b|a\s+match\b|correct\b|right\b)"
)
_DISMISSED = re.compile(
    r"(?:(?:\bis|\bare|\bwas|\bwere|\blooks|\bseems|[-\u2013\u2014(,:|])\s*(?:\w+ly\s+)?)"
    rf"(?:unrelated|irrelevant|wrong|incorrect|gone|absent|missing|removed|deleted"
    rf"|retired|ruled\s+out|a\s+red\s+herring|not\s+{_NOT_IT})"
    rf"|\b(?:isn't|aren't|wasn't|weren't)\s+{_NOT_IT}|\bnot\s+part\s+of\b|\bnothing\s+to\s+do\s+with\b"
    r"|\b(?:does\s+not|doesn't|do\s+not|don't|did\s+not|didn't|no\s+longer|never)\s+(?:exist(?:s|ed)?\b"
    r"|(?:contains?|implements?|defines?|handles?|does|do)\s+(?:it|this|that)\b)"
    r"|\b(?:has|have)\s+(?:since\s+)?been\s+(?:removed|deleted|retired|replaced)\b"
    r"|\bcan\s+be\s+(?:ruled\s+out|ignored)\b"
)


def spelled(path: str) -> str:
    r"""
    Return a path in one spelling: forward slashes, without ``./`` in front and a slash behind.

    >>> spelled(".\\src\\a.py"), spelled("./src//gale/")
    ('src/a.py', 'src/gale')
    """
    return re.sub(r"^(?:\./)+", "", re.sub(r"[/\\]+", "/", path.strip())).rstrip("/")


@lru_cache(maxsize=4096)
def mention(path: str) -> re.Pattern[str]:
    """
    Return the pattern of a file's mentions in plain text.

    A mention is the whole path, with any folders in front (``./``, an absolute prefix) and a line number
    or an anchor behind; case does not count. ``soft-limits.py`` and ``limits.pyi`` are no mentions of
    ``limits.py``. A path whose last part has no suffix may be a folder: what lies in it mentions it.
    """
    parts = spelled(path).split("/")
    body = r"[/\\]+".join(re.escape(part) for part in parts)
    behind = rf"(?!{_WORD})(?!-\w)(?!\.\w)(?!~)"
    if "." in parts[-1].lstrip("."):
        behind += r"(?![/\\]\w)"
    return re.compile(rf"(?<![.-])(?<!{_before()}){body}{behind}", re.IGNORECASE)


def _before() -> str:
    return rf"[^\W{_UNSPACED}]"


def names(path: str, text: str) -> bool:
    """Whether a plain text names a path anywhere, asserted or not."""
    return bool(mention(path).search(text))


def asserts(path: str, text: str) -> bool:
    """
    Whether a plain text names a path outside of a denial.

    >>> asserts("a/b.py", "It is not a/b.py but a/c.py."), asserts("a/c.py", "It is not a/b.py but a/c.py.")
    (False, True)
    """
    pattern = mention(path)
    if not pattern.search(text):
        return False
    return any(
        not denied(clause, found.start(), found.end())
        for clause in asserting_clauses(text)
        for found in pattern.finditer(clause.text)
    )


def asserting_clauses(text: str) -> Iterator[Clause]:
    """Yield the clauses of a plain text that may assert: not those of questions, nor of denied lists."""
    for sentence in sentences(text):
        if not sentence.asks and not denying_lead(sentence.lead):
            yield from clauses(sentence.text)


def denying_lead(lead: str) -> bool:
    """Whether the line above a list denies its entries: "Not involved:"."""
    if not lead:
        return False
    last = clauses(lead)[-1].masked
    return bool(NARROW.search(without_hedges(last)) or _DISMISSED.search(last))


def denied(clause: Clause, start: int, end: int) -> bool:
    """Whether the name at a span of a clause is denied by words before or behind it."""
    shadow = without_hedges(clause.masked)
    # Folders in front belong to the name.
    begin = len(shadow[:start].rstrip(NAME))
    return _denied_before(shadow[max(0, begin - _REACH) : begin]) or _denied_behind(
        shadow[end : end + _REACH]
    )


def _denied_before(before: str) -> bool:
    before = _LIST_BEFORE.sub("", before)
    cues = list(NARROW.finditer(before))
    if not cues:
        return False
    between = before[cues[-1].end() :].rstrip().removesuffix(":")
    return not _BREAK.search(between) and len(between.split()) <= _MOST_WORDS


def _denied_behind(behind: str) -> bool:
    behind = behind.lstrip(NAME)
    rest = behind[_matched(behind) :]
    # Another name in between is the one that is dismissed.
    found = _DISMISSED.search(rest.partition(NAME)[0])
    return found is not None and len(rest[: found.start()].split()) <= 2 * _MOST_WORDS


def _matched(behind: str) -> int:
    found = _LIST_AFTER.match(behind)
    return found.end() if found else 0
