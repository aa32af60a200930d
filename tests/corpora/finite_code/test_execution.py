from __future__ import annotations

import ast

import pytest

from pytest_judgeaudit.corpora.finite_code import execution
from pytest_judgeaudit.corpora.finite_code.families import battery
from pytest_judgeaudit.records.errors import Refused

DANGEROUS = (
    "__import__",
    "breakpoint",
    "compile",
    "delattr",
    "dir",
    "eval",
    "exec",
    "exit",
    "getattr",
    "globals",
    "help",
    "id",
    "input",
    "locals",
    "memoryview",
    "object",
    "open",
    "print",
    "quit",
    "setattr",
    "type",
    "vars",
)
HARMLESS = {"abs", "divmod", "enumerate", "len", "max", "min", "range", "sorted", "sum"}
TEXTS = tuple(text for item in battery().values() for text in item.texts.values())


@pytest.mark.parametrize("name", DANGEROUS)
def test_a_dangerous_builtin_does_not_exist_in_the_namespace(name):
    solve = execution.load(f"def solve(number):\n    return {name}\n")
    with pytest.raises(NameError, match=name):
        solve(1)


def test_an_import_does_not_work_in_the_namespace():
    solve = execution.load("def solve(number):\n    import os\n    return os\n")
    with pytest.raises(ImportError):
        solve(1)


def test_every_text_runs_in_a_namespace_of_its_own():
    first = execution.load("def solve(number):\n    return number\n")
    second = execution.load("def solve(number):\n    return number\n")
    assert first.__globals__ is not second.__globals__
    assert first.__globals__["__builtins__"] is not second.__globals__["__builtins__"]


def test_a_text_of_the_battery_sees_nothing_but_harmless_builtins_and_itself():
    for text in TEXTS:
        namespace = execution.load(text).__globals__
        assert set(namespace) == {"__builtins__", "solve"}
        assert set(namespace["__builtins__"]) <= HARMLESS


def test_a_text_that_spoils_its_list_does_not_spoil_the_domain():
    inputs = (((1, 2),), ((1, 2),))
    spoiling = "def solve(values):\n    values.append(3)\n    return len(values)\n"
    assert list(execution.results(spoiling, inputs)) == [3, 3]
    assert inputs == (((1, 2),), ((1, 2),))


def test_a_text_without_a_function_is_refused():
    with pytest.raises(Refused, match="solve is 3, expected a function"):
        execution.load("solve = 3\n")


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("import os", "Import"),
        ("from os import system", "ImportFrom"),
        ("global x", "Global"),
        ("yield 1", "Yield"),
        ("raise x", "Raise"),
        ("return x.__class__", "attribute '__class__'"),
        ("return x.sort()", "attribute 'sort'"),
        ("return __builtins__", "name '__builtins__'"),
    ],
)
def test_syntax_beyond_a_small_pure_function_is_refused(body, found):
    with pytest.raises(Refused) as refusal:
        execution.check_syntax(f"def solve(x):\n    {body}\n", place="here")
    assert str(refusal.value) == f"here:2: found {found}; a text is a small pure function."


@pytest.mark.parametrize(
    "text", ["", "x = 1\n", "def other(x):\n    return x\n", "def solve(x): 0\nx = 1\n"]
)
def test_anything_but_one_function_called_solve_is_refused(text):
    with pytest.raises(Refused, match="here: expected one function called solve"):
        execution.check_syntax(text, place="here")


def test_a_text_outside_ascii_is_refused():
    with pytest.raises(Refused, match="here: the text holds characters outside ASCII"):
        execution.check_syntax("def solve(x):\n    return x  # \u00e9\n", place="here")


def test_every_text_of_the_battery_is_a_small_pure_function():
    for text in TEXTS:
        execution.check_syntax(text, place="battery")


def test_every_text_takes_the_arguments_that_the_domain_names():
    for item in battery().values():
        for text in item.texts.values():
            arguments = ast.parse(text).body[0].args.args
            assert tuple(argument.arg for argument in arguments) == item.domain.names, item.id
