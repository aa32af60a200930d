"""
The proof, by exhaustion, that the battery is what it says, and its stored form.

For each item the oracle and the three texts are run on every input of the declared domain. The certificate
says nothing about any other input, and nothing about what a person would prefer.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from pytest_judgeaudit.corpora.finite_code.domains import Value
from pytest_judgeaudit.corpora.finite_code.execution import check_syntax, results
from pytest_judgeaudit.corpora.finite_code.families import battery
from pytest_judgeaudit.corpora.finite_code.items import SOURCE, CodeItem, digest
from pytest_judgeaudit.corpora.finite_code.oracle import expected
from pytest_judgeaudit.records.errors import Refused

FILE = "certificates.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Witness:
    """The first input on which the faulty text is wrong: what is right, and what it returned."""

    input: tuple[Value, ...]
    expected: int
    returned: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """
    What was checked of one item.

    ``inputs`` is the size of the domain, each checked for three texts; ``sha256`` the digests of the texts
    by role; ``faulty_inputs`` the number of inputs on which the faulty text is wrong.
    """

    id: str
    inputs: int
    sha256: Mapping[str, str]
    faulty_inputs: int
    witness: Witness


def certify(item: CodeItem) -> Certificate:
    """Check one item on its whole domain; refuse it with the first offending input."""
    demanded = expected(item.id)
    for role, text in item.texts.items():
        check_syntax(text, place=f"{SOURCE}: {item.id}: {role}")
    for role in ("reference", "equivalent"):
        wrong = _disagreements(item, role, demanded)
        if wrong:
            raise Refused(
                f"{SOURCE}: {item.id}: {role}: found {wrong[0].returned!r} for {wrong[0].input!r}, "
                f"expected {wrong[0].expected!r} as the oracle says. Correct the text or the oracle."
            )
    wrong = _disagreements(item, "faulty", demanded)
    if not 0 < len(wrong) < len(demanded):
        raise Refused(
            f"{SOURCE}: {item.id}: faulty: found it wrong on {len(wrong)} of {len(demanded)} "
            "inputs, expected some and not all. Choose another fault."
        )
    return Certificate(
        id=item.id,
        inputs=len(demanded),
        sha256={role: digest(text) for role, text in item.texts.items()},
        faulty_inputs=len(wrong),
        witness=wrong[0],
    )


def certify_all() -> tuple[Certificate, ...]:
    """Certify every item, and that no text serves twice."""
    certificates = tuple(certify(item) for item in battery().values())
    _index(certificates)
    return certificates


def _disagreements(item: CodeItem, role: str, demanded: tuple[int, ...]) -> list[Witness]:
    inputs = tuple(item.domain.inputs())
    return [
        Witness(input=arguments, expected=right, returned=found)
        for arguments, right, found in zip(inputs, demanded, _returned(item, role, inputs), strict=True)
        if found != right
    ]


def _returned(item: CodeItem, role: str, inputs: tuple[tuple[Value, ...], ...]) -> Iterator[int]:
    place = f"{SOURCE}: {item.id}: {role}"
    try:
        for arguments, found in zip(inputs, results(item.texts[role], inputs), strict=True):
            if type(found) is not int:
                raise Refused(f"{place}: found {found!r} for {arguments!r}, expected an integer.")
            yield found
    except Refused:
        raise
    except Exception as error:
        raise Refused(
            f"{place}: found {error!r}, expected a result for every input of the domain."
        ) from error


def to_json(certificates: Iterable[Certificate]) -> str:
    """Return the stored form: totals first, then one line an item."""
    rows = [asdict(certificate) for certificate in certificates]
    inputs = sum(row["inputs"] for row in rows)
    head = {"schema": 1, "items": len(rows), "inputs": inputs, "pairs": 3 * inputs}
    lines = ",\n".join(json.dumps(row) for row in rows)
    return f'{json.dumps(head)[:-1]}, "certificates": [\n{lines}\n]}}\n'


@cache
def stored() -> str:
    """Return the certificates that ship with the package, as written."""
    return files(__package__ or "").joinpath(FILE).read_text(encoding="ascii")


@cache
def certified() -> Mapping[str, tuple[str, str]]:
    """Return item id and role of every certified text by its digest, from the stored certificates."""
    rows = json.loads(stored())["certificates"]
    found = _index(Certificate(**{**row, "witness": Witness(**row["witness"])}) for row in rows)
    return MappingProxyType(found)


def _index(certificates: Iterable[Certificate]) -> dict[str, tuple[str, str]]:
    found: dict[str, tuple[str, str]] = {}
    for certificate in certificates:
        for role, sha256 in certificate.sha256.items():
            if sha256 in found:
                raise Refused(
                    f"{SOURCE}: {certificate.id}: {role}: this text is also {' '.join(found[sha256])}; "
                    "a text belongs to one item. Change the setting."
                )
            found[sha256] = (certificate.id, role)
    return found
