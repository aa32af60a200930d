"""Gates, bounds, outcomes, exit status and report are the same beside other plug-ins and options."""

from __future__ import annotations

import os

import pytest

from tests.neighbours.neighbours import NEIGHBOURS
from tests.neighbours.project import decide
from tests.neighbours.runs import Bench
from tests.serving import serving


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    """This Python, with what lies in the folder of neighbours that CI installs."""
    with serving(decide) as server:
        room = tmp_path_factory.mktemp("neighbours")
        yield Bench(server=server, room=room, packages=os.environ.get("JUDGEAUDIT_NEIGHBOURS", ""))


@pytest.mark.slow
def test_the_project_passes_misses_and_holds(bench):
    assert bench.bare().code == 1
    assert sorted(bench.bare().gates().values()) == ["HOLD", "MISS", *["PASS"] * 6]
    assert bench.bare("evals/test_held.py").code == 10


@pytest.mark.slow
@pytest.mark.parametrize("name", NEIGHBOURS)
def test_nothing_changes_beside_a_neighbour_but_what_must(bench, name):
    neighbour = NEIGHBOURS[name]
    if absent := set(neighbour.needs) - bench.versions.keys():
        pytest.skip(f"not installed: {', '.join(sorted(absent))}")
    assert list(neighbour.scenario(bench)) == []
