"""Real sockets on loopback: connections that are kept, limits of time that hold, all three formats."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from pytest_judgeaudit.ask.transport.asker import HttpAsker
from pytest_judgeaudit.records.errors import Unanswered

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
BODY = b'{"model": "m", "choices": [{"message": {"content": "tie"}}]}'


class Server:
    """A server whose behaviour towards a connection is a function; counts connections."""

    def __init__(self, behave):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}/v1"
        self.connections = 0
        self.heads = []
        self._behave = behave
        self._ended = threading.Event()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self.listener.accept()
                self.connections += 1
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        with connection, contextlib.suppress(OSError):
            while self.request(connection):
                self._behave(connection, self._ended)

    def request(self, connection):
        """Read one request; False at the end of the connection."""
        data = b""
        while b"\r\n\r\n" not in data:
            piece = connection.recv(65536)
            if not piece:
                return False
            data += piece
        head, _, body = data.partition(b"\r\n\r\n")
        self.heads.append(head)
        length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0] or 0)
        while len(body) < length:
            body += connection.recv(65536)
        return True

    def close(self):
        self._ended.set()
        # Wakes the thread that accepts.
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()


@pytest.fixture
def serve():
    """Start servers; closed at the end."""
    servers = []

    def start(behave):
        servers.append(Server(behave))
        return servers[-1]

    yield start
    for server in servers:
        server.close()


@pytest.fixture
def asker(judge):
    """Make askers of an address; closed at the end."""
    askers = []

    def make(url, *, environ=None, **changes):
        askers.append(HttpAsker(judge(base_url=url, **changes), environ=environ or {}))
        return askers[-1]

    yield make
    for made in askers:
        made.close()


def answer(connection, _):
    connection.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % len(BODY) + BODY)


def drip(prefix, piece):
    """A behaviour: a beginning, then a byte now and then, for ever."""

    def behave(connection, ended):
        connection.sendall(prefix)
        while not ended.wait(0.05):
            connection.sendall(piece)

    return behave


def test_many_calls_share_one_connection(serve, asker, request_):
    server = serve(answer)
    made = asker(server.url)
    assert {made.ask(request_).text for _ in range(20)} == {"tie"}
    assert server.connections == 1


def test_each_thread_keeps_one_connection(serve, asker, request_):
    server = serve(answer)
    made = asker(server.url, limits={"in_flight": 4})
    with ThreadPoolExecutor(4) as pool:
        replies = list(pool.map(lambda _: made.ask(request_), range(40)))
    assert len(replies) == 40
    assert server.connections <= 4


@pytest.mark.parametrize(
    "behave",
    [
        pytest.param(drip(b"", b""), id="silence"),
        pytest.param(drip(b"HTTP/1.1 200 OK\r\nX-Slow: ", b"x"), id="headers"),
        pytest.param(drip(HEAD + b"Content-Length: 9999\r\n\r\n", b" "), id="body"),
        pytest.param(drip(HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"), id="chunks"),
        pytest.param(
            drip(b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 100 Continue\r\n\r\n"), id="continues"
        ),
    ],
)
def test_a_limit_of_time_holds_for_the_whole_answer(serve, asker, request_, behave):
    server = serve(behave)
    begun = time.monotonic()
    with pytest.raises(Unanswered) as caught:
        asker(server.url, limits={"timeout": 0.5}).ask(request_)
    # Not "timeout" alone: on a busy machine half a second may well become one.
    assert caught.value.attempts[0].outcome in ("timeout", "host_stalled")
    assert time.monotonic() - begun < 5
    assert len(server.heads) == 1


def test_after_a_time_out_the_next_call_has_its_own_limit_and_connection(serve, asker, request_):
    turns = iter([drip(b"", b""), answer])

    def behave(connection, ended):
        next(turns)(connection, ended)

    server = serve(behave)
    made = asker(server.url, limits={"timeout": 0.5})
    with pytest.raises(Unanswered):
        made.ask(request_)
    assert made.ask(request_).text == "tie"
    assert server.connections == 2


def test_a_connection_that_the_server_has_closed_is_not_used_again(serve, asker, request_):
    closed = threading.Event()

    def behave(connection, ended):
        answer(connection, ended)
        connection.shutdown(socket.SHUT_RDWR)
        closed.set()

    server = serve(behave)
    made = asker(server.url, limits={"attempts": 1})
    for _ in range(3):
        closed.clear()
        assert made.ask(request_).text == "tie"
        assert closed.wait(10)
    assert server.connections == 3


@pytest.mark.parametrize("beginning", [b"", HEAD, HEAD + b"Content-Length: 999\r\n\r\n{"])
def test_a_connection_that_breaks_is_repeated(serve, asker, request_, beginning):
    turns = iter([True, False])

    def behave(connection, ended):
        if next(turns):
            connection.sendall(beginning)
            connection.shutdown(socket.SHUT_RDWR)
        else:
            answer(connection, ended)

    reply = asker(serve(behave).url).ask(request_)
    assert [attempt.outcome for attempt in reply.attempts] == ["failed", "answered"]


def test_what_a_server_sends_beyond_its_answer_answers_no_other_request(serve, asker, request_):
    other = BODY.replace(b"tie", b"A")

    def twice(connection, _):
        answers = [HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body for body in (BODY, other)]
        connection.sendall(b"".join(answers))

    server = serve(twice)
    asking = asker(server.url)
    assert [asking.ask(request_).text for _ in range(3)] == ["tie"] * 3
    assert (len(server.heads), server.connections) == (3, 3)


def test_nobody_listening_is_said(asker, request_):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(Unanswered, match="refused"):
        asker(f"http://127.0.0.1:{port}/v1", limits={"attempts": 1}).ask(request_)


def test_cookies_are_not_kept(serve, asker, request_):
    def behave(connection, _):
        connection.sendall(
            HEAD + b"Set-Cookie: a=b; Path=/\r\nContent-Length: %d\r\n\r\n" % len(BODY) + BODY
        )

    server = serve(behave)
    made = asker(server.url)
    made.ask(request_)
    made.ask(request_)
    assert b"cookie" not in server.heads[1].lower()


def test_a_proxy_of_the_environment_is_used_with_its_user(serve, asker, request_):
    server = serve(answer)
    proxy = server.url.replace("http://", "http://user:pass@").removesuffix("/v1")
    made = asker("http://service.invalid/v1", environ={"HTTP_PROXY": proxy})
    assert made.ask(request_).text == "tie"
    assert server.heads[0].startswith(b"POST http://service.invalid/v1/chat/completions HTTP/1.1")
    # user:pass in base 64, RFC 7617
    assert b"proxy-authorization: basic dxnlcjpwyxnz" in server.heads[0].lower()


def test_a_limit_of_time_holds_through_a_proxy(serve, asker, request_):
    server = serve(drip(b"HTTP/1.1 200 OK\r\nX-Slow: ", b"x"))
    proxy = server.url.removesuffix("/v1")
    begun = time.monotonic()
    with pytest.raises(Unanswered):
        asker("https://service.invalid/v1", proxy=proxy, limits={"timeout": 0.5, "attempts": 1}).ask(
            request_
        )
    assert time.monotonic() - begun < 5


# Against the stub server of the shared folder


@pytest.mark.parametrize(("api", "base"), [("openai", "openai"), ("anthropic", "url"), ("ollama", "url")])
def test_all_formats_speak_with_the_stub(stub, asker, request_, api, base):
    server = stub(default={"function": "tie"}, served="m-20260101")
    made = asker(getattr(server, base), api=api, api_key_env="KEY", environ={"KEY": "k-123"})
    reply = made.ask(request_)
    assert (reply.text, reply.served) == ('{"winner": "tie"}', "m-20260101")
    assert reply.usage.prompt > 0
    assert reply.usage.completion > 0
    (sent,) = server.requests()
    assert "<present>" in (sent["headers"].get("authorization"), sent["headers"].get("x-api-key"))


@pytest.mark.parametrize(
    "fault", ["429", "500", "503", "reset-before", "reset-after", "close", "short-body"]
)
def test_transient_faults_of_the_stub_are_repeated(stub, asker, request_, fault):
    server = stub(rules=[{"fault": fault, "retry_after": 0, "calls": "1", "per": "request"}])
    reply = asker(server.openai).ask(request_)
    assert len(reply.attempts) == 2
    assert server.stats()["requests"] == 2


@pytest.mark.parametrize("fault", ["truncated-body", "wrong-content-type", "invalid-utf8"])
def test_broken_bodies_of_the_stub_are_no_answers(stub, asker, request_, fault):
    server = stub(rules=[{"fault": fault}])
    with pytest.raises(Unanswered, match="unreadable"):
        asker(server.openai).ask(request_)
    assert server.stats()["requests"] == 1


def test_a_truncated_answer_of_the_stub_finishes_with_length(stub, asker, request_):
    for api, base in (("openai", "openai"), ("anthropic", "url"), ("ollama", "url")):
        server = stub(rules=[{"fault": "length-empty"}])
        reply = asker(getattr(server, base), api=api).ask(request_)
        assert (reply.text, reply.finish) == ("", "length")
