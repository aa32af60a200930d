"""The 485-row extension of the dark-current paper (section 8, table 7), from a log to the printed digit."""

from __future__ import annotations

import pytest

SIZES = {"Factuality": 159, "Focus": 83, "Math": 41, "PreciseIF": 77, "Safety": 100, "Ties": 25}

# Tasks with score 0, ½ and 1 in each subset: the outcomes of single tasks are not published; these counts
# give the printed means, bounds, macro means and, for the strict criterion, that of Precise IF.
STRATA = {
    "neutral": [(7, 15, 137), (0, 0, 83), (3, 4, 34), (13, 28, 36), (10, 21, 69), (0, 0, 25)],
    "strict": [(19, 32, 108), (3, 5, 75), (2, 4, 35), (35, 26, 16), (3, 4, 93), (1, 0, 24)],
}
JUDGE = "Qwen3.5-35B-A3B"

each_criterion = pytest.mark.parametrize("criterion", STRATA)


@pytest.fixture(scope="module")
def run(audited, logs):
    """485 rows in six uneven subsets, both criteria, from a log that names slots."""
    pairs, rows = logs.pair_rows(SIZES), []
    for criterion, strata in STRATA.items():
        who = {"judge": JUDGE, "criterion": criterion, "served": JUDGE}
        rows += logs.clone_log(pairs, **who)
        rows += logs.signal_log(pairs, logs.outcomes(strata, ab_only=20), **who)
    return audited("extension", pairs, rows, logs.judge(JUDGE, reading=logs.BY_SLOT))


def test_the_configuration_made_2910_calls_and_all_are_valid(run):
    found = run.configuration(JUDGE)
    assert (found["calls"], found["invalid"], found["state"]) == (2910, 0, "OK")


@each_criterion
def test_clone_bounds_and_p_values_are_the_published_ones(run, criterion, oracles):
    cell = run.cell(criterion=criterion, arm="clone")
    assert (cell["counts"]["adverse"], cell["tasks"]) == (0, 485)
    assert oracles.printed(cell["upper"], ".00616")
    assert f"{cell['p_raw']:.4e}" == "1.5702e-11"
    assert f"{cell['p_holm']:.4e}" == "3.1404e-11"
    assert cell["upper"] == pytest.approx(oracles.upper(0, 485), rel=1e-9)
    assert cell["p_raw"] == pytest.approx(oracles.tail(0, 485), rel=1e-9)


@pytest.mark.parametrize(
    ("criterion", "aligned", "mean", "lower", "macro"),
    [("neutral", 836, ".86186", ".84124", ".87187"), ("strict", 773, ".79691", ".77423", ".81711")],
)
def test_aligned_calls_means_and_lower_bounds_are_the_published_ones(
    run, criterion, aligned, mean, lower, macro, oracles
):
    cell = run.cell(criterion=criterion, arm="signal")
    assert (cell["counts"]["correct"], cell["calls"]) == (aligned, 970)
    assert oracles.printed(cell["estimate"], mean)
    assert oracles.printed(cell["lower"], lower)
    assert oracles.printed(cell["macro"], macro)


@pytest.mark.parametrize(("criterion", "checked"), [("neutral", ".84024"), ("strict", ".77351")])
def test_the_checked_bound_is_that_of_the_fixture(run, criterion, checked, oracles):
    cell = run.cell(criterion=criterion, arm="signal")
    assert oracles.printed(cell["lower_checked"], checked)


@each_criterion
def test_utility_bounds_agree_with_a_plain_convolution_and_scipy(run, criterion, oracles):
    cell = run.cell(criterion=criterion, arm="signal")
    strata = oracles.scores(STRATA[criterion], list(SIZES))
    assert cell["lower"] == pytest.approx(oracles.bootstrap_lower(strata), abs=1e-12)
    assert cell["lower_checked"] == pytest.approx(oracles.checked_lower(strata), abs=1e-9)


@each_criterion
def test_both_gates_pass_on_matched_tasks(run, criterion):
    assert run.label(judge=JUDGE, criterion=criterion) == "both gates pass"


def test_the_run_passes(run):
    assert (run.code, run.report["state"]) == (0, "pass")


@each_criterion
def test_the_subsets_have_the_published_sizes(run, criterion):
    subsets = run.cell(criterion=criterion, arm="signal")["subsets"]
    assert {subset["name"]: subset["tasks"] for subset in subsets} == SIZES


def test_strict_precise_if_is_weak_under_the_aggregate_pass(run, oracles):
    subsets = run.cell(criterion="strict", arm="signal")["subsets"]
    (weak,) = (subset for subset in subsets if subset["estimate"] < 0.5)
    assert (weak["name"], weak["aligned"], weak["calls"]) == ("PreciseIF", 58, 154)
    assert oracles.printed(weak["estimate"], ".377")


def test_the_weak_subset_is_flagged_in_report_and_terminal(run):
    findings = [finding for finding in run.report["findings"] if "PreciseIF" in str(finding)]
    assert len(findings) == 1
    assert "strict" in findings[0]["where"]
    assert "PreciseIF" in run.text
