"""The only door to the network: connections on which a deadline holds, one a thread, kept open."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import httpcore
import httpx

from pytest_judgeaudit.ask.credentials import filled
from pytest_judgeaudit.ask.deadlines import Deadline, DeadlineBackend, is_reusable
from pytest_judgeaudit.ask.proxies import proxy_for
from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.settings.models import Endpoint
from pytest_judgeaudit.settings.showing import quoted

# Below the idle limit of common servers (5 s): a connection that they are about to close is not used again.
_KEEP_S = 4.0


class Door(httpx.BaseTransport):
    """
    The network: connections on which a deadline holds, directly or through a proxy.

    Built on httpcore, whose connections httpx uses too, because httpx has no place for a deadline. Each
    thread has a connection of its own; no pool holds it, which would look at it twice for every request.
    """

    def __init__(self, endpoint: Endpoint, environ: Mapping[str, str]) -> None:
        self._deadline = Deadline()
        proxy = filled(endpoint, "proxy", endpoint.proxy, environ) if endpoint.proxy else None
        proxy = proxy or proxy_for(endpoint.url, environ)
        common: dict[str, Any] = {
            "ssl_context": _certificates(endpoint) if endpoint.url.startswith("https:") else None,
            "keepalive_expiry": _KEEP_S,
            "network_backend": DeadlineBackend(self._deadline),
        }
        self._maker = _through(endpoint, proxy, common) if proxy else httpcore.ConnectionPool(**common)
        self._mine = threading.local()
        self._all: set[httpcore.ConnectionInterface] = set()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request; the deadline that begins here holds until the body has been read."""
        self._deadline.start(request.extensions["timeout"]["read"])
        url = request.url
        outgoing = httpcore.Request(
            method=request.method,
            url=httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
            headers=request.headers.raw,
            content=request.read(),
            extensions=request.extensions,
        )
        with _in_words_of_httpx():
            response = self._connection(outgoing.url.origin).handle_request(outgoing)
        return httpx.Response(
            status_code=response.status,
            headers=response.headers,
            stream=_Stream(response),
            extensions=response.extensions,
        )

    def close(self) -> None:
        """Close all connections."""
        while self._all:
            self._all.pop().close()
        self._mine = threading.local()

    def _connection(self, origin: httpcore.Origin) -> httpcore.ConnectionInterface:
        """Return this thread's connection, a new one where there is none that can be used again."""
        known = getattr(self._mine, "connection", None)
        if isinstance(known, httpcore.ConnectionInterface):
            if is_reusable(known):
                return known
            self._all.discard(known)
            known.close()
        made = self._mine.connection = self._maker.create_connection(origin)
        self._all.add(made)
        return made


class _Stream(httpx.SyncByteStream):
    """A response's body as httpx reads one."""

    def __init__(self, response: httpcore.Response) -> None:
        self._response = response

    def __iter__(self) -> Iterator[bytes]:
        with _in_words_of_httpx():
            yield from self._response.iter_stream()

    def close(self) -> None:
        self._response.close()


@contextmanager
def _in_words_of_httpx() -> Iterator[None]:
    """Raise what httpcore raises as the httpx exception of the same name."""
    try:
        yield
    except (
        httpcore.TimeoutException,
        httpcore.NetworkError,
        httpcore.ProtocolError,
        httpcore.ProxyError,
        httpcore.UnsupportedProtocol,
    ) as error:
        raise getattr(httpx, type(error).__name__, httpx.TransportError)(str(error)) from error


def _certificates(endpoint: Endpoint) -> ssl.SSLContext:
    context = httpx.create_ssl_context()
    if endpoint.ca_file is not None:
        try:
            context.load_verify_locations(endpoint.ca_file)
        except (OSError, ValueError) as error:
            raise Refused(
                f"{endpoint.name}: ca_file: {quoted(endpoint.ca_file)} cannot be used: "
                f"{getattr(error, 'strerror', None) or 'no certificates in PEM form'}."
            ) from None
    return context


def _through(endpoint: Endpoint, proxy: str, common: Mapping[str, Any]) -> httpcore.ConnectionPool:
    """Make connections through a proxy, whose address may hold a user and a password."""
    try:
        url = httpx.URL(proxy)
    except httpx.InvalidURL:
        url = httpx.URL("")
    if url.scheme not in ("http", "https") or not url.host:
        raise Refused(
            f"{endpoint.name}: the proxy's address (not shown) is none of the form http://host:port."
        )
    return httpcore.HTTPProxy(
        httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=b"/"),
        proxy_auth=(url.username, url.password) if url.userinfo else None,
        proxy_ssl_context=httpx.create_ssl_context() if url.scheme == "https" else None,
        **common,
    )
