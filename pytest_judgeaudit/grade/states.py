"""What an answer may be instead of an answer: a refusal, a report of broken tools, a guess."""

from __future__ import annotations

import re

from pytest_judgeaudit.grade.normalise import plain

_OUT_OF_REACH = (
    r"(?:out\s+of\s+reach|unavailable|not\s+available|unreachable|not\s+reachable"
    r"|inaccessible|not\s+accessible|offline|not\s+responding"
    r"|timed\s+out|timing\s+out|broken|down\b|failing|failed|returned\s+an?\s+error"
    r"|errored|could\s+not\s+be\s+(?:reached|used|opened|started)"
    r"|couldn't\s+be\s+(?:reached|used|opened|started)|cannot\s+be\s+(?:reached"
    r"|used)|did\s+not\s+(?:respond|start|work)"
    r"|does\s+not\s+(?:respond|work)|didn't\s+(?:respond|work|start)|denied)"
)
_TOOL = (
    r"(?:(?:search|grep|read|list|file|query|index|code)\s+tools?|tools?|sandbox"
    r"|tool\s+server|mcp\s+server|search\s+index|code\s+index"
    r"|file\s+access|tool\s+calls?)"
)
_BROKEN = re.compile(
    rf"\b(?:the|my|this|all|every|any|its)\s+(?:\w+\s+)?{_TOOL}\s+(?:(?:is|are|was"
    rf"|were|has|have|had|been|seems?|currently|all|to\s+be)\s+)*{_OUT_OF_REACH}"
    r"|\bi\s+(?:currently\s+)?(?:do\s+not|don't|did\s+not|didn't)\s+have\s+(?:any\s+)?access\s+to\b"
    r"|\bi\s+have\s+no\s+(?:access\s+to|tools?\b|way\s+to\s+(?:search|read|open|inspect))"
    r"|\b(?:cannot|can't|could\s+not|couldn't|was\s+unable\s+to|am\s+unable\s+to"
    r"|unable\s+to)\s+(?:access|reach|use|call|connect\s+to|open)\s+"
    rf"(?:the|my|any|its)\s+(?:\w+\s+)?(?:{_TOOL}|files?\b|repo\w*|code\s?-?base|corpus)",
    re.IGNORECASE,
)
_REFUSAL = re.compile(
    r"\W*(?:as\s+an?\s+(?:ai|language\s+model)[^,.]{0,40},\s*)?"
    r"(?:i(?:'m|\s+am)\s+(?:very\s+)?sorry[,.]?\s*(?:but\s+)?|sorry,?\s*(?:but\s+)?"
    r"|i\s+apologi[sz]e,?\s*(?:but\s+)?|unfortunately,?\s*)?"
    r"i(?:'m|\s+am)?\s*(?:cannot|can't|can\s+not|won't|will\s+not|am\s+unable\s+to"
    r"|must\s+decline|unable\s+to|not\s+able\s+to|have\s+to\s+decline|decline)"
    r"(?:\s+to)?\s*(?:help|assist|comply|continue|fulfil\w*|provide\s+(?:that|this"
    r"|assistance)|answer\s+(?:that|this)|do\s+(?:that|this)|engage"
    r"|discuss|with\s+(?:that|this)|[.!]|\Z)",
    re.IGNORECASE,
)
_HEDGES = re.compile(
    r"\b(?:probably|presumably|most\s+likely|likely|typically|usually|in\s+most\s+(?:code\s?-?bases"
    r"|projects|systems)|i\s+(?:would\s+)?(?:guess|assume"
    r"|expect|suspect|believe)|my\s+guess|as\s+far\s+as\s+i\s+know|from\s+memory"
    r"|without\s+(?:looking|access|having\s+(?:seen|looked))|in\s+general"
    r"|based\s+on\s+(?:common|typical|general)|might\s+be|may\s+be|could\s+be|it\s+is\s+common)\b",
    re.IGNORECASE,
)
_SHORT = 600  # characters: a refusal is no long answer


def refused(text: str) -> bool:
    """
    Whether an answer refuses the request: an outcome of its own, not a low score.

    >>> refused("I'm sorry, but I can't help with that request."), refused("I can't find it in the tree.")
    (True, False)
    """
    bare = plain(text).strip()
    return len(bare) <= _SHORT and _REFUSAL.match(bare) is not None


def out_of_reach(text: str) -> bool:
    """
    Whether an answer reports that its tools could not be used: neither right nor an invention.

    >>> out_of_reach("The search tool was out of reach, so I will not guess.")
    True
    >>> out_of_reach("There is no search tool in this repository.")
    False
    """
    return _BROKEN.search(" ".join(plain(text).split())) is not None


def hedges(text: str) -> tuple[str, ...]:
    """
    Return the phrases by which an answer guesses, each once; a lower bound, since others exist.

    >>> hedges("Probably in a rate module; my guess is rates.py.")
    ('probably', 'my guess')
    """
    found = (" ".join(match[0].lower().split()) for match in _HEDGES.finditer(plain(text)))
    return tuple(dict.fromkeys(found))
