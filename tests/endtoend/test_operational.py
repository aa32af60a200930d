"""The operational gate at the published counts (sections 3, 5 and 7), on campaigns of 612 calls."""

from __future__ import annotations

import pytest

SEVENTEEN = dict.fromkeys(("Factuality", "Focus", "Math", "PreciseIF", "Safety", "Ties"), 17)

# Invalid outputs by criterion: of copies, of pairs in order AB, of pairs in order BA. The first are those
# of table 8; of gpt-oss-20b only the sum is published, and the last two mark the limit of 1 % (RULES R16).
CAMPAIGNS = {
    "Devstral": {"neutral": (22, 85, 81), "strict": (0, 13, 10)},
    "gpt-oss-20b": {"neutral": (5, 14, 14), "strict": (0, 0, 0)},
    "seven": {"neutral": (0, 4, 3), "strict": (0, 0, 0)},
    "six": {"neutral": (0, 3, 3), "strict": (0, 0, 0)},
    "Qwen2.5-32B": {"neutral": (0, 0, 0), "strict": (0, 1, 0)},
}
HELD = ("Devstral", "gpt-oss-20b", "seven")
ESTIMATED = ("estimate", "macro", "dc", "upper", "lower", "lower_checked", "interval", "p_raw", "p_holm")


def verdicts(logs, pairs, who, copies, ab, ba):
    """All calls right, but the first ``copies``, ``ab`` and ``ba`` of their kind, which are no verdicts."""
    yield from logs.clone_log(pairs, invalid=[pair["id"] for pair in pairs[:copies]], **who)
    found = [
        {"AB": "invalid" if i < ab else "correct", "BA": "invalid" if i < ba else "correct"}
        for i in range(len(pairs))
    ]
    yield from logs.signal_log(pairs, found, **who)


@pytest.fixture(scope="module")
def run(audited, logs):
    """All five campaigns; an invalid output is a JSON object in a Markdown fence, as in section 7."""
    pairs, rows = logs.pair_rows(SEVENTEEN), []
    for judge, criteria in CAMPAIGNS.items():
        for criterion, invalid in criteria.items():
            who = {"judge": judge, "criterion": criterion, "served": judge}
            rows += verdicts(logs, pairs, who, *invalid)
    judges = [logs.judge(judge, reading=logs.AS_TEXT) for judge in CAMPAIGNS]
    return audited("operational", pairs, rows, *judges)


@pytest.mark.parametrize(
    ("judge", "invalid", "rate", "state"),
    [
        ("Devstral", 211, ".3448", "HOLD"),
        ("gpt-oss-20b", 33, ".0539", "HOLD"),
        ("seven", 7, ".0114", "HOLD"),
        ("six", 6, ".0098", "OK"),
        ("Qwen2.5-32B", 1, ".0016", "OK"),
    ],
)
def test_a_campaign_is_held_above_one_per_cent_of_612_calls(run, judge, invalid, rate, state, oracles):
    found = run.configuration(judge)
    assert (found["calls"], found["terminal"], found["invalid"]) == (612, 612, invalid)
    assert (found["state"], bool(found["reasons"])) == (state, state == "HOLD")
    assert oracles.printed(found["invalid_rate"], rate)


@pytest.mark.parametrize("judge", CAMPAIGNS)
def test_invalid_outputs_are_counted_by_criterion_and_condition(run, judge):
    found = run.configuration(judge)["by_condition"]
    assert found == {
        f"{criterion} {condition}": {"scheduled": 102, "terminal": 102, "invalid": count}
        for criterion, counts in CAMPAIGNS[judge].items()
        for condition, count in zip(("clone", "signal AB", "signal BA"), counts, strict=True)
    }


@pytest.mark.parametrize("judge", HELD)
def test_nothing_is_estimated_of_a_held_campaign(run, judge):
    cells = [cell for cell in run.report["cells"] if cell["judge"] == judge]
    assert [cell["state"] for cell in cells] == ["HOLD"] * 4
    assert [cell[name] for cell in cells for name in ESTIMATED] == [None] * 4 * len(ESTIMATED)
    assert [(cell["by_order"], cell["patterns"], cell["subsets"]) for cell in cells] == [({}, {}, [])] * 4
    gates = [gate for gate in run.report["gates"] if gate["judge"] == judge]
    assert {(gate["state"], gate["bound"], gate["p_holm"]) for gate in gates} == {("HOLD", None, None)}
    assert {run.label(judge=judge, criterion=criterion) for criterion in CAMPAIGNS[judge]} == {"HOLD"}


@pytest.mark.parametrize("judge", [judge for judge in CAMPAIGNS if judge not in HELD])
def test_held_campaigns_keep_their_place_in_the_family_of_the_others(run, judge, oracles):
    gates = [
        run.gate("clone_gate", judge=judge, criterion=criterion) for criterion in ("neutral", "strict")
    ]
    family = [oracles.tail(0, 102)] * 4 + [1.0] * 6
    assert [gate["family"]["m"] for gate in gates] == [10, 10]
    assert [gate["p_holm"] for gate in gates] == pytest.approx(oracles.holm(family)[:2])
    assert {gate["state"] for gate in gates} == {"MISS"}


def test_no_cell_is_certified_apart_from_its_campaign(run):
    # No copy of the strict criterion was invalid, and 0/102 alone would pass.
    gate = run.gate("clone_gate", judge="Devstral", criterion="strict")
    assert (gate["state"], gate["tasks"]) == ("HOLD", 102)


def test_a_held_campaign_alone_ends_with_exit_status_10(audited, logs):
    pairs, rows = logs.pair_rows(SEVENTEEN), []
    for criterion, invalid in CAMPAIGNS["Devstral"].items():
        who = {"judge": "Devstral", "criterion": criterion, "served": "Devstral"}
        rows += verdicts(logs, pairs, who, *invalid)
    found = audited("held", pairs, rows, logs.judge("Devstral", reading=logs.AS_TEXT))
    assert (found.code, found.report["state"]) == (10, "hold")
    assert "34.5 %" in found.text
