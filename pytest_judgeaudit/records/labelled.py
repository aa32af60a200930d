"""Single answers with a label, for judges that accept or reject; and the controls that are made of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from pytest_judgeaudit.records.items import NO_SUBSET, short_digest

Label = Literal["good", "bad"]
Control = Literal["", "blank", "whitespace", "repeated"]
"""What an answer is shown for beside its label: ``""`` for the answer itself."""

LABELS: tuple[Label, ...] = ("good", "bad")
CONTROLS: tuple[Control, ...] = ("blank", "whitespace", "repeated")
BLANK: Mapping[Control, str] = {"blank": "", "whitespace": " \n"}
"""The texts without anything in them, which no judge should accept."""

LABELLED_ARMS = ("good", "bad", "blank", "repeated")
"""Arms whose trials are verdicts on single answers."""

WANTED = {"good": "accept", "bad": "reject", "blank": "reject"}
"""The ruling that an arm wants; a repeated call is to say what the first one said."""

ERRORS = {
    "good": "false rejects",
    "bad": "false accepts",
    "blank": "blank answers accepted",
    "repeated": "changed verdicts",
}
"""What an adverse task of labelled answers is called, by arm; one that is no verdict counts with them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledAnswer:
    """
    One answer to one prompt, and whether it is a good one.

    ``label`` is the source's. ``control`` tells what the answer is shown for: ``""`` for itself,
    ``repeated`` for the very same request once more; of ``blank`` and ``whitespace`` the text is not the
    source's but nothing, and the label ``bad``. ``wording`` names the set of criterion texts that fits the
    material, ``source`` is the address that errors and findings give. ``metadata`` keeps the keys of the
    row that mean nothing to us.
    """

    id: str
    prompt: str
    answer: str
    label: Label
    control: Control = ""
    subset: str = NO_SUBSET
    family: str | None = None
    wording: str = "text"
    source: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)

    def __repr__(self) -> str:
        # Failed assertions show this, once a trial: not the texts.
        return f"<{self.label} answer {self.id!r}{self.control and ', ' + self.control}>"

    @property
    def good(self) -> bool:
        """Whether the answer should be accepted."""
        return self.label == "good"

    @property
    def arm(self) -> str:
        """The arm that its trial is counted in."""
        return "blank" if self.control in BLANK else self.control or self.label

    @property
    def stratum(self) -> str | None:
        """The edge stratum that is counted apart; None for all others."""
        return "whitespace" if self.control == "whitespace" else None

    @property
    def replicate(self) -> int:
        """Which call of the same request this is, from 1."""
        return 2 if self.control == "repeated" else 1

    def shown(self, control: Control) -> LabelledAnswer:
        """Return the same answer for a control; a blank one has the prompt in common."""
        if control in BLANK:
            return replace(self, answer=BLANK[control], label="bad", control=control)
        return replace(self, control=control)

    def digest(self) -> str:
        """SHA-256 over what a judge sees: 16 hexadecimal digits."""
        return short_digest("\x1f".join((self.wording, self.prompt, self.answer)))


def call_arm(arm: str, stratum: str | None) -> str:
    """
    Return the arm's part of a call's name; a label has none, so that correcting it makes nothing stale.

    >>> call_arm("good", None), call_arm("bad", None), call_arm("blank", "whitespace")
    ('single', 'single', 'whitespace')
    """
    if arm in LABELS:
        return "single"
    return "whitespace" if (arm, stratum) == ("blank", "whitespace") else arm
