"""Published verdicts of four judges under three prompts on LLMBar, read by the recorded judge alone."""

from __future__ import annotations

import csv
import json
from collections import Counter

import pytest

from pytest_judgeaudit.judge.recorded import RecordedJudge
from pytest_judgeaudit.records.items import Pair
from pytest_judgeaudit.settings.models import LogFields

JUDGES = ("ChatGPT", "Falcon", "GPT-4", "LLaMA2")
STRATEGIES = ("CoT", "Vanilla", "Vanilla_NoRules")
COUNTS = (
    "n",
    "correct_False",
    "correct_True",
    "correct_both",
    "both_parsed",
    "consistent",
    "flip_first",
    "flip_second",
    "null",
    "both_null",
)


@pytest.fixture(scope="module")
def folder(shared):
    return shared / "data" / "llmbar"


@pytest.fixture(scope="module")
def pairs(folder):
    """The labelled pairs by subset."""
    rows = [json.loads(line) for line in (folder / "pairs.jsonl").read_text(encoding="utf-8").splitlines()]
    found: dict[str, list[Pair]] = {}
    for row in rows:
        found.setdefault(row["subset"], []).append(
            Pair(
                id=f"{row['subset']}/{row['item']}",
                prompt=row["input"],
                first=row["output_1"],
                second=row["output_2"],
                target=("first", "second")[row["label"] - 1],
                kind="signal",
            )
        )
    return found


@pytest.fixture(scope="module")
def table(folder):
    """The reference table: subset, judge, strategy -> its counts."""
    with (folder / "reference_table.csv").open(encoding="utf-8", newline="") as file:
        return {
            (row["subset"], row["judge"], row["strategy"]): {name: int(row[name]) for name in COUNTS}
            for row in csv.DictReader(file)
        }


def opened(judge_of, folder, judge, strategy, **fields):
    settings = judge_of(
        api="recorded",
        base_url=None,
        path="verdicts.jsonl.gz",
        where={"judge": judge, "strategy": strategy},
        fields=LogFields(id="{subset}/{item}", order="swap", **fields),
        orders={"AB": False, "BA": True},
        verdicts={"first": "1", "second": "2", "tie": "tie"},
        verdict="Output (a)|Output (b)",
    )
    return RecordedJudge.open(settings, root=folder, configuration_dir=folder)


def tally(judge, pairs):
    """The table's counts from the judge's verdicts."""
    counts = Counter(dict.fromkeys(COUNTS, 0))
    for pair in pairs:
        ab, ba = (judge.decide(pair.shown(order), criterion="neutral").verdict for order in ("AB", "BA"))
        right = [verdict.winner == pair.target for verdict in (ab, ba)]
        invalid = [not verdict.valid for verdict in (ab, ba)]
        counts.update(n=1, correct_False=right[0], correct_True=right[1], correct_both=all(right))
        counts.update(null=sum(invalid), both_null=all(invalid), both_parsed=not any(invalid))
        if not any(invalid):
            counts["consistent"] += ab.winner == ba.winner
            counts["flip_first"] += ab.slot == ba.slot == "A"
            counts["flip_second"] += ab.slot == ba.slot == "B"
    return dict(counts)


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("judge", JUDGES)
def test_every_count_of_the_reference_table_is_reproduced(judge_of, folder, pairs, table, judge, strategy):
    recorded = opened(judge_of, folder, judge, strategy, verdict="winner")
    assert len(pairs) == 3
    assert {subset: tally(recorded, tasks) for subset, tasks in pairs.items()} == {
        subset: table[subset, judge, strategy] for subset in pairs
    }


def test_the_log_has_a_row_for_every_presentation_and_no_other(judge_of, folder, pairs):
    recorded = opened(judge_of, folder, "GPT-4", "CoT", verdict="winner")
    used = {
        recorded.key_of(task=pair.id, order=order, criterion="neutral", arm=pair.kind)
        for tasks in pairs.values()
        for pair in tasks
        for order in ("AB", "BA")
    }
    assert (len(used), recorded.unmatched(used), used == recorded.keys) == (562, 0, True)


@pytest.mark.parametrize("strategy", [name for name in STRATEGIES if name != "CoT"])
@pytest.mark.parametrize("judge", JUDGES)
def test_plain_texts_read_with_a_pattern_give_the_authors_verdicts(judge_of, folder, judge, strategy):
    published = opened(judge_of, folder, judge, strategy, verdict="winner")
    read = opened(judge_of, folder, judge, strategy, raw="raw")
    assert len(read.keys) == 562
    assert {key: entry.verdict.winner for key, entry in read.entries.items()} == {
        key: entry.verdict.winner for key, entry in published.entries.items()
    }
