"""What fields of the configuration are made of: kinds of texts, and the closed table that holds them."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, WithJsonSchema

Name = Annotated[str, StringConstraints(pattern=r"\A[A-Za-z0-9][A-Za-z0-9._-]*\z", max_length=64)]
Text = Annotated[str, StringConstraints(pattern=r"\S")]
Line = Annotated[
    str, StringConstraints(pattern=r"\A[^\x00-\x1f\x7f]*[^\s\x00-\x1f\x7f][^\x00-\x1f\x7f]*\z")
]
Scalar = Annotated[
    Any,
    "a text, a number or a boolean; checked in settings.checking",
    WithJsonSchema({"type": ["string", "number", "boolean"]}),
]
Variable = Annotated[str, StringConstraints(pattern=r"\A[A-Za-z_][A-Za-z0-9_]*\z", max_length=200)]
Texts = Annotated[tuple[Line, ...], Field(strict=False)]

NAMED = "a name of at most 64 letters, digits, '.', '_' and '-' that begins with a letter or digit"
SAID = "a text with something in it"
TEMPLATE = "a template's name and version, or a file of yours"
VARIABLE = re.compile(r"\$([A-Za-z_][A-Za-z0-9_]*)")
"""How a value names a variable of the environment."""


def variables(value: str) -> list[str]:
    """
    Return the names of the environment variables that a value of the configuration takes its text from.

    >>> variables("$AZURE_KEY"), variables("Bearer $TOKEN"), variables("costs $5")
    (['AZURE_KEY'], ['TOKEN'], [])
    """
    return VARIABLE.findall(value)


class Table(BaseModel):
    """A table of the configuration: strict, closed, frozen."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)
