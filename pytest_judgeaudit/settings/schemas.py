"""
A JSON Schema of ``judgeaudit.toml`` for editors: completion, and keys and kinds that are wrong.

Made from the models. It says less than reading does: what needs two tables, the environment or a file is
left to :mod:`pytest_judgeaudit.settings.checking`. The package holds it as ``judgeaudit.schema.json``,
written by ``python -m pytest_judgeaudit.settings.schemas``.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from pytest_judgeaudit.settings.reading import ARRAYS, TABLES
from pytest_judgeaudit.settings.studies import AuditSettings
from pytest_judgeaudit.settings.tables import APIS, EMBEDDED, HTTP_APIS, PARSERS

DRAFT = "http://json-schema.org/draft-07/schema#"
"""The draft that editors of TOML know."""


def configuration_schema() -> dict[str, Any]:
    """Return the schema of a configuration file: every key of every table, and no other."""
    models: list[type[BaseModel]] = [*(model for _, model in ARRAYS.values()), AuditSettings]
    _, made = models_json_schema(
        [(model, "validation") for model in models], ref_template="#/$defs/{model}"
    )
    defs = _for_toml(made["$defs"])
    _complete_judge(defs["JudgeSettings"])
    return {
        "$schema": DRAFT,
        "title": "judgeaudit.toml of pytest-judgeaudit",
        "type": "object",
        "additionalProperties": False,
        "properties": {name: _table(name) for name in TABLES},
        "$defs": defs,
    }


def _table(name: str) -> dict[str, Any]:
    if name in ARRAYS:
        _, model = ARRAYS[name]
        return {"type": "array", "items": {"$ref": f"#/$defs/{model.__name__}"}}
    if name == "audit":
        return {"$ref": f"#/$defs/{AuditSettings.__name__}"}
    what = "names of models → other names of the same models"
    return {"type": "object", "additionalProperties": {"type": "string"}, "description": what}


def _for_toml(schema: Any) -> Any:
    """Say it as TOML and editors have it: without null, generated titles and Python's own anchors."""
    if isinstance(schema, list):
        return [_for_toml(one) for one in schema]
    if not isinstance(schema, Mapping):
        return schema
    kept = {
        key: _for_toml(value)
        for key, value in schema.items()
        if not (key == "title" and isinstance(value, str)) and not (key == "default" and value is None)
    }
    if isinstance(described := kept.get("description"), str):
        kept["description"] = " ".join(described.partition("\n\n")[0].replace("``", "`").split())
    if isinstance(pattern := kept.get("pattern"), str):
        kept["pattern"] = pattern.replace(r"\A", "^").replace(r"\z", "$")
    some = [one for one in kept.get("anyOf", ()) if one != {"type": "null"}]
    if len(some) == 1:
        del kept["anyOf"]
        kept = {**some[0], **kept}
    return kept


def _complete_judge(judge: dict[str, Any]) -> None:
    """Add what reading adds: which API can do without a model, and the names that come with the package."""
    properties = judge["properties"]
    properties["api"]["examples"] = list(APIS)
    properties["parser"]["examples"] = list(PARSERS)
    judge["required"].remove("model")
    judge["allOf"] = [
        _where_api((*HTTP_APIS, "local", "embedded"), {"required": ["model"]}),
        _where_api(("embedded",), {"properties": {"model": {"enum": list(EMBEDDED)}}}),
        _where_api(("recorded",), {"required": ["path", "fields"]}),
        _where_api(("python",), {"required": ["callable"]}),
    ]


def _where_api(apis: tuple[str, ...], then: Mapping[str, Any]) -> dict[str, Any]:
    return {"if": {"properties": {"api": {"enum": list(apis)}}, "required": ["api"]}, "then": then}


def written(schema: Mapping[str, Any]) -> str:
    """Return a schema as its file holds it."""
    return json.dumps(schema, indent=1) + "\n"


if __name__ == "__main__":
    sys.stdout.write(written(configuration_schema()))
