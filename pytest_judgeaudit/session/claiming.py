"""Published figures: read from the configuration and from files beside the evals; each becomes an item."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_judgeaudit.records.claims import Claim, ClaimResult
from pytest_judgeaudit.records.errors import addressed
from pytest_judgeaudit.records.exclusions import Exclusion
from pytest_judgeaudit.records.items import slug
from pytest_judgeaudit.session.gates import GateItem

if TYPE_CHECKING:
    from pytest_judgeaudit.settings.models import Configuration

FILES = ("claims.toml", "*.claims.toml")
"""How files of claims are named, anywhere below the evals."""


def read_claims(configuration: Configuration, *, root: Path, folders: Sequence[Path]) -> tuple[Claim, ...]:
    """Read the claims of the configuration and of the files beside the evals; Refused for faults."""
    return (*_configured(configuration, root), *_filed(root, folders))


def _configured(configuration: Configuration, root: Path) -> Iterator[Claim]:
    from pytest_judgeaudit.corpora.claims import claim_of

    file = configuration.file
    shown = _relative(file, root) if file else "the configuration"
    for number, claim in enumerate(configuration.claims, 1):
        place = f"{shown}: [[claim]] {number}"
        with addressed(place):
            yield claim_of(claim.model_dump(exclude_none=True), place=place)


def read_exclusions(configuration: Configuration, *, root: Path) -> tuple[Exclusion, ...]:
    """Read what the configuration leaves out; Refused for fields that no row has."""
    return tuple(_excluded(configuration, root))


def _excluded(configuration: Configuration, root: Path) -> Iterator[Exclusion]:
    from pytest_judgeaudit.corpora.claims import named_cell

    file = configuration.file
    shown = _relative(file, root) if file else "the configuration"
    for number, one in enumerate(configuration.exclusions, 1):
        place = f"{shown}: [[exclusion]] {number}"
        with addressed(place):
            yield Exclusion(cell=named_cell(dict(one.cell), "cell"), why=one.why, place=place)


def _filed(root: Path, folders: Sequence[Path]) -> Iterator[Claim]:
    from pytest_judgeaudit.corpora.claims import load_claims

    found = {path for folder in folders if folder.is_dir() for name in FILES for path in folder.rglob(name)}
    for path in sorted(found):
        yield from load_claims(_relative(path, root), root=root)


def _relative(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)


def claim_items(results: Sequence[ClaimResult], *, whole: bool) -> Iterator[GateItem]:
    """
    Yield an item a claim: failed where the rows say otherwise, HOLD where nothing could be checked.

    Of a run that was not ``whole`` none is evaluated: rows that were left out are no evidence.
    """
    for number, result in enumerate(results, 1):
        claim, place = result.claim, result.claim.place.partition(":")[0] or "claims"
        told = "".join(f"\n  {reason}" for reason in result.reasons)
        state = result.state if whole else "PARTIAL, not evaluated"
        outcome = {"verified": "passed", "failed": "failed", "not verified": "error"}[result.state]
        yield GateItem(
            id=f"{place}::claim[{number}-{slug(claim.text)}]",
            outcome="skipped" if not whole else outcome,  # type: ignore[arg-type]
            text=f"{state}: {claim.text!a} ({claim.place}){told}",
            location=(place, 0),
        )
