"""Abstentions: answers that say that what was asked for is not there."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from pytest_judgeaudit.grade.checklists import forbidden_hits
from pytest_judgeaudit.grade.denial import NAME, masked, without_idioms
from pytest_judgeaudit.grade.normalise import folded, plain
from pytest_judgeaudit.grade.sentences import sentences
from pytest_judgeaudit.records.grades import Grade
from pytest_judgeaudit.records.questions import Fact

Absence = Literal["stated", "not known"]

# Up to six words may stand between a negator and its noun or verb: words, since subjects are long
# compounds. A word may hold stops of its own; a verb or a joint in between begins another clause.
_JOINT = (
    r"(?:is|are|was|were|be|been|has|have|had|does|do|did|can|will|would|that|which"
    r"|who|when|where|because|if|and\s+the|but)\b"
)
_GAP = rf"(?:(?!{_JOINT})[^\s,;:]+,?\s+){{0,6}}?"
_LONG = r"(?:[^\s,;:]+\s+){0,6}?"

_NOUN = (
    r"(?:modules?|services?|files?|class(?:es)?|functions?|methods?|components?"
    r"|features?|implementations?|code|scripts?|configs?"
    r"|configurations?|settings?|options?|flags?|parameters?|variables?|constants?"
    r"|endpoints?|routes?|commands?|handlers?|jobs?"
    r"|tasks?|workers?|queues?|tables?|fields?|columns?|packages?|librar(?:y|ies)"
    r"|integrations?|mechanisms?|logic|support|steps?"
    r"|hooks?|plug-?ins?|tools?|tests?|types?|interfaces?|apis?|clients?|servers?"
    r"|schedulers?|programs?|subsystems?|paragraphs?"
    r"|match(?:es)?|hits?|results?|evidence|mentions?|references?|trace|sign|occurrences?"
    r"|entr(?:y|ies)|thing|definition|record"
    r"|director(?:y|ies)|folders?|places?|symbols?|names?|identifiers?|procedures?"
    r"|routines?|layers?|cache|limits?|checks?)"
)
_NOT_OTHER = (
    r"(?!other\b|further\b|additional\b|more\b|fewer\b|less\b|longer\b|need\b|doubts?\b"
    r"|questions?\b|reason\b|problem\b|issue\b|effect\b|impact\b|influence\b|bearing\b)"
)
_NOT = r"(?:\s+not|n't)"
_PLACE = (
    r"(?:(?:this|the|that|our|your)\s+(?:whole\s+|entire\s+|current\s+)?(?:repo\w*"
    r"|code\s?-?base|code|tree|project|corpus|checkout|source\w*|system|application)"
    r"|here|there|anywhere)"
)
_THERE = (
    rf"(?:present|found|documented|defined|implemented|available|included|supported"
    rf"|provided|shipped|mentioned|declared|referenced"
    rf"|to\s+be\s+found|part\s+of|in\s+{_PLACE}|{_PLACE})"
)
_EXISTS = (
    r"(?:exists?|existed|is\s+(?:present|found|defined|documented|implemented|available"
    r"|there|here)|was\s+found|ships?\b|found\b)"
)
_HAVE = (
    r"(?:exist|contain|appear|have|include|ship|provide|implement|define|mention|support"
    r"|offer|hold|know|feature|come\s+with)"
)

_STATED = re.compile(
    rf"\bthere(?:\s+is|\s+are|\s+was|'s|\s+seems\s+to\s+be|\s+appears\s+to\s+be)\s+(?:no"
    rf"|none|nothing)\b(?!\s+other\b)(?:\s+{_NOT_OTHER}|(?!\s))"
    rf"|\bthere\s+(?:isn't|aren't|wasn't|weren't|is\s+not|are\s+not)\s+(?:an?|any)\b"
    rf"|\bno\s+such\b|\bno\s+{_NOT_OTHER}{_GAP}{_NOUN}\b(?!\s+than\b)|\bno\s+{_NOT_OTHER}{_LONG}{_EXISTS}"
    rf"|\b(?:does|do|did){_NOT}\s+(?:\w+ly\s+|seem\s+to\s+|appear\s+to\s+)?{_HAVE}\b"
    rf"|\b(?:is|are|was|were){_NOT}\s+(?:\w+ly\s+|yet\s+)?{_THERE}"
    rf"|\b(?:has|have|had){_NOT}\s+(?:yet\s+)?been\s+(?:{_THERE}|built|written|added|created|introduced)"
    rf"|\bnever\s+(?:existed|been|implemented|defined|was|built|added)\b|\bnever\s+(?:\S+\s+)?exist\w*"
    r"|\b(?:has|have|had)\s+(?:since\s+)?been\s+(?:removed|dropped|deleted|retired)\b"
    r"|\b(?:was|were)\s+(?:removed|dropped|deleted|retired)\b"
    r"|\bno\s+longer\s+(?:exists?|present|there|here|part|available|in\s+the|supported"
    r"|shipped|included|defined)\b"
    r"|\bnothing\s+(?:\S+\s+){0,3}?(?:found|match\w*|named|called|here|like|of\s+th(?:e"
    r"|at)|exists?|implements?|predicts?|handles?|does"
    rf"|defines?|provides?|in\s+{_PLACE})"
    rf"|\bnone\s+of\s+(?:the|these|them|this)\b|\b(?:contains?|has|have|find|found"
    rf"|see|includes?|ships?|holds?|defines?|offers?|provides?|knows?)\s+no\s+{_NOT_OTHER}"
    r"|\b(?:is|are)\s+(?:\w+ly\s+)?(?:absent|missing|non-?existent)\b|\babsent\s+from\b"
    r"|\bmissing\s+from\b|\bnowhere\b|\black(?:s|ed)\b"
    r"|\b(?:0|zero)\s+(?:match(?:es)?|hits?|results?|occurrences?)\b|\bnot\s+in\s+(?:this"
    r"|the)\s+(?:repo\w*|code\s?-?base|corpus|tree)\b"
    r"|\b(?:cannot|can\s+not|can't|could\s+not|couldn't)\s+be\s+(?:found|located|seen)\b"
    r"|\b(?:got|found|saw|returned|turned\s+up)\s+nothing\b|\bnothing\s+(?:turned|came|showed|shows)\s+up\b"
    rf"|\b(?:is|are|was|were){_NOT}\s+(?:\w+\s+){{1,2}}(?:anywhere\s+)?in\s+{_PLACE}"
    rf"|\bno\s+{_NOT_OTHER}{_GAP}(?:anywhere\s+)?(?:in|within)\s+{_PLACE}"
    rf"|\bneither\s+(?:\S+\s+){{0,6}}?exists?\b|\bno\s+{_NOT_OTHER}{NAME}+"
)
_NOT_KNOWN = re.compile(
    r"\b(?:could|can|did|do|was|were|am|is|will|would|wo|ca)(?:\s*not|n't)\s+(?:able\s+to\s+)?(?:\w+ly\s+)?(?:find"
    r"|locate|identify|see|discover|tell|determine|say)\b"
    r"|\b(?:unable|failed)\s+to\s+(?:find|locate|identify|determine|discover|tell|say)\b|\bunable\s+to\b"
    r"|\b(?:do|does)(?:\s+not|n't)\s+know\b|\bnot\s+aware\s+of\b|\bunknown\s+to\s+me\b|\bno\s+idea\b"
)
_FOREIGN = re.compile(r"\bnot\s+true\s+that\b|\b(?:false|wrong|incorrect)\s+that\b")


def absence(text: str) -> Absence | None:
    """
    Say whether an answer states that something is not there, or only that it does not know.

    >>> absence("No dedicated coastal or estuary tide prediction module ships here.")
    'stated'
    >>> absence("I was unable to locate it."), absence("There is no question that it is in a/b.py.")
    ('not known', None)
    """
    weak = False
    for sentence in sentences(plain(text)):
        if sentence.asks:
            continue
        shadow = " ".join(
            without_idioms(masked(sentence.text)).replace('"', "").replace("'s no", " is no").split()
        )
        if _STATED.search(shadow) and not _FOREIGN.search(shadow):
            return "stated"
        weak = weak or _NOT_KNOWN.search(shadow) is not None
    return "not known" if weak else None


def abstained(text: str, *, markers: Sequence[str] = ()) -> bool:
    """
    Whether an answer abstains.

    ``markers``, where a question has its own, replace the patterns: one contained in the folded answer.
    """
    if not markers:
        return absence(text) is not None
    haystack = folded(plain(text))
    return any(folded(plain(marker)) in haystack for marker in markers)


def abstain(text: str, *, forbidden: Sequence[Fact] = (), markers: Sequence[str] = ()) -> Grade:
    """
    Grade an answer to a question about what is not there: 1 for an abstention that invents nothing, else 0.

    ``hallucinated``: a forbidden fact is asserted, or a text does not abstain. An empty answer neither
    abstains nor invents.
    """
    said = forbidden_hits(text, forbidden)
    abstains = abstained(text, markers=markers)
    invents = bool(said) or (not abstains and bool(text.strip()))
    return Grade(
        score=1.0 if abstains and not invents else 0.0,
        reason="asserts what the key forbids" if said else "" if abstains else "does not abstain",
        forbidden_hit=said,
        hallucinated=invents,
        abstained=abstains,
    )
