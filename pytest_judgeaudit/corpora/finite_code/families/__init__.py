"""The eight families, and the 96 items rendered from them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from pytest_judgeaudit.corpora.finite_code.families import (
    clamp,
    digits,
    overlap,
    rank,
    rounding,
    runs,
    search,
    windows,
)
from pytest_judgeaudit.corpora.finite_code.items import CodeItem

FAMILIES = (
    clamp.FAMILY,
    digits.FAMILY,
    overlap.FAMILY,
    rank.FAMILY,
    rounding.FAMILY,
    runs.FAMILY,
    search.FAMILY,
    windows.FAMILY,
)


@cache
def battery() -> Mapping[str, CodeItem]:
    """Every item by id, family by family, in the order of the settings."""
    return MappingProxyType({item.id: item for family in FAMILIES for item in family.items()})
