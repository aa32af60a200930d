"""Budgets: modules of at most 350 lines, function bodies of at most 30."""

from __future__ import annotations

import ast
import io
import tokenize
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "pytest_judgeaudit"
MODULE, BODY = 350, 30

# What may be longer, each with the reason.
LONG_MODULES: dict[str, str] = {}
LONG_BODIES: dict[str, str] = {}

BLANK = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}

Function = ast.FunctionDef | ast.AsyncFunctionDef


def lines_of_code(source: str) -> set[int]:
    """The numbers of the lines that hold more than a comment."""
    return {
        line
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type not in BLANK
        for line in range(token.start[0], token.end[0] + 1)
    }


def bodies(source: str) -> dict[str, int]:
    """Qualified name of each function -> lines of its body, without docstring, comments and blank lines."""
    code, found = lines_of_code(source), {}

    def visit(node: ast.AST, path: tuple[str, ...]) -> None:
        for child in ast.iter_child_nodes(node):
            inner = (*path, child.name) if isinstance(child, Function | ast.ClassDef) else path
            if isinstance(child, Function):
                body = child.body[1:] if ast.get_docstring(child, clean=False) is not None else child.body
                span = range(body[0].lineno, child.end_lineno + 1) if body else ()
                found[".".join(inner)] = len(code.intersection(span))
            visit(child, inner)

    visit(ast.parse(source), ())
    return found


def sources() -> dict[str, str]:
    return {
        file.relative_to(PACKAGE).as_posix(): file.read_text(encoding="utf-8")
        for file in sorted(PACKAGE.rglob("*.py"))
    }


def test_modules_are_short():
    lengths = {name: source.count("\n") for name, source in sources().items()}
    assert {name: n for name, n in lengths.items() if n > MODULE and name not in LONG_MODULES} == {}
    assert {name for name in LONG_MODULES if lengths.get(name, 0) <= MODULE} == set(), "no longer needed"


def test_function_bodies_are_short():
    lengths = {f"{name}::{f}": n for name, source in sources().items() for f, n in bodies(source).items()}
    assert {name: n for name, n in lengths.items() if n > BODY and name not in LONG_BODIES} == {}
    assert {name for name in LONG_BODIES if lengths.get(name, 0) <= BODY} == set(), "no longer needed"


def test_a_body_is_counted_without_docstring_comments_and_blank_lines():
    source = '''
class A:
    def f(self):
        """Two
        lines."""
        # a comment

        x = (
            1,
        )

        def g(): return """a
        string"""
        return x, g
'''
    assert bodies(source) == {"A.f": 6, "A.f.g": 2}


def test_a_function_of_a_docstring_only_has_no_body():
    assert bodies('def f():\n    """Do nothing."""\n') == {"f": 0}
