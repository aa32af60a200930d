"""Asking other plug-ins what they register, and refusing what cannot be used, before all else is read."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import fields
from typing import Any, NamedTuple

import pytest

from pytest_judgeaudit.agent.streams import TraceFormat
from pytest_judgeaudit.ask.wire.shapes import Wire
from pytest_judgeaudit.corpora.found import found, quoted
from pytest_judgeaudit.judge.parsers import VerdictParser
from pytest_judgeaudit.judge.templates import FORMS, PromptTemplate, parse_template
from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.records.questions import MATCHERS, FactMatcher
from pytest_judgeaudit.session import guards
from pytest_judgeaudit.session.choices import SUFFIXES
from pytest_judgeaudit.session.registry import PREFIX, Registry, shown_plugin
from pytest_judgeaudit.settings.tables import APIS, PARSERS, TRACES

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_VERSIONED = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}/[0-9]{1,9}")
_SUFFIX = re.compile(r"\.[a-z0-9]{1,16}")
_VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+_-]{0,63}")
_ADDRESS = re.compile(r"https?://[^\s?#@]+")
_PLAIN = "a name of at most 64 letters, digits, '.', '_' and '-'"


class Kind(NamedTuple):
    """
    What one hook registers.

    ``form`` and ``named`` say how names look, ``taken`` which are ours. ``noun`` is what stands under a
    name; ``check`` yields what is wrong with one, ``guard`` puts it behind a guard.
    """

    word: str
    form: re.Pattern[str]
    named: str
    taken: Collection[str]
    noun: type | None
    check: Callable[[str, Any], Iterator[str]]
    guard: Callable[[str, Any], Any]


def _versioned(*functions: str) -> Callable[[str, Any], Iterator[str]]:
    """Return a check that there are these functions and a version."""

    def check(_name: str, noun: Any) -> Iterator[str]:
        for function in functions:
            if not callable(value := getattr(noun, function)):
                yield f"{function}: found {found(value)}, expected a function"
        if not isinstance(noun.version, str) or not _VERSION.fullmatch(noun.version):
            yield (
                f"version: found {found(noun.version)}, expected a text such as '1': another one says that "
                "what this does has changed"
            )

    return check


def _check_wire(name: str, wire: Any) -> Iterator[str]:
    yield from _versioned("build", "read", "credential")(name, wire)
    if not isinstance(wire.base_url, str) or not (wire.base_url == "" or _ADDRESS.fullmatch(wire.base_url)):
        yield f"base_url: found {found(wire.base_url)}, expected an address such as 'http://127.0.0.1:8080'"


def _check_parser(name: str, parser: Any) -> Iterator[str]:
    yield from _versioned("read")(name, parser)
    if parser.reply is not None and (not isinstance(parser.reply, str) or not parser.reply.strip()):
        yield f"reply: found {found(parser.reply)}, expected what to tell the judge, or None"


def _check_template(name: str, template: Any) -> Iterator[str]:
    if not isinstance(template.text, str) or template.form not in list(FORMS):
        yield f"found no text, or the form {found(template.form)}; expected one of {', '.join(FORMS)}"
        return
    try:
        parse_template(template.text, name=name, form=FORMS[template.form])
    except Refused as error:
        yield str(error)


def _check_writer(_name: str, writer: object) -> Iterator[str]:
    if not callable(writer):
        yield f"found {found(writer)}, expected a function of the report"


def _as_it_is(_who: str, template: PromptTemplate) -> PromptTemplate:
    return template


_BUILT_IN = tuple(name for form in FORMS.values() for name in form.built_in)

KINDS: Mapping[str, Kind] = {
    "providers": Kind("provider", _NAME, _PLAIN, APIS, Wire, _check_wire, guards.guarded_wire),
    "parsers": Kind("parser", _NAME, _PLAIN, PARSERS, VerdictParser, _check_parser, guards.guarded_parser),
    "matchers": Kind(
        "matcher", _NAME, _PLAIN, MATCHERS, FactMatcher, _versioned("compile"), guards.guarded_matcher
    ),
    "trace_formats": Kind(
        *("trace format", _NAME, _PLAIN, TRACES, TraceFormat),
        *(_versioned("read"), guards.guarded_trace_format),
    ),
    "templates": Kind(
        *("template", _VERSIONED, "a name and a version such as 'house/1'", _BUILT_IN, PromptTemplate),
        *(_check_template, _as_it_is),
    ),
    "report_writers": Kind(
        *("report writer", _SUFFIX, "a suffix such as '.csv'", SUFFIXES, None),
        *(_check_writer, guards.guarded_writer),
    ),
}
"""The fields of a registry → what is registered in them."""


def registered(config: pytest.Config) -> Registry:
    """
    Ask every plug-in, once for each hook that it implements.

    Refused, with a line a fault that names the plug-in and the hook: a hook that raises, something else
    than a mapping, names of another form, what is none of our nouns, a name that is one of ours or another
    plug-in's.
    """
    faults: list[str] = []
    made = {one.name: _kind(config, one.name, faults) for one in fields(Registry)}
    if faults:
        raise Refused("\n".join(faults))
    return Registry(**made)


def _kind(config: pytest.Config, field: str, faults: list[str]) -> dict[str, Any]:
    kind, hook = KINDS[field], f"{PREFIX}{field}"
    owners: dict[str, str] = {}
    accepted: dict[str, Any] = {}
    for plugin, result in _results(config, hook, faults):
        where = f"plug-in {quoted(plugin)}: {hook}"
        if not isinstance(result, Mapping):
            faults.append(f"{where}: found {found(result)}, expected a mapping of names. Return a dict.")
            continue
        for name, noun in result.items():
            wrong = list(_faults(kind, name, noun, owners))
            faults += [f"{where}: {one}." for one in wrong]
            if not wrong:
                owners[name] = plugin
                accepted[name] = kind.guard(f"plug-in {quoted(plugin)}: {kind.word} {quoted(name)}", noun)
    return dict(sorted(accepted.items()))


def _results(config: pytest.Config, hook: str, faults: list[str]) -> Iterator[tuple[str, Any]]:
    """Yield what each plug-in's hook returns, with the plug-in's name, in the order of these."""
    for one in sorted(getattr(config.hook, hook).get_hookimpls(), key=lambda one: str(one.plugin_name)):
        name = shown_plugin(one.plugin_name, config.rootpath)
        where = f"plug-in {quoted(name)}: {hook}"
        if one.hookwrapper or one.wrapper:
            faults.append(f"{where}: found a wrapper, expected a plain hook. Return what it registers.")
            continue
        try:
            # One by one and not by pluggy: each result, and each failure, has its plug-in.
            result = one.function(*(config for _ in one.argnames))
            result = dict(result) if isinstance(result, Mapping) else result
        except guards.FAULTS as error:
            faults.append(f"{where} failed: {guards.told(error)}. {guards.ADVICE}")
            continue
        if result is not None:
            yield name, result


def _faults(kind: Kind, name: object, noun: object, owners: Mapping[str, str]) -> Iterator[str]:
    if not isinstance(name, str) or not kind.form.fullmatch(name):
        yield f"found the name {found(name)}, expected {kind.named}"
    elif name in kind.taken:
        yield f"{quoted(name)} is a {kind.word} of pytest-judgeaudit. Choose another name"
    elif name in owners:
        yield f"the plug-in {quoted(owners[name])} registers {quoted(name)} too. Leave one of them out"
    elif kind.noun is not None and not isinstance(noun, kind.noun):
        yield f"{quoted(name)}: found {found(noun)}, expected a {kind.noun.__name__}"
    else:
        yield from (f"{quoted(name)}: {one}" for one in kind.check(name, noun))
