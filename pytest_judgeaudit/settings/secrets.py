"""What looks like a secret, by its name or by its shape. Such a value is never shown, nor accepted."""

from __future__ import annotations

import re

_NAME = re.compile(
    r"(?:^|[-_.])(?:api[-_]?key|apikey|key|token|secret|password|passwd|pwd|credentials?|auth|authorization"
    r"|cookie|bearer|signature|sig)$",
    re.IGNORECASE,
)
_SHAPE = re.compile(
    r"\bsk-[A-Za-z0-9_-]{8,}"
    r"|\b(?:gh[pousr]_|github_pat_|glpat-|hf_|gsk_|xai-|xox[abeprs]-|r8_|pplx-|nvapi-)[A-Za-z0-9_-]{8,}"
    r"|\bA(?:KIA|SIA)[0-9A-Z]{12,}"
    r"|\bAIza[0-9A-Za-z_-]{20,}"
    r"|\bey[IJ][A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}\.?[A-Za-z0-9_-]*"
    r"|\b(?:Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{6,}"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----"
    r"|(?<=://)[^/\s@]+:[^/\s@]+(?=@)",
    re.IGNORECASE,
)
_RANDOM = re.compile(r"(?=[^\s]*\d)(?=[^\s]*[A-Za-z])[A-Za-z0-9_~+=-]{24,}")


def names_secret(name: str) -> bool:
    """
    Whether a key, header or query parameter of this name usually holds a secret.

    >>> [names_secret(name) for name in ("api-key", "Authorization", "max_tokens", "api_key_env")]
    [True, True, False, False]
    """
    return _NAME.search(name) is not None


def looks_secret(text: str) -> bool:
    """
    Whether a text holds something with the shape of a key, a bearer token or a password in a URL.

    >>> looks_secret("sk-0123456789abcdef"), looks_secret("qwen2.5:32b")
    (True, False)
    """
    return _SHAPE.search(text) is not None


def looks_random(text: str) -> bool:
    """Whether a text is one long word of letters and digits, as most keys without a known shape are."""
    return _RANDOM.fullmatch(text.strip()) is not None
