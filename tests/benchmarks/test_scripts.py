"""
Every benchmark runs at a size at which its times mean nothing, and what it says is what it is asked for.

No time is tested: ratios must be numbers above 0, and what does not depend on a machine must hold.
"""

import importlib
import json
import math
import os
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"
PARTS = {"children", "growth", "projects", "server"}
SMALL = {
    "bootstrap": ("--repeats", "1"),
    "collect": ("--items", "96", "--repeat", "1"),
    "kill_fuzz": ("--kills", "1", "--tasks", "4"),
    "live": ("--calls", "8", "--repeat", "1", "--in-flight", "2", "4"),
    "peers": ("--samples", "8", "--repeat", "1", "--only", "ours"),
    "profiled": ("--items", "96"),
    "regrade": ("--items", "960", "--repeat", "1"),
    "startup": ("--items", "96", "--repeat", "1"),
    "statistics_at_size": ("--tasks", "600", "--repeat", "1"),
    "unused": ("--tests", "3", "--repeat", "1"),
}
PEERS = ("inspect_ai", "deepeval", "pytest-evals", "pydantic-evals")


def test_every_script_is_run_here_and_has_its_line_in_the_readme():
    assert {file.stem for file in FOLDER.glob("*.py")} == PARTS | set(SMALL)
    assert [name for name in SMALL if f"test_{name}_" not in Path(__file__).read_text("utf-8")] == []
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert [name for name in SMALL if f"| `{name}.py` |" not in readme] == []


@pytest.fixture
def run(tmp_path):
    """Runs a script, at its small size if no options are given, and returns what it says as JSON."""
    if sys.platform == "win32":
        pytest.skip("the benchmarks are for POSIX")

    def run(name, *options):
        done = subprocess.run(
            [sys.executable, FOLDER / f"{name}.py", *(options or SMALL[name])],
            check=False,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=900,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout.splitlines()[-1])

    return run


def numbers(found):
    """All numbers within, however deep."""
    if isinstance(found, dict):
        return [number for inner in found.values() for number in numbers(inner)]
    return [found]


def sound(found):
    """Whether there are numbers, all of them finite and above 0."""
    return bool(numbers(found)) and all(math.isfinite(number) and number > 0 for number in numbers(found))


def grows(found, side, *, small, large):
    """Check what a script on two sizes says of both, and of the growth from one to the other."""
    sizes, sides = {str(small), str(large)}, {"bare", side}
    assert set(found["runs"]) == set(found["items_per_s"]) == {f"{a} {b}" for a in sides for b in sizes}
    assert set(found["ratio"]) == set(found["added_us_per_item"]) == set(found["mib_beyond_bare"]) == sizes
    assert set(found["growth"]) == set(found["kib_per_item"]) == sides
    assert sound({key: found[key] for key in ("runs", "items_per_s", "ratio", "growth")})
    assert all(map(math.isfinite, numbers(found["kib_per_item"])))
    assert found["items"] == large


@pytest.mark.slow
def test_bootstrap_finds_the_published_bound_and_draws_land_beside_it(run):
    ways = run("bootstrap")["ways"]
    assert sound(ways)
    exact = ways.pop("exact")
    assert round(exact["lower"], 5) == 0.77423
    step = 1 / (2 * 485)
    assert [way for way, found in ways.items() if abs(found["lower"] - exact["lower"]) > 1.5 * step] == []
    assert set(ways) == {"multinomial counts", "index resampling"}


@pytest.mark.slow
@pytest.mark.parametrize(("calls", "pairs"), [(6, 16), (1, 96)])
def test_collect_says_what_items_cost_of_many_calls_a_pair_and_of_one(run, calls, pairs):
    found = run("collect", *SMALL["collect"], "--calls-a-pair", str(calls))
    grows(found, "audit", small=24, large=96)
    assert found["pairs"] == pairs


@pytest.mark.slow
@pytest.mark.parametrize("calls", [6, 1])
def test_bare_items_have_the_ids_of_the_items_of_ours(calls, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(FOLDER)
    tasks = 24 // calls
    importlib.import_module("projects").write_project(tmp_path, tasks=tasks, calls_per_task=calls)
    ours, bare = ids(tmp_path, "--judge-audit", "evals"), ids(tmp_path, "-p", "no:judgeaudit", "bare")
    assert len(set(ours)) == 24
    assert set(ours) == set(bare)


def ids(folder, *options):
    """The ids of what is collected, without the folder."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *options]
    done = subprocess.run(command, check=True, cwd=folder, capture_output=True, text=True)
    return [line.partition("/")[2] for line in done.stdout.splitlines() if "::" in line]


@pytest.mark.slow
def test_kill_fuzz_loses_nothing_and_asks_for_nothing_twice(run):
    found = run("kill_fuzz")
    assert found["kills"] == 1
    assert (found["lost"], found["asked twice"], found["missing at the end"]) == (0, 0, 0)
    assert found["calls in all"] >= 4


@pytest.mark.slow
def test_live_parts_each_run_and_keeps_to_its_limits(run):
    found = run("live")
    asking = {f"{side} {flying}" for side in ("live", "loop") for flying in (2, 4)}
    assert set(found["runs"]) == set(found["server_cpu_s"]) == asking | {"bare", "stored"}
    assert set(found["asked"]) == set(found["delay_ms as served"]) == asking
    for side, parts in found["asked"].items():
        whole = sum(parts[part] for part in ("first_s", "span_s", "after_s"))
        assert whole == pytest.approx(found["runs"][side]["wall_s"], abs=0.01)
        # So many calls cannot take less, however the timer of the server is rounded.
        assert parts["span, of ideal"] > 0.97
    assert all(0 < peak <= int(flying) for flying, peak in found["peak"].items())
    assert set(found["ratios"]) == set(found["cpu_ms_a_call"]) == set(found["peak"]) == {"2", "4"}
    assert sound(found["asked"])
    assert sound(found["ratios"])
    assert all(delay > 48 for delay in found["delay_ms as served"].values())
    limited = found["n4, limited"]
    assert limited["calls"] == 8
    assert limited["peak"] <= 2
    assert limited["most in a minute, of the limit"] <= 1


@pytest.mark.slow
def test_peers_has_the_figures_of_ours(run):
    found = run("peers")
    assert set(found["runs"]) == {"stored bare", "stored ours", "live ours"}
    assert set(found["stored"]) == set(found["live"]) == {"ours"}
    assert sound({key: found[key] for key in ("runs", "stored", "live")})


@pytest.mark.slow
def test_profiled_shares_out_the_whole_run_and_names_functions_of_ours(run):
    found = run("profiled")
    for shares in found["shares"].values():
        assert sum(shares.values()) == pytest.approx(1)
    assert not any(part.startswith("ours") for part in found["shares"]["bare"])
    ours = sum(share for part, share in found["shares"]["replay"].items() if part.startswith("ours"))
    dearest = found["dearest of ours"]
    assert len(dearest) == 15
    assert 0 < sum(share for _, share, _ in dearest) < ours
    assert dearest == sorted(dearest, key=lambda one: -one[1])
    assert any(calls == 96 for _, _, calls in dearest)


@pytest.mark.slow
def test_regrade_says_what_replayed_items_cost(run):
    grows(run("regrade"), "replay", small=240, large=960)


@pytest.mark.slow
def test_regrade_spreads_both_sides_over_workers(run):
    found = run("regrade", "--items", "240", "--repeat", "1", "--workers", "2")
    grows(found, "replay", small=60, large=240)
    assert found["workers"] == 2


@pytest.mark.slow
def test_startup_parts_all_that_a_run_takes(run):
    phases = run("startup")["phases"]
    names = {"start", "collection", "items", "end"}
    assert [set(side) for side in phases.values()] == [names] * 3
    assert sound({side: phases[side] for side in ("bare", "replay")})
    for name in names:
        for unit, ours in phases["ours"][name].items():
            assert ours == pytest.approx(phases["replay"][name][unit] - phases["bare"][name][unit])


@pytest.mark.slow
def test_statistics_at_size_has_the_growth_of_each(run):
    found = run("statistics_at_size")
    assert sound(found["growth"])
    for name, growth in found["growth"].items():
        assert growth == pytest.approx(found["seconds"][name] / found["quarter"][name])
    assert set(found["growth"]) == set(found["seconds"]) == set(found["quarter"])
    goals = {"exact bootstrap", "sign-flip", "risk grid of two judges", "report as JSON"}
    assert set(found["growth"]) >= goals


@pytest.mark.slow
def test_unused_the_plug_in_loads_nothing_heavy(run):
    found = run("unused")
    assert sound(found["ratio"])
    assert sound(found["cpu_s"])
    assert found["heavy"] == []
    assert [name for name in found["modules"] if name.partition(".")[0] != "pytest_judgeaudit"] == []


@pytest.mark.slow
@pytest.mark.skipif(
    "PEER_ENVIRONMENTS" not in os.environ,
    reason="installs 700 MB from the package index: name a folder for it in PEER_ENVIRONMENTS",
)
@pytest.mark.parametrize("tool", PEERS)
def test_another_tool_runs_beside_us_at_a_small_size(run, tool):
    small = ("--samples", "8", "--repeat", "1", "--in-flight", "2", "--only", tool)
    found = run("peers", *small, "--environments", os.environ["PEER_ENVIRONMENTS"])
    assert set(found["live"]) == set(found["stored"]) == {tool}
    assert sound({key: found[key] for key in ("stored", "live")})
