"""
A JSON Schema of question files for editors: completion, and keys and kinds that are wrong.

Made from the reader's own tables of keys, graders and matchers. It says less than reading does: whether a
key can score, whether patterns compile and evidence exists, is left to the reader. The package holds it as
``questions.schema.json``, written by ``python -m pytest_judgeaudit.corpora.question_schema``.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from pytest_judgeaudit.corpora.question_rows import ALSO, FACT_KEYS, GRADERS, KEYS, SOURCE_ONLY
from pytest_judgeaudit.corpora.questions import SET_KEYS, TABLE
from pytest_judgeaudit.grade.matching import MATCH_KEYS, WIDEST
from pytest_judgeaudit.records.questions import MATCHERS

TEXT = {"type": "string", "pattern": r"\S"}
TEXTS = {"type": "array", "items": TEXT}
FACTS = {"type": "array", "items": {"$ref": "#/$defs/fact"}}
NOTES = "^[_$]"
"""How names of keys begin that are notes."""

MANY = {"any-of": {"minItems": 1}, "all-of": {"minItems": 1}, "near": {"minItems": 2, "maxItems": 2}}
"""Matchers whose value is a list, and how long it is."""

ONE_KEY = {
    "id": TEXT,
    "prompt": TEXT,
    "class": {**TEXT, "examples": ["lookup", "structural", "blast", "arch", "abstain"]},
    "fact": {**FACTS, "description": "the checklist"},
    "forbidden": {**FACTS, "description": "what an answer must not assert"},
    "markers": {**TEXTS, "description": "of an abstain question: texts that are the abstention"},
    "evidence": {"type": "array", "items": {"$ref": "#/$defs/evidence"}},
    "retired": {"$ref": "#/$defs/retired"},
    "grader": {
        "anyOf": [
            {"enum": list(GRADERS)},
            {"type": "object", "properties": {"type": {"enum": list(GRADERS)}}},
        ]
    },
    "leak_terms": {**TEXTS, "description": "texts of which none may occur in what an agent can read"},
}
"""What a key holds; the others are texts."""


def questions_schema() -> dict[str, Any]:
    """Return the schema of a question file, in TOML or in JSON."""
    many = {"type": "array", "items": {"$ref": "#/$defs/question"}}
    names = (TABLE, "questions")
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Question file of pytest-judgeaudit",
        "type": ["object", "array"],
        "items": {"$ref": "#/$defs/question"},
        "properties": {**dict.fromkeys(names, many), **{key: {} for key in SET_KEYS if key not in names}},
        "anyOf": [{"type": "array"}, *({"required": [name]} for name in names)],
        "patternProperties": {r"^(_|\$|comment)": {}},
        "additionalProperties": False,
        "$defs": {
            "question": _question(),
            "fact": _fact(),
            "match": _match(),
            "evidence": _evidence(),
            "retired": {
                "type": "object",
                "properties": {"on": {}, "why": TEXT, "found_by": {}},
                "required": ["why"],
            },
        },
    }


def _question() -> dict[str, Any]:
    properties: dict[str, Any] = {key: ONE_KEY.get(key, {"type": "string"}) for key in KEYS}
    properties |= {also: properties[key] for key, also in ALSO.items()}
    properties |= {key: {} for key in SOURCE_ONLY}
    return {
        "type": "object",
        "properties": properties,
        "required": ["id", "prompt"],
        "anyOf": [{"required": ["class"]}, {"required": [ALSO["class"]]}],
        "patternProperties": {NOTES: {}},
        "additionalProperties": False,
    }


def _fact() -> dict[str, Any]:
    holds = {
        "id": TEXT,
        "must": {"type": "boolean", "description": "whether it is required; default true"},
        "desc": {"type": "string"},
        "match": {"$ref": "#/$defs/match"},
    }
    return {
        "type": "object",
        "properties": {key: holds[key] for key in FACT_KEYS},
        "required": ["id", "match"],
        "patternProperties": {"^_": {}},
        "additionalProperties": False,
    }


def _match() -> dict[str, Any]:
    holds: dict[str, Any] = {
        "type": {"enum": list(MATCHERS)},
        "value": {"type": ["string", "array"]},
        "flags": {"type": "string", "description": "of regex, near and symbol; default i"},
        "within": {"type": "integer", "minimum": 0, "maximum": WIDEST, "description": "of near"},
        "asserted": {"type": "boolean"},
    }
    values = {kind: {**TEXTS, **MANY[kind]} if kind in MANY else TEXT for kind in MATCHERS}
    return {
        "type": "object",
        "properties": {key: holds[key] for key in MATCH_KEYS},
        "required": ["type", "value"],
        "additionalProperties": False,
        "allOf": [
            {
                "if": {"properties": {"type": {"const": kind}}},
                "then": {"properties": {"value": value}},
            }
            for kind, value in values.items()
        ],
    }


def _evidence() -> dict[str, Any]:
    table = {
        "type": "object",
        "properties": {"file": TEXT, "line": {}, "contains": {"type": "string"}},
        "required": ["file"],
    }
    return {"anyOf": [{**TEXT, "description": "file:line, file:first-last or file"}, table]}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(questions_schema(), indent=1) + "\n")
