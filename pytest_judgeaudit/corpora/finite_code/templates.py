"""What a family is made of, and how its twelve items are rendered from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from string import Template

from pytest_judgeaudit.corpora.finite_code.domains import Domain
from pytest_judgeaudit.corpora.finite_code.items import SOURCE, CodeItem
from pytest_judgeaudit.records.errors import Refused

PROMPT = Template("""\
Implement the Python function solve($arguments).

$task

Valid inputs: $domain""")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A plausible bug: in the text of ``shape``, the one place that reads ``was`` reads ``now``."""

    shape: str
    was: str
    now: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """
    The parameters of one item.

    ``values`` fill the ``$NAME`` places of the family's texts. ``reference`` names the shape that serves
    as the reference (the other is the equivalent), ``fault`` the bug of the faulty text. Both vary within
    a family, so that neither a style nor a length tells the correct text from the faulty one.
    """

    values: Mapping[str, int]
    domain: Domain
    reference: str
    fault: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """Two correct shapes of one task, the bugs that their texts may have, and twelve settings."""

    name: str
    task: str
    shapes: Mapping[str, str]
    faults: Mapping[str, Fault]
    settings: tuple[Setting, ...]

    def items(self) -> tuple[CodeItem, ...]:
        """Render the family's items, ``name-01`` and so on in the order of the settings."""
        return tuple(
            self._item(f"{self.name}-{number:02}", setting)
            for number, setting in enumerate(self.settings, start=1)
        )

    def _item(self, name: str, setting: Setting) -> CodeItem:
        (other,) = set(self.shapes) - {setting.reference}
        fill = setting.values
        return CodeItem(
            id=name,
            family=self.name,
            setting=fill,
            specification=PROMPT.substitute(
                arguments=", ".join(setting.domain.names),
                task=Template(self.task).substitute(fill),
                domain=setting.domain.words,
            ),
            reference=Template(self.shapes[setting.reference]).substitute(fill),
            equivalent=Template(self.shapes[other]).substitute(fill),
            faulty=Template(self._broken(setting.fault)).substitute(fill),
            domain=setting.domain,
        )

    def _broken(self, name: str) -> str:
        fault = self.faults[name]
        shape = self.shapes[fault.shape]
        if shape.count(fault.was) != 1:
            raise Refused(
                f"{SOURCE}: family {self.name}, fault {name!r}: expected {fault.was!r} exactly once in "
                f"shape {fault.shape!r}, found it {shape.count(fault.was)} times. Name a unique place."
            )
        return shape.replace(fault.was, fault.now)
