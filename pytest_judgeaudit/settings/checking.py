"""What no single field can tell: keys that need each other, names that must exist, secrets."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from pytest_judgeaudit.records.errors import nearest
from pytest_judgeaudit.settings.declared import Api
from pytest_judgeaudit.settings.faults import Fault, Path
from pytest_judgeaudit.settings.fields import variables
from pytest_judgeaudit.settings.models import AgentSettings, Endpoint, JudgeSettings
from pytest_judgeaudit.settings.secrets import looks_random, looks_secret, names_secret
from pytest_judgeaudit.settings.showing import key, quoted, shown
from pytest_judgeaudit.settings.tables import (
    APIS,
    EMBEDDED,
    ENDPOINT_KEYS,
    HTTP_APIS,
    LOCAL_MODELS,
    LOG_KEYS,
    OURS,
    TRACES,
)

_FUNCTION = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*:[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_SHARD = re.compile(r".*\.(?:\d+of\d+|superseded)", re.IGNORECASE)
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE)
_GONE = (
    " If a plug-in registers it, that plug-in is not loaded, or registers it in a conftest.py below the "
    "evals, which is too late: move it to the conftest.py beside the ini-file."
)
_TOOLS = ("list", "read", "grep")


class Known(NamedTuple):
    """The names that other tables and plug-ins declare."""

    criteria: tuple[str, ...]
    apis: Mapping[str, Api]
    parsers: tuple[str, ...]
    traces: tuple[str, ...] = TRACES
    corpora: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()


def judge_faults(judge: JudgeSettings, known: Known) -> Iterator[Fault]:
    """Find what is wrong with a judge whose single fields are right."""
    yield from _api(judge, known)
    yield from _endpoint(judge)
    yield from _addressless(judge, known)
    for index, criterion in enumerate(judge.criteria):
        if criterion not in known.criteria:
            yield Fault(("criteria", index), none_called("criterion", criterion, known.criteria))
        elif criterion in judge.criteria[:index]:
            yield Fault(("criteria", index), f"{quoted(criterion)} stands there twice.")
    if judge.parser not in known.parsers:
        yield Fault(("parser",), _unregistered("parser", judge.parser, known.parsers))
    yield from _log(judge)


def agent_faults(agent: AgentSettings, known: Known) -> Iterator[Fault]:
    """Find what is wrong with an agent whose single fields are right."""
    needed = {"tools": ("api", "model"), "command": ("command",), "python": ("callable",)}[agent.kind]
    for name in needed:
        if not getattr(agent, name):
            yield Fault((name,), f'missing; an agent with kind = "{agent.kind}" needs it.')
    if agent.kind == "tools" and agent.api is not None:
        yield from _known_api(agent.api, (*HTTP_APIS, "local", *known.apis))
    if agent.trace is not None and agent.trace not in known.traces:
        yield Fault(("trace",), _unregistered("trace format", agent.trace, known.traces))
    for index, tool in enumerate(agent.tools):
        if tool not in _TOOLS:
            yield Fault(("tools", index), none_called("tool", tool, _TOOLS))
    for index, path in enumerate(agent.binds):
        if not re.match(r"/|[A-Za-z]:[\\/]", path):
            yield Fault(("binds", index), f"found {quoted(path)}, expected an absolute path.")
    yield from _function(agent)
    yield from _endpoint(agent)
    yield from _addressless(agent, known)


def name_faults(name: str) -> Iterator[Fault]:
    """Find names that could not be the name of an answers' file on every system."""
    if _SHARD.fullmatch(name):
        yield Fault(
            ("name",), f"found {quoted(name)}, which is the ending of files of ours. Choose another name."
        )
    if _DEVICE.fullmatch(name):
        yield Fault(("name",), f"found {quoted(name)}, a device on some systems. Choose another name.")


def none_called(kind: str, name: str, known: tuple[str, ...]) -> str:
    """Say that a name is not known, which are, and which was probably meant."""
    return (
        f"no {kind} is called {quoted(name)}; there are {', '.join(known) or 'none'}.{nearest(name, known)}"
    )


def _unregistered(kind: str, name: str, known: tuple[str, ...]) -> str:
    """Say that a name is not known that a plug-in might have registered."""
    return none_called(kind, name, known) + _perhaps_gone(name, known)


def _perhaps_gone(name: str, known: tuple[str, ...]) -> str:
    return "" if nearest(name, known) else _GONE


def _api(judge: JudgeSettings, known: Known) -> Iterator[Fault]:
    yield from _known_api(judge.api, (*APIS, *known.apis))
    if judge.api not in (*APIS, *known.apis):
        return
    strange = [] if judge.api in HTTP_APIS or judge.api in known.apis else list(ENDPOINT_KEYS)
    strange += [] if judge.api == "recorded" else list(LOG_KEYS)
    strange += [] if judge.api == "python" else ["callable"]
    for name in strange:
        if name in judge.model_fields_set:
            yield Fault((name,), f'means nothing with api = "{judge.api}". Remove it.')
    needed = {"recorded": ("path", "fields"), "python": ("callable",)}.get(judge.api, ())
    for name in needed:
        if getattr(judge, name) is None:
            yield Fault((name,), f'missing; api = "{judge.api}" needs it.')
    if judge.api == "embedded" and judge.model not in EMBEDDED:
        yield Fault(("model",), none_called("embedded judge", judge.model, EMBEDDED))
    if judge.api == "local":
        yield from _local(judge)
    yield from _function(judge)


def _local(judge: JudgeSettings) -> Iterator[Fault]:
    if judge.model not in LOCAL_MODELS and not judge.model.casefold().endswith(".gguf"):
        known = f"expected {' or '.join(LOCAL_MODELS)}, or the path of a .gguf file"
        yield Fault(
            ("model",), f"found {quoted(judge.model)}, {known}.{nearest(judge.model, LOCAL_MODELS)}"
        )
    if judge.limits.in_flight > 1:
        yield Fault(("limits", "in_flight"), "a local model answers one call at a time. Write 1.")
    if "seed" in judge.decoder and judge.decoder.get("temperature", 1):
        yield Fault(
            ("decoder", "seed"),
            "one seed for all calls would make their draws alike. Remove it: every call gets one of its "
            "own, from audit.seed; or write temperature = 0.",
        )


def _known_api(api: str, apis: tuple[str, ...]) -> Iterator[Fault]:
    if api not in apis:
        told = f"found {shown(api)}, expected one of {', '.join(apis)}.{nearest(api, apis)}"
        yield Fault(("api",), told + _perhaps_gone(api, apis))


def _function(table: Endpoint) -> Iterator[Fault]:
    if table.callable is not None and not _FUNCTION.fullmatch(table.callable):
        yield Fault(
            ("callable",), f"found {shown(table.callable)}, expected a function, written 'module:function'."
        )


def _budget(table: Endpoint) -> Iterator[Fault]:
    if table.limits.budget is not None and None in (table.price.prompt, table.price.completion):
        yield Fault(
            ("limits", "budget"),
            "needs both prices. Write price = { prompt = 0.15, completion = 0.6 }, or budget_tokens.",
        )


def _endpoint(table: Endpoint) -> Iterator[Fault]:
    yield from _budget(table)
    if table.base_url is not None:
        yield from _address("base_url", table.base_url)
    if table.proxy is not None and not variables(table.proxy):
        yield from _address("proxy", table.proxy)
    for name, value in table.headers.items():
        yield from _header(name, value)
    for name, value in table.query.items():
        yield from _scalar(("query", name), value)
        if isinstance(value, str):
            yield from _literal_secret(("query", name), value)
    if table.api_key_env is not None and looks_secret(table.api_key_env):
        yield Fault(
            ("api_key_env",), "found a key (not shown), expected the name of the variable that holds it."
        )
    for place in ("decoder", "body"):
        for name, value in getattr(table, place).items():
            if name in OURS or (place, name) == ("decoder", "body"):
                yield Fault((place, name), "is set by us. Remove it.")
            yield from _json((place, name), value)


def _addressless(table: Endpoint, known: Known) -> Iterator[Fault]:
    api = known.apis.get(table.api or "")
    if api is not None and not api.base_url and table.base_url is None:
        yield Fault(
            ("base_url",), f"missing; the plug-in that registers {shown(table.api)} names no address."
        )


def _address(name: str, value: str) -> Iterator[Fault]:
    try:
        parts = urlsplit(value)
        port_is_right = parts.port is None or parts.port > 0
    except ValueError:
        parts, port_is_right = urlsplit(""), False
    if parts.username is not None or parts.password is not None:
        advice = (
            "'$NAME' takes the whole address from there"
            if name == "proxy"
            else "use api_key_env or headers"
        )
        yield Fault((name,), f"holds a user or password (not shown). Keep it in the environment: {advice}.")
    elif parts.query or parts.fragment or looks_secret(value):
        yield Fault(
            (name,), "holds a query, a fragment or a key (not shown). Write a query into the table query."
        )
    elif parts.scheme not in ("http", "https") or not parts.hostname or not port_is_right or " " in value:
        yield Fault((name,), f"found {shown(value)}, expected an address such as 'http://127.0.0.1:8080'.")


def _header(name: str, value: str) -> Iterator[Fault]:
    path = ("headers", name)
    if not _HEADER.fullmatch(name):
        yield Fault(path, "is no name of a header: letters, digits and '-' are.")
    elif not all(char.isprintable() and char.isascii() for char in value):
        yield Fault(path, "holds characters that no header may hold.")
    else:
        yield from _literal_secret(path, value)


def _literal_secret(path: Path, value: str) -> Iterator[Fault]:
    name = str(path[-1])
    secret = names_secret(name) or looks_secret(value) or looks_random(value)
    if secret and value and not variables(value):
        yield Fault(
            path,
            "found a value that looks like a secret and is not shown. Keys come from the environment only: "
            f'write {key(name)} = "$NAME", with the name of a variable.',
        )


def _log(judge: JudgeSettings) -> Iterator[Fault]:
    fields = judge.fields
    if fields is not None and (fields.verdict is None) == (fields.raw is None):
        yield Fault(
            ("fields",), "expected one of verdict (the verdict itself) and raw (a text for the parser)."
        )
    if fields is not None and judge.arms and fields.arm is None:
        yield Fault(("arms",), "needs fields.arm, the field that tells the arms apart.")
    if fields is not None and judge.orders and fields.order is None:
        yield Fault(("orders",), "needs fields.order, the field that tells the orders apart.")
    slots, contents = ("A", "B", "tie"), ("first", "second", "tie")
    rulings = ("accept", "reject")
    by_slot = any(name in judge.verdicts for name in ("A", "B"))
    yield from _values("orders", judge.orders, ("AB", "BA"))
    known = rulings if judge.logs_answers else slots if by_slot else contents
    yield from _values("verdicts", judge.verdicts, known)
    yield from _values("arms", judge.arms, ("clone", "equivalent", "signal"))
    for name, value in judge.where.items():
        yield from _scalar(("where", name), value)


def _values(place: str, values: Mapping[str, Any], keys: tuple[str, ...]) -> Iterator[Fault]:
    """Find keys that are none of these, and two keys with one value."""
    seen: dict[tuple[type, Any], str] = {}
    for name, value in values.items():
        if name not in keys:
            yield Fault((place, name), f"expected one of {', '.join(keys)}.{nearest(name, keys)}")
        wrong = list(_scalar((place, name), value))
        yield from wrong
        before = None if wrong else seen.setdefault((type(value), value), name)
        if before not in (None, name):
            yield Fault(
                (place, name), f"has the value of {key(str(before))}; they could not be told apart."
            )


def _scalar(path: Path, value: Any) -> Iterator[Fault]:
    if not isinstance(value, str) and not _is_number(value):
        yield Fault(path, f"found {shown(value)}, expected a text, a number or a boolean.")


def _json(path: Path, value: Any) -> Iterator[Fault]:
    """Find what cannot travel in a request's body: dates, infinities, and secrets."""
    if isinstance(value, dict | list):
        for part, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _json((*path, part), inner)
    elif isinstance(value, str):
        if looks_secret(value):
            yield Fault(
                path, "found a value that looks like a secret and is not shown. Use api_key_env or headers."
            )
    elif isinstance(value, int | float):
        if not _is_number(value):
            yield Fault(path, f"found {shown(value)}, expected a finite number of at most 64 bits.")
    else:
        yield Fault(path, f"found {shown(value)}, which JSON does not have. Write it as a text.")


def _is_number(value: Any) -> bool:
    """Whether this is a number, or a boolean, that every reader of JSON can read."""
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int) and value.bit_length() <= 64
