"""Paths in prose: which file a mention names, and whether the text denies it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_judgeaudit.grade import hit, match_of, mentions
from pytest_judgeaudit.grade.paths import spelled

MENTIONS = [
    ("holds.py", "threshholds.py", False),
    ("holds.py", "holds.py.bak", False),
    ("src/circ/holds.py", "src/circ/holds.pyc", False),
    ("src/circ/holds.py", "oldsrc/circ/holds.py", False),
    ("src/circ/holds.py", '"src/circ/holds.py"', True),
    ("src/circ/holds.py", "src/circ/holds.py:12-20", True),
    ("src/circ/holds.py", "(src/circ/holds.py)", True),
    ("src/circ/holds.py", "<src/circ/holds.py>", True),
    ("src/circ/holds.py", "src/circ/holds.py…", True),
    ("src/circ/holds.py", "src/circ/holds.py's class", True),
    ("src/circ/holds.py", "SRC/circ/Holds.py", True),
    ("./src/circ/holds.py", "src/circ/holds.py", True),
    ("Makefile", "see Makefile.", True),
    ("Makefile", "see Makefile.am", False),
    ("gale/qc", "gale/qc/limits.py", True),
    ("conf", "config", False),
    ("holds.py", "src/circ/holds.py#L17-L20", True),
    ("holds.py", "`holds.py`:", True),
    (".env", "see .env file", True),
    (".env", "see prod.env", False),
    ("src/circ/holds.py", "https://git.example/tern/blob/main/src/circ/holds.py#L3", True),
    ("src/circ/holds.py", "circ/holds.py", False),
    ("src/circ/holds.py", "File: src/circ/holds.py, Line: 3", True),
    ("tern-web/app.ts", "tern web/app.ts", False),
    ("src/circ/holds.py", "it is in src/circ/holds.py and not in src/circ/queue.py", True),
    ("src/circ/queue.py", "it is in src/circ/holds.py and not in src/circ/queue.py", False),
    ("src/circ/holds.py", "I did not find tests, but src/circ/holds.py defines it.", True),
    ("src/circ/holds.py", "I couldn't run it. src/circ/holds.py defines it", True),
    ("src/circ/holds.py", "The logic isn't in src/circ/queue.py; src/circ/holds.py defines it", True),
    ("src/circ/holds.py", "No, that is wrong: src/circ/holds.py defines it", True),
    ("src/circ/holds.py", "src/circ/holds.py is unrelated to this.", False),
    ("src/circ/holds.py", "src/circ/holds.py does not exist.", False),
    ("src/circ/holds.py", "src/circ/holds.py doesn't exist, see src/circ/queue.py", False),
    ("src/circ/holds.py", "There's no file called src/circ/holds.py here", False),
    ("src/circ/holds.py", "I do not think it is src/circ/holds.py", False),
    ("src/circ/holds.py", "it might be src/circ/holds.py", True),
    ("src/circ/holds.py", "I'm not certain, maybe src/circ/holds.py", True),
    ("src/circ/holds.py", "unlike src/circ/holds.py, the ranking...", False),
    ("src/circ/holds.py", "src/circ/holds.py (unrelated)", False),
    ("src/circ/holds.py", "src/circ/holds.py has nothing to do with ranking", False),
    ("src/circ/holds.py", "instead of src/circ/holds.py it is src/circ/queue.py", False),
    ("src/circ/holds.py", "The queue is not sorted anywhere except in src/circ/holds.py", True),
    ("src/circ/holds.py", "It cannot be anything but src/circ/holds.py", True),
    ("src/circ/holds.py", "Nothing else than src/circ/holds.py", True),
    ("src/circ/holds.py", "src/circ/holds.py. It does not use a lock.", True),
    ("src/circ/holds.py", "No lock is taken in src/circ/queue.py, the lock is in src/circ/holds.py", True),
    ("src/circ/holds.py", "It isn't just src/circ/queue.py; src/circ/holds.py too", True),
    ("src/circ/holds.py", "src/circ/holds.py isn't involved", False),
    (
        "src/circ/holds.py",
        "That is handled by src/circ/holds.py, which does not touch src/circ/queue.py",
        True,
    ),
    (
        "src/circ/queue.py",
        "That is handled by src/circ/holds.py, which does not touch src/circ/queue.py",
        False,
    ),
    ("src/circ/holds.py", "The module never writes to disk and is src/circ/holds.py", True),
]


@pytest.mark.parametrize(("path", "text", "found"), MENTIONS)
def test_a_path_counts_where_it_is_named_whole_and_not_denied(path, text, found):
    assert hit(text, match_of({"type": "path", "value": path})) == found


BOTH = [
    ("Not involved:\n- src/circ/holds.py\n- src/circ/queue.py", False, False),
    ("Not involved:\n* src/circ/holds.py\n\nIt is src/circ/queue.py.", False, True),
    ("The following files do it:\n- src/circ/holds.py\n- src/circ/queue.py", True, True),
    ("neither src/circ/holds.py nor src/circ/queue.py", False, False),
    ("It is not src/circ/holds.py\nsrc/circ/queue.py has it", False, True),
    ("It moved from src/circ/holds.py to src/circ/queue.py", False, True),
    ("src/circ/holds.py and src/circ/queue.py are unrelated", False, False),
    ("Not only src/circ/holds.py but also src/circ/queue.py", True, True),
    ("src/circ/queue.py (not src/circ/holds.py) does it", False, True),
]


@pytest.mark.parametrize(("text", "holds", "queue"), BOTH)
def test_a_denial_covers_its_own_path_only(text, holds, queue):
    wanted = [match_of({"type": "path", "value": f"src/circ/{name}.py"}) for name in ("holds", "queue")]
    assert [hit(text, match) for match in wanted] == [holds, queue]


def test_asserted_false_counts_a_mention_anywhere():
    text = "There is no src/a.py here."
    assert not hit(text, match_of({"type": "path", "value": "src/a.py"}))
    assert hit(text, match_of({"type": "path", "value": "src/a.py", "asserted": False}))
    assert mentions(text, "src/a.py")


NAME = st.from_regex(r"[a-z][a-z0-9_-]{0,8}", fullmatch=True)
PATH = st.builds(
    lambda parts, end: "/".join(parts) + end,
    st.lists(NAME, min_size=1, max_size=3),
    st.sampled_from([".py", ".toml"]),
)


@settings(deadline=None)
@given(
    PATH,
    st.sampled_from(["{}", "./{}", "/srv/x/{}", "`{}`", "**{}**", "({})", "{}:12", "{}#L3", "'{}'", "{}."]),
)
def test_every_spelling_of_a_path_is_a_mention(path, form):
    assert hit(f"It lives in {form.format(path)}", match_of({"type": "path", "value": path}))


@settings(deadline=None)
@given(PATH, st.sampled_from(["x{}", "x-{}", "x_{}", "{}i", "{}.bak", "{}_x", "{}-old", "{}/x"]))
def test_a_longer_name_is_another_file(path, form):
    assert not mentions(f"It lives in {form.format(path)} now", path)


@settings(deadline=None)
@given(PATH)
def test_a_bare_denial_denies(path):
    match = match_of({"type": "path", "value": path})
    for text in (
        f"It is not {path}.",
        f"There is no {path}.",
        f"It isn't in {path}.",
        f"{path} does not exist.",
    ):
        assert not hit(text, match)


@settings(deadline=None)
@given(st.text(max_size=30))
def test_spelling_is_idempotent(path):
    assert spelled(spelled(path)) == spelled(path)
