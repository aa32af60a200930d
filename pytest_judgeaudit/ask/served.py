"""Whether the model that a service declares is the one that was asked for (METHODS 5)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

_DATE = re.compile(
    r"[-@](?P<year>20[1-9]\d)(?P<dash>-?)(?P<month>0[1-9]|1[0-2])(?P=dash)(?P<day>0[1-9]|[12]\d|3[01])$"
)
_DIGEST = re.compile(r"@sha256:(?P<digest>[0-9a-f]{8,64})$")
_VERSION_DOT = re.compile(r"(?<=\d)\.(?=\d)")


class Canonical(NamedTuple):
    """
    A model's name without what does not tell models apart, and what tells its snapshots apart.

    That is a date, or the digest of local weights; ``""`` where the name has neither.
    """

    name: str
    date: str


def canonical(name: str) -> Canonical:
    """
    Read a model's name: case does not count, 4.6 is 4-6, Ollama's ``:latest`` is the default.

    >>> canonical("Claude-Sonnet-4.6-20260101")
    Canonical(name='claude-sonnet-4-6', date='20260101')
    >>> canonical("qwen2.5:latest") == canonical("QWEN2-5")
    True
    """
    plain = _VERSION_DOT.sub("-", name.strip().casefold().removesuffix(":latest"))
    weights = _DIGEST.search(plain)
    if weights is not None:
        return Canonical(plain[: weights.start()], weights["digest"])
    found = _DATE.search(plain)
    if found is None:
        return Canonical(plain, "")
    return Canonical(plain[: found.start()], found["year"] + found["month"] + found["day"])


def same_model(requested: str, served: str | None, aliases: Mapping[str, str]) -> bool:
    """
    Whether the served model is the requested one.

    Compared on canonical names; a date is dropped unless both names have one, since two snapshots are two
    models; likewise the digests of local weights. ``aliases`` are equal names, in either direction. A
    provider's prefix (``openai/…``) needs an alias. A model that is not declared is not the requested one.

    >>> same_model("gpt-4o", "gpt-4o-2024-08-06", {}), same_model("gpt-4o", "gpt-4o-mini", {})
    (True, False)
    >>> same_model("house-gpt", "gpt-5.1", {"house-gpt": "gpt-5.1"}), same_model("gpt-4o", None, {})
    (True, False)
    """
    if served is None or not served.strip():
        return False
    table = {canonical(alias): canonical(name) for alias, name in aliases.items()}
    wanted, found = _meanings(canonical(requested), table), _meanings(canonical(served), table)
    return any(_agree(first, second) for first in wanted for second in found)


def served_as_requested(requested: str, served: str | None, aliases: Mapping[str, str]) -> bool | None:
    """
    Say of a row of a log whether its model is the requested one; None where that is not known.

    As :func:`same_model`, which decides about a live campaign, with two differences that a row needs. A
    model that is not declared is unknown, and so is one where a bare tier was asked for, which resolves to
    some concrete model. A provider in front of the served name is the provider, not the model.

    >>> served_as_requested("claude-sonnet-5", "relay-b/claude-sonnet-5", {})
    True
    >>> [served_as_requested(asked, "claude-haiku-4-5", {}) for asked in ("haiku", "claude-opus-4.8")]
    [None, False]
    """
    if served is None or not served.strip():
        return None
    candidates = (served,) if "/" in requested else (served, served.rpartition("/")[2])
    if any(same_model(requested, name, aliases) for name in candidates):
        return True
    parts = canonical(candidates[-1]).name.split("-")
    tier = canonical(requested).name
    return None if tier.isalpha() and len(parts) > 1 and tier in parts else False


def _agree(first: Canonical, second: Canonical) -> bool:
    return first.name == second.name and (first.date == second.date or not (first.date and second.date))


def _meanings(model: Canonical, aliases: Mapping[Canonical, Canonical]) -> list[Canonical]:
    """Follow aliases to their end; an alias without a date holds for every date."""
    found = [model]
    while True:
        following = aliases.get(found[-1]) or aliases.get(Canonical(found[-1].name, ""))
        if following is None or following in found:
            return found
        found.append(following)
