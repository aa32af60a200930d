"""
Where a value stands in a foreign row: a field's name, or a template of names such as ``{set}-{no}``.

Pair files (``fields=`` on a marker) and recorded logs (``fields`` of a judge) say it in the same way.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pytest_judgeaudit.corpora.found import MOST_NAMES, found, listed, near, printable, quoted
from pytest_judgeaudit.records.errors import Refused

_NAME = re.compile(r"\{([^{}]+)\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """
    A field of a row, by name or by a template of names.

    ``written`` is what the person wrote; ``names`` are the fields it needs, ``between`` the literal texts
    before, between and after them, empty for a plain name.
    """

    written: str
    names: tuple[str, ...]
    between: tuple[str, ...] = ()

    @property
    def plain(self) -> bool:
        """Whether it is a single field's name, whose value is taken as it is."""
        return not self.between

    def read(self, row: Mapping[str, object]) -> object:
        """
        Return the field's value as it stands in the row, or the template's text.

        Refused when the row has no such field (with the nearest name), or when a template meets a value
        that is no text, number or boolean.
        """
        values = [_required(row, name) for name in self.names]
        if self.plain:
            return values[0]
        parts = [self.between[0]]
        for name, value, literal in zip(self.names, values, self.between[1:], strict=True):
            parts += (_text(name, value), literal)
        return "".join(parts)


def _required(row: Mapping[str, object], name: str) -> object:
    try:
        return value_at(row, name)
    except KeyError:
        names = names_beside(row, name)
        raise Refused(
            f"there is no field {quoted(name)} in this row, which has {listed(names)}.{near(name, names)}"
        ) from None


def value_at(row: object, name: str) -> object:
    """
    Return what a row holds under a name, or under names joined by dots. KeyError where it holds nothing.

    >>> row = {"a.b": 1, "a": {"b": 2, "c": [{"d": 3}]}}
    >>> value_at(row, "a.b"), value_at(row, "a.c.0.d")
    (1, 3)
    """
    if isinstance(row, Mapping) and name in row:
        return row[name]
    value = row
    for part in name.split("."):
        value = _inner(value, part)
    return value


def holds(row: Mapping[str, object], name: str) -> bool:
    """Tell whether a row has a field of this name, or a value at the end of its dots; null is one."""
    try:
        value_at(row, name)
    except KeyError:
        return False
    return True


def names_beside(row: object, name: str) -> tuple[str, ...]:
    """
    Return the names that the row has where a name leads, as far as it leads.

    >>> names_beside({"id": 1, "meta": {"task": 2}}, "meta.tsk"), names_beside({"id": 1}, "meta.tsk")
    (('meta.task',), ('id',))
    """
    value, before = row, ""
    for part in name.split(".")[:-1]:
        try:
            inner = _inner(value, part)
        except KeyError:
            break
        if not isinstance(inner, Mapping | list):
            break
        value, before = inner, f"{before}{part}."
    names = value if isinstance(value, Mapping) else range(len(value)) if isinstance(value, list) else ()
    return tuple(f"{before}{one}" for one, _ in zip(names, range(MOST_NAMES), strict=False))


def _inner(value: object, part: str) -> object:
    if isinstance(value, Mapping):
        return value[part]
    index = int(part) if part.isascii() and part.isdigit() and len(part) < 10 else None
    if isinstance(value, list) and index is not None and index < len(value):
        return value[index]
    raise KeyError(part)


def _text(name: str, value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) and value.bit_length() < 200:
        return str(value)
    if isinstance(value, float) and math.isfinite(value):
        return repr(value)
    raise Refused(f"{printable(name)}: expected a text or a number for a template, found {found(value)}")


def parsed(written: str) -> Field:
    """
    Read a field's name or a template of names.

    >>> parsed("item").read({"item": 3}), parsed("{set}-{no}").read({"set": "x", "no": 3})
    (3, 'x-3')
    """
    parts = _NAME.split(written)
    literals, names = tuple(parts[::2]), tuple(parts[1::2])
    if any("{" in text or "}" in text for text in literals):
        raise Refused(
            f'{quoted(written)} is no template; expected names in braces, such as "{{subset}}/{{item}}"'
        )
    if names:
        return Field(written=written, names=names, between=literals)
    if not written.strip():
        raise Refused("is blank; expected a field's name, or a template of names")
    return Field(written=written, names=(written,))


def parsed_fields(fields: object, *, known: Iterable[str]) -> dict[str, Field]:
    """Read a table of fields whose keys must be known; refused with the key and the nearest name."""
    names = tuple(known)
    if not isinstance(fields, Mapping):
        raise Refused(f"fields: expected a table of names, found {found(fields)}")
    return {key: _parsed(key, written, names) for key, written in fields.items()}


def _parsed(key: object, written: object, known: tuple[str, ...]) -> Field:
    if not isinstance(key, str) or key not in known:
        hint = near(key, known) if isinstance(key, str) else ""
        raise Refused(f"fields: unknown key {found(key)}; expected {', '.join(known)}.{hint}")
    if not isinstance(written, str):
        raise Refused(f"fields.{key}: expected a field's name or a template, found {found(written)}")
    try:
        return parsed(written)
    except Refused as error:
        raise Refused(f"fields.{key}: {error}") from None
