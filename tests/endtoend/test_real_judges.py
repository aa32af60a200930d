"""
Logs of real judges through their whole protocol: orders, decomposition, contrasts, comparison of two.

LLMBar with the prompt strategies as criteria of one judge; MT-Bench, which has no labels, as pairs that
nobody validated; and LLMBar of another study, whose log holds transport errors where answers should be.
"""

from __future__ import annotations

import csv
import gzip
import json
from collections import Counter, defaultdict

import pytest
from scipy import stats

from pytest_judgeaudit.stats import order_patterns

JUDGES = ("GPT-4", "ChatGPT", "LLaMA2", "Falcon")
STRATEGIES = ("Vanilla", "CoT", "Vanilla_NoRules")
SIGNAL = """
import pytest

@pytest.mark.signal_pairs("corpora/pairs.jsonl")
def test_better_output_wins(judge, pair):
    assert judge.compare(pair).winner == pair.target
"""
EQUAL = """
import pytest

@pytest.mark.equivalent_pairs("corpora/pairs.jsonl")
def test_equal(judge, pair):
    assert judge.compare(pair).tie
"""

pytestmark = pytest.mark.slow


def strategies(project):
    """Add the prompt strategies as criteria, the first of them the one that others are compared with."""
    settings = project.root / "judgeaudit.toml"
    tables = "".join(f'[[criterion]]\nname = "{name}"\ntext = "{name}"\n' for name in STRATEGIES)
    settings.write_text(settings.read_text("utf-8") + tables, encoding="utf-8")


def llmbar_judge(name, judge, **changes):
    return {
        "name": name,
        "family": "any",
        "api": "recorded",
        "path": "verdicts.jsonl.gz",
        "criteria": list(STRATEGIES),
        "where": {"judge": judge, "final": True},
        "fields": {
            "id": "{subset}/{item}",
            "order": "swap",
            "verdict": "winner",
            "criterion": "strategy",
        },
        "orders": {"AB": False, "BA": True},
        "verdicts": {"first": "1", "second": "2", "tie": "tie"},
        **changes,
    }


@pytest.fixture(scope="module")
def llmbar(shared):
    return shared / "data" / "llmbar"


@pytest.fixture(scope="module")
def table(llmbar):
    """The reference counts of each judge and strategy, summed over the subsets."""
    sums = defaultdict(Counter)
    with (llmbar / "reference_table.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            sums[row["judge"], row["strategy"]].update(
                {name: int(row[name]) for name in ("n", "correct_False", "correct_True", "both_parsed")}
            )
    return sums


@pytest.fixture(scope="module")
def filled(llmbar):
    def fill(project):
        project.write("corpora/pairs.jsonl", (llmbar / "pairs.jsonl").read_text(encoding="utf-8"))
        (project.root / "verdicts.jsonl.gz").write_bytes((llmbar / "verdicts.jsonl.gz").read_bytes())
        project.write("evals/test_llmbar.py", SIGNAL)

    return fill


@pytest.fixture(scope="module")
def run(once, filled):
    """Each of the four judges with its three prompts as criteria: 6,744 trials."""

    def build(project):
        filled(project)
        project.judges(*(llmbar_judge(name, name) for name in JUDGES))
        strategies(project)
        return project.audit()

    return once("llmbar-strategies", build)


def contrast(run, **wanted):
    (found,) = (
        one for one in run.report["contrasts"] if all(one[key] == value for key, value in wanted.items())
    )
    return found


@pytest.mark.parametrize("judge", JUDGES)
def test_prompt_strategies_are_contrasted_with_the_counts_of_the_table(run, table, judge):
    def right(strategy, *orders):
        return sum(table[judge, strategy][f"correct_{order}"] for order in orders) / 281

    for other in STRATEGIES[1:]:
        wanted = {"judge": judge, "of": "utility", "minuend": other}
        found = contrast(run, kind="criterion", **wanted)
        expected = right(other, False, True) / 2 - right("Vanilla", False, True) / 2
        assert found["subtrahend"] == "Vanilla"
        assert found["difference"] == pytest.approx(expected, abs=1e-12)
        swing = contrast(
            run, judge=judge, of="utility", kind="interaction", minuend=f"({other} − Vanilla) BA"
        )
        late, early = (right(other, o) - right("Vanilla", o) for o in (True, False))
        assert swing["difference"] == pytest.approx(late - early, abs=1e-12)
    for strategy in STRATEGIES:
        found = contrast(run, judge=judge, of="utility", kind="order", criterion=strategy)
        expected = right(strategy, True) - right(strategy, False)
        assert found["difference"] == pytest.approx(expected, abs=1e-12)


def test_a_log_has_differences_alone(run):
    assert {one["p"] for one in run.report["contrasts"]} == {None}
    assert {one["reason"] for one in run.report["contrasts"]} == {"schedule not randomized"}


def test_orders_decompose_each_pair_once(run):
    for cell in run.report["cells"]:
        assert sum(cell["patterns"].values()) == 281


@pytest.fixture(scope="module")
def compared(once, filled):
    """ChatGPT's log as the baseline of GPT-4's, under one name."""

    def build(project):
        filled(project)
        project.judges(llmbar_judge("mine", "ChatGPT", criteria=["Vanilla"]))
        strategies(project)
        project.audit()
        (project.root / "report.json").rename(project.root / "before.json")
        project.judges(llmbar_judge("mine", "GPT-4", criteria=["Vanilla"]))
        strategies(project)
        return project.audit("--judge-baseline=before.json")

    return once("llmbar-baseline", build)


def test_two_judges_are_compared_task_by_task(compared, run, table):
    found = contrast(compared, kind="baseline")
    both = [table[judge, "Vanilla"] for judge in ("GPT-4", "ChatGPT")]
    now, before = ((one["correct_False"] + one["correct_True"]) / 562 for one in both)
    assert found["difference"] == pytest.approx(now - before, abs=1e-12)
    scores = [right_by_task(run, judge) for judge in ("GPT-4", "ChatGPT")]
    differences = {task: scores[0][task] - scores[1][task] for task in scores[0]}
    moved = {task for task, difference in differences.items() if difference}
    assert {flip["task"] for flip in found["flipped"]} == moved
    # Half scores: all sign flips of the differences, here by a plain convolution in half units.
    halves = [round(2 * difference) for difference in differences.values() if difference]
    assert found["p"] == pytest.approx(sign_flips(halves), rel=1e-9)


def right_by_task(run, judge):
    cell = next(c for c in run.report["cells"] if (c["judge"], c["criterion"]) == (judge, "Vanilla"))
    outcomes = defaultdict(list)
    for trial in run.report["trials"]:
        if trial["cell"] == cell["id"]:
            outcomes[trial["task"]].append(trial["outcome"] == "success")
    return {task: sum(found) / len(found) for task, found in outcomes.items()}


def sign_flips(units):
    """P(|sum of ± units| ≥ the observed), as the sum of two binomials' products."""
    sizes = Counter(map(abs, units))
    observed = abs(sum(units))
    ones, twos = sizes[1], sizes[2]
    total = 0.0
    for a in range(ones + 1):
        for b in range(twos + 1):
            if abs(2 * a - ones + 2 * (2 * b - twos)) >= observed:
                total += stats.binom.pmf(a, ones, 0.5) * stats.binom.pmf(b, twos, 0.5)
    return total


@pytest.fixture(scope="module")
def bench(shared):
    """Rows of MT-Bench by run and judge: each pair in both orders, its models in alphabetical order."""
    path = shared / "data" / "position_bias" / "repetition_verdicts.jsonl.gz"
    found = defaultdict(list)
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for row in map(json.loads, file):
            first, second = sorted((row["A"], row["B"]))
            name = f"rep{row['rep']}|{row['judge']}"
            found[name].append(
                {
                    "id": f"{row['q']} {first} {second}",
                    "judge": name,
                    "order": "AB" if row["A"] == first else "BA",
                    "raw": row["raw"],
                }
            )
    return found


def bench_judge(name, log):
    return {
        "name": name,
        "family": "any",
        "api": "recorded",
        "path": "log.jsonl",
        "parser": "lenient",
        "verdict": "[[A]]|[[B]]|[[C]]",
        "where": {"judge": log},
        "fields": {"id": "id", "order": "order", "raw": "raw"},
        "orders": {"AB": "AB", "BA": "BA"},
    }


def bench_project(project, bench, judges):
    rows = [row for found in bench.values() for row in found]
    names = sorted({row["id"] for row in rows})
    pairs = (
        {"id": name, "prompt": name, "first": "one", "second": "two", "equivalent": "unvalidated"}
        for name in names
    )
    project.jsonl("corpora/pairs.jsonl", ({**pair, "target": "tie"} for pair in pairs))
    project.jsonl("log.jsonl", rows)
    project.write("evals/test_bench.py", EQUAL)
    project.judges(*judges)


@pytest.fixture(scope="module")
def repeated(once, bench):
    """All four judges in both of their runs over 96 pairs: 1,536 verdicts, without a label."""

    def build(project):
        bench_project(project, bench, [bench_judge(name.replace("|", "."), name) for name in bench])
        return project.audit()

    return once("mt-bench", build)


def test_mt_bench_has_the_patterns_of_the_reference(repeated, bench, shared):
    text = (shared / "data" / "reference_dev.json").read_text(encoding="utf-8")
    reference = json.loads(text)["position_bias"]
    assert len(repeated.report["trials"]) == 1536
    for name in bench:
        expected = reference[f"MTBench|{name}"]
        judge = name.replace("|", ".")
        configuration = repeated.configuration(judge)
        unread = 192 - expected["extracted"]
        # A text that names two verdicts in one line is none for us; the reference takes the first.
        ambiguous = expected["texts_with_conflicting_labels"]
        assert unread <= configuration["invalid"] <= unread + ambiguous
        if ambiguous:
            continue
        cell = repeated.cell(judge=judge)
        patterns = order_patterns(
            [(shown["AB"], shown["BA"]) for shown in repeated.verdicts(cell).values()]
        )
        assert patterns["invalid"] == 96 - expected["pairs_both_parsed"]
        assert patterns["tie"] + patterns["stable"] == expected["pair_consistent"]
        assert patterns["position"] == expected["always_first"] + expected["always_second"]
        assert cell["patterns"] == ({} if cell["state"] == "HOLD" else patterns)


def test_a_judge_with_over_a_hundredth_of_unread_texts_is_held(repeated):
    found = {(one["invalid"] > 1.92, one["state"]) for one in repeated.report["configurations"]}
    assert found == {(True, "HOLD"), (False, "OK")}


def test_pairs_that_nobody_validated_are_shown_and_enter_no_risk(repeated):
    assert {cell["stratum"] for cell in repeated.report["cells"]} == {"unvalidated"}
    assert repeated.report["risk"] == {}


@pytest.fixture(scope="module")
def bench_baseline(once, bench):
    """GPT-4's second run against its first, under one name."""

    def build(project):
        for run in (1, 2):
            bench_project(project, bench, [bench_judge("mine", f"rep{run}|gpt-4-0613")])
            if run == 1:
                project.audit()
                (project.root / "report.json").rename(project.root / "before.json")
        return project.audit("--judge-baseline=before.json")

    return once("mt-bench-baseline", build)


def test_two_runs_of_one_judge_are_compared_task_by_task(bench_baseline):
    found = contrast(bench_baseline, kind="baseline")
    assert found["tasks"] == 96
    assert 0 < found["p"] <= 1
    assert "exchangeability assumed" in found["statement"] + found["reason"]


ERROR = "ERROR: "


@pytest.fixture(scope="module")
def amel(shared):
    text = (shared / "data" / "amel_llmbar" / "pilot_responses_fresh.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture(scope="module")
def erroneous(once, amel):
    """gpt-4.1-nano of the AMEL study: of each item one answer in each order, errors first."""

    def build(project):
        chosen = {}
        mine = [row for row in amel if row["judge"] == "gpt-4.1-nano"]
        for row in sorted(mine, key=lambda row: not row["raw_response"].startswith(ERROR)):
            chosen.setdefault((row["item_id"], row["swap"]), row)
        items = sorted({item for item, _ in chosen if all((item, swap) in chosen for swap in (0, 1))})
        rows = [chosen[item, swap] for item in items for swap in (False, True)]
        project.jsonl("log.jsonl", rows)
        project.jsonl("corpora/pairs.jsonl", (pair(chosen[item, False]) for item in items))
        project.write("evals/test_amel.py", SIGNAL)
        fields = {"id": "item_id", "order": "swap"}
        common = {
            "family": "gpt",
            "api": "recorded",
            "path": "log.jsonl",
            "orders": {"AB": False, "BA": True},
        }
        project.judges(
            {"name": "labels", **common, "fields": {**fields, "verdict": "parsed_label"},
             "verdicts": {"A": "1", "B": "2"}},
            {"name": "texts", **common, "fields": {**fields, "raw": "raw_response"},
                "verdict": "1|2"},
        )  # fmt: skip
        project.write("rows.json", json.dumps(rows))
        return project.audit()

    return once("amel", build)


def pair(row):
    target = {"1": "first", "2": "second"}[row["truth_label_after_swap"]]
    name = row["item_id"]
    return {"id": name, "prompt": name, "first": "one", "second": "two", "target": target}


@pytest.mark.parametrize("judge", ["labels", "texts"])
def test_transport_errors_recorded_as_answers_are_no_verdicts(erroneous, judge, amel):
    errors = {
        row["item_id"]
        for row in amel
        if row["judge"] == "gpt-4.1-nano" and row["raw_response"].startswith(ERROR)
    }
    assert len(errors) == 2
    cell = erroneous.cell(judge=judge)
    invalid = {task for task, shown in erroneous.verdicts(cell).items() if "invalid" in shown.values()}
    known = {trial["task"] for trial in erroneous.report["trials"]}
    assert errors & known
    assert invalid == errors & known
    assert erroneous.configuration(judge)["invalid"] == len(invalid)


def test_every_other_answer_is_read_as_the_study_read_it(erroneous, amel):
    winners = [erroneous.verdicts(erroneous.cell(judge=judge)) for judge in ("labels", "texts")]
    assert winners[0] == winners[1]
    labels = {
        (row["item_id"], row["swap"], row["parsed_label"]) for row in amel if row["judge"] == "gpt-4.1-nano"
    }
    slots = {("first", "AB"): "1", ("second", "AB"): "2", ("first", "BA"): "2", ("second", "BA"): "1"}
    for task, shown in winners[0].items():
        for order, winner in shown.items():
            assert (task, order == "BA", slots.get((winner, order))) in labels
