"""Run-time code refuses with errors of its own and writes through pytest: no ``assert``, no ``print``."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def offences(source: str) -> list[tuple[int, str]]:
    """The lines that assert, print or stop for a debugger."""
    found = []
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Assert():
                found.append((node.lineno, "assert"))
            case ast.Call(func=ast.Name(id="print" | "breakpoint" as name)):
                found.append((node.lineno, name))
    return sorted(found)


def test_the_package_neither_asserts_nor_prints():
    found = [
        f"{file.relative_to(ROOT)}:{line}: {word}"
        for file in sorted((ROOT / "pytest_judgeaudit").rglob("*.py"))
        for line, word in offences(file.read_text(encoding="utf-8"))
    ]
    assert not found


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("assert x", [(1, "assert")]),
        ("def f():\n    print(x)", [(2, "print")]),
        ("breakpoint()", [(1, "breakpoint")]),
        ("text = 'assert x; print(y)'\nprinter(x)", []),
    ],
)
def test_an_offence_is_found_in_code_only(source, found):
    assert offences(source) == found
