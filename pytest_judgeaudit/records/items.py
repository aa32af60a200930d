"""What is judged: a pair of answers to one prompt, shown in one order."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Literal

Order = Literal["AB", "BA"]
"""Which content stands in slot A: ``AB`` shows the first content in A, ``BA`` the second."""

Kind = Literal["clone", "equivalent", "signal"]
Stratum = Literal["core", "empty", "whitespace", "unvalidated"]
"""Of copies ``core`` or an edge; of equivalents ``unvalidated`` where nobody validated that they are."""
Target = Literal["first", "second", "tie"]
Context = Literal["", "absent", "present"]
"""In a context audit, whether the third candidate is shown; ``""`` outside of one."""

NO_SUBSET = "(none)"
"""The stratum of tasks that declare no subset (RULES R9)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """
    Two contents for one prompt, in the order in which a judge is shown them.

    ``first`` and ``second`` name contents as listed in the task, whatever the order shown. ``target`` is
    the content that should win, ``tie`` for clones and certified equivalents. ``wording`` names the set
    of criterion texts that fits the material (``text``, or a battery's own). ``source`` is the address
    (``file:line`` or the battery's name) that errors and findings give. ``metadata`` keeps the keys of
    the row that mean nothing to us. In a context audit, ``third`` is the text that ``context`` shows beside
    the two, or does not.
    """

    id: str
    prompt: str
    first: str
    second: str
    target: Target
    kind: Kind
    order: Order = "AB"
    stratum: Stratum = "core"
    subset: str = NO_SUBSET
    family: str | None = None
    wording: str = "text"
    source: str = ""
    third: str | None = None
    context: Context = ""
    metadata: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)

    def __repr__(self) -> str:
        # Failed assertions show this, once a trial: not the texts.
        context = f", third candidate {self.context}" if self.context else ""
        return f"<{self.kind} pair {self.id!r}, {self.order}{context}>"

    @property
    def slot_a(self) -> str:
        """The text that is shown as candidate A."""
        return self.first if self.order == "AB" else self.second

    @property
    def slot_b(self) -> str:
        """The text that is shown as candidate B."""
        return self.second if self.order == "AB" else self.first

    def shown(self, order: Order, context: Context = "") -> Pair:
        """Return the same task in the given order and context."""
        if order == self.order and context == self.context:
            return self
        return replace(self, order=order, context=context)

    def digest(self) -> str:
        """SHA-256 over what a judge sees of the task, whatever the order: 16 hexadecimal digits."""
        third = () if self.third is None else (self.third,)
        return short_digest("\x1f".join((self.wording, self.prompt, self.first, self.second, *third)))


def short_digest(text: str) -> str:
    """Return 16 hexadecimal digits of SHA-256; lone surrogates, which models do send, are kept apart."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")
_OTHER = re.compile(r"[^A-Za-z0-9._-]+")


@lru_cache(maxsize=2**16)  # an id is asked for several times an item
def slug(text: str) -> str:
    """
    Return a short ASCII form of an id, unique by a content hash where characters had to go.

    >>> slug("gpt-4.1"), slug("LLMBar/Natural/3")
    ('gpt-4.1', 'LLMBar_Natural_3-a825e7a4')
    """
    if _PLAIN.fullmatch(text):
        return text
    return f"{_OTHER.sub('_', text).strip('_')[:32] or 'x'}-{short_digest(text)[:8]}"
