"""
Reading a ruling out of a judge's text: whether it accepts or rejects the one answer that it was shown.

The rules are those of verdicts on pairs (:mod:`~pytest_judgeaudit.judge.parsers`): ``strict`` reads
exactly one JSON object whose only key is ``accept``, with the value ``true`` or ``false``; ``lenient`` also
the one ruling that all such objects in the text agree on. With words of one's own, such as ``PASS|FAIL``,
``strict`` reads the last line that is not blank and ``lenient`` the last one that holds a word. A finish
reason ``length`` is invalid. Nothing invalid is ever a rejection.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from pytest_judgeaudit.corpora.found import found as shown
from pytest_judgeaudit.corpora.found import quoted
from pytest_judgeaudit.judge.objects import WHITE, Members, members_of
from pytest_judgeaudit.judge.parsers import CUT, EMPTY
from pytest_judgeaudit.judge.patterns import pattern_parser
from pytest_judgeaudit.records.errors import Refused, nearest
from pytest_judgeaudit.records.verdicts import LENIENT, Acceptance, Ruling, Usage

_LONGEST = 1000  # characters of a text that can still be one object, written with escapes
_LONGEST_WORD = 20
_OBJECT = re.compile(r'\{[ \t\r\n]*"accept"[ \t\r\n]*:[ \t\r\n]*(true|false)[ \t\r\n]*\}')


class Ruled(NamedTuple):
    """The ruling that a text holds; ``invalid`` with the reason in one printable line."""

    ruling: Ruling
    reason: str | None = None


Ruler = Callable[[str, str | None], Ruled]
"""From a text and its finish reason to a ruling."""

RULINGS: Mapping[str, Ruled] = {"accept": Ruled("accept"), "reject": Ruled("reject")}
_OF_WORD = {"true": RULINGS["accept"], "false": RULINGS["reject"]}


def _invalid(reason: str | None) -> Ruled:
    return Ruled("invalid", reason)


def strict(text: str, finish: str | None) -> Ruled:
    """Read one JSON object ``{"accept": true|false}`` with nothing but white space around it."""
    if finish == "length":
        return _invalid(CUT.reason)
    body = text.strip(WHITE)
    if not body:
        return _invalid(EMPTY.reason)
    found = _OBJECT.fullmatch(body)
    if found:
        return _OF_WORD[found[1]]
    members = members_of(body, noun="ruling", longest=_LONGEST)
    return _invalid(_worded(body, members)) if isinstance(members, str) else _member(members)


def _worded(body: str, reason: str) -> str:
    """Say why a text is no ruling object, and what would read it all the same."""
    if len(body) <= _LONGEST_WORD and body.isalpha():
        return f"the output is the word {quoted(body)}, and no ruling object"
    named = {found[1] for found in _OBJECT.finditer(body)}
    return f"{reason}{LENIENT}" if len(named) == 1 else reason


def _member(members: Members) -> Ruled:
    names = [name for name, _ in members]
    if names != ["accept"]:
        found = ", ".join(map(quoted, names[:4])) or "none"
        return _invalid(f'the only key must be "accept", found {found}')
    value = members[0][1]
    if isinstance(value, bool):
        return RULINGS["accept" if value else "reject"]
    found = "an object" if isinstance(value, Members) else shown(value)
    return _invalid(f"accept must be true or false, found {found}")


def lenient(text: str, finish: str | None) -> Ruled:
    """Read as :func:`strict` does, or the one ruling that all objects in the text agree on."""
    read = strict(text, finish)
    if read.reason is None or finish == "length" or not text.strip():
        return read
    named = list(dict.fromkeys(found[1] for found in _OBJECT.finditer(text)))
    if len(named) == 1:
        return _OF_WORD[named[0]]
    return _invalid("the text holds different rulings" if named else "the text holds no ruling object")


RULERS: Mapping[str, Ruler] = {"strict": strict, "lenient": lenient}


def find_ruler(parser: str, *, words: str | None = None) -> Ruler:
    """
    Return the parser of that name, for ruling objects or for words of the judge's own.

    Refused: a parser that does not read rulings, and words that :func:`ruling_words` refuses.
    """
    if parser not in RULERS:
        raise Refused(
            f'the parser "{parser}" reads verdicts on pairs, not rulings on single answers; there are '
            f"{', '.join(RULERS)}.{nearest(parser, RULERS)}"
        )
    if words is None:
        return RULERS[parser]
    return pattern_parser(
        ruling_words(words), anywhere=parser == "lenient", readings=RULINGS, invalid=_invalid
    )


def ruling_words(written: str) -> dict[str, str]:
    """
    Return what the judge writes to accept and to reject.

    >>> ruling_words("PASS|FAIL")
    {'accept': 'PASS', 'reject': 'FAIL'}

    Refused: anything but two different words with a bar between them.
    """
    words = [word.strip() for word in written.split("|")]
    plain = len(words) == len(RULINGS) and all(word and word.splitlines() == [word] for word in words)
    if not plain or len(set(words)) < len(words):
        raise Refused(
            f"acceptance: found {quoted(written)}, expected two words, to accept and to reject, "
            'as in "PASS|FAIL"'
        )
    return dict(zip(RULINGS, words, strict=True))


def ruling_instruction(words: str | None) -> str:
    """Say to the judge what to reply, in the form that its parser reads (the placeholder ``{reply}``)."""
    if words is None:
        return (
            "Reply with exactly one JSON object and nothing else, no Markdown and no explanation: "
            '{"accept": true} to accept the answer, {"accept": false} to reject it.'
        )
    said = ruling_words(words)
    return (
        "End your reply with a line that holds nothing but your verdict: "
        f"{said['accept']} to accept the answer, {said['reject']} to reject it."
    )


def acceptance_of(
    read: Ruled, *, raw: str, served: str | None = None, usage: Usage | None = None
) -> Acceptance:
    """Make the noun that a test meets of what was read."""
    return Acceptance(ruling=read.ruling, reason=read.reason, raw=raw, served=served, usage=usage)
