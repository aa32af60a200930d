"""What stands beside us in a suite, and what must stay as it is without it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tests.neighbours.project import HELD, MISSING, SOUND
from tests.neighbours.runs import Bench, Ran, deviations

Scenario = Callable[[Bench], Iterator[str]]
"""Runs the project beside a neighbour, and yields what deviates."""

EDITOR = Path(__file__).with_name("editor.py")
HELD_FILE, MISSING_FILE, SOUND_FILE = "evals/test_held.py", "evals/test_missing.py", "evals/test_sound.py"
ALL_PASS_AS = {"PASS": "passed", "MISS": "failed", "HOLD": "failed"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """A scenario, with the distributions that it needs."""

    scenario: Scenario
    needs: tuple[str, ...]


NEIGHBOURS: dict[str, Neighbour] = {}
"""By name."""


def neighbour(name: str, *needs: str) -> Callable[[Scenario], Scenario]:
    """Enter a scenario."""

    def enter(scenario: Scenario) -> Scenario:
        NEIGHBOURS[name] = Neighbour(scenario=scenario, needs=needs)
        return scenario

    return enter


def unchanged(
    name: str, *needs: str, options: str = "", plugins: str = "", files: Mapping[str, str] | None = None
) -> None:
    """
    Enter a neighbour beside which nothing may change.

    All evals are run, which ends with 1; thoroughly also those of the held gate alone, which end with 10.
    """

    def scenario(bench: Bench) -> Iterator[str]:
        how: dict[str, Any] = {"plugins": plugins.split(), "files": files}
        yield from deviations(bench.run(*options.split(), **how), bench.bare())
        if bench.thorough:
            held = bench.run(*options.split(), paths=[HELD_FILE], **how)
            yield from deviations(held, bench.bare(HELD_FILE))

    neighbour(name, *needs)(scenario)


def expect(what: str, found: object, expected: object) -> Iterator[str]:
    """Yield a deviation unless two values are equal."""
    if found != expected:
        yield f"{what}: {found}, expected {expected}"


def mentions(what: str, text: str, *words: str) -> Iterator[str]:
    """Yield a deviation for each of ``words`` that a text lacks."""
    yield from (f"{what}: no {word!r} in {text[-1500:]!r}" for word in words if word not in text)


# Ways to distribute

for mode in ("load", "loadscope", "loadfile", "worksteal"):
    unchanged(f"pytest-xdist --dist={mode}", options=f"-n2 --dist={mode}", plugins="xdist")


@neighbour("pytest-xdist --dist=loadgroup")
def loadgroup(bench: Bench) -> Iterator[str]:
    """Groups go to one worker; xdist adds their names to the ids of the tests, and to nothing of ours."""
    grouped = MISSING.replace(
        "import pytest\n", "import pytest\n\npytestmark = pytest.mark.xdist_group('one')\n"
    )
    how: dict[str, Any] = {"plugins": ["xdist"], "files": {MISSING_FILE: grouped}}
    ran = bench.run("-n2", "--dist=loadgroup", **how)
    outcomes = {name.removesuffix("@one"): tags for name, tags in ran.outcomes.items()}
    yield from deviations(replace(ran, outcomes=outcomes), bench.run(**how))


@neighbour("pytest-xdist --dist=each")
def each(bench: Bench) -> Iterator[str]:
    """Every worker runs everything: a live run is refused, and a replay counts no trial twice."""
    yield from _repeats(bench, "-n2", "--dist=each", plugins=["xdist"], code=10)


# In another order, again, and not for ever

unchanged("pytest-randomly", "pytest-randomly", options="-p randomly", plugins="randomly")
unchanged("pytest-randomly, -n2", "pytest-randomly", options="-n2", plugins="randomly xdist")
unchanged("pytest-timeout", "pytest-timeout", options="--timeout=60", plugins="timeout")
unchanged("pytest-rerunfailures", "pytest-rerunfailures", options="--reruns=1", plugins="rerunfailures")
unchanged(
    "pytest-rerunfailures, -n2",
    "pytest-rerunfailures",
    options="--reruns=1 -n2",
    plugins="rerunfailures xdist",
)


@neighbour("pytest-timeout, a trial that takes too long", "pytest-timeout")
def timeout(bench: Bench) -> Iterator[str]:
    """It is a failure, never an observation: its gates are held."""
    waits = '    import time\n    time.sleep(4 if pair.id == "c03" else 0)\n    assert judge'
    files = {SOUND_FILE: SOUND.replace("    assert judge", waits)}
    ran = bench.run("--timeout=1", plugins=["timeout"], files=files, paths=[SOUND_FILE])
    yield from expect("exit status", ran.code, 1)
    yield from expect("held", set(ran.gates("clone_gate").values()), {"HOLD"})
    yield from expect(
        "not held", ran.gates("rate_gate"), {f"{SOUND_FILE}::test_rate::rate_gate[all]": "PASS"}
    )
    yield from mentions("reasons", ran.reasons("clone_gate"), "c03", "Timeout")


@neighbour("pytest-rerunfailures, a trial that fails once", "pytest-rerunfailures")
def rerun(bench: Bench) -> Iterator[str]:
    """The second attempt passes, and does not replace the first: the gate is held."""
    fails = (
        "    import pathlib\n    once = pathlib.Path('once')\n"
        "    assert number != 3 or once.exists() or once.touch() / 1\n"
    )
    text = HELD.partition("    if number")[0] + fails
    ran = bench.run("--reruns=1", plugins=["rerunfailures"], files={HELD_FILE: text}, paths=[HELD_FILE])
    yield from expect("exit status", ran.code, 10)
    yield from expect("gates", list(ran.gates().values()), ["HOLD"])
    yield from mentions("reasons", ran.reasons(""), "failed in call: TypeError", "more than once")


@neighbour("pytest-repeat", "pytest-repeat")
def repeat(bench: Bench) -> Iterator[str]:
    """A live run is refused, and a replay counts no trial twice."""
    # Repeating a snapshot test renames its snapshot: syrupy fails it, beside us or not.
    yield from _repeats(bench, "--count=2", plugins=["repeat"], code=10, paths=["evals"])


def _repeats(bench: Bench, *options: str, code: int, **how: Any) -> Iterator[str]:
    refused = bench.run(*options, **how)
    yield from expect("exit status and calls of a live run", (refused.code, refused.calls), (4, 0))
    stored = bench.run(paths=how.get("paths", ()))
    ran = bench.run(*options, folder=stored.folder, live=False, **how)
    yield from expect("exit status", ran.code, code)
    yield from expect("gates", set(ran.gates().values()), {"HOLD"})
    codes = {finding["code"] for finding in ran.report.get("findings", ())}
    yield from expect("a finding names it", "repeated" in codes, expected=True)


# Bodies of another kind

# As many lines as before: where a gate stands is a part of the report.
ASYNC = (
    SOUND.replace("@pytest.mark.clone_pairs", "@pytest.mark.KIND\n@pytest.mark.clone_pairs")
    .replace("def test_copies", "async def test_copies")
    .replace("tie\n\n\n", "tie\n\n")
)
BACK_END = '\n\n@pytest.fixture\ndef anyio_backend():\n    return "asyncio"\n'
unchanged(
    "pytest-asyncio",
    "pytest-asyncio",
    plugins="asyncio",
    files={SOUND_FILE: ASYNC.replace("KIND", "asyncio")},
)
unchanged("anyio", "anyio", plugins="anyio", files={SOUND_FILE: ASYNC.replace("KIND", "anyio") + BACK_END})
unchanged(
    "pytest-check",
    "pytest-check",
    plugins="check",
    files={
        SOUND_FILE: SOUND.replace("(number)", "(number, check)").replace(
            "assert number != 7", "check.not_equal(number, 7)"
        )
    },
)


@neighbour("subtests")
def subtests(bench: Bench) -> Iterator[str]:
    """A failed subtest is its trial's observation: by pytest 9 itself, or by pytest-subtests."""
    body = (
        "for other in (7, 99):\n        with subtests.test(other=other):\n"
        "            assert number != other"
    )
    text = SOUND.replace("(number)", "(number, subtests)").replace("assert number != 7", body)
    plugins = ["subtests"] if "pytest-subtests" in bench.versions else []
    yield from deviations(bench.run(plugins=plugins, files={SOUND_FILE: text}), bench.bare())


# Those that only look on

unchanged("pytest-cov", "pytest-cov", options="--cov=evals", plugins="pytest_cov")
unchanged("pytest-cov, -n2", "pytest-cov", options="--cov=evals -n2", plugins="pytest_cov xdist")
unchanged("pytest-sugar", "pytest-sugar", plugins="sugar")
unchanged("-p no:terminal", options="-p no:terminal")
unchanged("-p no:cacheprovider", options="-p no:cacheprovider")
# What is red are gates, and those come last: there is nothing left to stop.
unchanged("-x", options="-x")


@neighbour("pytest-html", "pytest-html", "pytest-metadata")
def html(bench: Bench) -> Iterator[str]:
    """Every gate has a row."""
    ran = bench.run("--html=page.html", "--self-contained-html", plugins=["metadata", "html"])
    yield from deviations(ran, bench.bare())
    yield from mentions("page", (ran.folder / "page.html").read_text("utf-8"), *ran.gates())


@neighbour("pytest-json-report", "pytest-json-report", "pytest-metadata")
def json_report(bench: Bench) -> Iterator[str]:
    """Every gate is one of its tests, and its exit status is never green."""
    options = ("--json-report", "--json-report-file=other.json")
    ran = bench.run(*options, plugins=["metadata", "pytest_jsonreport"])
    yield from deviations(ran, bench.bare())
    other = json.loads((ran.folder / "other.json").read_text("utf-8"))
    yield from _shown(ran, {test["nodeid"]: test["outcome"] for test in other["tests"]}, HOLD="error")
    yield from expect("exit status in its file", other["exitcode"], 1)


@neighbour("pytest-reportlog", "pytest-reportlog")
def reportlog(bench: Bench) -> Iterator[str]:
    """Every gate has its lines."""
    ran = bench.run("--report-log=log.jsonl", plugins=["pytest_reportlog"])
    yield from deviations(ran, bench.bare())
    ends: dict[str, str] = {}
    for line in (ran.folder / "log.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        if row.get("when") in {"setup", "call"}:
            ends[row["nodeid"]] = row["outcome"]
    yield from _shown(ran, ends)


def _shown(ran: Ran, outcomes: Mapping[str, str], **other: str) -> Iterator[str]:
    for gate, state in ran.gates().items():
        yield from expect(f"outcome of {gate}", outcomes.get(gate), {**ALL_PASS_AS, **other}[state])


# Selections and editors


@neighbour("--lf")
def last_failed(bench: Bench) -> Iterator[str]:
    """The tests of the gates that were red are run again, and no other."""
    first = bench.run()
    ran = bench.run("--lf", folder=first.folder)
    yield from expect("exit status", ran.code, 1)
    again = {gate: state for gate, state in first.gates().items() if SOUND_FILE not in gate}
    yield from expect("gates", ran.gates(), again)


@neighbour("--co")
def collect_only(bench: Bench) -> Iterator[str]:
    """Nothing is asked, decided or written."""
    ran = bench.run("--co", "-q", paths=["evals"])
    yield from expect("exit status and calls", (ran.code, ran.calls), (0, 0))
    yield from expect("report and answers", (ran.report, _answers(ran)), ({}, []))
    # Beside snapshots syrupy ends a mere collection with 1, with us and without.
    every, without = bench.run("--co"), bench.run("--co", audit=False)
    yield from expect("exit status of all", every.code, without.code)


def _answers(ran: Ran) -> list[str]:
    return [name for name in ran.stored if name.startswith("snapshots/")]


@neighbour("VS Code")
def editor(bench: Bench) -> Iterator[str]:
    """Each test that was discovered is told once; gates are told by ids that the tree does not hold."""
    how: dict[str, Any] = {"plugins": ["editor"], "files": {"editor.py": EDITOR.read_text("utf-8")}}
    found = bench.run("--collect-only", "--rootdir=.", **how)
    (tree,) = _sent(found)
    yield from expect("errors of the discovery", tree["errors"], [])
    yield from expect("gates in the tree", [one for one in tree["ids"] if "gate[" in one], [])
    ran = bench.run(folder=found.folder, plugins=["editor"], paths=tree["ids"])
    yield from deviations(ran, bench.bare())
    *told, end = _sent(ran)
    yield from expect("its end", end, {"end": 1, "errors": []})
    gates = [row["outcome"] for row in told if row["test"] not in tree["ids"]]
    # Of a held gate there is no report of a call, by which it would be told.
    yield from expect("gates told", sorted(gates), ["failure", *["success"] * 6])
    tests = [row["test"] for row in told if row["test"] in tree["ids"]]
    yield from expect("tests told", sorted(tests), sorted(tree["ids"]))
    held = bench.run(paths=[HELD_FILE], **how)
    yield from expect("exit status of the held gate", held.code, 10)
    yield from expect("its end", _sent(held)[-1], {"end": 1, "errors": []})


def _sent(ran: Ran) -> list[dict[str, Any]]:
    file = ran.folder / "editor.jsonl"
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    file.unlink()
    return rows


ALL = (
    "pytest-cov",
    "pytest-html",
    "pytest-randomly",
    "pytest-rerunfailures",
    "pytest-timeout",
    "pytest-sugar",
)


@neighbour("all at once, -n2", *ALL)
def together(bench: Bench) -> Iterator[str]:
    """Whatever is installed loads itself, as in a suite that has all of it."""
    options = ("-n2", "--cov=evals", "--html=page.html", "--reruns=1", "--timeout=60")
    yield from deviations(bench.run(*options, autoload=True), bench.bare())
