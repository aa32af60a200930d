"""What plug-ins declare of the names that a table of the configuration holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

from pydantic import PrivateAttr

from pytest_judgeaudit.settings.fields import Table


class Api(NamedTuple):
    """A wire format that a plug-in registers: its version, and its address where none is configured."""

    version: str
    base_url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contributed:
    """What plug-ins add to the choices: names → versions. The version of a template is its text."""

    apis: Mapping[str, Api] = field(default_factory=dict)
    parsers: Mapping[str, str] = field(default_factory=dict)
    traces: Mapping[str, str] = field(default_factory=dict)
    templates: Mapping[str, str] = field(default_factory=dict)

    def versions(self, chosen: Mapping[str, Any]) -> dict[str, str]:
        """Return the version of each value of a judge or an agent that a plug-in registered, by key."""
        known: Mapping[str, Mapping[str, str]] = {
            "api": {name: api.version for name, api in self.apis.items()},
            "parser": self.parsers,
            "trace": self.traces,
            "template": self.templates,
            "rubric": self.templates,
        }
        return {key: found[chosen[key]] for key, found in known.items() if chosen.get(key) in found}


class Declared(Table):
    """A table that may name what plug-ins registered; it carries the versions that they declare."""

    _versions: Mapping[str, str] = PrivateAttr(default_factory=dict)

    def declared(self, contributed: Contributed) -> Self:
        """Return the table with what plug-ins declare of what it names: versions, and an address."""
        chosen = dict(self)
        api = contributed.apis.get(chosen.get("api") or "")
        address = {"base_url": api.base_url} if api and api.base_url and not chosen["base_url"] else {}
        made = self.model_copy(update=address)
        made._versions = contributed.versions(chosen)  # noqa: SLF001 - a copy of its own
        return made

    @property
    def versions(self) -> Mapping[str, str]:
        """The versions that plug-ins declare of what they registered and this table names, by key."""
        return self._versions

    def versioned(self, key: str) -> str:
        """Return a name with its plug-in's version, ``house/2``; as written where it is one of ours."""
        return "/".join(filter(None, (str(getattr(self, key)), self._versions.get(key))))
