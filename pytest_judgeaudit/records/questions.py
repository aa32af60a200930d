"""What an agent is asked, and the key by which its answer is graded."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

ABSTAIN = "abstain"
"""The class of questions about what is not there: the right answer says so."""

MATCHERS = ("literal", "path", "regex", "symbol", "near", "any-of", "all-of")
"""The types of a match that we know; plug-ins may register others."""

GraderType = Literal["checklist", "abstain", "set", "path", "contains", "regex", "llm"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FactMatcher:
    """
    A matcher that another plug-in registers.

    ``compile`` turns the values of a match into what finds them, once, and raises ValueError for values
    that it cannot use. What finds them takes a plain text and returns where the first match begins and
    ends, None without one. ``version`` is what it declares of itself: part of the key's digest.
    """

    compile: Callable[[tuple[str, ...]], Callable[[str], tuple[int, int] | None]]
    version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """
    How a fact is recognised in an answer.

    ``values`` are the needles or patterns: one, for ``near`` two, for ``any-of`` and ``all-of`` any number.
    ``flags`` are those of a pattern (``i``, ``m``, ``s``, ``x``); None is the default, case ignored.
    ``within`` is the widest gap of ``near``, in characters. ``asserted`` says whether a mention inside a
    denial counts: True: it does not; None: as the type and polarity have it. ``version`` is that of a type
    of another plug-in, and ``contributed`` what matches then: it stays in the process that read the key.
    """

    type: str
    values: tuple[str, ...]
    flags: str | None = None
    within: int = 100
    asserted: bool | None = None
    version: str = ""
    contributed: FactMatcher | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One entry of a checklist, or of the forbidden facts. Only a ``must`` of False is optional."""

    id: str
    match: Match
    must: bool = True
    desc: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """
    Lines of the corpus that a key rests on.

    ``file`` has forward slashes, ``line`` counts from 1 or is None, ``last`` is the end of a range;
    ``contains`` is a text that must stand there.
    """

    file: str
    line: int | None = None
    last: int | None = None
    contains: str = ""

    def __str__(self) -> str:
        lines = "" if self.line is None else f":{self.line}" + (f"-{self.last}" if self.last else "")
        return self.file + lines


@dataclass(frozen=True, slots=True, kw_only=True)
class Retirement:
    """Why a question is asked no more. Its stored answers stay."""

    why: str
    on: str = ""
    found_by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """
    One question with its key.

    ``cls`` is the class by which figures are grouped; ``grader`` how the answer is graded: ``checklist``,
    ``abstain``, one of the older graders with their ground truth ``gt``, or ``llm`` for a judge alone, by
    its ``rubric``. ``markers`` replace the patterns of an abstention. ``place`` is the address
    (``file:line``) that errors and findings give; ``notes`` keeps what no grader reads.
    """

    id: str
    prompt: str
    cls: str = "lookup"
    genre: str = ""
    category: str = ""
    difficulty: str = ""
    label: str = ""
    facts: tuple[Fact, ...] = ()
    forbidden: tuple[Fact, ...] = ()
    grader: GraderType = "checklist"
    gt: tuple[str, ...] = ()
    rubric: str = ""
    markers: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    leak_terms: tuple[str, ...] = ()
    retired: Retirement | None = None
    place: str = ""

    def __repr__(self) -> str:
        # Failed assertions show this, once a trial: neither prompt nor key.
        return f"<question {self.id!r}>"

    @property
    def abstains(self) -> bool:
        """Whether the right answer says that what was asked for is not there."""
        return self.grader == ABSTAIN

    def prompt_digest(self) -> str:
        """SHA-256 of what the agent is asked: a move makes its answers stale."""
        return _sha256(self.prompt)

    def key_digest(self) -> str:
        """SHA-256 of what grades the answer: a move regrades, and makes a judge's verdict stale."""
        key: list[Any] = [self.grader, self.gt, self.rubric, self.markers]
        key += [[_entry(fact) for fact in group] for group in (self.facts, self.forbidden)]
        return _sha256(json.dumps(key))


def _entry(fact: Fact) -> list[Any]:
    match = fact.match
    return [
        *(fact.id, fact.must, fact.desc),
        *(match.type, match.values, match.flags, match.within, match.asserted),
        # Keys without such a matcher have the digest that they always had.
        *([match.version] if match.version else []),
    ]


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
