"""One asker: what it sends, what it repeats, what it says; without a network and without waiting."""

from __future__ import annotations

import gzip
import json

import httpx
import pytest

from pytest_judgeaudit.ask.transport.asker import HttpAsker
from pytest_judgeaudit.ask.wire.shapes import Wire, WireCall
from pytest_judgeaudit.records.answers import Reply
from pytest_judgeaudit.records.errors import CampaignStopped, Refused, Unanswered
from pytest_judgeaudit.records.requests import Message, Request
from pytest_judgeaudit.records.verdicts import Usage

ANSWER = {
    "model": "m-20260101",
    "choices": [{"message": {"content": "tie"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 5, "completion_tokens": 2},
}
KEY = "sk-0123456789abcdefABCDEF"


class Service:
    """A service that answers from a list; exceptions are raised, functions are called."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.requests = []

    def __call__(self, request):
        self.requests.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer(request) if callable(answer) else answer

    @property
    def transport(self):
        return httpx.MockTransport(self)


def ok(**changes):
    return httpx.Response(200, json={**ANSWER, **changes})


def status(code, **headers):
    return httpx.Response(code, json={"error": {"message": f"scripted {code}"}}, headers=headers)


@pytest.fixture
def ask(judge, request_, slept):
    """Ask a scripted service once; returns the reply."""

    def run(service, *, environ=None, chance=0.0, **changes):
        asker = HttpAsker(
            judge(**changes),
            environ=environ or {},
            transport=service.transport,
            world=slept.world(chance=chance),
        )
        return asker.ask(request_)

    return run


def unanswered(ask, service, **changes):
    with pytest.raises(Unanswered) as caught:
        ask(service, **changes)
    return caught.value


# What is sent


def test_a_request_is_sent_as_its_format_says(ask):
    service = Service(ok())
    ask(
        service,
        base_url="http://127.0.0.1:1/base/v1/",
        query={"api-version": "2024-10-21"},
        headers={"X-Title": "audit"},
        body={"reasoning_effort": "low"},
    )
    sent = service.requests[0]
    assert (sent.method, str(sent.url)) == (
        "POST",
        "http://127.0.0.1:1/base/v1/chat/completions?api-version=2024-10-21",
    )
    assert sent.headers["x-title"] == "audit"
    assert sent.headers["content-type"] == "application/json"
    assert json.loads(sent.content) == {
        "model": "m",
        "messages": [{"role": "system", "content": "Judge."}, {"role": "user", "content": "A or B?"}],
        "temperature": 0,
        "reasoning_effort": "low",
    }


def test_no_credential_is_sent_without_a_name(ask):
    service = Service(ok())
    ask(service, environ={"OPENAI_API_KEY": KEY})
    assert not {"authorization", "cookie", "x-api-key"} & set(service.requests[0].headers)


def test_a_key_is_sent_in_the_place_of_its_format(ask):
    service = Service(ok())
    ask(service, environ={"NAME": KEY}, api_key_env="NAME")
    assert service.requests[0].headers["authorization"] == f"Bearer {KEY}"


def test_a_missing_key_is_refused_before_anything_is_sent(judge):
    with pytest.raises(Refused, match="the environment variable NAME is not set"):
        HttpAsker(judge(api_key_env="NAME"), environ={})


def test_lone_surrogates_are_sent_as_json_escapes(judge):
    service = Service(ok())
    message = Message(role="user", content="\ud800")
    request = Request(messages=(message,), model="m", endpoint="e", decoder={})
    HttpAsker(judge(), environ={}, transport=service.transport).ask(request)
    assert rb'"\ud800"' in service.requests[0].content


def test_an_api_without_a_wire_format_is_refused(judge):
    with pytest.raises(Refused, match="there are openai, anthropic, ollama"):
        HttpAsker(judge(api="recorded"), environ={})


def test_a_certificate_file_that_holds_none_is_refused(judge, tmp_path):
    file = tmp_path / "ca.pem"
    file.write_text("nothing", encoding="ascii")
    for name, reason in (("ca.pem", "."), ("missing.pem", "No such file")):
        with pytest.raises(Refused, match=reason) as caught:
            HttpAsker(judge(base_url="https://h", ca_file=str(tmp_path / name)), environ={})
        assert str(caught.value).startswith("qwen: ca_file: ")


@pytest.mark.parametrize(
    "address", ["socks5://user:hunter2@h", "http://hunter2:\x00", "http://hunter2:port"]
)
def test_a_proxy_of_no_form_is_refused_without_being_shown(judge, address):
    with pytest.raises(Refused, match="proxy") as caught:
        HttpAsker(judge(), environ={"HTTP_PROXY": address})
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("host", ["é" * 300, "h:port", "a..b", f"{'a' * 64}.example"])
def test_an_address_that_cannot_be_one_is_refused(judge, host):
    with pytest.raises(Refused, match=r"^qwen: base_url: "):
        HttpAsker(judge(base_url=f"http://{host}/v1"), environ={})


# What is read


def test_an_answer_has_its_attempt(ask, slept):
    def slow(_):
        slept.now += 3
        return ok()

    begun = slept.now
    reply = ask(Service(slow))
    assert (reply.text, reply.served, reply.finish) == ("tie", "m-20260101", "stop")
    (attempt,) = reply.attempts
    assert (attempt.started, attempt.ended) == (begun, begun + 3)
    assert (attempt.outcome, attempt.status, attempt.error) == ("answered", 200, None)
    assert attempt.usage == Usage(prompt=5, completion=2)


def test_a_compressed_body_and_a_byte_order_mark_are_read(ask):
    body = gzip.compress(b"\xef\xbb\xbf" + json.dumps(ANSWER).encode())
    response = httpx.Response(200, content=body, headers={"content-encoding": "gzip"})
    assert ask(Service(response)).text == "tie"


@pytest.mark.parametrize("text", ["", "```json\n{}\n```", "I think A.", '{"winner": "A"'])
def test_nothing_that_a_model_says_is_a_reason_to_ask_again(ask, text):
    service = Service(ok(choices=[{"message": {"content": text}, "finish_reason": "length"}]))
    assert ask(service).text == text
    assert len(service.requests) == 1


# What is repeated


TRANSIENT = [
    pytest.param(lambda: status(429), "refused", id="429"),
    pytest.param(lambda: status(500), "refused", id="500"),
    pytest.param(lambda: status(503), "refused", id="503"),
    pytest.param(lambda: httpx.ConnectError("[Errno 111] Connection refused"), "failed", id="refused"),
    pytest.param(lambda: httpx.ReadError("[Errno 104] Connection reset by peer"), "failed", id="reset"),
    pytest.param(lambda: httpx.RemoteProtocolError("disconnected"), "failed", id="closed"),
    pytest.param(lambda: httpx.ConnectTimeout("timed out"), "failed", id="nobody"),
    pytest.param(lambda: httpx.ProxyError("502 Bad Gateway"), "failed", id="proxy"),
]


@pytest.mark.parametrize(("trouble", "outcome"), TRANSIENT)
def test_a_transient_trouble_is_repeated_and_recorded(ask, slept, trouble, outcome):
    reply = ask(Service(trouble(), ok()))
    assert [attempt.outcome for attempt in reply.attempts] == [outcome, "answered"]
    assert slept == [0.25]
    assert reply.attempts[1].started - reply.attempts[0].ended == 0.25


@pytest.mark.parametrize(("trouble", "outcome"), TRANSIENT)
def test_one_attempt_is_one_request(ask, slept, trouble, outcome):
    service = Service(trouble(), ok())
    error = unanswered(ask, service, limits={"attempts": 1})
    assert [attempt.outcome for attempt in error.attempts] == [outcome]
    assert (len(service.requests), slept) == (1, [])


def test_pauses_grow_and_attempts_end(ask, slept):
    error = unanswered(ask, Service(*[status(503)] * 4), limits={"attempts": 4}, chance=0.5)
    assert str(error) == 'qwen: HTTP 503 from 127.0.0.1 after 4 attempts: "scripted 503".'
    assert [attempt.status for attempt in error.attempts] == [503] * 4
    assert slept == [0.375, 0.75, 1.5]


def test_retry_after_in_seconds_and_as_a_date_is_honoured(ask, slept):
    # 1,700,000,000 s since the epoch is Tue, 14 Nov 2023 22:13:20 GMT.
    dated = {"retry-after": "Tue, 14 Nov 2023 22:13:40 GMT"}
    ask(Service(status(429, **{"retry-after": "7"}), status(503, **dated), ok()))
    assert slept == [7.0, 13.0]


@pytest.mark.parametrize("code", [400, 401, 403, 404, 422])
def test_a_refusal_is_not_repeated(ask, code):
    service = Service(status(code))
    error = unanswered(ask, service)
    assert f'HTTP {code} from 127.0.0.1: "scripted {code}".' in str(error)
    assert [(attempt.outcome, attempt.status) for attempt in error.attempts] == [("refused", code)]


def test_no_redirect_is_followed(ask):
    service = Service(httpx.Response(307, headers={"location": "http://elsewhere/"}))
    error = unanswered(ask, service)
    assert "HTTP 307" in str(error)
    assert error.attempts[0].outcome == "unreadable"
    assert len(service.requests) == 1


@pytest.mark.parametrize("kind", [httpx.ReadTimeout, httpx.WriteTimeout])
def test_a_request_of_unknown_fate_is_not_repeated(ask, slept, kind):
    def hang(_):
        slept.now += 20
        raise kind("timed out")

    service = Service(hang, ok())
    error = unanswered(ask, service, limits={"timeout": 20})
    assert (error.attempts[0].outcome, len(service.requests)) == ("timeout", 1)


def test_a_machine_that_slept_is_told_from_a_time_out(ask, slept):
    def sleep_for_long(_):
        slept.now += 1010
        raise httpx.ReadTimeout("timed out")

    error = unanswered(ask, Service(sleep_for_long), limits={"timeout": 300})
    assert error.attempts[0].outcome == "host_stalled"
    assert "a limit of 300 s ended after 1010 s" in str(error)


@pytest.mark.parametrize(
    ("response", "reason"),
    [
        (httpx.Response(200, content=b""), "the body is empty"),
        (httpx.Response(204), "the body is empty"),
        (
            httpx.Response(200, html="<h1>Sign\nin</h1>"),
            "the body is no JSON, it begins with: <h1>Sign in</h1>",
        ),
        (httpx.Response(200, content=b'{"model": "m'), 'the body is no JSON, it begins with: {"model": "m'),
        (httpx.Response(200, content=b'{"x": "\xff"}'), 'the body is no JSON, it begins with: {"x": "�"}'),
        (httpx.Response(200, content=b"[" * 200_000), "the body is no JSON"),
        (httpx.Response(200, content=b"1" * 5000), "the body is no JSON"),
        (httpx.Response(200, json={"error": "over\x1b[2Jloaded"}), "over\\x1b[2Jloaded"),
        (httpx.Response(200, json={}), "the body holds no choices"),
        (
            httpx.Response(200, stream=httpx.ByteStream(b"no gzip"), headers={"content-encoding": "gzip"}),
            "",
        ),
    ],
)
def test_a_body_that_is_no_answer_is_said_and_not_repeated(ask, response, reason):
    service = Service(response, ok())
    error = unanswered(ask, service)
    assert f"qwen: an unreadable answer from 127.0.0.1: {reason}" in str(error)
    assert (error.attempts[0].outcome, len(service.requests)) == ("unreadable", 1)
    assert str(error).isprintable()
    assert len(str(error)) < 500


def test_a_huge_body_is_cut_off(ask, monkeypatch):
    monkeypatch.setattr("pytest_judgeaudit.ask.transport.asker.LARGEST_BODY", 2**20)
    taken = []

    def endless():
        while True:
            taken.append(1)
            yield b" " * 2**16

    error = unanswered(ask, Service(httpx.Response(200, content=endless())))
    assert "the body is larger than 1 MiB" in str(error)
    assert len(taken) <= 18


def test_a_body_that_drips_ends_with_the_time_limit(ask, slept):
    def dripping():
        while True:
            slept.now += 1
            yield b" "

    error = unanswered(ask, Service(httpx.Response(200, content=dripping())), limits={"timeout": 5})
    assert error.attempts[0].outcome == "timeout"
    assert error.attempts[0].status == 200
    assert error.attempts[0].ended - error.attempts[0].started == pytest.approx(6)


def test_a_refusal_whose_words_do_not_arrive_is_told_by_its_status(ask):
    def broken():
        yield b'{"error": '
        raise httpx.ReadError("reset")

    error = unanswered(ask, Service(httpx.Response(400, content=broken())))
    assert str(error) == 'qwen: HTTP 400 from 127.0.0.1: "". Check model and decoder.'


# What is never said


@pytest.mark.parametrize("code", [200, 400, 401, 500])
def test_no_secret_reaches_an_error(ask, code):
    words = f"bad key {KEY}, header Bearer {KEY}, value hunter2-of-mine"
    response = httpx.Response(code, json={"error": {"message": words}})
    error = unanswered(
        ask,
        Service(response),
        environ={"NAME": KEY, "OTHER": "hunter2-of-mine"},
        api_key_env="NAME",
        headers={"x": "$OTHER"},
        limits={"attempts": 1},
    )
    text = str(error) + repr(error.attempts)
    assert "bad key" in text
    assert KEY not in text
    assert "hunter2" not in text


# Stopping


def test_a_stopped_asker_tries_no_more(judge, request_):
    service = Service(ok())
    asker = HttpAsker(judge(), environ={}, transport=service.transport)
    asker.stop()
    with pytest.raises(Unanswered, match=r"^qwen: the run was stopped before an answer came$"):
        asker.ask(request_)
    assert service.requests == []


def test_stopping_ends_a_pause_and_keeps_the_attempts(judge, request_):
    def refuse(_):
        asker.stop()
        return status(429, **{"retry-after": "200"})

    asker = HttpAsker(judge(), environ={}, transport=httpx.MockTransport(refuse))
    with pytest.raises(Unanswered) as caught:
        asker.ask(request_)
    assert [attempt.status for attempt in caught.value.attempts] == [429]


# Slots


class Slots:
    """A limiter that counts."""

    def __init__(self):
        self.log = []

    def __enter__(self):
        self.log.append("in")

    def __exit__(self, *_):
        self.log.append("out")

    def stop(self):
        self.log.append("stop")


def test_each_try_holds_a_slot_and_no_pause_does(judge, request_, slept):
    slots, world = Slots(), slept.world()
    asker = HttpAsker(
        judge(), environ={}, limiter=slots, transport=Service(status(503), ok()).transport, world=world
    )
    asker.ask(request_)
    asker.stop()
    assert slots.log == ["in", "out", "in", "out", "stop"]


def with_slots(judge, slept, service, slots):
    return HttpAsker(judge(), environ={}, limiter=slots, transport=service.transport, world=slept.world())


def test_whether_a_try_leaves_is_asked_in_its_slot_and_its_end_told_there(judge, request_, slept, flight):
    slots = Slots()
    asker = with_slots(judge, slept, Service(status(503), ok()), slots)
    asker.ask(request_, flight(slots.log))
    told = ["departs after 0", "out", "in", "departs after 1", "landed after 2, served m-20260101"]
    assert slots.log == ["in", *told, "out"]


def test_a_call_in_vain_tells_so_in_its_slot(judge, request_, slept, flight):
    slots = Slots()
    with pytest.raises(Unanswered):
        with_slots(judge, slept, Service(status(400)), slots).ask(request_, flight(slots.log))
    assert slots.log == ["in", "departs after 0", "landed after 1, served None", "out"]


@pytest.mark.parametrize("tries", [0, 1])
def test_nothing_leaves_that_may_not_and_its_slot_is_free(judge, request_, slept, flight, tries):
    slots, service = Slots(), Service(status(503), ok())
    with pytest.raises(CampaignStopped) as caught:
        with_slots(judge, slept, service, slots).ask(request_, flight(tries=tries))
    assert len(service.requests) == len(caught.value.attempts) == tries
    assert slots.log == ["in", "out"] * (tries + 1)


def test_a_wire_of_a_plug_in_is_spoken_under_its_name(judge, request_):
    service = Service(httpx.Response(200, json={"said": "tie"}))
    wire = Wire(
        build=lambda request, _url, extra: WireCall(
            path="/say", headers={"X-House": "1"}, body={"to": request.model, **extra}
        ),
        read=lambda body: Reply(text=body["said"]),
        version="1",
    )
    asker = HttpAsker(
        judge(api="house", base_url="http://h/v1"),
        environ={},
        transport=service.transport,
        wires={"house": wire},
    )
    assert asker.ask(request_).text == "tie"
    (sent,) = service.requests
    assert (sent.url, sent.headers["X-House"]) == ("http://h/v1/say", "1")
    assert json.loads(sent.content) == {"to": request_.model}


def test_an_api_of_no_plug_in_is_refused_with_those_that_there_are(judge):
    wire = Wire(build=None, read=None, version="1")
    with pytest.raises(
        Refused, match="hous is no wire format; there are openai, anthropic, ollama, local, house"
    ):
        HttpAsker(judge(api="hous", base_url="http://h"), environ={}, wires={"house": wire})
