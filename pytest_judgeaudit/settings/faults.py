"""One table against its model: what is wrong with it, in our words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from pytest_judgeaudit.records.errors import nearest
from pytest_judgeaudit.settings.models import Limits
from pytest_judgeaudit.settings.secrets import names_secret
from pytest_judgeaudit.settings.showing import key, shown

Path = tuple[str | int, ...]
Table = TypeVar("Table", bound=BaseModel)

_CHOICE = re.compile(r'"([^"]+)"')
_PLACEHOLDER = "unnamed"


class Fault(NamedTuple):
    """Something wrong: the keys that lead there from the table, and what a person has to know."""

    path: Path
    message: str


def read_table(model: type[Table], table: Mapping[str, Any]) -> tuple[Table | None, list[Fault]]:
    """Read one table; None and the faults where there are any."""
    try:
        return model.model_validate(table), []
    except ValidationError as error:
        return None, list(_faults(model, table, error))


def _faults(model: type[BaseModel], table: Mapping[str, Any], error: ValidationError) -> Iterator[Fault]:
    errors = error.errors(include_url=False, include_context=False)
    paths = [entry["loc"] for entry in errors]
    unknown = {entry["loc"] for entry in errors if entry["type"] == "extra_forbidden"}
    for entry in errors:
        path = entry["loc"]
        if any(other[: len(path)] == path and other != path for other in paths):
            continue  # pydantic counts what is wrong inside as wrong outside too
        if entry["type"] == "missing":
            if not any(_meant(model, other) == path for other in unknown):
                yield Fault(path, f"missing; expected {_expected(model, path)}.")
        elif path in unknown:
            yield Fault(path, unknown_key(str(path[-1]), _fields(model, path[:-1])))
        else:
            yield Fault(path, _wrong(model, path, _at(table, path)))


def without_faults(model: type[Table], table: Mapping[str, Any], faults: list[Fault]) -> Table | None:
    """
    Read what is right in a table, so that it can be checked against others nevertheless.

    Its faulty keys are left out, or replaced by a placeholder where the table cannot do without; None where
    that is not enough. What is found at the faulty keys afterwards means nothing.
    """
    faulty = {fault.path[0] for fault in faults if fault.path}
    kept = {name: value for name, value in table.items() if name not in faulty}
    needed = {name for name, field in model.model_fields.items() if field.is_required()}
    return read_table(model, {**dict.fromkeys(needed - kept.keys(), _PLACEHOLDER), **kept})[0]


def _wrong(model: type[BaseModel], path: Path, value: Any) -> str:
    expected = _expected(model, path)
    near = nearest(value, _CHOICE.findall(expected)) if isinstance(value, str) else ""
    name = next((part for part in reversed(path) if isinstance(part, str)), "")
    hidden = isinstance(value, str) and name.startswith("api_key")
    found = (
        "a text that is no such name (not shown: it may be a key)" if hidden else shown(value, name=name)
    )
    return f"found {found}, expected {expected}.{near}"


DECODING = frozenset(
    {"temperature", "top_p", "top_k", "max_tokens", "max_completion_tokens", "seed", "stop"}
)
"""What is often written beside ``decoder`` instead of in it."""


def unknown_key(name: str, known: Mapping[str, Any]) -> str:
    """Say what to write instead of a key that does not exist."""
    if names_secret(name) and "api_key_env" in known:
        return "unknown key. A key comes from the environment only: name its variable with api_key_env."
    if name in Limits.model_fields and "limits" in known:
        return f"unknown key. It belongs into limits = {{ {name} = … }}."
    if name in DECODING and "decoder" in known:
        return f"unknown key. It belongs into decoder = {{ {name} = … }}."
    near = nearest(name, known)
    return f"unknown key.{near}" if near else f"unknown key; there are {', '.join(known)}."


def _meant(model: type[BaseModel], path: Path) -> Path:
    """Give the path of the key that an unknown key was probably meant to be."""
    near = nearest(str(path[-1]), _fields(model, path[:-1]))
    return (*path[:-1], near.split('"')[1]) if near else ()


def _at(table: Any, path: Path) -> Any:
    for part in path:
        table = table[part]
    return table


def _walk(model: type[BaseModel], path: Path) -> tuple[type[BaseModel] | None, str]:
    """Find the model that stands at a path, and the description of the last field on the way to it."""
    inner: type[BaseModel] | None = model
    expected = "a table"
    for part in path:
        field = inner.model_fields.get(str(part)) if inner is not None else None
        inner = None
        if field is not None:
            expected = field.description or expected
            kinds = [field.annotation, *get_args(field.annotation)]
            inner = next((k for k in kinds if isinstance(k, type) and issubclass(k, BaseModel)), None)
    return inner, expected


def _expected(model: type[BaseModel], path: Path) -> str:
    return _walk(model, path)[1]


def _fields(model: type[BaseModel], path: Path) -> Mapping[str, Any]:
    inner = _walk(model, path)[0]
    return inner.model_fields if inner is not None else {}


def dotted(path: Path) -> str:
    """
    Write a path as one would speak of it; entries of arrays count from 1.

    >>> dotted(("limits", "timeout")), dotted(("criteria", 0)), dotted(())
    ('limits.timeout', 'criteria[1]', '')
    """
    parts = (f"[{part + 1}]" if isinstance(part, int) else f".{key(part)}" for part in path)
    return "".join(parts).removeprefix(".")
