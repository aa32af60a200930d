"""The closed choices of the configuration: interfaces to models, planted judges, built-in criteria."""

from __future__ import annotations

from collections.abc import Mapping

HTTP_APIS: Mapping[str, str] = {
    "openai": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com",
    "ollama": "http://127.0.0.1:11434",
}
"""Wire formats over HTTP, each with the address that holds where ``base_url`` is not given."""

APIS = (*HTTP_APIS, "local", "python", "embedded", "recorded")
"""All values of ``api`` that we know; plug-ins may register others."""

NOT_BUILT = ("local",)
"""Values of ``api`` that the design names and that are not built yet."""

EMBEDDED = (
    "program",
    "first-slot",
    "second-slot",
    "coin",
    "always-tie",
    "longest",
    "fenced",
    "constant-score",
    "prose",
    "evidence",
)
"""The judges that come with the package: one that decides, and the planted ones."""

BUILT_IN_CRITERIA = ("neutral", "strict")

PARSERS = ("strict", "lenient")

ENDPOINT_KEYS = ("base_url", "api_key_env", "headers", "query", "body", "proxy", "ca_file")
"""Keys that say how to reach a service; they mean nothing to a judge that answers in the process."""

LOG_KEYS = ("path", "where", "fields", "orders", "verdicts", "arms")
"""Keys that say how to read somebody else's log."""

OURS = ("messages", "model", "prompt", "stream", "system")
"""Keys of a request's body that we set; a decoder or body table must not."""
