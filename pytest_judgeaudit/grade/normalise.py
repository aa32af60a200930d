"""
The one normaliser, for all matchers and for needle and answer alike.

Decoration is taken off for every branch (:func:`plain`). Separators and case are folded for literal needles
only (:func:`folded`): a hyphen in a pattern is deliberate. An underscore is part of a name, never folded.
"""

from __future__ import annotations

import re
import unicodedata

_INVISIBLE = re.compile("[\u00ad\u200b-\u200d\u2060\ufeff]")  # soft hyphen, zero-width, byte order mark
_QUOTES = str.maketrans("\u2018\u2019\u02bc\u201c\u201d", "'''\"\"")
# A star between blanks is a multiplication, unless it begins its line: then it is a bullet.
_STARS = re.compile(r"(?<=[^\s*])([ \t]+)\*(?=[ \t]+[^\s*])|\*+")
_SEPARATORS = re.compile("[-\u2010-\u2015\u2212\\s]+")


def plain(text: str) -> str:
    """
    Return a text without decoration: what every matcher sees.

    Emphasis (``*``) and back-ticks go, and characters without width; typographic quotes become plain ones;
    composed and decomposed letters are one. Idempotent.

    >>> plain("**Is** `queue.drain()` called?"), plain("mean * n"), plain("set _GALE_DIR_")
    ('Is queue.drain() called?', 'mean * n', 'set _GALE_DIR_')
    """
    if text.isascii():
        return _stars(text.replace("`", ""))
    composed = unicodedata.normalize("NFC", _INVISIBLE.sub("", text))
    bare = _stars(composed.translate(_QUOTES).replace("`", ""))
    return unicodedata.normalize("NFC", bare)


def _stars(text: str) -> str:
    return _STARS.sub(lambda found: found[0] if found[1] else "", text) if "*" in text else text


def folded(text: str) -> str:
    r"""
    Return a plain text for comparison with literal needles.

    Case is folded; each run of hyphens, dashes and white space becomes one blank. Idempotent.

    >>> folded("A single\u2011Writer\n  design"), folded("RENEWAL_LIMIT")
    ('a single writer design', 'renewal_limit')
    """
    return _SEPARATORS.sub(" ", text.casefold())
