"""What the environment adds to a call: the key, and whatever else names a variable."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_judgeaudit.ask.wire.shapes import Wire
from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.settings.fields import VARIABLE
from pytest_judgeaudit.settings.models import Endpoint


def headers_of(endpoint: Endpoint, wire: Wire, environ: Mapping[str, str]) -> dict[str, str]:
    """Return the configured headers, and the key's where ``api_key_env`` is given, and only then."""
    headers: dict[str, str] = {}
    if endpoint.api_key_env is not None:
        headers |= wire.credential(_variable(endpoint, "api_key_env", endpoint.api_key_env, environ))
    for name, value in endpoint.headers.items():
        headers[name] = filled(endpoint, f"headers.{name}", value, environ)
    return headers


def query_of(endpoint: Endpoint, environ: Mapping[str, str]) -> dict[str, Any]:
    """Return the configured query."""
    return {
        name: filled(endpoint, f"query.{name}", value, environ) if isinstance(value, str) else value
        for name, value in endpoint.query.items()
    }


def filled(endpoint: Endpoint, place: str, value: str, environ: Mapping[str, str]) -> str:
    """Return a configured text with its ``$NAME`` replaced from the environment."""
    return VARIABLE.sub(lambda found: _variable(endpoint, place, found[1], environ), value)


def _variable(endpoint: Endpoint, place: str, name: str, environ: Mapping[str, str]) -> str:
    value = environ.get(name, "").strip()
    if not value:
        raise Refused(
            f"{endpoint.name}: {place}: the environment variable {name} is "
            f"{'empty' if name in environ else 'not set'}. Set it where pytest runs."
        )
    if not (value.isascii() and value.isprintable()):
        raise Refused(
            f"{endpoint.name}: {place}: the value of {name} holds characters that no header may hold."
        )
    return value
