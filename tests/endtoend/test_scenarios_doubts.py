"""What neither checklist nor judge can see by themselves: scenarios 15, 16, 22, 23, 25, 26."""

from __future__ import annotations

import json

import pytest

RATE = "Which function computes the daily rate?"
ELSEWHERE = "It is compute_interest in src/other.py."
AGENTS = ("reader", "second", "third", "fourth")


def test_15_a_number_against_its_own_booleans(library, scripted):
    library.chat.on("reader", "", "daily_rate in src/rates.py computes it.")
    library.chat.on("opus", "", scripted.checklist(0.67, f1=True, f2=False))
    question = scripted.lookup("q-rate", RATE, "daily_rate", "by leap years")
    question["fact"]["f2"]["must"] = False
    library.questions(question)
    library.configure(library.judge("opus"))
    library.evals()
    run = library.live()
    assert run.grade("q-rate")["score"] == 1.0
    (apart,), (mismatch,) = run.findings("disagreement"), run.findings("rubric-mismatch")
    assert "opus says 0.67, the checklist 1.00" in apart["symptom"]
    assert "0.67" in mismatch["symptom"]
    assert "which give 1.00" in mismatch["symptom"]

    ((_, prompt),) = [call for call in library.chat.calls if call[0] == "opus"]
    shown = prompt.partition(f"{RATE}\n\n")[2].partition("<answer")[0]
    assert shown == (
        "REQUIRED facts:\n"
        "- f1: says daily_rate [literal: daily_rate]\n\n"
        "OPTIONAL facts (a bonus, never owed):\n"
        "- f2: says by leap years [literal: by leap years]\n\n"
        "Scoring rule: start with the share of REQUIRED facts that the answer states. OPTIONAL facts are "
        "not owed: together they add at most 0.15, in proportion, and the score is never above 1. If the "
        "answer asserts a FORBIDDEN fact, the score is 0.\n\n"
    )


def test_16_a_wrong_key_is_silent_but_for_the_arms_that_agree(library, scripted):
    for name in AGENTS:
        library.chat.on(name, "", f"{ELSEWHERE} So says {name}.")
    library.chat.on("opus", "", scripted.checklist(0.0, f1=False))
    library.questions(scripted.lookup("q-rate", RATE, "daily_rate"))
    library.configure(library.judge("opus"), agent=[library.agent(name) for name in AGENTS])
    library.evals()
    run = library.live()
    assert run.findings("disagreement") == []
    (found,) = run.findings("suspect-key")
    assert found["where"] == "q-rate"
    assert "all 4 arms miss f1" in found["symptom"]
    assert "src/other.py" in found["symptom"]
    assert "suspect-key" in run.words


def totals(library, scripted, *, agents):
    """
    Replicates that differ by 3 points in one cell, and two genres whose blind scores differ by 2.

    Judges give what an answer says; which replicate comes first is the schedule's, and is looked up.
    """
    library.configure(*map(library.judge, ("opus", "gpt")), agent=[library.agent(name) for name in agents])
    library.questions(
        scripted.lookup("q-a", f"{RATE} This is q-a.", "daily_rate", genre="behaviour"),
        scripted.lookup("q-b", f"{RATE} This is q-b.", "daily_rate", genre="structure"),
    )
    library.evals(scripted.SCORED, arms=("sighted", "blind"), replicates=2)
    order = library.audit("-q", "--co").out

    def points(text):
        given = int(text.partition("worth ")[2].partition(" ")[0])
        scores = {"accuracy": given, "completeness": 8, "traceability": 4, "usefulness": 8}
        return json.dumps({**scores, "label": "adequate"})

    for judge in ("opus", "gpt"):
        library.chat.on(judge, "", points)
    for agent in agents:
        library.chat.on(agent, "", f"daily_rate, says {agent}, worth 20 points.")
    for name, first in (("q-a", 10), ("q-b", 12)):
        both = [f"daily_rate, in {name}, worth {first + more} points." for more in (0, 3)]
        ids = [f"reader-{name}-blind]", f"reader-{name}-blind-2]"]
        if order.index(ids[0]) > order.index(ids[1]):
            both.reverse()
        library.chat.on(
            "reader",
            f"cannot look at it. Give your final answer as plain text.\n{RATE} This is {name}",
            both,
        )
    return library.live("-v")


def test_22_a_contrast_below_the_noise_floor_is_within_noise(library, scripted):
    run = totals(library, scripted, agents=("reader", "second"))
    assert (run.report["noise"]["state"], run.report["noise"]["total"]) == ("measured", 3.0)
    (design,) = [one for one in run.report["designs"] if one["agent"] == "reader"]
    (figure,) = design["figures"]
    assert (figure["value"], figure["within_noise"]) == (pytest.approx(2.0), True)
    assert "genre +2.00 (within noise)" in run.words


def test_22_without_four_replicated_cells_there_is_no_noise_floor(library, scripted):
    run = totals(library, scripted, agents=("reader",))
    assert (run.report["noise"]["state"], run.report["noise"]["total"]) == ("not measured", None)
    (design,) = run.report["designs"]
    assert (design["figures"][0]["within_noise"], design["figures"][0]["multiple"]) == (None, None)
    assert "noise floor: not measured" in run.words
    assert "× noise" not in run.words


def test_23_a_question_with_two_values_has_no_median(library, scripted):
    half, whole = "daily_rate does.", "daily_rate does, in src/rates.py."
    library.chat.on("reader", "", [half, whole, whole, half, whole])
    library.questions(scripted.lookup("q-rate", RATE, "daily_rate", "src/rates.py"))
    library.configure()
    library.evals(scripted.GRADED, replicates=5)
    run = library.live()
    (found,) = run.findings("bimodal")
    assert found["where"] == "q-rate [reader sighted]"
    assert "5 answers have two scores: 2 × 0.50, 3 × 1.00; no median is shown" in found["symptom"]
    assert "2 × 0.50, 3 × 1.00" in run.words
    assert '"median": 1' not in json.dumps(run.report)


def test_25_one_answer_for_two_prompts_is_a_finding(library, scripted):
    library.chat.on("reader", "", "daily_rate in src/rates.py computes it.")
    library.chat.on("reader", "q-own", "daily_rate in src/rates.py divides it.")
    library.questions(
        *(scripted.lookup(name, f"{RATE} {name}", "daily_rate") for name in ("q-a", "q-b", "q-own"))
    )
    library.configure()
    library.evals(scripted.GRADED)
    (found,) = library.live().findings("same-answer-different-questions")
    assert "q-a" in found["where"]
    assert "q-b" in found["where"]
    assert "q-own" not in found["where"]
    assert "2 prompts" in found["symptom"]


def test_26_a_path_counts_unless_it_is_denied(library, scripted):
    says = {
        "q-denied": "It is not in src/rates.py.",
        "q-hedged": "It is probably in src/rates.py.",
        "q-turned": "It is not in src/store.py, but in src/rates.py.",
    }
    for name, answer in says.items():
        library.chat.on("reader", name, answer)
    where = {"file": {"must": True, "desc": "the file", "match": {"type": "path", "value": "src/rates.py"}}}
    library.questions(*({"id": name, "prompt": f"{RATE} {name}", "fact": where} for name in says))
    library.configure()
    library.evals(scripted.GRADED)
    run = library.live()
    assert {name: run.grade(name)["score"] for name in says} == {
        "q-denied": 0.0,
        "q-hedged": 1.0,
        "q-turned": 1.0,
    }
