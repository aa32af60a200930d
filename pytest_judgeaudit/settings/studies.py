"""What a configuration says of a study beside who is asked: seed, criteria, predictions, claims, losses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from pytest_judgeaudit.settings.fields import NAMED, SAID, Line, Name, Table, Text, Texts


class PredictionSettings(Table):
    """One ``[[prediction]]``: part of the protocol lock, printed beside the outcome."""

    id: Name = Field(description=NAMED)
    contrast: Line = Field(description="the name of a contrast, such as 'rename'")
    expects: Text = Field(description=SAID)
    corpus: Line | None = Field(default=None, description="a corpus' name")
    agent: Line | None = Field(default=None, description="an agent's name")
    arms: Texts = Field(default=(), description="an array of arms' names")


class AuditSettings(Table):
    """``[audit]``: the seed of schedule, fences and drawn seeds, and the kind of schedule."""

    seed: int = Field(default=0, ge=0, le=2**63 - 1, description="a whole number from 0 to 2^63 - 1")
    schedule: Literal["hash", "randomized", "independent"] = Field(
        default="hash", description='"hash", "randomized" or "independent"'
    )


class RiskSettings(Table):
    """One ``[[risk]]``: losses of your own beside the source's grid."""

    name: Line = Field(max_length=200, description=SAID)
    pi_c: float = Field(ge=0, le=1, description="the share of exact copies, from 0 to 1")
    lambda_c: float = Field(ge=0, description="a loss, at least 0")
    lambda_w: float = Field(default=1.0, ge=0, description="a loss, at least 0")
    lambda_t: float = Field(ge=0, description="a loss, at least 0")
    lambda_i: float = Field(ge=0, description="a loss, at least 0")
    pi_e: float = Field(
        default=0.0, ge=0, le=1, description="the share of certified equivalents, from 0 to 1"
    )
    lambda_e: float = Field(default=0.0, ge=0, description="a loss, at least 0")


class ClaimSettings(Table):
    """One ``[[claim]]``: a published figure, recomputed from the rows."""

    text: Text = Field(description=SAID)
    cell: Mapping[str, Line] = Field(
        min_length=1, description="a table that names a cell, such as { agent = 'a' }"
    )
    value: float = Field(description="a number")
    kind: Line = Field(default="mean", description="mean, sum, count, median, effect or absence")
    against: Mapping[str, Line] | None = Field(
        default=None, description="a table that names the other side, such as { agent = 'b' }"
    )
    n: int | None = Field(default=None, ge=1, description="a whole number of at least 1")
    sum: float | None = Field(default=None, description="a number")
    maximum: float = Field(default=1.0, gt=0, description="a number above 0")
    event: Line = Field(default="hallucinated", description="what is claimed to be absent")


class ExclusionSettings(Table):
    """One ``[[exclusion]]``: rows that are in no mean, and why."""

    cell: Mapping[str, Line] = Field(
        min_length=1, description="a table that names a cell, such as { arm = 'blind' }"
    )
    why: Text = Field(description="the reason, a text")


class CriterionSettings(Table):
    """One ``[[criterion]]``: a decision rule of one's own, for every material."""

    name: Name = Field(description=NAMED)
    text: Text = Field(description=SAID)
