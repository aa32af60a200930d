"""
Every row of the reference's figures, checked against what this package computes of its inputs.

Other modules check the same figures typed in, so that they hold where the file is absent. Here nothing is
typed in: a key that is added to the file and has no check below fails.
"""

from __future__ import annotations

import json

import pytest

from pytest_judgeaudit.audit.claims import absence_chance, absence_n
from pytest_judgeaudit.records.plans import Task
from pytest_judgeaudit.records.scores import DIMENSIONS
from pytest_judgeaudit.stats import (
    bootstrap_lower,
    clopper_pearson_upper,
    context_audit,
    floor_adjusted,
    holm,
    minimum_n,
    order_patterns,
    randomization_p,
    risk_grid,
)
from pytest_judgeaudit.stats.bounds import binomial_tail
from pytest_judgeaudit.stats.checked import korn_graubard_lower
from pytest_judgeaudit.stats.designs import Pair, interaction, rename_figures
from pytest_judgeaudit.stats.means import Scored, three_means
from pytest_judgeaudit.stats.noise import noise_range

CHECKS = {}


def checks(key):
    """Register the check of one key of the file; it is called with the value and the makers of studies."""

    def register(function):
        CHECKS[key] = function
        return function

    return register


@pytest.fixture(scope="module")
def paper(shared):
    return json.loads((shared / "reference" / "paper_values.json").read_text(encoding="utf-8"))


def test_every_key_of_the_file_has_a_check_and_every_check_a_key(paper):
    assert set(paper) - {"_note"} == set(CHECKS)


def scores(strata):
    """Task scores by stratum, from the counts of 0, 1/2 and 1."""
    return {f"s{i}": [0.0] * no + [0.5] * half + [1.0] * yes for i, (no, half, yes) in enumerate(strata)}


@checks("clone_gates")
def _clone_gates(value, studies, _):
    for family in value.values():
        adjusted = holm({str(i): row["p_raw"] for i, row in enumerate(family)})
        cells = [
            studies.cell("clone", studies.tasks(row["n"]), criterion=f"c{i}")
            for i, row in enumerate(family)
        ]
        known = studies.tasks(max(row["n"] for row in family))
        observed = [
            trial
            for cell, row in zip(cells, family, strict=True)
            for trial in studies.copies(cell, adverse=row["adverse"])
        ]
        audit = studies.run(studies.plan(cells, known), observed)
        for i, (row, cell, gate) in enumerate(zip(family, audit.cells, audit.gates, strict=True)):
            assert clopper_pearson_upper(row["adverse"], row["n"]) == pytest.approx(row["upper"], rel=1e-9)
            assert binomial_tail(row["adverse"], row["n"], 0.05) == pytest.approx(row["p_raw"], rel=1e-9)
            assert adjusted[str(i)] == pytest.approx(row["p_holm"], rel=1e-9)
            assert (cell.upper, cell.p_holm) == pytest.approx((row["upper"], row["p_holm"]), rel=1e-9)
            assert gate.state == row["state"]


@checks("order_patterns")
def _order_patterns(value, *_):
    for row in value:
        pairs = [("first", "first")] * row["stable"] + [("first", "second")] * row["position"]
        pairs += [("tie", "first")] * row["one_sided"]
        pairs += [("tie", "tie")] * (row["pairs"] - len(pairs))
        found = order_patterns(pairs)
        names = ("stable", "position", "one_sided")
        assert [found[name] for name in names] == [row[name] for name in names]
        rfp = (found["stable"] + found["position"] + found["one_sided"] / 2) / row["pairs"]
        assert rfp == pytest.approx(row["published_rfp0"], abs=5e-4)


@checks("edge_strata")
def _edge_strata(value, studies, _):
    strata = {name: value[name] for name in ("core", "empty", "whitespace")}
    known = studies.tasks(40)
    cells = [
        studies.cell("clone", known, stratum=name, gates=(studies.CLONE,) if name == "core" else ())
        for name in strata
    ]
    observed = [
        trial
        for cell, (adverse, _) in zip(cells, strata.values(), strict=True)
        for trial in studies.copies(cell, adverse=adverse)
    ]
    audit = studies.run(studies.plan(cells, known), observed)
    found = {cell.stratum: [cell.counts["adverse"], cell.tasks] for cell in audit.cells}
    assert found == strata
    assert [cell.upper is None for cell in audit.cells] == [False, True, True]
    assert len(audit.gates) == 1
    pooled = sum(k for k, _ in strata.values()) / sum(n for _, n in strata.values())
    assert pooled == value["pooled_wrongly"]
    assert all(cell.estimate != pooled for cell in audit.cells)


@checks("ladder")
def _ladder(value, studies, _):
    middle = {"4": {2: 0.6, 3: 0.7, 4: 0.8}, "<=1": {2: 1.0, 3: 1.0, 4: 1.0}}
    for row in value["published"].values():
        shares = {1: row["S1"], **middle[row["delta75"]], 5: row["S5"]}
        assert _smallest(studies, shares) == (row["S1"], row["S5"], row["delta75"])
    strict = {1: value["published"]["Qwen2.5-32B-AWQ"]["strict_S1"], 2: 1.0}
    assert _smallest(studies, strict)[0] == strict[1]


def _smallest(studies, shares):
    """S1, the last S and the smallest gap of a judge that is right in these shares of 100 calls a gap."""
    known = {
        f"g{gap}-{n:02d}": Task(id=f"g{gap}-{n:02d}", subset=f"gap {gap}", target="first")
        for gap in shares
        for n in range(50)
    }
    halves = []
    for share in shares.values():
        right = round(100 * share)
        halves += [2] * (right // 2) + [1] * (right % 2)
        halves += [0] * (-len(halves) % 50)
    cell = studies.cell("signal", known)
    (found,) = studies.run(studies.plan([cell], known), studies.scored(cell, halves)).ladders
    return found.success["1"], found.success[str(max(shares))], found.smallest_gap


@checks("signal_decomposition")
def _signal_decomposition(value, studies, _):
    known = studies.tasks(102)
    words = {"correct": "first", "tie": "tie", "wrong": "second", "invalid": "invalid"}
    for row in (row for rows in value.values() for row in rows.values()):
        cell = studies.cell("signal", known)
        winners = [words[name] for name in words for _ in range(row[name])]
        found = studies.run(studies.plan([cell], known), studies.trials(cell, winners)).cells[0]
        assert {name: found.counts[name] for name in words} == {name: row[name] for name in words}
        assert found.estimate == pytest.approx(row["mean"], abs=1e-12)


@checks("published_utility_lower")
def _published_utility_lower(value, _, paper):
    named = {("485-row", c): f"485/{c}" for c in ("neutral", "strict")}
    for judge, rows in value.items():
        for criterion, printed in rows.items():
            fixture = paper["utility_fixtures"][named.get((judge, criterion), f"{judge}/{criterion}")]
            digits = len(str(printed)) - 2
            assert round(bootstrap_lower(scores(fixture["strata"])), digits) == printed


@checks("utility_fixtures")
def _utility_fixtures(value, *_):
    for fixture in (one for name, one in value.items() if name != "_note"):
        read = scores(fixture["strata"])
        assert bootstrap_lower(read) == pytest.approx(fixture["lower"], abs=1e-12)
        assert fixture["lower"] == pytest.approx(fixture["published"], abs=5e-4)
        if "lower_checked" in fixture:
            checked = korn_graubard_lower(read, presentations=2)
            assert checked == pytest.approx(fixture["lower_checked"], abs=6e-6)
        if "macro" in fixture:
            means = [sum(values) / len(values) for values in read.values()]
            assert sum(means) / len(means) == pytest.approx(fixture["macro"], abs=6e-6)
        if "precise_if" in fixture:
            values = read[f"s{fixture['names'].index('Precise IF')}"]
            assert [sum(values) * 2, len(values) * 2] == fixture["precise_if"]
        if "ab_only" in fixture:
            halves = sum(half for _, half, _ in fixture["strata"])
            assert fixture["ab_only"] + fixture["ba_only"] == halves


@checks("korn_graubard")
def _korn_graubard(value, *_):
    for row in value:
        found = korn_graubard_lower(scores(row["strata"]), presentations=2)
        assert found == pytest.approx(row["lower_checked"], abs=6e-6)


@checks("extension_485")
def _extension_485(value, _, paper):
    sizes = list(value["strata"].values())
    for criterion, (aligned, calls) in value["aligned"].items():
        strata = paper["utility_fixtures"][f"485/{criterion}"]["strata"]
        assert [sum(counts) for counts in strata] == sizes
        assert sum(half + 2 * yes for _, half, yes in strata) == aligned
        assert 2 * sum(sizes) == calls
    weak = paper["utility_fixtures"]["485/strict"]["strata"][list(value["strata"]).index("PreciseIF")]
    assert [weak[1] + 2 * weak[2], 2 * sum(weak)] == value["precise_if_strict"]


@checks("macro_and_nested_485")
def _macro(value, _, paper):
    fixtures = [paper["utility_fixtures"][f"485/{criterion}"] for criterion in ("neutral", "strict")]
    for printed, fixture in zip(value["macro"], fixtures, strict=True):
        means = [sum(values) / len(values) for values in scores(fixture["strata"]).values()]
        assert sum(means) / len(means) == pytest.approx(printed, abs=6e-6)
    # 25 tasks a subset, in two orders: the printed means are whole numbers of right calls of 300.
    for printed in value["nested_150"]:
        assert printed * 300 == pytest.approx(round(printed * 300), abs=300 * 5e-6 + 1e-9)


@checks("operational")
def _operational(value, studies, _):
    for row in value:
        known = studies.tasks(row["calls"] // 2)
        cell = studies.cell("signal", known)
        winners = ["invalid"] * row["invalid"] + ["first"] * (row["calls"] - row["invalid"])
        audit = studies.run(studies.plan([cell], known), studies.trials(cell, winners))
        assert audit.configurations[0].state == row["state"]
        assert (audit.cells[0].estimate is None) == (row["state"] == "HOLD")


def _by_order(fixture):
    """The winners of each task in AB and BA that give a fixture's counts and its split of half scores."""
    ab_only, rows = fixture["ab_only"], []
    for no, half, yes in fixture["strata"]:
        rows += [("second", "second")] * no + [("first", "first")] * yes
        for _ in range(half):
            rows.append(("first", "second") if ab_only else ("second", "first"))
            ab_only -= ab_only > 0
    return rows


def _qwen25(studies, paper):
    """The contrasts of the published cells of Qwen2.5, task by task as the fixtures have them."""
    fixtures = {c: paper["utility_fixtures"][f"Qwen2.5-32B/{c}"] for c in ("neutral", "strict")}
    known = studies.tasks(102)
    cells = [studies.cell("signal", known, criterion=criterion) for criterion in fixtures]
    observed = []
    for cell, fixture in zip(cells, fixtures.values(), strict=True):
        observed += studies.trials(cell, [w for row in _by_order(fixture) for w in row])
    return studies.run(studies.plan(cells, known), observed)


@checks("order_effect")
def _order_effect(value, studies, paper):
    audit = _qwen25(studies, paper)
    for cell in audit.cells:
        printed = value[cell.criterion]
        assert cell.by_order == pytest.approx(printed, abs=5e-4)
    found = {(one.kind, one.criterion): one.difference for one in audit.contrasts if one.of == "utility"}
    assert found["criterion", None] == pytest.approx(value["criterion_effect"], abs=5e-4)
    assert found["interaction", None] == pytest.approx(value["criterion_by_order"], abs=5e-4)


@checks("criterion_effects_published")
def _criterion_effects(value, _, paper):
    """
    The effects are those of the published counts; per-task outcomes are not published.

    Both p-values are a Monte Carlo floor after Holm, which no data can be computed back from: what can be
    checked is that the floor of 99,999 redraws allows them, and that fixtures with the published bounds
    reject as strongly.
    """
    for judge, row in value.items():
        counts = paper["signal_decomposition"][judge]
        effect = counts["strict"]["mean"] - counts["neutral"]["mean"]
        assert effect == pytest.approx(row["effect"], abs=5e-4)
        assert row["mc_floor"]
        assert row["p_holm"] >= 2 / 100_000 - 1e-12
    fixtures = [paper["utility_fixtures"][f"Qwen2.5-32B/{c}"]["strata"] for c in ("strict", "neutral")]
    strict, neutral = ([v for values in scores(one).values() for v in values] for one in fixtures)
    assert randomization_p([a - b for a, b in zip(strict, neutral, strict=True)]) < 2e-5


@checks("context_audit")
def _context_audit(value, _, paper):
    fixtures = dict(zip(
        [("neutral", "equivalent"), ("neutral", "signal"), ("strict", "equivalent")],
        ["neutral_equivalent", "signal", "strict_equivalent"],
        strict=True,
    ))  # fmt: skip
    for row in value["rows"]:
        fixture = paper["context_fixtures"][fixtures[row["criterion"], row["arm"]]]
        found = _contexts(paper["context_fixtures"], fixture, absent=row["absent"])
        assert (found["tasks"], found["families"]) == (value["tasks"], value["families"])
        assert (found["absent"], found["present"]) == pytest.approx((row["absent"], row["present"]))
        assert found["difference"] == pytest.approx(row["diff"])
        assert list(found["interval"]) == pytest.approx(row["ci"])
        assert sum(d != 0 for family in fixture["differences"] for d in family) == row["adverse"]


def _contexts(value, fixture, *, absent):
    """The audit of a fixture whose tasks have this mean success without the third candidate."""
    size = value["tasks_per_family"]
    families = fixture["differences"] + [[0] * size] * (value["families"] - len(fixture["differences"]))
    flat = [(family, d) for family, row in enumerate(families) for d in row]
    # Gains need room below 1, and further misses in both contexts make up for the rest of the mean.
    starts = [1 - max(d, 0) for _, d in flat]
    missing = round((sum(starts) - absent * len(flat)) * 2)
    for index in [i for i, (_, d) in enumerate(flat) if d == 0][:missing]:
        starts[index] -= 0.5
    return context_audit([(f, start, start + d) for (f, d), start in zip(flat, starts, strict=True)])


@checks("context_fixtures")
def _context_fixtures(value, *_):
    for fixture in (one for one in value.values() if isinstance(one, dict)):
        start = 1 - max(0, *(d for family in fixture["differences"] for d in family)) / 2
        found = _contexts(value, fixture, absent=start if start == 1 else 0.9375)
        assert found["difference"] == pytest.approx(fixture["mean"])
        assert list(found["interval"]) == pytest.approx(fixture["ci"])


@checks("planning")
def _planning(value, *_):
    for row in value["single_cell"]:
        assert minimum_n(row["adverse"]) == row["min_n"]
    for row in value["holm_family_zero_adverse"]:
        assert minimum_n(0, m=row["cells"]) == row["min_n_zero_adverse"]


@checks("absence_power")
def _absence_power(value, *_):
    (seen, other), (none, n) = value["family_a"], value["family_b"]
    assert none == 0
    assert f"= {absence_chance(seen, n=n, other=other):.2f}" in value["note"]
    assert absence_n(seen, n=n, other=other) > n


@checks("risk_grid")
def _risk_grid(value, _, paper):
    cells = {
        f"{judge}/{criterion}": {
            "dark_current": 2 / 102 if (judge, criterion) == ("gpt-oss-120b", "neutral") else 0.0,
            "invalid_clone": 0.0,
            "wrong": row["wrong"] / 204,
            "tie": row["tie"] / 204,
            "invalid_signal": row["invalid"] / 204,
        }
        for judge, rows in paper["signal_decomposition"].items()
        for criterion, row in rows.items()
    }
    axes = ("pi_c", "lambda_c", "lambda_t", "lambda_i")
    found = {tuple(row[axis] for axis in axes): row for row in risk_grid(cells)}
    assert len(found) == len(value)
    for row in value:
        ours = found[tuple(float(row[axis]) for axis in axes)]
        assert ours["risk"] == pytest.approx(row["risk"], abs=1e-9)
        assert row["cheapest"] in ours["cheapest"]


ROUNDED = 0.02
"""Figures typed in rounded agree to this."""


@checks("floor")
def _floor(value, *_):
    for row in value["adjust"]:
        assert floor_adjusted(row["score"], row["floor"]) == pytest.approx(row["adjusted"], rel=1e-9)
    assert dict(DIMENSIONS) == value["rubric"]
    _rename(value)
    swings = value["interaction"]
    familiar, obscure = Pair(*value["corpus_gap"]), swings["obscure_swing"]
    other = Pair(familiar.high - swings["familiar_swing"], familiar.low - obscure)
    assert interaction(familiar, other) == pytest.approx(swings["published"], abs=ROUNDED)
    for printed in value["noise"].values():
        assert noise_range([-printed / 2, 0.1, -0.1, printed / 2]) == pytest.approx(printed)
    assert value["noise"]["total"] < rename_of(value).gap_before
    for dimension in value["spread"]["blind"]:
        # Both flags of a spread (RULES R26): above the noise floor, and above twice the sighted one.
        assert dimension > value["noise"]["accuracy"]
        assert dimension > 2 * max(value["spread"]["sighted"])
    lost = value["exclusions"]
    assert sum(lost["per_judge"]) == lost["excluded"] == 0.025 * lost["judgements"]
    printed = value["means_one_cell"]
    found = three_means(_lopsided(**printed))
    assert found.question_balanced == pytest.approx(printed["question_balanced"])
    assert found.judge_balanced == pytest.approx(printed["judge_balanced"])
    assert found.pooled == pytest.approx(printed["pooled"])


def rename_of(value):
    rename, before = value["rename"], Pair(*value["corpus_gap"])
    after = Pair(before.high + rename["effect_familiar"], 0)
    after = Pair(after.high, after.high - rename["gap_after"])
    return rename_figures(before, after)


def _rename(value):
    rename, found = value["rename"], rename_of(value)
    assert found.gap_before == pytest.approx(rename["premium_before"], abs=ROUNDED)
    assert found.differential == pytest.approx(rename["differential"], abs=ROUNDED)
    shares = {name: getattr(found, name) for name in ("premium_removed", "gap_closed")}
    assert shares == pytest.approx({name: rename[name] for name in shares}, abs=0.005)
    sighted = rename["conservative"]
    assert sighted["closed"] / sighted["before"] == pytest.approx(sighted["share"], abs=0.005)
    assert sighted["before"] - sighted["closed"] == pytest.approx(sighted["residual"], abs=ROUNDED)
    assert rename["gap_closed_adjusted"] == sighted["share"]


def _lopsided(*, question_balanced, pooled, judge_balanced):
    """
    Judgements of one cell with these three means: judge x scored both questions, y only the second.

    With scores a, b and c: (a + b + c)/3, (a + (b + c)/2)/2 and ((a + b)/2 + c)/2, solved for them.
    """
    c = 4 * judge_balanced - 3 * pooled
    a = 4 * question_balanced - 3 * pooled
    b = 3 * pooled - a - c
    return [Scored("1", "x", 1, a), Scored("2", "x", 1, b), Scored("2", "y", 1, c)]


@pytest.mark.parametrize("key", list(CHECKS))
def test_the_figures_are_those_of_the_file(paper, studies, key):
    CHECKS[key](paper[key], studies, paper)
