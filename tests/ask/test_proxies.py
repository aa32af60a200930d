"""Which proxy holds for an address, case by case."""

from __future__ import annotations

import pytest

from pytest_judgeaudit.ask.proxies import proxy_for

PROXIES = {"http_proxy": "http://a:1", "https_proxy": "b:2"}


@pytest.mark.parametrize(
    ("url", "environ", "proxy"),
    [
        ("http://h/v1", {}, None),
        ("http://h/v1", PROXIES, "http://a:1"),
        ("https://h/v1", PROXIES, "http://b:2"),
        ("https://h", {"ALL_PROXY": "http://c:3"}, "http://c:3"),
        ("http://h", {"HTTP_PROXY": "http://upper:1", "http_proxy": "http://lower:1"}, "http://lower:1"),
        ("http://h", {"http_proxy": ""}, None),
        ("http://h", {**PROXIES, "no_proxy": "*"}, None),
        ("http://h.example", {**PROXIES, "no_proxy": "other, .example"}, None),
        ("http://h.example", {**PROXIES, "no_proxy": "*.example"}, None),
        ("http://h.example", {**PROXIES, "NO_PROXY": "EXAMPLE"}, None),
        ("http://hexample", {**PROXIES, "no_proxy": "example"}, "http://a:1"),
        ("http://127.0.0.1:8000", {**PROXIES, "no_proxy": "127.0.0.1"}, None),
        ("http://10.1.2.3", {**PROXIES, "no_proxy": "10.0.0.0/8"}, None),
        ("http://11.1.2.3", {**PROXIES, "no_proxy": "10.0.0.0/8"}, "http://a:1"),
        ("http://[::1]:8000", {**PROXIES, "no_proxy": "::1"}, None),
        ("http://h:8000", {**PROXIES, "no_proxy": "h:8000"}, None),
        ("http://h:8001", {**PROXIES, "no_proxy": "h:8000"}, "http://a:1"),
    ],
)
def test_the_proxy_of_an_address(url, environ, proxy):
    assert proxy_for(url, environ) == proxy
