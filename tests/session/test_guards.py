"""Whatever a plug-in's code raises or wrongly returns is one line that names it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_judgeaudit.agent.streams import Stream, TraceFormat
from pytest_judgeaudit.ask.wire.shapes import Unreadable, Wire, WireCall
from pytest_judgeaudit.judge.parsers import Reading, VerdictParser
from pytest_judgeaudit.records.answers import Reply
from pytest_judgeaudit.records.errors import PluginFault, Refused
from pytest_judgeaudit.records.questions import FactMatcher
from pytest_judgeaudit.records.requests import Message, Request
from pytest_judgeaudit.records.traces import Trace
from pytest_judgeaudit.session import guards

WHO = 'plug-in "p": thing "x"'
MEND = "Mend the plug-in, or do without what it registers."
REQUEST = Request(messages=(Message(role="user", content="?"),), model="m", endpoint="x/1 h", decoder={})


def raises(*_):
    raise KeyError("a\nb")


def gives(value):
    return lambda *_: value


RIGHT = Wire(
    build=gives(WireCall(path="/a", headers={}, body={})),
    read=gives(Reply(text="a")),
    credential=gives({}),
    version="1",
)


def wire(**changes):
    return guards.guarded_wire(WHO, replace(RIGHT, **changes))


def test_what_is_right_passes_through():
    call = WireCall(path="/a", headers={"x-a": "b"}, body={"a": [1]})
    guarded = wire(
        build=gives(call), read=gives(Reply(text="a", served="m")), credential=gives({"key": "k"})
    )
    assert guarded.build(REQUEST, "http://h", {}) == call
    assert guarded.read({}) == Reply(text="a", served="m")
    assert guarded.credential("k") == {"key": "k"}
    assert guarded.version == "1"


@pytest.mark.parametrize(
    ("build", "told"),
    [
        (raises, f"build failed: KeyError: 'a\\nb'. {MEND}"),
        (gives(None), f"build returned null, expected a WireCall. {MEND}"),
        (
            gives(WireCall(path="a", headers={}, body={})),
            f'build: path returned "a", expected a path that begins with /. {MEND}',
        ),
        (
            gives(WireCall(path="/a", headers={"x": "ü"}, body={})),
            f"build: headers returned an object, expected a mapping of printable ASCII texts. {MEND}",
        ),
        (
            gives(WireCall(path="/a", headers={}, body={"x": float("nan")})),
            f"build: body returned an object, expected a mapping that JSON can hold. {MEND}",
        ),
        (
            gives(WireCall(path="/a", headers={}, body=[1])),
            f"build: body returned a list of 1, expected a mapping that JSON can hold. {MEND}",
        ),
    ],
)
def test_a_call_that_cannot_be_sent_is_a_fault(build, told):
    with pytest.raises(PluginFault) as fault:
        wire(build=build).build(REQUEST, "http://h", {})
    assert str(fault.value) == f"{WHO}: {told}"


@pytest.mark.parametrize(
    ("read", "told"),
    [
        (raises, "read failed: KeyError: 'a\\nb'"),
        (gives("text"), 'read returned "text", expected a Reply with a text'),
        (gives(Reply(text=None)), "read returned a value of type Reply, expected a Reply with a text"),
        (
            gives(Reply(text="a", served=3)),
            "read returned a value of type Reply, expected a Reply with a text",
        ),
        (
            gives(Reply(text="a", usage={"in": 1})),
            "read returned a value of type Reply, expected a Reply with a text",
        ),
        (
            gives(Reply(text="a", extra={"x": object()})),
            "read returned a value of type Reply, expected a Reply with a text",
        ),
    ],
)
def test_a_body_that_cannot_be_read_is_unreadable(read, told):
    with pytest.raises(Unreadable) as unreadable:
        wire(read=read).read({})
    assert str(unreadable.value) == f"{WHO}: {told}"


def test_what_a_wire_calls_unreadable_stays_as_it_says():
    def read(body):
        raise Unreadable("no choices")

    with pytest.raises(Unreadable, match=r"^no choices$"):
        wire(read=read).read({})


def test_a_reply_makes_up_neither_attempts_nor_doings():
    trace = Trace(outcome="ok", arm="", corpus="", enforcement=None)
    assert wire(read=gives(Reply(text="a", attempts=(1,), trace=trace))).read({}) == Reply(text="a")


@pytest.mark.parametrize("credential", [raises, gives("key"), gives({"a": "ü"}), gives({"a": 3})])
def test_a_credential_that_is_no_header_is_a_fault(credential):
    with pytest.raises(PluginFault, match=f"^{WHO}: credential"):
        wire(credential=credential).credential("k")


def test_a_credential_that_fails_shows_nothing_of_the_key():
    def credential(key):
        raise ValueError(f"no such key: {key}")

    with pytest.raises(PluginFault) as fault:
        wire(credential=credential).credential("sk-4711")
    assert str(fault.value) == f"{WHO}: credential failed: ValueError. {MEND}"


def parser(read):
    return guards.guarded_parser(WHO, VerdictParser(read=read, version="1")).read


@pytest.mark.parametrize(
    ("read", "told"),
    [
        (raises, f"read failed: KeyError: 'a\\nb'. {MEND}"),
        (gives("A"), f'read returned "A", expected a Reading with A, B, tie or None. {MEND}'),
        (gives(None), f"read returned null, expected a Reading with A, B, tie or None. {MEND}"),
        (
            gives(Reading("first")),
            f'read returned a Reading with slot "first": expected A, B, tie or None. {MEND}',
        ),
        (gives(Reading("a")), f'read returned a Reading with slot "a": expected A, B, tie or None. {MEND}'),
        (
            gives(Reading(["A"])),
            f"read returned a Reading with slot a list of 1: expected A, B, tie or None. {MEND}",
        ),
    ],
)
def test_a_parser_that_fails_gives_no_verdict(read, told):
    with pytest.raises(PluginFault) as fault:
        parser(read)("text", "stop")
    assert str(fault.value) == f"{WHO}: {told}"


class Anything:
    """Equals whatever it is compared with."""

    def __eq__(self, other):
        return True

    def __hash__(self):
        return 1


class Broken:
    """Nothing can be made of it."""

    def __eq__(self, other):
        raise ValueError("broken")

    __hash__ = None

    def __str__(self):
        raise ValueError("broken")


class BrokenError(Exception):
    def __str__(self):
        raise ValueError("broken")


def test_a_slot_is_a_text_and_nothing_that_claims_to_equal_one():
    for slot in (Anything(), Broken(), float("nan"), []):
        with pytest.raises(PluginFault, match=r"a Reading with slot .*: expected A, B, tie or None"):
            parser(gives(Reading(slot)))("text", "stop")


def test_what_cannot_be_looked_at_is_a_fault():
    with pytest.raises(PluginFault, match="read failed: ValueError: broken"):
        parser(gives(Reading(None, Broken())))("text", "stop")

    def read(text, finish):
        raise BrokenError

    with pytest.raises(PluginFault, match=r"read failed: BrokenError\. "):
        parser(read)("text", "stop")


ENDS = [
    SystemExit(0),
    pytest.skip.Exception("no"),
    pytest.fail.Exception("no"),
    pytest.exit.Exception("no"),
]


@pytest.mark.parametrize("error", ENDS, ids=lambda error: type(error).__name__)
def test_nothing_that_a_plug_in_raises_ends_or_colours_the_run(error):
    def ends(*_):
        raise error

    for call in (
        lambda: wire(build=ends).build(REQUEST, "http://h", {}),
        lambda: wire(credential=ends).credential("k"),
        lambda: parser(ends)("text", "stop"),
        lambda: matcher(gives(ends))(("a",))("text"),
    ):
        with pytest.raises(PluginFault):
            call()
    with pytest.raises(Unreadable):
        wire(read=ends).read({})
    for call in (
        lambda: matcher(ends)(("a",)),
        lambda: guards.guarded_writer(WHO, ends)({}),
    ):
        with pytest.raises(Refused):
            call()
    guarded = guards.guarded_trace_format(WHO, TraceFormat(read=ends, version="1"))
    assert type(error).__name__ in guarded.read("out").error


def test_an_assertion_of_a_parser_is_no_observation():
    def read(text, finish):
        assert text == "x"

    with pytest.raises(PluginFault):
        parser(read)("text", "stop")


@pytest.mark.parametrize(
    ("reading", "kept"),
    [
        (Reading("tie"), Reading("tie")),
        (Reading("A", "because"), Reading("A")),
        (Reading(None, "two\nlines \x1b[2J"), Reading(None, r"two lines \x1b[2J")),
        (Reading(None), Reading(None, "the parser gives no reason")),
    ],
)
def test_a_reading_is_kept_in_one_printable_line(reading, kept):
    assert parser(gives(reading))("text", "stop") == kept


def matcher(compile_):
    return guards.guarded_matcher(WHO, FactMatcher(compile=compile_, version="1")).compile


@pytest.mark.parametrize(
    ("compile_", "told"),
    [
        (raises, "compile failed: KeyError: 'a\\nb'"),
        (gives(3), f"compile returned 3, expected a function. {MEND}"),
    ],
)
def test_values_that_a_matcher_cannot_use_are_refused(compile_, told):
    with pytest.raises(Refused) as refused:
        matcher(compile_)(("a",))
    assert str(refused.value) == f"{WHO}: {told}"


@pytest.mark.parametrize(
    ("find", "told"),
    [
        (raises, f"find failed: KeyError: 'a\\nb'. {MEND}"),
        (
            gives(True),
            f"find returned true, expected None or (start, end) with 0 <= start <= end <= 4. {MEND}",
        ),
        (
            gives((0, 5)),
            f"find returned a list of 2, expected None or (start, end) with 0 <= start <= end <= 4. {MEND}",
        ),
        (
            gives((2, 1)),
            f"find returned a list of 2, expected None or (start, end) with 0 <= start <= end <= 4. {MEND}",
        ),
    ],
)
def test_a_matcher_that_fails_gives_no_grade(find, told):
    with pytest.raises(PluginFault) as fault:
        matcher(gives(find))(("a",))("text")
    assert str(fault.value) == f"{WHO}: {told}"


@pytest.mark.parametrize("span", [None, (0, 0), (0, 4)])
def test_a_span_of_a_matcher_is_kept(span):
    assert matcher(gives(gives(span)))(("a",))("text") == span


@pytest.mark.parametrize(
    ("read", "told"),
    [
        (raises, "read failed: KeyError: 'a\\nb'"),
        (gives("text"), 'read returned "text", expected a Stream with a text'),
        (gives(Stream(text=3)), "read returned a value of type Stream, expected a Stream with a text"),
        (
            gives(Stream(text="a", calls=["read"])),
            "read returned a value of type Stream, expected a Stream with a text",
        ),
        (
            gives(Stream(text="a", facts={"x": {1}})),
            "read returned a value of type Stream, expected a Stream with a text",
        ),
    ],
)
def test_a_trace_that_cannot_be_read_is_an_error_of_the_answer(read, told):
    guarded = guards.guarded_trace_format(WHO, TraceFormat(read=read, version="1"))
    assert guarded.read("out") == Stream(error=f"{WHO}: {told}")


@pytest.mark.parametrize(
    ("write", "told"),
    [
        (raises, f"failed: KeyError: 'a\\nb'. {MEND}"),
        (gives(b"bytes"), f"returned a value of type bytes, expected a text. {MEND}"),
        (
            gives("\ud800"),
            (
                "failed: UnicodeEncodeError: 'utf-8' codec can't encode character '\\ud800' in position 0: "
                f"surrogates not allowed. {MEND}"
            ),
        ),
    ],
)
def test_a_report_that_is_not_written_is_refused(write, told):
    with pytest.raises(Refused) as refused:
        guards.guarded_writer(WHO, write)({})
    assert str(refused.value).removeprefix(WHO).lstrip(": ") == told
