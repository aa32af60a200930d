"""
Code of other plug-ins, behind a guard: what it raises or wrongly returns becomes one line that names it.

A failure of a plug-in is never an observation about a judge: it voids what it touched.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NoReturn, TypeVar

import pytest

from pytest_judgeaudit.agent.streams import Stream, TraceFormat
from pytest_judgeaudit.ask.wire.shapes import Unreadable, Wire, WireCall
from pytest_judgeaudit.corpora.found import found, printable
from pytest_judgeaudit.judge.parsers import SLOTS, Reading, VerdictParser
from pytest_judgeaudit.records.answers import Reply
from pytest_judgeaudit.records.errors import PluginFault, Refused
from pytest_judgeaudit.records.questions import FactMatcher
from pytest_judgeaudit.records.requests import Request
from pytest_judgeaudit.records.tools import ToolUse
from pytest_judgeaudit.records.traces import PolicyEvent, ToolCall
from pytest_judgeaudit.records.verdicts import Usage
from pytest_judgeaudit.session.registry import ReportWriter

Result = TypeVar("Result")

FAULTS = (Exception, SystemExit, pytest.fail.Exception, pytest.skip.Exception)
"""What a plug-in may raise: some of it is no Exception, and a SystemExit would decide the exit status."""

LONGEST = 150
"""Characters that are shown of what a plug-in said."""

ADVICE = "Mend the plug-in, or do without what it registers."


def told(error: BaseException) -> str:
    """Word an exception of somebody else's in one printable line."""
    try:
        said = " ".join(str(error).split())
    except FAULTS:  # the message itself may be broken
        said = ""
    return printable(f"{type(error).__name__}: {said}".rstrip(": "), clip=LONGEST)


def called(who: str, work: Callable[[], Result]) -> Result:
    """Call a function of a plug-in's and look at its result. Raises PluginFault for whatever it raises."""
    try:
        return work()
    except PluginFault:
        raise
    except FAULTS as error:
        raise PluginFault(f"{who} failed: {told(error)}. {ADVICE}") from error


def _refuse(who: str, value: object, expected: str) -> NoReturn:
    raise PluginFault(f"{who} returned {found(value)}, expected {expected}. {ADVICE}")


def guarded_wire(who: str, own: Wire) -> Wire:
    """Guard a wire format: nonsense on the way out is a fault, on the way back an unreadable answer."""
    read: Callable[[object], Any] = own.read

    def guarded_build(request: Request, url: str, extra: Mapping[str, Any]) -> WireCall:
        what = f"{who}: build"
        return called(what, lambda: _checked_call(what, own.build(request, url, extra)))

    def guarded_read(body: object) -> Reply:
        try:
            reply = read(body)
            sound = reply if isinstance(reply, Reply) and _is_reply(reply) else None
        except Unreadable:
            raise
        except FAULTS as error:
            raise Unreadable(f"{who}: read failed: {told(error)}") from None
        if sound is None:
            raise Unreadable(f"{who}: read returned {found(reply)}, expected a Reply with a text")
        return replace(sound, attempts=(), trace=None)

    def guarded_credential(key: str) -> Mapping[str, str]:
        try:
            headers = own.credential(key)
            fits = _are_headers(headers)
        except FAULTS as error:
            # Nothing of what it says: it was given the key.
            raise PluginFault(f"{who}: credential failed: {type(error).__name__}. {ADVICE}") from None
        if not fits:
            raise PluginFault(f"{who}: credential returned no mapping of printable ASCII texts. {ADVICE}")
        return dict(headers)

    return replace(own, build=guarded_build, read=guarded_read, credential=guarded_credential)


def _checked_call(who: str, call: Any) -> WireCall:
    if not isinstance(call, WireCall):
        _refuse(who, call, "a WireCall")
    path: Any = call.path
    body: Any = call.body
    if not _is_header(path) or not path.startswith("/"):
        _refuse(f"{who}: path", path, "a path that begins with /")
    if not _are_headers(call.headers):
        _refuse(f"{who}: headers", call.headers, "a mapping of printable ASCII texts")
    if not isinstance(body, Mapping) or not _is_json(body):
        _refuse(f"{who}: body", body, "a mapping that JSON can hold")
    return call


def _is_reply(reply: Any) -> bool:
    texts = isinstance(reply.text, str) and all(map(_is_text_or_none, (reply.served, reply.finish)))
    uses = _are(reply.tool_uses, ToolUse)
    counted = reply.usage is None or isinstance(reply.usage, Usage)
    return texts and uses and counted and isinstance(reply.extra, Mapping) and _is_json(reply.extra)


def _is_text_or_none(value: object) -> bool:
    return value is None or isinstance(value, str)


def _is_header(value: object) -> bool:
    return isinstance(value, str) and value.isascii() and value.isprintable()


def _are_headers(value: object) -> bool:
    return isinstance(value, Mapping) and all(_is_header(one) for pair in value.items() for one in pair)


def _is_json(value: Mapping[str, Any]) -> bool:
    try:
        json.dumps(dict(value), allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return False
    return True


def guarded_parser(who: str, own: VerdictParser) -> VerdictParser:
    """Guard a parser: where it fails there is no verdict, and no invalid one either."""

    def read(text: str, finish: str | None) -> Reading:
        what = f"{who}: read"
        return called(what, lambda: _checked_reading(what, own.read(text, finish)))

    return replace(own, read=read)


def _checked_reading(who: str, reading: Any) -> Reading:
    if not isinstance(reading, Reading):
        _refuse(who, reading, "a Reading with A, B, tie or None")
    slot: Any = reading.slot
    # Of texts only: another object may equal whatever it is compared with.
    if not _is_text_or_none(slot) or slot not in (None, *SLOTS):
        expected = f"slot {found(slot)}: expected A, B, tie or None"
        raise PluginFault(f"{who} returned a Reading with {expected}. {ADVICE}")
    if slot is not None:
        return SLOTS[slot]
    reason = " ".join(str(reading.reason or "the parser gives no reason").split())
    return Reading(None, printable(reason, clip=LONGEST))


def guarded_matcher(who: str, own: FactMatcher) -> FactMatcher:
    """Guard a matcher: values that it cannot use are refused, and where it fails there is no grade."""
    compiled: Callable[[tuple[str, ...]], Any] = own.compile

    def guarded(values: tuple[str, ...]) -> Callable[[str], tuple[int, int] | None]:
        try:
            find = compiled(values)
        except FAULTS as error:
            raise Refused(f"{who}: compile failed: {told(error)}") from None
        if not callable(find):
            raise Refused(f"{who}: compile returned {found(find)}, expected a function. {ADVICE}")
        what = f"{who}: find"
        return lambda text: called(what, lambda: _span(what, find(text), len(text)))

    return replace(own, compile=guarded)


def _span(who: str, span: object, length: int) -> tuple[int, int] | None:
    if span is None:
        return None
    if isinstance(span, tuple) and len(span) == 2 and all(type(one) is int for one in span):
        start, end = span
        if 0 <= start <= end <= length:
            return start, end
    _refuse(who, span, f"None or (start, end) with 0 <= start <= end <= {length}")


def guarded_trace_format(who: str, own: TraceFormat) -> TraceFormat:
    """Guard a trace format: where it fails the answer measured nothing, and is asked for again."""
    read: Callable[[str], Any] = own.read

    def guarded(output: str) -> Stream:
        try:
            stream = read(output)
            sound = stream if isinstance(stream, Stream) and _is_stream(stream) else None
        except FAULTS as error:
            return Stream(error=f"{who}: read failed: {told(error)}")
        if sound is None:
            return Stream(error=f"{who}: read returned {found(stream)}, expected a Stream with a text")
        return sound

    return replace(own, read=guarded)


def _is_stream(stream: Any) -> bool:
    texts = isinstance(stream.text, str) and all(map(_is_text_or_none, (stream.served, stream.error)))
    doings = _are(stream.calls, ToolCall) and _are(stream.events, PolicyEvent)
    counted = stream.usage is None or isinstance(stream.usage, Usage)
    return texts and doings and counted and isinstance(stream.facts, Mapping) and _is_json(stream.facts)


def _are(values: object, kind: type) -> bool:
    return isinstance(values, tuple) and all(isinstance(one, kind) for one in values)


def guarded_writer(who: str, own: ReportWriter) -> ReportWriter:
    """Guard a report writer: what it fails to write is refused like a disk that is full."""

    def write(document: Mapping[str, Any]) -> str:
        try:
            return called(who, lambda: _checked_text(who, own(document)))
        except PluginFault as error:
            raise Refused(str(error)) from None

    return write


def _checked_text(who: str, text: Any) -> str:
    if not isinstance(text, str):
        _refuse(who, text, "a text")
    plain = str.__str__(text)
    plain.encode("utf-8")  # raises where a file cannot hold it
    return plain
