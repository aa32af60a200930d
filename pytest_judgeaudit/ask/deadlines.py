"""
Connections on which one deadline holds for a whole answer: connecting, sending, headers and body.

httpx bounds every single read. A server that sends a byte now and then, in the headers say, is never
cut off by that. Here the time that is left shrinks with every operation.
"""

from __future__ import annotations

import ssl
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

import httpcore

_CONNECT_S = 30.0
"""Nobody who has not accepted a connection by then will."""


class Deadline(threading.local):
    """When the call that this thread is making must have ended."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._end: float | None = None

    def start(self, seconds: float) -> None:
        """Begin a call of this thread."""
        self._end = self._monotonic() + seconds

    def left(self, seconds: float | None) -> float | None:
        """Return what is left of the call, at most ``seconds``; a read timeout where nothing is."""
        if self._end is None:
            return seconds
        left = self._end - self._monotonic()
        if left <= 0:
            raise httpcore.ReadTimeout("the deadline of the whole answer has passed")
        return left if seconds is None else min(left, seconds)


class DeadlineStream(httpcore.NetworkStream):
    """
    A connection whose every operation ends with the deadline of the call that uses it.

    What is written leaves when an answer is waited for, as one piece: head and body of a request come in
    two, and each way to the network lets other threads in between.
    """

    def __init__(self, stream: httpcore.NetworkStream, deadline: Deadline) -> None:
        self._stream = stream
        self._deadline = deadline
        self._unsent: list[bytes] = []

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Read some bytes."""
        # As httpcore does: a server may refuse a request before it has read all of it, and say why.
        with suppress(httpcore.WriteError):
            self._send(timeout)
        return self._stream.read(max_bytes, self._deadline.left(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002 - the interface
        """Take bytes to be sent."""
        self._unsent.append(buffer)

    def _send(self, timeout: float | None) -> None:
        if self._unsent:
            taken, self._unsent = b"".join(self._unsent), []
            self._stream.write(taken, self._deadline.left(timeout))

    def close(self) -> None:
        """Close the connection."""
        self._stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        """Encrypt the connection."""
        self._send(timeout)
        left = self._deadline.left(timeout)
        return DeadlineStream(self._stream.start_tls(ssl_context, server_hostname, left), self._deadline)

    def get_extra_info(self, info: str) -> Any:
        """Return what the connection below knows."""
        return self._stream.get_extra_info(info)


class DeadlineBackend(httpcore.NetworkBackend):
    """The network, with a deadline on every connection."""

    def __init__(self, deadline: Deadline) -> None:
        self._network = httpcore.SyncBackend()
        self._deadline = deadline

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """Connect."""
        left = self._deadline.left(_CONNECT_S if timeout is None else min(timeout, _CONNECT_S))
        stream = self._network.connect_tcp(host, port, left, local_address, socket_options)
        return DeadlineStream(stream, self._deadline)

    def sleep(self, seconds: float) -> None:
        """Wait."""
        self._network.sleep(seconds)


def is_reusable(connection: httpcore.ConnectionInterface) -> bool:
    """Whether a connection that was kept can take another request."""
    return connection.is_idle() and not connection.has_expired() and not _has_more(connection)


def _has_more(connection: httpcore.ConnectionInterface) -> bool:
    """
    Whether a server has sent more than it was asked for: that would be taken for the next answer.

    httpcore has no public way to ask what it has read beyond the end of an answer.
    """
    inner: Any = connection
    while (deeper := getattr(inner, "_connection", None)) is not None:
        inner = deeper
    state = getattr(inner, "_h11_state", None)
    return state is not None and bool(state.trailing_data[0])
