"""An item of the battery: one specification and three implementations of it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from pytest_judgeaudit.corpora.finite_code.domains import Domain

SOURCE = "battery:finite-code"
"""The battery's address in markers, errors and findings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeItem:
    """
    One task: what is asked for, and three Python texts that define ``solve``.

    ``reference`` and ``equivalent`` are correct on every input of ``domain`` and built differently;
    ``faulty`` is wrong on some of its inputs and right on others. ``setting`` holds the values of the
    family's parameters, ``specification`` the prompt that a judge is shown.
    """

    id: str
    family: str
    setting: Mapping[str, int]
    specification: str
    reference: str
    equivalent: str
    faulty: str
    domain: Domain

    @property
    def texts(self) -> dict[str, str]:
        """The three texts by role."""
        return {"reference": self.reference, "equivalent": self.equivalent, "faulty": self.faulty}


def digest(text: str) -> str:
    """SHA-256 as 64 hexadecimal digits; lone surrogates, which models do send, are kept apart."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
