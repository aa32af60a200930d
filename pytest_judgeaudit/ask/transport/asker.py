"""One asker a judge: what it sends, when it tries again, and what it makes of what comes."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from functools import cache

import httpx

from pytest_judgeaudit.ask.credentials import headers_of, query_of
from pytest_judgeaudit.ask.flights import UNWATCHED, Flight
from pytest_judgeaudit.ask.limiter import Limiter
from pytest_judgeaudit.ask.transport.door import Door
from pytest_judgeaudit.ask.troubles import Trouble, of_status, of_timeout, pause_after, said
from pytest_judgeaudit.ask.wire.shapes import Unreadable, Wire
from pytest_judgeaudit.ask.wire.table import WIRES
from pytest_judgeaudit.ask.world import World
from pytest_judgeaudit.records.answers import Attempt, Reply
from pytest_judgeaudit.records.errors import Refused, Unanswered
from pytest_judgeaudit.records.requests import Request
from pytest_judgeaudit.settings.models import Endpoint
from pytest_judgeaudit.settings.showing import escaped, quoted
from pytest_judgeaudit.store.redact import Redactor

LARGEST_BODY = 32 * 2**20
"""Bytes. A longer body is no answer."""

_LARGEST_ERROR, _LONGEST_EXCERPT = 64 * 2**10, 200
_HEADERS = {
    "Accept": "application/json",
    "Accept-Encoding": "identity",
    "Content-Type": "application/json",
    "User-Agent": "pytest-judgeaudit",
}
_REPEATABLE = (httpx.NetworkError, httpx.RemoteProtocolError, httpx.ProxyError)


class HttpAsker:
    """
    A model behind an HTTP endpoint. Safe to use from several threads.

    ``limiter`` bounds the tries of the whole run; ``transport`` replaces the network; ``wires`` are formats
    beside ours. Follows no redirect, keeps no cookie, and sends a credential only where ``api_key_env`` or
    a header names one. Refused: an API without a wire format, a variable that is not set, an address or
    certificate file of no use.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        environ: Mapping[str, str],
        limiter: Limiter | None = None,
        transport: httpx.BaseTransport | None = None,
        world: World | None = None,
        wires: Mapping[str, Wire] | None = None,
    ) -> None:
        known = {**WIRES, **(wires or {})}
        wire = known.get(endpoint.api or "")
        if wire is None:
            there = ", ".join(known)
            raise Refused(f"{endpoint.name}: api: {endpoint.api} is no wire format; there are {there}.")
        try:
            self._url = httpx.URL(endpoint.url)
            self._url.raw_host.decode("ascii").encode("idna")  # as a resolver does
        except (httpx.InvalidURL, UnicodeError):
            raise Refused(f"{endpoint.name}: base_url: {quoted(endpoint.url)} is no address.") from None
        self._endpoint = endpoint
        self._wire = wire
        self._headers = headers_of(endpoint, wire, environ)
        self._query = query_of(endpoint, environ)
        self._redactor = Redactor.of(environ, endpoint.secret_names)
        self._address = cache(self._put_together)  # which takes as long as the rest of a request
        self._limiter = limiter
        self._stopping = threading.Event()
        self._world = world or World()
        self._sleep = self._world.sleep or self._stopping.wait
        self._door = transport or Door(endpoint, environ)

    def ask(self, request: Request, flight: Flight = UNWATCHED) -> Reply:
        """
        Send one request, again after transient troubles, and return the reply with all its attempts.

        Raises Unanswered, with one line and the attempts, when there is none.
        """
        outgoing, attempts = self._outgoing(request), list[Attempt]()
        while True:
            with self._slot(attempts):
                flight.departs(attempts)
                attempt, result = self._attempt(outgoing)
                attempts.append(attempt)
                if isinstance(result, Reply):
                    flight.landed(attempts, result.served)
                    return replace(result, attempts=tuple(attempts))
                tries, allowed = len(attempts), self._endpoint.limits.attempts
                pause = pause_after(result, tries=tries, attempts=allowed, chance=self._world.chance())
                if pause is None:
                    flight.landed(attempts)
                    line = result.line(name=self._endpoint.name, host=self._endpoint.host, tries=tries)
                    raise Unanswered(line, tuple(attempts))
            self._sleep(pause)

    def stop(self) -> None:
        """Begin no further try; those in flight end as they end."""
        self._stopping.set()
        if self._limiter is not None:
            self._limiter.stop()

    def close(self) -> None:
        """Close all connections."""
        self._door.close()

    @contextmanager
    def _slot(self, attempts: list[Attempt]) -> Iterator[None]:
        """Wait for leave to try once."""
        with ExitStack() as stack:
            try:
                if self._limiter is not None:
                    stack.enter_context(self._limiter)
                if self._stopping.is_set():
                    raise Unanswered(f"{self._endpoint.name}: the run was stopped before an answer came")
            except Unanswered as error:
                raise Unanswered(str(error), tuple(attempts)) from None
            yield

    def _outgoing(self, request: Request) -> httpx.Request:
        call = self._wire.build(request, self._endpoint.url, self._endpoint.body)
        # ASCII escapes carry lone surrogates, which UTF-8 cannot.
        content = json.dumps(call.body, allow_nan=False).encode("ascii")
        return httpx.Request(
            "POST",
            self._address(call.path),
            headers={**_HEADERS, **call.headers, **self._headers},
            content=content,
            extensions={"timeout": httpx.Timeout(self._endpoint.limits.timeout).as_dict()},
        )

    def _put_together(self, path: str) -> httpx.URL:
        return self._url.copy_with(path=self._url.path.rstrip("/") + path, params=self._query or None)

    def _attempt(self, outgoing: httpx.Request) -> tuple[Attempt, Reply | Trouble]:
        """Try once: the record of it, and what it brought."""
        limit = self._endpoint.limits.timeout
        started, begun, status = self._world.clock(), self._world.monotonic(), None
        result: Reply | Trouble
        try:
            with closing(self._door.handle_request(outgoing)) as response:
                status = response.status_code
                result = self._result(response, until=begun + limit)
        except httpx.TimeoutException as error:
            # A clock that ran on while the machine slept counts too.
            elapsed = max(self._world.clock() - started, self._world.monotonic() - begun)
            connecting = isinstance(error, httpx.ConnectTimeout)
            result = of_timeout(
                limit_s=limit, elapsed_s=elapsed, connecting=connecting, load=self._world.load()
            )
        except httpx.DecodingError as error:
            result = self._unreadable(str(error))
        except httpx.TransportError as error:
            result = Trouble(
                outcome="failed",
                what="no answer",
                detail=self._escaped(str(error) or type(error).__name__),
                transient=isinstance(error, _REPEATABLE),
            )
        return self._record(started, status, result), result

    def _record(self, started: float, status: int | None, result: Reply | Trouble) -> Attempt:
        return Attempt(
            started=started,
            ended=max(started, self._world.clock()),
            outcome="answered" if isinstance(result, Reply) else result.outcome,
            status=status,
            error=None if isinstance(result, Reply) else f"{result.what}: {result.detail}",
            usage=result.usage if isinstance(result, Reply) else None,
            load=self._world.load(),
        )

    def _result(self, response: httpx.Response, *, until: float) -> Reply | Trouble:
        if not response.is_success:
            return self._refusal(response, until=until)
        body = self._body(response, until=until, most=LARGEST_BODY + 1)
        if len(body) > LARGEST_BODY:
            return self._unreadable(f"the body is larger than {LARGEST_BODY >> 20} MiB")
        try:
            return self._wire.read(json.loads(body.decode("utf-8-sig")))
        except Unreadable as error:
            return self._unreadable(str(error))
        except (ValueError, RecursionError):
            start = body[:_LARGEST_ERROR].decode("utf-8", "replace")
            return self._unreadable(
                f"the body is no JSON, it begins with: {start}" if start else "the body is empty"
            )

    def _refusal(self, response: httpx.Response, *, until: float) -> Trouble:
        """A status that is no success, with what the service says about it, as far as that arrives."""
        try:
            body = self._body(response, until=until, most=_LARGEST_ERROR)
        except httpx.HTTPError:
            body = b""
        return of_status(
            response.status_code,
            f'"{self._escaped(said(body))}"',
            retry_after=response.headers.get("retry-after"),
            now=self._world.clock(),
        )

    def _body(self, response: httpx.Response, *, until: float, most: int) -> bytes:
        """Read a body, no longer than ``most`` bytes and no later than ``until``."""
        body = bytearray()
        for chunk in response.iter_bytes():
            body += chunk
            if self._world.monotonic() > until:
                raise httpx.ReadTimeout("the deadline of the whole answer has passed")
            if len(body) >= most:
                break
        return bytes(body[:most])

    def _unreadable(self, reason: str) -> Trouble:
        return Trouble(outcome="unreadable", what="an unreadable answer", detail=self._escaped(reason))

    def _escaped(self, text: str) -> str:
        """Make a foreign text safe to show: without secrets, in one line, bounded."""
        return escaped(" ".join(self._redactor.scrub(text).split()), longest=_LONGEST_EXCERPT)
