"""Which proxy stands between us and a service, by the usual environment variables."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from urllib.parse import urlsplit


def proxy_for(url: str, environ: Mapping[str, str]) -> str | None:
    """
    Return the proxy's address for a URL, or None.

    ``http_proxy``, ``https_proxy`` and ``all_proxy``, in lower case first; ``no_proxy`` lists hosts,
    domains, networks, or ``*``.

    >>> proxy_for("https://api.example/v1", {"HTTPS_PROXY": "proxy:3128", "NO_PROXY": "127.0.0.1"})
    'http://proxy:3128'
    >>> proxy_for("http://127.0.0.1:8000", {"HTTP_PROXY": "proxy:3128", "NO_PROXY": "127.0.0.1"}) is None
    True
    """
    parts = urlsplit(url)
    if _is_exempt(parts.hostname or "", parts.port, _value(environ, "no_proxy")):
        return None
    proxy = _value(environ, f"{parts.scheme}_proxy") or _value(environ, "all_proxy")
    return None if not proxy else proxy if "://" in proxy else f"http://{proxy}"


def _value(environ: Mapping[str, str], name: str) -> str:
    return (environ.get(name) or environ.get(name.upper()) or "").strip()


def _is_exempt(host: str, port: int | None, listed: str) -> bool:
    return any(
        _covers(entry.strip().lower(), host.lower(), port) for entry in listed.split(",") if entry.strip()
    )


def _covers(entry: str, host: str, port: int | None) -> bool:
    if entry == "*":
        return True
    try:
        return ipaddress.ip_address(host) in ipaddress.ip_network(entry, strict=False)
    except ValueError:
        pass  # one of the two is a name
    name, _, only = entry.rpartition(":")
    if name and only.isdigit():
        if port != int(only):
            return False
        entry = name
    domain = entry.removeprefix("*").removeprefix(".")
    return host == domain or host.endswith(f".{domain}")
