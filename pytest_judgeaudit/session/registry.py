"""What other plug-ins registered: asked for once, when a session starts, and handed down from there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

import pytest

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
        hooks = [f"{PREFIX}{one.name}" for one in fields(cls)]
        if not any(getattr(config.hook, name).get_hookimpls() for name in hooks):
            return cls()
        from pytest_judgeaudit.session.registering import registered

        return registered(config)

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
