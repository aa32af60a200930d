"""Lines of keys, counted by hand."""

from __future__ import annotations

import pytest
import tomli
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_judgeaudit.settings.locating import lines_of

TEXT = '''# a comment

[[judge]]
name = "a"
text = """
[[judge]]
name = "not this one"
"""
[judge.limits]
timeout = 1

[[judge]]
"odd key" = [
    1,
    { x = 2 },
]
limits.attempts = 3

[tool.judgeaudit]
x = { y = { z = 1 } }
[[tool.judgeaudit.judge]]
name = "b"
'''


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("judge", 0), 3),
        (("judge", 0, "name"), 4),
        (("judge", 0, "text"), 5),
        (("judge", 0, "limits"), 9),
        (("judge", 0, "limits", "timeout"), 10),
        (("judge", 1), 12),
        (("judge", 1, "odd key"), 13),
        (("judge", 1, "odd key", 1, "x"), 13),
        (("judge", 1, "limits", "attempts"), 17),
        (("tool", "judgeaudit", "x", "y", "z"), 20),
        (("tool", "judgeaudit", "judge", 0, "name"), 22),
    ],
)
def test_a_key_stands_on_its_line(path, line):
    assert lines_of(TEXT)[path] == line


def test_text_in_a_multi_line_string_is_no_key():
    assert 7 not in lines_of(TEXT).values()


def test_windows_line_ends_do_not_move_lines():
    assert lines_of(TEXT.replace("\n", "\r\n")) == lines_of(TEXT)


def test_after_a_very_long_statement_nothing_is_claimed():
    text = "a = 1\nx = '''" + "\n" * 1000 + "'''\nb = 2\n"
    assert lines_of(text) == {("a",): 1}


def paths(value, path=()):
    """All paths of a document, by plain recursion."""
    if path:
        yield path
    items = (
        enumerate(value) if isinstance(value, list) else value.items() if isinstance(value, dict) else ()
    )
    for part, inner in items:
        yield from paths(inner, (*path, part))


LINES = st.sampled_from(
    [
        f"{key} = {value}"
        for key in ("p", '"q r"', "s.t")
        for value in ("1", "[1, 2]", "{ u = [1] }", '"""\n[x]\n"""')
    ]
    + ["[[judge]]", "[judge.limits]", "[a.b]", "[[a.c]]", "", "# [comment]"]
)


@settings(deadline=None)
@given(st.lists(LINES, max_size=12))
def test_every_key_of_a_document_is_found(lines):
    text = "\n".join(lines) + "\n"
    try:
        document = tomli.loads(text)
    except tomli.TOMLDecodeError:
        return
    implied = {("judge",), ("a",), ("a", "c"), ("s",)}  # named only on the way to another key
    found = set(lines_of(text))
    assert {
        path for path in paths(document) if path not in implied and path[-1] not in ("a", "judge", "c")
    } <= found
