"""
A verdict pattern of one's own, for judges that write ``[[A]]`` instead of JSON.

``verdict = "[[A]]"`` gives the form with slot A in it: B and tie are written the same way, ``[[B]]`` and
``[[tie]]``. ``verdict = "[[A]]|[[B]]|[[C]]"`` gives the words for A, B and tie, or only the first two for a
judge that cannot tie; a mapping, ``{ A = "[[A]]", B = "[[B]]", tie = "[[C]]" }``, says the same. Words are
literal text, never regular expressions; case matters, and a word that begins or ends with a letter or
digit does not count inside a longer word.

With a pattern, ``strict`` reads the last line that is not blank and ``lenient`` the last line that holds a
verdict; text may stand before and behind it in the line. Two different verdicts in that line are ambiguous.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Mapping
from typing import TypeVar

from pytest_judgeaudit.judge.parsers import CUT, EMPTY, PARSERS, SLOTS, Parser, Reading, VerdictParser
from pytest_judgeaudit.records.errors import Refused, nearest

Pattern = str | Mapping[str, str]
Read = TypeVar("Read")

_SLOT_A = re.compile(r"(?<![^\W_])A(?![^\W_])")


def find_parser(
    name: str,
    *,
    verdict: Pattern | None = None,
    contributed: Mapping[str, VerdictParser] | None = None,
) -> Parser:
    """
    Return the parser of that name, for verdict objects or for a verdict pattern.

    ``contributed`` are the parsers of other plug-ins. Refused: an unknown name, a pattern that
    :func:`verdict_words` refuses, and one beside a parser of another plug-in, which reads in its own way.
    """
    others = contributed or {}
    if name in others and verdict is not None:
        raise Refused(
            f'verdict: means nothing with parser = "{name}", which reads in its own way. Remove one of them'
        )
    if name in others:
        return _ruled(others[name].read)
    if name not in PARSERS:
        known = (*PARSERS, *others)
        raise Refused(f'no parser is called "{name}"; there are {", ".join(known)}.{nearest(name, known)}')
    if verdict is None:
        return PARSERS[name]
    return pattern_parser(
        verdict_words(verdict),
        anywhere=name == "lenient",
        readings=SLOTS,
        invalid=lambda reason: Reading(None, reason),
    )


def _ruled(read: Parser) -> Parser:
    """Keep to what holds for every parser: an output that is empty or was cut off is no verdict."""

    def ruled(text: str, finish: str | None) -> Reading:
        if finish == "length":
            return CUT
        return read(text, finish) if text.strip() else EMPTY

    return ruled


def verdict_words(verdict: Pattern) -> dict[str, str]:
    """
    Return what the judge writes for each slot.

    >>> verdict_words("[[A]]")
    {'A': '[[A]]', 'B': '[[B]]', 'tie': '[[tie]]'}
    >>> verdict_words("Output (a)|Output (b)")
    {'A': 'Output (a)', 'B': 'Output (b)'}

    Refused: a form without a single A of its own, a mapping with unknown slots or without A and B, empty
    or multi-line words, one word for two slots.
    """
    words = _spelled(verdict) if isinstance(verdict, str) else dict(verdict)
    unknown = next((slot for slot in words if slot not in SLOTS), None)
    if unknown is not None:
        raise Refused(
            f'verdict: unknown slot "{unknown}"; there are A, B and tie.{nearest(unknown, SLOTS)}'
        )
    if "A" not in words or "B" not in words:
        raise Refused('verdict: expected a word for A and one for B, as in { A = "[[A]]", B = "[[B]]" }')
    for slot, word in words.items():
        if not word.strip() or word.splitlines() != [word]:
            raise Refused(f"verdict: the word for {slot} is blank or has line breaks; write it in one line")
    if len(set(words.values())) < len(words):
        raise Refused("verdict: two slots have the same word; each needs one of its own")
    return words


def _spelled(form: str) -> dict[str, str]:
    listed = [word.strip() for word in form.split("|")]
    if len(listed) in (2, 3):
        return dict(zip(SLOTS, listed, strict=False))
    if len(_SLOT_A.findall(form)) != 1:
        raise Refused(
            f'verdict: "{form}" must contain the letter A once as a word of its own, as in "[[A]]"; '
            'or list the words for A, B and tie, as in "[[A]]|[[B]]|[[C]]"'
        )
    return {slot: _SLOT_A.sub(slot, form) for slot in SLOTS}


def pattern_parser(
    words: Mapping[str, str],
    *,
    anywhere: bool,
    readings: Mapping[str, Read],
    invalid: Callable[[str], Read],
) -> Callable[[str, str | None], Read]:
    """
    Return the parser of a pattern.

    ``words`` maps what may be said to how it is written, ``readings`` to what is read; ``invalid`` makes a
    reading of the reason why there is none.
    """
    slots = {word: slot for slot, word in words.items()}
    # The longest first: of "[[A]]" and "[[A]]!" the one that is there, not the one it begins with.
    any_word = re.compile("|".join(_bounded(word) for word in sorted(slots, key=len, reverse=True)))
    missing = f"no verdict in the {'text' if anywhere else 'last line'}: {', '.join(slots)}"

    def read(text: str, finish: str | None) -> Read:
        if finish == "length":
            return invalid(CUT.reason or "")
        body = text.strip()
        if not body:
            return invalid(EMPTY.reason or "")
        line = body.rpartition("\n")[2]
        if anywhere:
            last = deque(any_word.finditer(body), maxlen=1)
            line = _line_at(body, last[0].start()) if last else ""
        named = list(dict.fromkeys(slots[found[0]] for found in any_word.finditer(line)))
        if len(named) > 1:
            return invalid(f"one line holds different verdicts: {', '.join(named)}")
        return readings[named[0]] if named else invalid(missing)

    return read


def _bounded(word: str) -> str:
    before = r"(?<![^\W_])" if word[0].isalnum() else ""
    after = r"(?![^\W_])" if word[-1].isalnum() else ""
    return before + re.escape(word) + after


def _line_at(text: str, position: int) -> str:
    end = text.find("\n", position)
    return text[text.rfind("\n", 0, position) + 1 : len(text) if end < 0 else end]


def reply_instruction(verdict: Pattern | None) -> str:
    """Say to the judge what to reply, in the form that its parser reads (the placeholder ``{reply}``)."""
    if verdict is None:
        return (
            "Reply with exactly one JSON object and nothing else, no Markdown and no explanation: "
            '{"winner": "A"} if candidate A wins, {"winner": "B"} if candidate B wins, '
            '{"winner": "tie"} for a tie.'
        )
    words = verdict_words(verdict)
    tie = f", {words['tie']} for a tie" if "tie" in words else ""
    return (
        "End your reply with a line that holds nothing but your verdict: "
        f"{words['A']} if candidate A wins, {words['B']} if candidate B wins{tie}."
    )
