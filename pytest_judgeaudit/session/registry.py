"""What other plug-ins registered: asked for once, when a session starts, and handed down from there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_judgeaudit.records.errors import Refused, nearest
from pytest_judgeaudit.records.items import short_digest

if TYPE_CHECKING:  # most runs have none of these
    from pytest_judgeaudit.agent.streams import TraceFormat
    from pytest_judgeaudit.ask.wire.shapes import Wire
    from pytest_judgeaudit.judge.parsers import VerdictParser
    from pytest_judgeaudit.judge.templates import PromptTemplate
    from pytest_judgeaudit.records.questions import FactMatcher
    from pytest_judgeaudit.settings.declared import Contributed

PREFIX = "pytest_judgeaudit_"
"""How the names of our hooks begin; a field of :class:`Registry` follows."""

ReportWriter = Callable[[Mapping[str, Any]], str]
"""From the values of the JSON report to the text of a file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Registry:
    """
    What other plug-ins registered, by name, one field a hook.

    Everything in it is guarded: whatever it raises or wrongly returns becomes one line that names the
    plug-in.
    """

    providers: Mapping[str, Wire] = field(default_factory=dict)
    parsers: Mapping[str, VerdictParser] = field(default_factory=dict)
    matchers: Mapping[str, FactMatcher] = field(default_factory=dict)
    trace_formats: Mapping[str, TraceFormat] = field(default_factory=dict)
    templates: Mapping[str, PromptTemplate] = field(default_factory=dict)
    report_writers: Mapping[str, ReportWriter] = field(default_factory=dict)

    @classmethod
    def of(cls, config: pytest.Config) -> Registry:
        """Ask the plug-ins of a session. Refused: what :func:`registering.registered` refuses."""
        if strange := list(misspelt(config)):
            raise Refused("\n".join(strange))
        if not implementations(config):
            return cls()
        from pytest_judgeaudit.session.registering import registered

        return registered(config)

    @property
    def listed(self) -> list[str]:
        """Everything with its version, ``parsers word/2``, in one order everywhere."""
        return [
            f"{one.name} {name}/{_version_of(noun)}".rstrip("/")
            for one in fields(self)
            for name, noun in getattr(self, one.name).items()
        ]

    @property
    def contributed(self) -> Contributed:
        """What the configuration has to know: names and versions."""
        from pytest_judgeaudit.settings.declared import Api, Contributed

        return Contributed(
            apis={name: Api(one.version, one.base_url) for name, one in self.providers.items()},
            parsers={name: one.version for name, one in self.parsers.items()},
            traces={name: one.version for name, one in self.trace_formats.items()},
            templates={name: one.text for name, one in self.templates.items()},
        )


def implementations(config: pytest.Config) -> list[tuple[str, str]]:
    """List which hook of ours which plug-in has: (hook, plug-in), a conftest by its path below the root."""
    return [
        (name, shown_plugin(one.plugin_name, config.rootpath))
        for name in (f"{PREFIX}{one.name}" for one in fields(Registry))
        for one in getattr(config.hook, name).get_hookimpls()
    ]


def misspelt(config: pytest.Config) -> Iterator[str]:
    """Find functions of plug-ins that are named like hooks of ours and are none: nobody calls them."""
    hooks = [f"{PREFIX}{one.name}" for one in fields(Registry)]
    for owner, plugin in config.pluginmanager.list_name_plugin():
        names = [name for name in dir(plugin) if name.startswith(PREFIX) and name not in hooks]
        for name in names:
            function = getattr(plugin, name, None)
            declared = getattr(function, "pytest_impl", None) or {}
            if callable(function) and declared.get("specname") not in hooks:
                where = shown_plugin(owner, config.rootpath)
                meant = nearest(name, hooks) or f" There are {', '.join(hooks)}."
                yield f'plug-in "{where}": no hook is called {name}.{meant} Rename it.'


def shown_plugin(name: str, root: Path) -> str:
    """Return a plug-in's name as a person knows it: of a conftest the path below the root directory."""
    path = Path(name)
    return path.relative_to(root).as_posix() if path.is_absolute() and path.is_relative_to(root) else name


def _version_of(noun: Any) -> str:
    text = getattr(noun, "text", None)
    return getattr(noun, "version", "") if text is None else short_digest(text)
