"""Judges that are down, or that are not who was asked for: scenarios 7 to 10, 21 and 28 of questions."""

from __future__ import annotations

import json

import pytest

RATE = "Which function computes the daily rate?"
LOW = {"accuracy": 12, "completeness": 8, "traceability": 4, "usefulness": 8, "label": "weak"}
GOOD = {"accuracy": 24, "completeness": 20, "traceability": 18, "usefulness": 15, "label": "good"}


def rates(scripted, count):
    """Questions that are alike."""
    return [scripted.lookup(f"q{n}", f"{RATE} This is about q{n}.", "daily_rate") for n in range(count)]


@pytest.fixture
def judged(library, scripted):
    """Questions that the reader answers rightly, and a judge that agrees, until told otherwise."""
    library.chat.on("reader", "", "daily_rate in src/rates.py computes it.")
    library.chat.on("opus", "", scripted.checklist(1.0, f1=True))
    library.questions(*rates(scripted, 4))
    library.configure(library.judge("opus"))
    library.evals()
    return library


def test_7_abstain_questions_are_never_pending(judged, scripted):
    absent = {"place": {"desc": "names a place", "match": {"type": "regex", "value": "drained (in|by) "}}}
    queue = {"id": "q-queue", "prompt": "Where is the retry queue drained?", "class": "abstain"}
    judged.questions(*rates(scripted, 1), {**queue, "forbidden": absent})
    judged.chat.on("reader", "retry queue", "There is no retry queue in this code base.")
    for run in (judged.live(), judged.live("--judge-live-all"), judged.audit()):
        assert run.code == 0
        assert run.grade("q-queue")["judge"]["state"] == "not applicable"
        assert (run.grade("q-queue")["score"], run.findings("pending-verdicts")) == (1.0, [])
    assert judged.chat.asked("opus") == 2
    assert not any("retry queue" in text for model, text in judged.chat.calls if model == "opus")


def test_8_a_judge_that_is_down_leaves_a_pending_row(library, scripted):
    library.chat.on("reader", "", "daily_rate in src/rates.py computes it.")
    library.chat.on("opus", "", json.dumps(GOOD))
    library.chat.on("gpt", "", [json.dumps(GOOD), json.dumps(GOOD), {"status": 500}, json.dumps(GOOD)])
    library.questions(*rates(scripted, 2))
    library.configure(library.judge("opus"), library.judge("gpt"))
    library.evals(scripted.SCORED, arms=("sighted", "blind"))
    run = library.live()
    assert run.code == 1
    assert "4 passed" not in run.out
    (row,) = [one for one in run.report["grades"] if one["judge"]["state"] == "pending"]
    assert "HTTP 500" in row["judge"]["reason"]
    assert row["score"] == 1.0
    assert row["judges"]["opus"]["total"] == 77
    assert row["judges"]["gpt"]["total"] is None
    (found,) = run.findings("pending-verdicts")
    assert "1 of 4 verdicts is pending" in found["symptom"]
    assert "1 of 4 verdicts is pending" in run.words
    assert set(run.gates().values()) == {"HOLD"}
    assert (len(library.stored("gpt")), len(library.stored("opus"))) == (3, 4)


def test_9_a_judge_answered_by_another_model_is_asked_nothing_further(judged):
    judged.chat.on("opus", "", {"text": "{}", "served": "gpt-4o-mini"})
    run = judged.live()
    (judge,) = run.report["configurations"]
    assert (judged.chat.asked("opus"), judged.chat.asked("reader")) == (1, 4)
    assert (judge["state"], judge["served"], judge["served_as_requested"]) == (
        "HOLD",
        {"gpt-4o-mini": 1},
        False,
    )
    rows = [one["judge"] for one in run.report["grades"]]
    (first,) = [row for row in rows if row["served"] == "gpt-4o-mini"]
    stopped = [row for row in rows if row is not first]
    assert [row["served"] for row in stopped] == [None] * 3
    assert {row["requested"] for row in rows} == {"opus"}
    assert all("gpt-4o-mini" in row["reason"] for row in stopped)
    (found,) = run.findings("served-differs")
    assert "'gpt-4o-mini' (1×) served where 'opus' was requested" in found["symptom"]
    assert "served where 'opus' was requested" in run.words
    assert set(run.gates().values()) == {"HOLD"}


def test_10_names_of_one_model_are_no_substitution(judged, scripted):
    served = {"m-5": "m-5-20260115", "n-5": "N-5", "o-5": "prov/o-5", "p-5": "prov/p-5", "q-5": None}
    for model, name in served.items():
        judged.chat.on(model, "", {"text": scripted.checklist(1.0, f1=True), "served": name})
    judged.configure(*map(judged.judge, served), more='[aliases]\n"prov/p-5" = "p-5"\n')
    run = judged.live()
    found = {one["judge"]: one for one in run.report["configurations"]}
    assert {name: one["served_as_requested"] for name, one in found.items()} == {
        "m-5": True,
        "n-5": True,
        "o-5": False,
        "p-5": True,
        "q-5": None,
    }
    assert {name for name, one in found.items() if one["state"] == "HOLD"} == {"o-5", "q-5"}
    (unstated,) = run.findings("served-unstated")
    assert unstated["where"].startswith("q-5")
    assert "without a stated model" in unstated["symptom"]
    assert "not stated (requested q-5)" in run.words


def test_21_the_probe_tells_five_kinds_of_service(judged):
    said = {"text": "I am a model."}
    named = {
        "named": said,
        "fallback": [{**said, "served": "cheap-1"}, said],
        "house": {**said, "served": "m-5"},
        "other": {**said, "served": "cheap-1"},
        "down": {"status": 401},
    }
    for model, script in named.items():
        judged.chat.on(model, "", script)
    judged.configure(*map(judged.judge, named), more='[aliases]\nhouse = "m-5"\n')
    run = judged.audit("--judge-probe=3")
    states = dict(line.split()[:2] for line in run.out.splitlines() if line.startswith("  "))
    assert states == {
        "name": "state",
        "named": "STABLE",
        "fallback": "UNSTABLE",
        "house": "RESOLVED",
        "other": "SUBSTITUTED",
        "down": "REJECTED",
        "reader": "STABLE",
    }
    assert run.code == 1
    assert "fallback ×2, cheap-1 ×1" in run.words
    assert judged.chat.asked("named", "fallback", "house", "other", "reader") == 5 * 3

    judged.chat.calls.clear()
    few, collected = judged.audit("--judge-probe=1"), judged.audit("--judge-live", "--collect-only")
    assert few.code == 4
    assert "at least 2" in few.words
    assert collected.code == 0
    assert judged.chat.asked() == 0


def test_28_runs_of_two_instruments_are_not_tested_against_each_other(judged, scripted):
    judged.live()
    (judged.root / "report.json").rename(judged.root / "before.json")
    # The judge is another model since, and the reader finds less.
    judged.chat.on("opus", "", {"text": scripted.checklist(1.0, f1=True), "served": "opus-20260115"})
    judged.chat.on("reader", "about q2", "I cannot say.")
    run = judged.live("--judge-live-all", "--judge-baseline=before.json")
    (found,) = [one for one in run.report["contrasts"] if one["kind"] == "baseline"]
    assert found["changed"] == ["opus served: opus → opus-20260115"]
    assert found["p"] is None
    assert found["reason"] == "two instruments"
    assert found["difference"] == -0.25
    assert [one["task"] for one in found["flipped"]] == ["q2"]
    text = run.words.partition("against the baseline")[2].partition(" findings ")[0]
    assert text.index("opus → opus-20260115") < text.index("q2")
    assert "p =" not in text

    # The same instrument is tested.
    (judged.root / "report.json").rename(judged.root / "before.json")
    again = judged.audit("--judge-baseline=before.json")
    (same,) = [one for one in again.report["contrasts"] if one["kind"] == "baseline"]
    assert (same["changed"], same["p"], same["flipped"]) == ([], 1.0, [])
