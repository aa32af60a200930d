"""Arguments that are handed over directly: what a test, its fixtures and other plug-ins see is the same."""

from __future__ import annotations

import pytest

EVALS = """
import pytest

ROWS = "corpora/rows.jsonl"
seen = {}

@pytest.fixture(scope="module")
def wide():
    return "wide"

@pytest.fixture
def fancy(judge, pair, request):
    return (judge, pair.id, request.node.name)

@pytest.mark.clone_pairs(ROWS)
@pytest.mark.parametrize("tone", ["calm", "angry"])
def test_plain(judge, pair, tone):
    assert judge.compare(pair).tie and tone in {"calm", "angry"} and judge.name == "longest"

@pytest.mark.clone_pairs(ROWS)
def test_with_a_wider_fixture(judge, pair, wide):
    assert judge.compare(pair).tie and wide == "wide"

@pytest.mark.clone_pairs(ROWS)
def test_with_a_fixture_of_the_judge(judge, pair, fancy, request):
    assert judge.compare(pair).tie
    assert fancy == (judge, pair.id, request.node.name)
"""
WATCHER = """
import pytest

@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef, request):
    result = yield
    if fixturedef.argname in {"judge", "pair", "tone"}:
        print(f"\\nset up {fixturedef.argname}")
    return result
"""
WHERE = """
def pytest_collection_finish(session):
    for item in session.items:
        path, line, name = item.reportinfo()
        assert item.location == (path.relative_to(session.config.rootpath).as_posix(), line, name)
        assert line and name == item.name
    print(f"\\nlooked at {len(session.items)}")
"""


@pytest.fixture
def project(project):
    project.pairs(3)
    project.write("evals/test_e.py", EVALS)
    return project


def test_every_kind_of_body_gets_its_arguments(project):
    assert "12 passed" in project.audit().out


def test_fixtures_are_set_up_as_ever_where_somebody_watches(project):
    project.write("conftest.py", WATCHER)
    text = project.audit("-s", "-k", "test_plain and calm").out
    assert [text.count(f"set up {name}") for name in ("judge", "pair", "tone")] == [3, 3, 3]


def test_setup_show_shows_them(project):
    text = project.audit("--setup-show", "-k", "test_plain and calm").out
    assert text.count("SETUP    F judge") == 3


def test_items_say_where_they_are_as_pytest_finds_it(project):
    project.write("conftest.py", WHERE)
    assert "looked at 12" in project.audit("-s").out
