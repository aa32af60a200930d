"""
The words that deny, and what only looks like them.

Two lists with opposite costs. For a *forbidden* fact a false accusation is published and a missed invention
costs one score: :data:`WIDE` also takes mentions, examples and retirements for denials. For a *required*
fact a list that is too wide eats right answers: :data:`NARROW` holds plain denials, and a hedge ("I have
not verified the line") is none.
"""

from __future__ import annotations

import re

NAME = "\ue000"
"""What stands for each character of a path or identifier in a masked text: no word, so no cue."""

_TOKEN = re.compile(r"[^\s()\[\]{}<>\"',;:!?|=]+")
_INNER_DOT = re.compile(r"\w\.\w")
_COMPOUND = re.compile(r"(?:no|non|not)-\w", re.IGNORECASE)
_NONE_OF_THEM = frozenset({"and/or", "n/a", "either/or", "yes/no", "w/o"})

_IDIOMS = re.compile(
    r"\b(?:no|without|beyond|undoubtedly)\s+(?:a\s+|any\s+)?(?:doubts?|questions?)\b"
    r"|\bno\s+(?:secret|mistake|wonder)\b"
    r"|\bnot\s+(?:only|just|merely|simply|least|to\s+mention|surprisingly|unlike|uncommon)\b"
    r"|\b(?:nothing|none|nowhere|no\s+one)\s+(?:but|other\s+than|else\s+than|except)\b"
    r"|\bno(?:t\s+any)?\s+other\s+(?:\S+\s+){0,4}?than\b|\bno\s+(?:later|earlier|more|less|fewer)\s+than\b"
    r"|\bnot\s+(?:\S+\s+){0,3}?(?:other\s+than|anywhere\s+(?:but|else\s+than|except))\b"
    r"|\b(?:not|cannot|\w+n't)\s+(?:\S+\s+){0,3}?any(?:thing|where|one)\s+(?:but|except|(?:else|other)\s+than)\b"
    r"|\b(?:whether|if)\s+or\s+not\b|\bnot\s+until\b|\bwhy\s+not\b|\bneedless\s+to\s+say\b"
    r"|\b(?:cannot|can't|could\s+not|couldn't)\s+be\s+(?:denied|doubted)\b|\bthe\s+only\b"
)
_HEDGES = re.compile(
    r"\b(?:not|n't|never|cannot|can't|couldn't|haven't|hasn't|didn't|don't|wasn't"
    r"|isn't|am\s+not|i'm\s+not|unable\s+to"
    r"|without)\s+(?:yet\s+|be\s+|been\s+|able\s+to\s+|fully\s+|entirely\s+|completely\s+"
    r"|quite\s+|100\s*%\s+|absolutely\s+"
    r"|really\s+|actually\s+)*(?:verif\w+|check\w*|confirm\w*|opened|open|opening"
    r"|read|reading|ran|run|running|test(?:ed|ing)?|sure"
    r"|certain|confident|positive|clear|know|known|doubt\w*|rule\s+out|exclude"
    r"|guarantee\w*|prove\w*|impossible)\b"
)

_NEGATIONS = (
    r"not|no|never|neither|nor|none|nothing|nobody|nowhere|cannot|without|\w+n't"
    r"|dont|doesnt|isnt|arent|wasnt|werent|didnt|wont|cant|havent|hasnt"
)
_REJECTIONS = (
    r"rather\s+than|instead\s+of|as\s+opposed\s+to|in\s+place\s+of|in\s+contrast\s+to|unlike|except"
    r"|(?:moved|migrated|renamed|switched)(?:\s+\w+)?\s+from|used\s+to\s+(?:be"
    r"|live|sit|reside)|formerly|previously"
)
_DISMISSALS = (
    r"unrelated|irrelevant|non-?existent|absent|absence|untrue|incorrect|false|wrong(?:ly)?|red\s+herring"
    r"|ruled?\s+out|excluded|lacks?|lacking|gone"
)
_RETIREMENTS = (
    r"remov\w*|delet\w*|retir\w*|replac\w*|supersed\w*|deprecat\w*|decommission\w*"
    r"|discontinu\w*|abandon\w*|obsolete"
    r"|dropp\w*|phased\s+out|sunset\w*"
)
_MENTIONS = (
    r"only|missing|legacy|examples?|comment\w*|mention\w*|refer(?:s|red|ring)?"
    r"|referenc\w*|benchmark\w*|prob(?:e|es|ed|ing)"
    r"|unless|unused|dead|stale|outdated|historical\w*|hypothetical\w*|avoid\w*"
    r"|bypass\w*|excludes?|excluding|independent"
    r"|fails?\s+to|failed\s+to|refus\w*|den(?:y|ies|ied)|contrary|myth|misleading"
    r"|would\s+have|free\s+of|placeholder\w*"
)

NARROW = re.compile(rf"(?<![\w-])(?:{_NEGATIONS}|{_REJECTIONS})(?![\w])")
"""Denials of what follows them."""

PLAIN = re.compile(rf"(?<![\w-])(?:{_NEGATIONS}|{_REJECTIONS}|{_DISMISSALS}|{_RETIREMENTS})(?!\w)")
"""Denials anywhere in a clause, of a required fact that asks for them."""

WIDE = re.compile(
    rf"(?<![\w-])(?:{_NEGATIONS}|{_REJECTIONS}|{_DISMISSALS}|{_RETIREMENTS}|{_MENTIONS})(?!\w)"
)
"""Whatever may mean that a clause does not assert a forbidden fact."""


def masked(text: str) -> str:
    """
    Return a plain text of the same length in lower case, in which names are no words.

    Paths, identifiers with an underscore and dotted names become runs of :data:`NAME`: a cue inside a
    name is a name. Full stops that end the token stay.

    >>> masked("src/example/rates.py. See it.") == NAME * 20 + ". see it."
    True
    """
    lowered = text.lower()
    # A few letters change their length in lower case; offsets count more than they do.
    return _TOKEN.sub(_mask, lowered if len(lowered) == len(text) else text)


def _mask(found: re.Match[str]) -> str:
    token = found[0]
    body = token.rstrip(".\u2026")
    named = "/" in body or "\\" in body or "_" in body or _INNER_DOT.search(body) or _COMPOUND.match(body)
    if not named or body in _NONE_OF_THEM:
        return token
    return NAME * len(body) + token[len(body) :]


def without_idioms(masked_text: str) -> str:
    """Blank phrases that deny by form only: "no doubt", "not only", "nothing but"; offsets stay."""
    return _IDIOMS.sub(_blank, masked_text)


def without_hedges(masked_text: str) -> str:
    """Blank doubts about a detail: "have not verified", "not sure"; offsets stay."""
    return _HEDGES.sub(_blank, masked_text)


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])
