"""
Hooks for other plug-ins: register providers, parsers, matchers, trace formats, templates, report writers.

Each hook is called once in every process of an audit, when the session starts, and returns a mapping of
names. Without ``--judge-audit`` none is called. The names that a hook returns, and what may stand under
them, are the page *Hooks* of the reference; the nouns can be imported from here, where they are loaded when
they are asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pluggy import HookspecMarker

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pytest

    from pytest_judgeaudit.agent.streams import Stream, TraceFormat
    from pytest_judgeaudit.ask.wire.shapes import Unreadable, Wire, WireCall
    from pytest_judgeaudit.judge.parsers import Reading, VerdictParser
    from pytest_judgeaudit.judge.templates import PromptTemplate
    from pytest_judgeaudit.records.answers import Reply
    from pytest_judgeaudit.records.questions import FactMatcher
    from pytest_judgeaudit.records.requests import Message, Request
    from pytest_judgeaudit.records.tools import ToolUse
    from pytest_judgeaudit.records.traces import PolicyEvent, ToolCall
    from pytest_judgeaudit.records.verdicts import Usage
    from pytest_judgeaudit.session.registry import ReportWriter

__all__ = [
    "FactMatcher",
    "Message",
    "PolicyEvent",
    "PromptTemplate",
    "Reading",
    "Reply",
    "ReportWriter",
    "Request",
    "Stream",
    "ToolCall",
    "ToolUse",
    "TraceFormat",
    "Unreadable",
    "Usage",
    "VerdictParser",
    "Wire",
    "WireCall",
]

_HOMES = {
    "FactMatcher": "records.questions",
    "Message": "records.requests",
    "PolicyEvent": "records.traces",
    "PromptTemplate": "judge.templates",
    "Reading": "judge.parsers",
    "Reply": "records.answers",
    "ReportWriter": "session.registry",
    "Request": "records.requests",
    "Stream": "agent.streams",
    "ToolCall": "records.traces",
    "ToolUse": "records.tools",
    "TraceFormat": "agent.streams",
    "Unreadable": "ask.wire.shapes",
    "Usage": "records.verdicts",
    "VerdictParser": "judge.parsers",
    "Wire": "ask.wire.shapes",
    "WireCall": "ask.wire.shapes",
}

_hookspec = HookspecMarker("pytest")


# There is no __dir__ of lazy names: pluggy looks at every name of this module.
def __getattr__(name: str) -> object:
    """Load a noun from its module."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - where nothing of this is used

    return getattr(import_module(f"pytest_judgeaudit.{_HOMES[name]}"), name)


@_hookspec
def pytest_judgeaudit_providers(config: pytest.Config) -> Mapping[str, Wire]:  # type: ignore[empty-body]
    """
    Return wire formats: values of ``api`` of a judge, or of an agent with ``kind = "tools"``.

    ``build(request, url, extra)`` makes the call, ``read(body)`` the reply, or raises Unreadable. The
    version is part of every request's fingerprint: with another one, stored answers are stale.
    """


@_hookspec
def pytest_judgeaudit_parsers(config: pytest.Config) -> Mapping[str, VerdictParser]:  # type: ignore[empty-body]
    """
    Return parsers: values of ``parser`` of a judge.

    ``read(text, finish)`` makes a Reading of what the judge wrote. The version is part of the instrument:
    stored answers are read again, never asked for again, unless ``reply`` changes what the judge is told.
    """


@_hookspec
def pytest_judgeaudit_matchers(config: pytest.Config) -> Mapping[str, FactMatcher]:  # type: ignore[empty-body]
    """
    Return matchers: values of ``type`` of a fact's match.

    ``compile(values)`` makes a function from a plain text to where the first match begins and ends. The
    version is part of the key: stored answers are graded again.
    """


@_hookspec
def pytest_judgeaudit_trace_formats(config: pytest.Config) -> Mapping[str, TraceFormat]:  # type: ignore[empty-body]
    """
    Return trace formats: values of ``trace`` of an agent with ``kind = "command"``.

    ``read(output)`` makes a Stream of what the program printed. Only that is kept, so that the version is
    part of the fingerprint: with another one, stored answers are stale.
    """


@_hookspec
def pytest_judgeaudit_templates(config: pytest.Config) -> Mapping[str, PromptTemplate]:  # type: ignore[empty-body]
    """
    Return templates: values of ``template`` or ``rubric`` of a judge, each with its version: ``house/1``.

    The whole text is part of the instrument and of the request: a change makes stored answers stale.
    """


@_hookspec
def pytest_judgeaudit_report_writers(config: pytest.Config) -> Mapping[str, ReportWriter]:  # type: ignore[empty-body]
    """
    Return report writers: suffixes of ``--judge-report``, such as ``.csv``.

    A writer is called with the values of the JSON report, schema 1, and returns the text of the file.
    """
