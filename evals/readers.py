"""
Scripted agents for the depot: one that searches what it can see, and one that guesses without looking.

Neither knows a key. ``callable = "evals.readers:searching"``: what they are called with, and what they may
use of the sandbox, is that of every agent of kind ``python``.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

MOST_LINES = 8
MOST_FILES = 4

_HIT = re.compile(r"(?P<file>[^\s:][^:\n]*):(?P<line>\d+):(?P<text>.*)")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_-]*[A-Za-z0-9]")
_STOP_WORDS = """
    a an and are before by called can comes did do does each else for from get gets goes has have
    how in into is it its kept list made many name no of on one ones or out says set sets so some
    take that the them then there they this to under use used uses was what when where which who
    whom why will with would files file program programs module modules paragraph paragraphs python
    cobol
"""
_STOP = frozenset(_STOP_WORDS.split())


def searching(prompt, sandbox):
    """
    Search for the words of the question; answer with the lines in which most of the rare ones meet.

    Where there is nothing to search, guess.
    """
    if not any(Path(sandbox).iterdir()):
        return guessing(prompt, sandbox)
    words = _words(prompt)
    found = {word: _hits(sandbox, word) for word in words}
    absent = [word for word in words if not found[word]]
    # What is asked for is usually what is named: a name without a hit, or a third of all words without one.
    if absent and (any(_is_name(word) for word in absent) or 3 * len(absent) > len(words)):
        return f"I could not find {', '.join(absent)}: there is no such thing in this code base."
    ranked = _ranked(found)
    if not ranked:
        return "I found nothing about that: it is not in this code base."
    lines = "\n".join(f"{file}:{line}: {text.strip()}" for (file, line), text in ranked[:MOST_LINES])
    files = list(dict.fromkeys(file for (file, _), _ in ranked))[:MOST_FILES]
    return f"The files are {', '.join(files)}. What they say:\n{lines}"


def guessing(prompt, sandbox):
    """Answer from the words of the question alone."""
    words = sorted(_words(prompt), key=len, reverse=True)
    subject = words[0].lower() if words else "stock"
    return (
        f"The part that handles {subject} is probably src/{subject}.py, in process_{subject}(). "
        "It validates its input, writes to the table of orders and commits; the limit is 100."
    )


def _words(prompt):
    words = (found[0] for found in _WORD.finditer(prompt))
    return list(dict.fromkeys(word for word in words if word.lower() not in _STOP and len(word) > 2))


def _is_name(word):
    return "_" in word or (word.isupper() and len(word) > 3) or any(c.isdigit() for c in word)


def _stem(word):
    return word if _is_name(word) else re.sub(r"(?:ions?|ing|ed|es|s)$", "", word.lower())


def _hits(sandbox, word):
    hits = (_HIT.match(line) for line in sandbox.grep(f"(?i){re.escape(_stem(word))}").splitlines())
    return {(hit["file"], int(hit["line"])): hit["text"] for hit in hits if hit}


def _ranked(found):
    weights, texts = Counter(), {}
    for hits in found.values():
        for place, text in hits.items():
            weights[place] += 1 / len(hits)
            texts[place] = text
    ranked = sorted(weights, key=lambda place: (-weights[place], place))
    return [(place, texts[place]) for place in ranked]
