"""The controlled pairs of the dark-current paper (section 4, table 2): equal quality, and exact copies."""

from __future__ import annotations

from typing import NamedTuple

import pytest

TESTS = """
import pytest

@pytest.mark.equivalent_pairs("corpora/equal.jsonl")
def test_equal_answers_tie(judge, pair):
    assert judge.compare(pair).tie

@pytest.mark.clone_pairs("corpora/copies.jsonl", strata=("core", "empty", "whitespace"))
def test_exact_copies_tie(judge, pair):
    assert judge.compare(pair).tie
"""


class Row(NamedTuple):
    """
    A row of table 2: its pairs by pattern, and the rates as printed.

    Of 60 pairs with the same checklist in both orders ``rfp`` is the share of non-ties among the calls,
    ``stable`` and ``position`` are shares of pairs. ``edges`` is the dark current of empty and of
    white-space copies.
    """

    pairs: tuple[int, int, int]
    rfp: str
    stable: str
    position: str
    edges: str


TABLE = {
    "Llama-3.1-8B": Row((2, 58, 0), "1.000", "0.033", "0.967", "1.000"),
    "Qwen2.5-14B-AWQ": Row((27, 32, 1), "0.992", "0.450", "0.533", "0.000"),
    "Qwen2.5-32B-AWQ": Row((0, 5, 21), "0.258", "0.000", "0.083", "0.000"),
}
EDGES = {"empty": "", "whitespace": " \n\t"}

each_judge = pytest.mark.parametrize("judge", TABLE)


def copy_rows():
    """40 copies with something in them, 40 that are empty, 40 of white space, of distinct prompts."""
    for stratum, text in (("core", "An answer."), *EDGES.items()):
        for i in range(40):
            yield {"id": f"{stratum}{i}", "prompt": f"Question {stratum} {i}?", "first": text, "second": ""}


def equal_rows():
    """60 pairs of one quality and other words."""
    for i in range(60):
        texts = {"first": f"Answer {i}.", "second": f"Reply {i}."}
        yield {"id": f"d{i}", "prompt": f"Question {i}?", **texts, "target": "tie", "equivalent": True}


def verdicts(logs, judge):
    """The log of one judge: its patterns on equal pairs, its ties and non-ties on copies."""
    who, (stable, position, one_sided) = {"judge": judge, "served": judge}, TABLE[judge].pairs
    pairs = [("second", "second")] * stable + [("first", "second")] * position
    pairs += [("tie", "first")] * one_sided
    pairs += [("tie", "tie")] * (60 - len(pairs))
    for i, shown in enumerate(pairs):
        for order, winner in zip(("AB", "BA"), shown, strict=True):
            yield logs.row(f"d{i}", "equivalent", order, winner, **who)
    adverse = [row["id"] for row in copy_rows() if not row["first"].strip()]
    yield from logs.clone_log(copy_rows(), adverse=adverse if TABLE[judge].edges == "1.000" else (), **who)


@pytest.fixture(scope="module")
def run(once, logs):
    """Three judges on equal pairs and on copies of all strata."""
    # This log knows one criterion, and does not name it; it names slots, as the judges did.
    judges = [logs.judge(judge, criteria=["neutral"], reading=logs.BY_SLOT) for judge in TABLE]
    fields = {key: name for key, name in judges[0]["fields"].items() if key != "criterion"}

    def build(project):
        project.jsonl("corpora/equal.jsonl", equal_rows())
        project.jsonl("corpora/copies.jsonl", copy_rows())
        project.jsonl("verdicts.jsonl", [row for judge in TABLE for row in verdicts(logs, judge)])
        project.write("evals/test_controlled.py", TESTS)
        project.judges(*({**judge, "fields": fields} for judge in judges))
        return project.audit()

    return once("patterns", build)


@each_judge
def test_pairs_of_equal_quality_show_the_published_patterns(run, judge):
    stable, position, one_sided = TABLE[judge].pairs
    cell = run.cell(judge=judge, arm="equivalent")
    assert (cell["tasks"], cell["calls"]) == (60, 120)
    assert cell["patterns"] == {
        "tie": 60 - stable - position - one_sided,
        "stable": stable,
        "position": position,
        "one_sided": one_sided,
        "invalid": 0,
    }


@each_judge
def test_the_raw_false_preference_rate_is_the_published_one(run, judge, oracles):
    cell = run.cell(judge=judge, arm="equivalent")
    assert oracles.printed((cell["calls"] - cell["counts"]["tie"]) / cell["calls"], TABLE[judge].rfp)


@each_judge
def test_shares_of_stable_and_same_slot_pairs_are_the_published_ones(run, judge, oracles):
    patterns = run.cell(judge=judge, arm="equivalent")["patterns"]
    assert oracles.printed(patterns["stable"] / 60, TABLE[judge].stable)
    assert oracles.printed(patterns["position"] / 60, TABLE[judge].position)


@each_judge
def test_a_pair_is_adverse_if_either_order_is_no_tie(run, judge):
    cell = run.cell(judge=judge, arm="equivalent")
    assert cell["counts"]["adverse"] == sum(TABLE[judge].pairs)
    assert cell["estimate"] == pytest.approx(sum(TABLE[judge].pairs) / 60)


@each_judge
def test_copies_with_something_in_them_all_tie(run, judge):
    cell = run.cell(judge=judge, arm="clone", stratum="core")
    assert (cell["tasks"], cell["counts"]["adverse"], cell["dc"]) == (40, 0, 0.0)


@each_judge
@pytest.mark.parametrize("stratum", EDGES)
def test_edge_strata_are_counted_apart_and_never_bounded(run, judge, stratum, oracles):
    cell = run.cell(judge=judge, arm="clone", stratum=stratum)
    assert oracles.printed(cell["counts"]["adverse"] / cell["tasks"], TABLE[judge].edges)
    assert (cell["tasks"], cell["upper"], cell["p_raw"], cell["estimate"]) == (40, None, None, None)


def test_edge_strata_are_not_part_of_the_campaign(run):
    found = run.configuration("Llama-3.1-8B")
    assert (found["calls"], found["edge_calls"], found["state"]) == (160, 80, "OK")
