"""One row of a pair file, read key by key under a schema, strictly and with the row's own names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from pytest_judgeaudit.corpora.fields import Field
from pytest_judgeaudit.corpora.found import MOST_NAMES, found, near, printable
from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.records.items import NO_SUBSET, Kind, Target

KEYS = (
    "id",
    "prompt",
    "subset",
    "chosen",
    "rejected",
    "first",
    "second",
    "target",
    "family",
    "equivalent",
)
"""What a row can say, and so the keys of ``fields``."""

UNVALIDATED = "unvalidated"
Equivalence = Literal["", "certified", "unvalidated"]
"""What a row says of its two texts: nothing, that they were validated as equal, or only meant to be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """
    What one row says, before a pair of some kind is made of it.

    ``second`` and ``target`` may be None where a copy is to be made and one text is enough. ``target`` of
    a ``chosen``/``rejected`` row is ``first``. ``unused`` counts the answers of a row of many that are
    not shown. ``equivalent`` says whether the texts are called equally good, and on what ground.
    """

    id: str
    prompt: str
    first: str
    second: str | None = None
    target: Target | None = None
    equivalent: Equivalence = ""
    subset: str = NO_SUBSET
    family: str | None = None
    wording: str = "text"
    unused: int = 0
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Naming:
    """
    Under which names a kind of file holds what a row says.

    ``columns`` maps our keys to the fields; ``labels`` maps the label's values to what they mean.
    """

    name: str
    columns: Mapping[str, Field]
    labels: Mapping[object, Any]
    derives_id: bool = False
    """Whether a row without an id gets one from what it holds."""
    mapped: frozenset[str] = frozenset()
    """The keys that the person mapped with ``fields``: a row without such a field is refused."""
    known: frozenset[str] = field(init=False)
    """The fields of a row that are read whole and so are no metadata."""

    def __post_init__(self) -> None:
        whole = frozenset(column.names[0] for column in self.columns.values() if column.plain)
        object.__setattr__(self, "known", whole)


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema(Naming):
    """
    The names of a pair file; the labels mean targets.

    ``marks`` are the keys by which a row is recognised; ``read`` makes the content.
    """

    marks: tuple[str, ...]
    labels: Mapping[object, Target]
    read: Callable[[Columns, Kind], Content]


class Columns:
    """One row under a schema, read key by key; a refusal names the field as the row calls it."""

    __slots__ = ("row", "schema")

    def __init__(self, row: Mapping[str, Any], schema: Naming) -> None:
        self.row = row
        self.schema = schema

    def name(self, key: str) -> str:
        """How the row, or the person, calls what we call ``key``."""
        return printable(self.schema.columns[key].written)

    def value(self, key: str) -> object:
        """Return the value as it stands; None when it is null or missing."""
        column = self.schema.columns[key]
        if key not in self.schema.mapped:
            return self.row.get(column.names[0])
        try:
            return column.read(self.row)
        except Refused as error:
            raise Refused(f"fields.{key}: {error}") from None

    def missing(self, key: str, expected: str) -> Refused:
        """Return the refusal of a row that lacks what it needs."""
        others = tuple(name for name in self.row if name not in self.schema.known)[:MOST_NAMES]
        name = self.name(key)
        return Refused(
            f"{name}: is missing, expected {expected} in a row of {self.schema.name}; add it, "
            f'or name its field with fields={{"{key}": …}} on the marker.{near(name, others)}'
        )

    def text(self, key: str) -> str:
        """Return a text that must be there; it may be empty."""
        value = self.value(key)
        if isinstance(value, str):
            return value
        if value is None:
            raise self.missing(key, "a text")
        raise Refused(f"{self.name(key)}: expected a text, found {found(value)}")

    def texts(self, key: str) -> list[str]:
        """Return the texts of a field that holds one or a list of them, at least one."""
        value = self.value(key)
        if not isinstance(value, list | tuple):
            return [self.text(key)]
        if not value:
            raise Refused(f"{self.name(key)}: expected at least one text, found an empty list")
        for index, text in enumerate(value):
            if not isinstance(text, str):
                raise Refused(f"{self.name(key)}[{index}]: expected a text, found {found(text)}")
        return list(value)

    def word(self, key: str) -> str | None:
        """Return a name that is a text or a whole number; None when it is missing, null or blank."""
        value = self.value(key)
        if value is None:
            return None
        if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() < 200:
            return str(value)
        if isinstance(value, str):
            return value if value.strip() else None
        raise Refused(f"{self.name(key)}: expected a text, found {found(value)}")

    def identifier(self) -> str:
        """Return the row's id, which must not be blank."""
        word = self.word("id")
        if word is not None:
            return word
        value = self.value("id")
        if value is None:
            raise self.missing("id", "a text")
        raise Refused(f"{self.name('id')}: expected a text with something in it, found {found(value)}")

    def equivalence(self) -> Equivalence:
        """Return what the row says of its two texts; nothing when the field is missing or false."""
        value = self.value("equivalent")
        if value is None or isinstance(value, bool):
            return "certified" if value else ""
        if value == UNVALIDATED:
            return "unvalidated"
        hint = near(value, (UNVALIDATED,)) if isinstance(value, str) else ""
        raise Refused(
            f'{self.name("equivalent")}: expected true, false or "{UNVALIDATED}", '
            f"found {found(value)}.{hint}"
        )

    def label(self, key: str = "target") -> Any:
        """Return what the row's label means, such as a target; None when there is none."""
        value = self.value(key)
        if value is None:
            return None
        for label, meant in self.schema.labels.items():
            # A boolean equals 1, and so does 1.0.
            alike = isinstance(value, str | int) and isinstance(label, bool) == isinstance(value, bool)
            if alike and label == value:
                return meant
        *words, last = map(_word, self.schema.labels)
        hint = near(value, (*words, last)) if isinstance(value, str) else ""
        expected = f"{', '.join(words)} or {last}"
        raise Refused(f"{self.name(key)}: expected {expected}, found {found(value)}.{hint}")

    def rest(self) -> dict[str, Any]:
        """Return what no key of ours reads: the row's metadata."""
        known = self.schema.known
        return {name: value for name, value in self.row.items() if name not in known}


def _word(label: object) -> str:
    return str(label).lower() if isinstance(label, bool) else str(label)
