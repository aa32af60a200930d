"""
Statistics and the JSON report at 100,000 tasks: how long each takes, how it grows from a quarter of them.

Each is timed in this process, once to load what it needs and then the given number of times. The table has
how much each has grown. A cost that is linear in the number of tasks grows fourfold; less, where what is
there at any size still counts, such as the resamples of the risk grid. The exact bootstrap grows a little
more: it goes as L·log²L of the number L of lattice points, since its transforms take L·log L, the powers of
a stratum of n tasks log n steps over L points, and many strata are convolved by halves. Lengths are padded
to powers of two, so that its cost is a staircase: from just below a power to just above, it doubles. From
25,000 tasks to 100,000 the padded lengths are fourfold too, and what is more comes of the logarithms and of
arrays that no cache holds.

Run it as ``python benchmarks/statistics_at_size.py``; it prints a table, then one line of JSON.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import product

from pytest_judgeaudit.audit.auditing import audit
from pytest_judgeaudit.records.audits import Answers, Audit, Protocol
from pytest_judgeaudit.records.plans import CellPlan, JudgePlan, Plan, Presentation, Task
from pytest_judgeaudit.records.trials import Trial
from pytest_judgeaudit.report.json import to_json
from pytest_judgeaudit.stats import bootstrap_lower, order_patterns, randomization_p, risk_grid
from pytest_judgeaudit.stats.risk import ARM_RATES, ArmTasks, risk_agreement, source_grid

GOAL_S = 1.0


def works(tasks: int) -> Mapping[str, Callable[[], object]]:
    """Return what is timed, on that many tasks."""
    rng = random.Random(tasks)
    scores = {f"s{h}": [rng.choice([0, 0.5, 1, 1, 1]) for _ in range(tasks // 6)] for h in range(6)}
    differences = [rng.choice([-1, -0.5, 0, 0.5, 1]) for _ in range(tasks)]
    words = ("first", "second", "tie")
    pairs = [(rng.choice(words), rng.choice(words)) for _ in range(tasks)]
    rates = rates_of(tasks, rng)
    plan, trials = run_of(tasks, rng)
    done = analysed(plan, trials)
    return {
        "exact bootstrap": lambda: bootstrap_lower(scores),
        "sign-flip": lambda: randomization_p(differences),
        "order patterns": lambda: order_patterns(pairs),
        "risk grid of two judges": lambda: risks(rates),
        "whole analysis": lambda: analysed(plan, trials),
        "report as JSON": lambda: to_json(done),
    }


def rates_of(tasks: int, rng: random.Random) -> Mapping[str, ArmTasks]:
    """Make up the rates of two judges on that many copies, and on as many pairs in six strata."""
    copies = [(0.0, 0.0), (0.5, 0.0), (1.0, 0.0), (0.0, 1.0)]
    pairs = [(0.0, 0.0, 0.0), (0.5, 0.0, 0.0), (0.0, 0.5, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 0.5)]

    def drawn(kinds: Sequence[tuple[float, ...]], count: int) -> list[tuple[float, ...]]:
        return [rng.choice(kinds) + rng.choice(kinds) for _ in range(count)]

    strata = {f"s{h}": drawn(pairs, tasks // 6) for h in range(6)}
    return {"clone": {"core": drawn(copies, tasks)}, "signal": strata}


def risks(rates: Mapping[str, ArmTasks]) -> list[float]:
    """Compute the 96 scenarios, and how often a resample names the same judge as cheapest."""
    names = {arm: one for arm, one in ARM_RATES.items() if arm in rates}
    means: dict[str, dict[str, float]] = {"one": {}, "other": {}}
    for arm, kinds in names.items():
        rows = [row for stratum in rates[arm].values() for row in stratum]
        for index, (judge, kind) in enumerate(product(means, kinds)):
            means[judge][kind] = sum(row[index] for row in rows) / len(rows)
    scenarios = source_grid()
    risk_grid(means, scenarios=scenarios)
    return risk_agreement(rates, list(means), scenarios=scenarios)


def run_of(tasks: int, rng: random.Random) -> tuple[Plan, list[Trial]]:
    """Make up a run of one judge on that many copies."""
    shown = tuple(Presentation(f"t{number}", "AB") for number in range(tasks))
    cell = CellPlan(
        id="c",
        eval="evals/test_a.py::test_copies",
        variant="",
        study="evals/test_a.py",
        judge="j",
        criterion="neutral",
        arm="clone",
        stratum="core",
        gates=(),
        declared=shown,
        selected=shown,
        location=("evals/test_a.py", 0),
    )
    judge = JudgePlan(
        name="j", family="f", api="embedded", requested="j", expect="certified", identity="construction"
    )
    known = {one.task: Task(id=one.task, subset="s", target="tie") for one in shown}
    trials = [
        Trial(cell="c", task=one.task, order="AB", outcome="success", winner="tie", answer="direct")
        if rng.random() > 0.01
        else Trial(cell="c", task=one.task, order="AB", outcome="adverse", winner="first", answer="direct")
        for one in shown
    ]
    return Plan(cells=(cell,), judges=(judge,), tasks={cell.eval: known}), trials


def analysed(plan: Plan, trials: list[Trial]) -> Audit:
    """Analyse the run as a session does."""
    return audit(
        plan, trials, answers=Answers(), protocol=Protocol(sha256="0" * 64), same_model=lambda a, b: a == b
    )


def timed(work: Callable[[], object], repeats: int) -> float:
    """Return the median seconds of a work that has been loaded before."""
    work()
    times = []
    for _ in range(repeats):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def main() -> None:
    """Time everything at the size and at a quarter of it."""
    parser = argparse.ArgumentParser(description="Time statistics and the report at a size.")
    parser.add_argument("--tasks", type=int, default=100_000, help="tasks (default 100,000)")
    parser.add_argument("--repeat", type=int, default=3, help="timed runs of each (default 3)")
    wanted = parser.parse_args()
    seconds = {
        size: {name: timed(work, wanted.repeat) for name, work in works(size).items()}
        for size in (wanted.tasks // 4, wanted.tasks)
    }
    few, many = seconds.values()
    growth = {name: spent / few[name] for name, spent in many.items()}
    print(f"{'medians of ' + str(wanted.repeat):<36}{wanted.tasks // 4:>10,}{wanted.tasks:>10,}    growth")
    for name, spent in many.items():
        print(f"{name:<36}{few[name]:>9.3f}s{spent:>9.3f}s{growth[name]:>9.1f}x")
    print(f"goal: under {GOAL_S:g} s each at 100,000")
    found = {"seconds": many, "quarter": few, "growth": growth}
    print(json.dumps({"tasks": wanted.tasks, "repeat": wanted.repeat, **found}))


if __name__ == "__main__":
    main()
