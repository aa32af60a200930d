"""What would read the outputs of a judge that are no verdict, as far as their reasons tell."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from pytest_judgeaudit.audit.numbers import some
from pytest_judgeaudit.records.verdicts import LENIENT

NEARLY_ALL = 0.9
"""Share of the invalid outputs that have to be of one kind before a key is named."""

_WORD = re.compile(r'the output is the word ("[^"]+"), and no ruling object')
_LOGGED = re.compile(r"the log says (.+), which is no verdict")


def advice(reasons: Mapping[str, int]) -> str:
    """
    Name the key that would read nearly all of these outputs; empty where none is likely.

    >>> advice({'the output is the word "PASS", and no ruling object': 9})
    '. They say "PASS": declare the words, to accept and to reject, as in acceptance = "PASS|FAIL"'
    """
    total = sum(reasons.values())
    lenient = sum(times for reason, times in reasons.items() if reason.endswith(LENIENT))
    if total and lenient >= NEARLY_ALL * total:
        return f'. parser = "lenient" would read {lenient} of these {total}'
    for pattern, what in (
        (_WORD, 'declare the words, to accept and to reject, as in acceptance = "PASS|FAIL"'),
        (_LOGGED, "declare with verdicts which of them means what"),
    ):
        words: Counter[str] = Counter()
        for reason, times in reasons.items():
            if found := pattern.fullmatch(reason):
                words[found[1]] += times
        if total and words.total() >= NEARLY_ALL * total:
            return f". They say {some(words, shown=4, longest=80)}: {what}"
    return ""
