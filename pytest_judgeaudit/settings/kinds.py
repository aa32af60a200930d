"""What a value of the configuration may be: the kinds of texts that models are made of, and their base."""

from __future__ import annotations

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


class Table(BaseModel):
    """A table of the configuration: strict, closed, frozen."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)
