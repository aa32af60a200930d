"""Every public module, class, function and method of the package has a docstring."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

Function = ast.FunctionDef | ast.AsyncFunctionDef
# Documented where they are declared first, or beside the getter.
ELSEWHERE = {"overload", "override", "setter", "deleter"}


def documented_elsewhere(node: ast.stmt) -> bool:
    names = {ast.unparse(decorator).split(".")[-1] for decorator in node.decorator_list}
    return bool(names & ELSEWHERE)


def undocumented(tree: ast.Module | ast.ClassDef, path: str) -> Iterator[str]:
    """The public names below a module or class that have no docstring."""
    if not (ast.get_docstring(tree) or "").strip():
        yield path
    for node in tree.body:
        if not isinstance(node, Function | ast.ClassDef) or node.name.startswith("_"):
            continue
        if isinstance(node, ast.ClassDef):
            yield from undocumented(node, f"{path}.{node.name}")
        elif not documented_elsewhere(node) and not (ast.get_docstring(node) or "").strip():
            yield f"{path}.{node.name}"


def test_every_public_name_has_a_docstring():
    found = [
        name
        for file in sorted((ROOT / "pytest_judgeaudit").rglob("*.py"))
        if not file.stem.startswith("_") or file.stem == "__init__"
        for name in undocumented(
            ast.parse(file.read_text(encoding="utf-8")), str(file.relative_to(ROOT).as_posix())
        )
    ]
    assert not found


DOCUMENTED = '"""A module."""\n'


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("x = 1\n", ["m"]),
        (DOCUMENTED + "def f(): pass\n", ["m.f"]),
        (DOCUMENTED + "async def f(): pass\n", ["m.f"]),
        (DOCUMENTED + "class A:\n    def f(self): pass\n", ["m.A", "m.A.f"]),
        (DOCUMENTED + 'def f():\n    """  """\n', ["m.f"]),
        (DOCUMENTED + "def _f(): pass\nclass _A:\n    def f(self): pass\n", []),
        (DOCUMENTED + 'class A:\n    """An A."""\n    @typing.override\n    def f(self): pass\n', []),
    ],
)
def test_a_missing_docstring_is_found(source, found):
    assert list(undocumented(ast.parse(source), "m")) == found
