"""
LLMBar: 281 labelled pairs, four judges × three prompts in both orders, against two published tables.

``reference_table.csv`` was recomputed from the authors' log by others, ``published_statistics.jsonl`` holds
the authors' own figures. Every count and rate of both is reproduced for all 36 rows, with these rules:

- A null is an invalid output here. It is never right, so ``correct_*`` need no rule of their own.
- The authors' ``equal`` is said to count null equal to null. No pair of this log is null in both orders,
  so no published cell shows it: in all 36 the figure is the number of consistent pairs under either rule.
- Six cells do follow another rule, ``NULL_IS_UNEQUAL``: the authors divide by all pairs, so that a pair
  with one null counts as unequal, where ``consistency`` divides by the pairs with two valid outputs.
- The authors' four ``kappa`` columns are known to be wrong and are left out.
"""

from __future__ import annotations

import csv
import gzip
import json
from collections import Counter

import pytest
from scipy import stats

TESTS = """
import pytest

@pytest.mark.signal_pairs("corpora/pairs.jsonl")
@pytest.mark.utility_gate(lower=0.75)
def test_better_output_wins(judge, pair):
    assert judge.compare(pair).winner == pair.target
"""

# Subset, judge and strategy of the cells in which one output, or two, are no verdict.
NULL_IS_UNEQUAL = {
    ("LLMBar/Adversarial/GPTOut", "ChatGPT", "CoT"),
    ("LLMBar/Adversarial/GPTOut", "LLaMA2", "Vanilla"),
    ("LLMBar/Adversarial/Neighbor", "ChatGPT", "CoT"),
    ("LLMBar/Adversarial/Neighbor", "Falcon", "CoT"),
    ("LLMBar/Adversarial/Neighbor", "LLaMA2", "CoT"),
    ("LLMBar/Natural", "ChatGPT", "CoT"),
}
COUNTS = (
    "n",
    "correct_False",
    "correct_True",
    "correct_both",
    "equal_published_rule",
    "both_parsed",
    "consistent",
    "flip_first",
    "flip_second",
    "null",
    "both_null",
)
RATES = (
    "consistency",
    "cons_cp_lo",
    "cons_cp_hi",
    "both_correct_cp_lo",
    "both_correct_cp_hi",
    "mcnemar_position_p",
)

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(shared):
    return shared / "data" / "llmbar"


@pytest.fixture(scope="module")
def pairs(folder):
    """The labelled pairs as they are published, by the id that subset and item make."""
    rows = map(json.loads, (folder / "pairs.jsonl").read_text(encoding="utf-8").splitlines())
    return {f"{row['subset']}/{row['item']}": row for row in rows}


@pytest.fixture(scope="module")
def table(folder):
    """The reference table's rows by subset, judge and strategy."""
    with (folder / "reference_table.csv").open(encoding="utf-8", newline="") as file:
        return {(row["subset"], row["judge"], row["strategy"]): row for row in csv.DictReader(file)}


@pytest.fixture(scope="module")
def published(folder):
    """The authors' figures by subset, judge and strategy."""
    text = (folder / "published_statistics.jsonl").read_text(encoding="utf-8")
    return {
        (row["subset"], row["judge"], row["strategy"]): row for row in map(json.loads, text.splitlines())
    }


@pytest.fixture(scope="module")
def configurations(folder):
    """Judge and strategy of everything in the log, in the order in which they first occur."""
    with gzip.open(folder / "verdicts.jsonl.gz", "rt", encoding="utf-8") as file:
        return tuple(dict.fromkeys((row["judge"], row["strategy"]) for row in map(json.loads, file)))


def recorded(judge, strategy):
    return {
        "name": f"{judge}.{strategy}",
        "family": judge,
        "api": "recorded",
        "path": "verdicts.jsonl.gz",
        "where": {"judge": judge, "strategy": strategy, "final": True},
        "fields": {"id": "{subset}/{item}", "order": "swap", "verdict": "winner"},
        "orders": {"AB": False, "BA": True},
        "verdicts": {"first": "1", "second": "2", "tie": "tie"},
    }


@pytest.fixture(scope="module")
def run(once, folder, configurations):
    """All twelve as recorded judges over all pairs: 6,744 trials, no call."""

    def build(project):
        project.write("corpora/pairs.jsonl", (folder / "pairs.jsonl").read_text(encoding="utf-8"))
        (project.root / "verdicts.jsonl.gz").write_bytes((folder / "verdicts.jsonl.gz").read_bytes())
        project.write("evals/test_llmbar.py", TESTS)
        project.judges(*(recorded(*configuration) for configuration in configurations))
        return project.audit()

    return once("llmbar", build)


@pytest.fixture(scope="module")
def found(run, pairs, configurations):
    """The counts of the reference table, from the report's trials."""
    return {
        (subset, *configuration): counts
        for configuration in configurations
        for subset, counts in tallied(run.verdicts(cell_of(run, *configuration)), pairs).items()
    }


def cell_of(run, judge, strategy):
    return run.cell(judge=f"{judge}.{strategy}", arm="signal")


def tallied(verdicts, pairs):
    """Counts by subset; with a verdict that changes with the order, slot A is the first one's in AB."""
    found = {}
    for task, shown in verdicts.items():
        target = ("first", "second")[pairs[task]["label"] - 1]
        ab, ba = shown["AB"], shown["BA"]
        null = [winner == "invalid" for winner in (ab, ba)]
        right = [winner == target for winner in (ab, ba)]
        counts = found.setdefault(pairs[task]["subset"], Counter(dict.fromkeys(COUNTS, 0)))
        counts.update(n=1, correct_False=right[0], correct_True=right[1], correct_both=all(right))
        counts.update(null=sum(null), both_null=all(null), both_parsed=not any(null))
        counts.update(equal_published_rule=ab == ba, consistent=ab == ba and not any(null))
        flips = (("flip_first", ("first", "second")), ("flip_second", ("second", "first")))
        counts.update({name: (ab, ba) == flip for name, flip in flips})
    return found


def interval(k, n):
    """The two-sided 95 % Clopper–Pearson interval, by scipy."""
    found = stats.binomtest(k, n).proportion_ci(0.95, method="exact")
    return found.low, found.high


def rates(counts):
    """The rates of the reference table, from counts."""
    flips = counts["flip_first"], counts["flip_second"]
    consistent = interval(counts["consistent"], counts["both_parsed"])
    both = interval(counts["correct_both"], counts["n"])
    p = stats.binomtest(min(flips), sum(flips)).pvalue if any(flips) else 1.0
    consistency = counts["consistent"] / counts["both_parsed"]
    return dict(zip(RATES, (consistency, *consistent, *both, p), strict=True))


def test_all_judges_and_strategies_of_the_log_are_audited(configurations, table, published):
    assert len(configurations) == 12
    assert {judge for judge, _ in configurations} == {"GPT-4", "ChatGPT", "LLaMA2", "Falcon"}
    assert len(table) == 36
    assert table.keys() == published.keys()
    assert {key[1:] for key in table} == set(configurations)


def test_every_pair_is_judged_in_both_orders_by_everyone(run, pairs, configurations):
    assert len(run.report["trials"]) == 6744
    for configuration in configurations:
        cell = cell_of(run, *configuration)
        assert (cell["tasks"], cell["calls"], cell["state"]) == (281, 562, "OK")
        assert run.verdicts(cell).keys() == pairs.keys()


def test_no_row_of_the_log_is_left_over(run):
    assert "stray-rows" not in {finding["code"] for finding in run.report["findings"]}


def test_every_count_of_the_reference_table_is_reproduced(found, table):
    assert found == {key: {name: int(row[name]) for name in COUNTS} for key, row in table.items()}


def test_every_rate_of_the_reference_table_is_reproduced(found, table):
    assert {key: rates(counts) for key, counts in found.items()} == {
        key: {name: pytest.approx(float(row[name]), rel=1e-9, abs=1e-12) for name in RATES}
        for key, row in table.items()
    }


@pytest.mark.parametrize("name", ["correct_False", "correct_True", "correct_both"])
def test_the_authors_counts_and_percentages_are_reproduced(found, published, name):
    for key, row in published.items():
        assert row[name] == f"{found[key][name]} / {found[key]['n']} = {percentage(found[key], name)}%"


def percentage(counts, name):
    """A percentage with all digits, as the authors' Python printed it."""
    return counts[name] / counts["n"] * 100


def test_the_authors_averages_over_orders_are_the_utility_of_the_subset(run, published):
    for (subset, *configuration), row in published.items():
        estimates = {entry["name"]: entry["estimate"] for entry in cell_of(run, *configuration)["subsets"]}
        assert estimates[subset] * 100 == pytest.approx(
            float(row["correct_average"].rstrip("%")), rel=1e-12
        )


def test_the_authors_equal_is_consistency_over_all_pairs(found, published):
    for key, row in published.items():
        counts = found[key]
        assert (
            row["equal"] == f"{counts['consistent']} / {counts['n']} = {percentage(counts, 'consistent')}%"
        )


def test_no_published_cell_shows_null_equal_to_null(found):
    both_null = {key for key, counts in found.items() if counts["both_null"]}
    moved = {key for key, counts in found.items() if counts["equal_published_rule"] != counts["consistent"]}
    assert (both_null, moved) == (set(), set())


def test_six_published_cells_count_a_pair_with_a_null_as_unequal(found, published):
    other = {
        key
        for key, counts in found.items()
        if percentage(counts, "consistent") != counts["consistent"] / counts["both_parsed"] * 100
    }
    assert other == NULL_IS_UNEQUAL == {key for key, counts in found.items() if counts["null"]}
    assert sum(found[key]["null"] for key in other) == 7


def test_the_reports_own_counts_are_the_sums_of_the_table(run, table, configurations):
    for judge, strategy in configurations:
        cell = cell_of(run, judge, strategy)
        sums = {
            name: sum(int(row[name]) for key, row in table.items() if key[1:] == (judge, strategy))
            for name in COUNTS
        }
        correct = sums["correct_False"] + sums["correct_True"]
        assert cell["counts"] == {
            "correct": correct,
            "tie": 0,
            "wrong": 562 - correct - sums["null"],
            "invalid": sums["null"],
            "adverse": 562 - correct,
        }
        assert cell["by_order"] == {"AB": sums["correct_False"] / 281, "BA": sums["correct_True"] / 281}
        assert cell["patterns"] == {
            "tie": 0,
            "stable": sums["consistent"],
            "position": sums["flip_first"] + sums["flip_second"],
            "one_sided": 0,
            "invalid": 281 - sums["both_parsed"],
        }


def test_the_reports_subsets_are_those_of_the_table(run, table):
    for (subset, *configuration), row in table.items():
        entries = {entry["name"]: entry for entry in cell_of(run, *configuration)["subsets"]}
        aligned, tasks = int(row["correct_False"]) + int(row["correct_True"]), int(row["n"])
        assert entries[subset] == {
            "name": subset,
            "tasks": tasks,
            "calls": 2 * tasks,
            "aligned": aligned,
            "estimate": pytest.approx(aligned / (2 * tasks)),
        }


@pytest.fixture(scope="module")
def strata(run, pairs, configurations):
    """Task scores by subset, for each configuration."""
    found = {}
    for configuration in configurations:
        scores = found[configuration] = {}
        for task, shown in run.verdicts(cell_of(run, *configuration)).items():
            target = ("first", "second")[pairs[task]["label"] - 1]
            score = sum(winner == target for winner in shown.values()) / 2
            scores.setdefault(pairs[task]["subset"], []).append(score)
    return found


def test_bounds_agree_with_a_plain_convolution_and_scipy(run, strata, oracles):
    for configuration, scores in strata.items():
        cell = cell_of(run, *configuration)
        assert cell["lower"] == pytest.approx(oracles.bootstrap_lower(scores), abs=1e-12)
        assert cell["lower_checked"] == pytest.approx(oracles.checked_lower(scores), abs=1e-9)


def test_the_gates_that_pass_are_those_of_which_both_bounds_reach_three_quarters(run, strata, oracles):
    reached = {
        ".".join(configuration)
        for configuration, scores in strata.items()
        if min(oracles.bootstrap_lower(scores), oracles.checked_lower(scores)) >= 0.75
    }
    assert {gate["judge"] for gate in run.report["gates"] if gate["state"] == "PASS"} == reached
    assert 0 < len(reached) < len(strata)
    assert run.code == 1


def test_at_most_three_of_562_outputs_are_invalid_so_that_nobody_is_held(run, configurations):
    found = {judge["judge"]: judge["invalid"] for judge in run.report["configurations"]}
    assert {name: count for name, count in found.items() if count} == {
        "ChatGPT.CoT": 3,
        "Falcon.CoT": 2,
        "LLaMA2.CoT": 1,
        "LLaMA2.Vanilla": 1,
    }
    assert {judge["state"] for judge in run.report["configurations"]} == {"OK"}
    assert {judge["identity"] for judge in run.report["configurations"]} == {"undeclared log"}
