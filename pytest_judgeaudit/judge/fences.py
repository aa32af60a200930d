"""The fence: a suffix of the tags around candidates that no candidate can close."""

from __future__ import annotations

import hashlib
from functools import lru_cache

from pytest_judgeaudit.records.items import Pair

_LETTERS = 8
# Consonants: no fence spells a word, or looks like a number or like the id of a task.
_ALPHABET = str.maketrans("0123456789abcdef", "bcdfghjkmnpqrstv")


def fence(seed: int, pair: Pair) -> str:
    """
    Return eight letters that occur in neither candidate nor in the prompt, in either case.

    Derived from the protocol's seed and the texts shown, so every replay of a call has the same fence. The
    two candidates enter without their order: both presentations of a task, under every criterion, carry
    one fence and differ in nothing but what they are meant to differ in.
    """
    one, other = sorted((pair.first, pair.second))
    if pair.third is not None:
        # With and without the third candidate the fence is the same.
        return fence_around(seed, pair.prompt, one, other, pair.third)
    return _fence(seed, pair.prompt, one, other)


def fence_around(seed: int, *texts: str) -> str:
    """Return eight letters that occur in none of the texts, in either case; for an answer judged alone."""
    first, second, *rest = (*texts, "", "")
    return _fence(seed, first, second, "\x1f".join(rest))


@lru_cache(maxsize=2**14)  # both orders of a task, under every criterion, ask for the same
def _fence(seed: int, prompt: str, one: str, other: str) -> str:
    # The lengths go first: no text can pass for the end of one and the beginning of the next.
    whole = f"{seed}:{len(prompt)}:{len(one)}:{len(other)}:{prompt}{one}{other}"
    digest = hashlib.sha256(whole.encode("utf-8", "surrogatepass")).digest()
    folded = whole.lower()
    while (letters := _letters(digest)) in folded:
        digest = hashlib.sha256(digest).digest()
    return letters


def _letters(digest: bytes) -> str:
    return digest[: _LETTERS // 2].hex().translate(_ALPHABET)
