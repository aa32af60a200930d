"""
Running a text of the battery: a namespace with a few harmless builtins, and inputs it cannot spoil.

The namespace is not a sandbox, and nothing here relies on it as one: what may run at all is decided by
digest in :func:`pytest_judgeaudit.corpora.finite_code.correct_inputs`, and the certification refuses a text
whose syntax goes beyond :func:`check_syntax`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator

from pytest_judgeaudit.corpora.finite_code.domains import Value
from pytest_judgeaudit.records.errors import Refused

BUILTINS = {
    function.__name__: function for function in (abs, divmod, enumerate, len, max, min, range, sorted, sum)
}
"""All that a text may call, beside itself and what it defines; none reaches a file, a module or a frame."""

METHODS = frozenset({"append"})
"""All attributes that a text may name."""

_FORBIDDEN = (
    ast.Import,
    ast.ImportFrom,
    ast.Global,
    ast.Nonlocal,
    ast.ClassDef,
    ast.With,
    ast.Try,
    ast.TryStar,
    ast.Raise,
    ast.Await,
    ast.Yield,
    ast.YieldFrom,
    ast.AsyncFunctionDef,
    ast.Delete,
)


def load(source: str) -> Callable[..., object]:
    """Define ``solve`` from a text that the caller knows to be certified (or certifies right now)."""
    namespace: dict[str, object] = {"__builtins__": dict(BUILTINS)}
    exec(compile(source, "<battery:finite-code>", "exec"), namespace)  # noqa: S102 - our own texts, by digest
    solve = namespace["solve"]
    if not callable(solve):
        raise Refused(
            f"battery:finite-code: solve is {solve!r}, expected a function. Define solve with def."
        )
    return solve


def results(source: str, inputs: Iterable[tuple[Value, ...]]) -> Iterator[object]:
    """Call the text's ``solve`` on every input; each list argument is a fresh list."""
    solve = load(source)
    for arguments in inputs:
        yield solve(*(list(value) if isinstance(value, tuple) else value for value in arguments))


def check_syntax(source: str, *, place: str) -> None:
    """Refuse a text that is more than one small pure function over the allowed builtins."""
    if not source.isascii():
        raise Refused(f"{place}: the text holds characters outside ASCII. Write it in ASCII.")
    tree = ast.parse(source)
    if len(tree.body) != 1 or not isinstance(tree.body[0], ast.FunctionDef) or tree.body[0].name != "solve":
        raise Refused(
            f"{place}: expected one function called solve and nothing beside it. Move the rest inside."
        )
    for node in ast.walk(tree):
        found = _objection(node)
        if found:
            raise Refused(
                f"{place}:{getattr(node, 'lineno', 0)}: found {found}; a text is a small pure function."
            )


def _objection(node: ast.AST) -> str:
    if isinstance(node, _FORBIDDEN):
        return type(node).__name__
    if isinstance(node, ast.Attribute) and node.attr not in METHODS:
        return f"attribute {node.attr!r}"
    if isinstance(node, ast.Name) and node.id.startswith("_") and node.id != "_":
        return f"name {node.id!r}"
    return ""
