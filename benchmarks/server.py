"""A model server for measurements: cheap, since it shares the processors with what is measured."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import cast

REPLY = json.dumps(
    {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "mine",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": '{"winner": "tie"}'},
                "finish_reason": "stop",
            }
        ],
        "usage": {"prompt_tokens": 100, "completion_tokens": 6, "total_tokens": 106},
    }
).encode()
ANSWER = (
    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(REPLY) + REPLY
)
END = b"\r\n\r\n"
SIZE = b"content-length:"


class Server:
    """
    Answers every request after ``delay_s``, in a thread of its own.

    ``began`` holds when each came, ``took`` after how many seconds it was answered: a little later than it
    should be, ``ended`` when the last answer was written. Moments are of ``time.monotonic``, in seconds.
    ``peak`` is how many there were at once, ``last`` the body of the last one.
    """

    def __init__(self, delay_s: float) -> None:
        self.delay_s, self.port = delay_s, 0
        self.began: list[float] = []
        self.took: list[float] = []
        self.ended = 0.0
        self.last = b""
        self.flying = self.peak = 0

    def forget(self) -> None:
        """Count anew."""
        self.began, self.took, self.peak = [], [], 0


class Connection(asyncio.Protocol):
    """One connection: its requests come one after the other."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._come = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep what answers are written to."""
        self._out = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        """Begin a call once its body is there."""
        self._come += data
        head, end, body = self._come.partition(END)
        if not end:
            return
        size = int(head.lower().partition(SIZE)[2].split(b"\r\n")[0])
        if len(body) < size:
            return
        server, self._come = self._server, b""
        server.last = body
        self._began = time.monotonic()
        server.began.append(self._began)
        server.flying += 1
        server.peak = max(server.peak, server.flying)
        asyncio.get_running_loop().call_later(server.delay_s, self._answer)

    def _answer(self) -> None:
        self._server.flying -= 1
        self._server.ended = time.monotonic()
        self._server.took.append(self._server.ended - self._began)
        self._out.write(ANSWER)


@contextmanager
def serving(delay_s: float) -> Iterator[Server]:
    """Serve on a free port of this machine."""
    server, loop, ready = Server(delay_s), asyncio.new_event_loop(), threading.Event()

    async def serve() -> None:
        listener = await loop.create_server(lambda: Connection(server), "127.0.0.1", 0, backlog=256)
        server.port = listener.sockets[0].getsockname()[1]
        ready.set()

    def work() -> None:
        loop.run_until_complete(serve())
        loop.run_forever()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    ready.wait()
    yield server
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
