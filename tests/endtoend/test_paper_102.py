"""The 102-task studies of the dark-current paper (sections 5 and 7), from a log to the printed digit."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest


class Published(NamedTuple):
    """
    A cell as printed, and a fixture with its counts.

    ``counts`` are calls that are correct, tie, wrong and invalid. The outcomes of single tasks are not
    published: ``strata`` (tasks with score 0, ½ and 1 in each subset) and ``ab_only`` (how many of the
    halves are right in order AB) are one way to get the printed bound. ``lower`` is None where the text
    that we have leaves the column out.
    """

    strata: list[tuple[int, int, int]]
    ab_only: int
    counts: tuple[int, int, int, int]
    mean: str
    lower: str | None
    upper: str
    holm: str
    gates: tuple[str, str]
    label: str


FRESH = {
    ("Qwen2.5-32B", "neutral"): Published(
        [(1, 4, 12), (1, 8, 8), (1, 6, 10), (1, 5, 11), (0, 3, 14), (0, 2, 15)],
        19,
        (168, 1, 35, 0),
        ".824",
        ".779",
        ".0289",
        ".0214",
        ("PASS", "PASS"),
        "both gates pass",
    ),
    ("Qwen2.5-32B", "strict"): Published(
        [(1, 7, 9), (2, 10, 5), (2, 10, 5), (2, 11, 4), (2, 10, 5), (3, 12, 2)],
        17,
        (120, 67, 16, 1),
        ".588",
        ".539",
        ".0289",
        ".0214",
        ("PASS", "MISS"),
        "clone gate only",
    ),
    ("Qwen3.6", "neutral"): Published(
        [(0, 2, 15), (1, 4, 12), (0, 4, 13), (1, 4, 12), (0, 4, 13), (0, 4, 13)],
        9,
        (178, 3, 23, 0),
        ".873",
        ".833",
        ".0289",
        ".0214",
        ("PASS", "PASS"),
        "both gates pass",
    ),
    ("Qwen3.6", "strict"): Published(
        [(1, 2, 14), (1, 5, 11), (1, 5, 11), (2, 7, 8), (2, 4, 11), (1, 3, 13)],
        14,
        (162, 14, 28, 0),
        ".794",
        ".745",
        ".0289",
        ".0214",
        ("PASS", "MISS"),
        "clone gate only",
    ),
}
REEVALUATION = {
    ("Qwen3.8", "neutral"): Published(
        [(0, 1, 16), (0, 1, 16), (0, 1, 16), (1, 2, 14), (1, 2, 14), (3, 2, 12)],
        5,
        (185, 1, 18, 0),
        ".907",
        None,
        ".0289",
        ".0214",
        ("PASS", "PASS"),
        "both gates pass",
    ),
    ("Qwen3.8", "strict"): Published(
        [(0, 2, 15), (0, 2, 15), (0, 2, 15), (2, 1, 14), (2, 1, 14), (2, 1, 14)],
        5,
        (183, 2, 19, 0),
        ".897",
        None,
        ".0289",
        ".0214",
        ("PASS", "PASS"),
        "both gates pass",
    ),
    ("gpt-oss-120b", "neutral"): Published(
        [(2, 5, 10), (1, 2, 14), (0, 3, 14), (0, 0, 17), (0, 2, 15), (1, 2, 14)],
        7,
        (182, 12, 10, 0),
        ".892",
        ".8529",
        ".0604",
        ".1103",
        ("MISS", "PASS"),
        "utility gate only",
    ),
    ("gpt-oss-120b", "strict"): Published(
        [(1, 2, 14), (1, 2, 14), (1, 2, 14), (1, 2, 14), (1, 4, 12), (1, 3, 13)],
        8,
        (177, 15, 12, 0),
        ".868",
        None,
        ".0289",
        ".0214",
        ("PASS", "PASS"),
        "both gates pass",
    ),
}
STUDIES = {"fresh": FRESH, "re-evaluation": REEVALUATION}
CELLS = [(study, *cell) for study, cells in STUDIES.items() for cell in cells]
SEVENTEEN = dict.fromkeys(("Factuality", "Focus", "Math", "PreciseIF", "Safety", "Ties"), 17)

# Section 7: both non-ties of the neutral gpt-oss are verdicts for A, in Precise IF.
NON_TIES = {("gpt-oss-120b", "neutral"): ("t052", "t060")}

each_cell = pytest.mark.parametrize(("study", "judge", "criterion"), CELLS)


@pytest.fixture(scope="module")
def run(audited, logs):
    """Both studies, each in a project of its own: 612 calls a judge; a run by the study's name."""

    def study(name: str, reading: Any) -> Any:
        pairs, rows = logs.pair_rows(SEVENTEEN), []
        for (judge, criterion), cell in STUDIES[name].items():
            who = {"judge": judge, "criterion": criterion, "served": judge}
            _, ties, _, invalid = cell.counts
            found = logs.outcomes(cell.strata, ab_only=cell.ab_only, ties=ties, invalid=invalid)
            rows += logs.clone_log(pairs, adverse=NON_TIES.get((judge, criterion), ()), **who)
            rows += logs.signal_log(pairs, found, **who)
        judges = dict.fromkeys(judge for judge, _ in STUDIES[name])
        return audited(name, pairs, rows, *(logs.judge(judge, reading=reading) for judge in judges))

    # The re-evaluation is read from the texts, by the strict parser.
    done = {"fresh": study("fresh", logs.BY_CONTENT), "re-evaluation": study("re-evaluation", logs.AS_TEXT)}
    return done.__getitem__


@each_cell
def test_the_verdicts_are_those_of_table_6(run, study, judge, criterion, oracles):
    cell, published = (
        run(study).cell(judge=judge, criterion=criterion, arm="signal"),
        STUDIES[study][judge, criterion],
    )
    correct, tie, wrong, invalid = published.counts
    assert cell["counts"] == {
        "correct": correct,
        "tie": tie,
        "wrong": wrong,
        "invalid": invalid,
        "adverse": 204 - correct,
    }
    assert (cell["tasks"], cell["calls"]) == (102, 204)
    assert oracles.printed(cell["estimate"], published.mean)


@each_cell
def test_the_clone_gate_is_the_published_one(run, study, judge, criterion, oracles):
    found, published = run(study), STUDIES[study][judge, criterion]
    cell = found.cell(judge=judge, criterion=criterion, arm="clone")
    gate = found.gate("clone_gate", judge=judge, criterion=criterion)
    adverse = len(NON_TIES.get((judge, criterion), ()))
    assert (cell["tasks"], cell["calls"], cell["counts"]["adverse"]) == (102, 102, adverse)
    assert oracles.printed(cell["upper"], published.upper)
    assert oracles.printed(cell["p_holm"], published.holm)
    assert (gate["state"], gate["family"]["m"]) == (published.gates[0], 4)
    assert (gate["bound"], gate["p_holm"]) == (cell["upper"], cell["p_holm"])


@pytest.mark.parametrize("study", STUDIES)
def test_clone_bounds_and_p_values_agree_with_scipy_and_statsmodels(run, study, oracles):
    cells = [
        run(study).cell(judge=judge, criterion=criterion, arm="clone")
        for judge, criterion in STUDIES[study]
    ]
    adverse = [cell["counts"]["adverse"] for cell in cells]
    raw = [oracles.tail(k, 102) for k in adverse]
    assert [cell["upper"] for cell in cells] == pytest.approx([oracles.upper(k, 102) for k in adverse])
    assert [cell["p_raw"] for cell in cells] == pytest.approx(raw, rel=1e-9)
    assert [cell["p_holm"] for cell in cells] == pytest.approx(oracles.holm(raw), rel=1e-9)


def test_no_adverse_copy_of_102_has_the_published_raw_p(run, oracles):
    cell = run("fresh").cell(judge="Qwen3.6", criterion="strict", arm="clone")
    assert oracles.printed(cell["p_raw"], ".00534")


@each_cell
def test_the_utility_gate_is_the_published_one(run, study, judge, criterion, oracles):
    found, published = run(study), STUDIES[study][judge, criterion]
    cell = found.cell(judge=judge, criterion=criterion, arm="signal")
    gate = found.gate("utility_gate", judge=judge, criterion=criterion)
    assert published.lower is None or oracles.printed(cell["lower"], published.lower)
    assert gate["state"] == published.gates[1]
    assert gate["bound"] == min(cell["lower"], cell["lower_checked"])


@pytest.mark.parametrize(
    ("study", "judge", "criterion", "checked"),
    [
        ("fresh", "Qwen2.5-32B", "neutral", ".77301"),
        ("fresh", "Qwen2.5-32B", "strict", ".52842"),
        ("fresh", "Qwen3.6", "neutral", ".82594"),
        ("fresh", "Qwen3.6", "strict", ".73535"),
        ("re-evaluation", "gpt-oss-120b", "neutral", ".8442"),
    ],
)
def test_the_checked_bound_is_that_of_the_fixture(run, study, judge, criterion, checked, oracles):
    cell = run(study).cell(judge=judge, criterion=criterion, arm="signal")
    assert oracles.printed(cell["lower_checked"], checked)


@each_cell
def test_utility_bounds_agree_with_a_plain_convolution_and_scipy(run, study, judge, criterion, oracles):
    cell = run(study).cell(judge=judge, criterion=criterion, arm="signal")
    strata = oracles.scores(STUDIES[study][judge, criterion].strata, list(SEVENTEEN))
    assert cell["lower"] == pytest.approx(oracles.bootstrap_lower(strata), abs=1e-12)
    assert cell["lower_checked"] == pytest.approx(oracles.checked_lower(strata), abs=1e-9)


@each_cell
def test_matched_copies_and_signal_pairs_carry_the_published_joint_label(run, study, judge, criterion):
    assert run(study).label(judge=judge, criterion=criterion) == STUDIES[study][judge, criterion].label


@pytest.mark.parametrize("study", STUDIES)
def test_a_missed_gate_fails_the_run(run, study):
    assert (run(study).code, run(study).report["state"]) == (1, "miss")


@pytest.mark.parametrize(
    ("judge", "invalid"), [("Qwen2.5-32B", 1), ("Qwen3.6", 0), ("Qwen3.8", 0), ("gpt-oss-120b", 0)]
)
def test_every_configuration_made_612_calls_and_passes_the_operational_gate(run, judge, invalid):
    study = "fresh" if judge in {"Qwen2.5-32B", "Qwen3.6"} else "re-evaluation"
    found = run(study).configuration(judge)
    assert (found["calls"], found["invalid"], found["state"]) == (612, invalid, "OK")
    assert (found["served"], found["served_as_requested"]) == ({judge: 612}, True)


@pytest.mark.parametrize(
    ("criterion", "ab", "ba"), [("neutral", ".873", ".775"), ("strict", ".461", ".716")]
)
def test_success_by_order_is_as_published(run, criterion, ab, ba, oracles):
    found = run("fresh").cell(judge="Qwen2.5-32B", criterion=criterion, arm="signal")["by_order"]
    assert found.keys() == {"AB", "BA"}
    assert oracles.printed(found["AB"], ab)
    assert oracles.printed(found["BA"], ba)


@pytest.mark.parametrize(
    ("study", "judge", "effect"),
    [
        ("fresh", "Qwen2.5-32B", "-.235"),
        ("fresh", "Qwen3.6", "-.078"),
        ("re-evaluation", "gpt-oss-120b", "-.0245"),
        ("re-evaluation", "Qwen3.8", "-.0098"),
    ],
)
def test_strict_less_neutral_is_the_published_difference(run, study, judge, effect, oracles):
    neutral, strict = (
        run(study).cell(judge=judge, criterion=criterion, arm="signal")
        for criterion in ("neutral", "strict")
    )
    assert oracles.printed(strict["estimate"] - neutral["estimate"], effect)


@pytest.mark.parametrize(("judge", "interaction"), [("Qwen2.5-32B", ".353"), ("Qwen3.6", "-.059")])
def test_the_criterion_by_order_difference_is_the_published_one(run, judge, interaction, oracles):
    neutral, strict = (
        run("fresh").cell(judge=judge, criterion=criterion, arm="signal")["by_order"]
        for criterion in ("neutral", "strict")
    )
    effect = {order: strict[order] - neutral[order] for order in ("AB", "BA")}
    assert oracles.printed(effect["BA"] - effect["AB"], interaction)


def test_both_non_ties_of_gpt_oss_are_in_precise_if(run):
    cell = run("re-evaluation").cell(judge="gpt-oss-120b", criterion="neutral", arm="clone")
    shares = {subset["name"]: subset["estimate"] for subset in cell["subsets"]}
    assert shares == {**dict.fromkeys(SEVENTEEN, 0.0), "PreciseIF": pytest.approx(2 / 17)}


def test_two_adverse_copies_are_no_evidence_of_a_rate_above_the_limit(run):
    gate = run("re-evaluation").gate("clone_gate", judge="gpt-oss-120b", criterion="neutral")
    assert "not supported by this evidence" in gate["statement"]
    assert "that is not evidence that the rate exceeds" in gate["statement"]


@each_cell
def test_the_share_of_non_ties_is_that_of_its_patterns(run, study, judge, criterion):
    cell = run(study).cell(judge=judge, criterion=criterion, arm="signal")
    pairs = [tuple(task.values()) for task in run(study).verdicts(cell).values()]
    valid, kinds = [pair for pair in pairs if "invalid" not in pair], cell["patterns"]
    assert (len(pairs), sum(kinds.values()), len(pairs) - len(valid)) == (102, 102, kinds["invalid"])
    non_ties = sum(winner != "tie" for pair in valid for winner in pair)
    assert non_ties == 2 * (kinds["stable"] + kinds["position"]) + kinds["one_sided"]
