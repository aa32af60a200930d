"""Regrading, adopting and judging again: scenarios 1 to 6 of questions."""

from __future__ import annotations

import json

import pytest

RATE = "Which function computes the daily rate?"
STORE = "Which function writes a loan?"


@pytest.fixture
def asked(library, scripted):
    """Two questions, answered rightly and checked by one judge."""
    library.chat.on("reader", "daily rate", "daily_rate in src/rates.py computes it.")
    library.chat.on("reader", STORE, "write_loan in src/store.py does.")
    library.chat.on("opus", "", scripted.checklist(1.0, f1=True))
    write(library, scripted)
    library.configure(library.judge("opus"))
    library.evals(scripted.CHECKED)
    assert library.live().code == 0
    assert (library.chat.asked("reader"), library.chat.asked("opus")) == (2, 2)
    library.chat.calls.clear()
    return library


def write(library, scripted, *, rate=RATE, key="daily_rate"):
    library.questions(scripted.lookup("q-rate", rate, key), scripted.lookup("q-store", STORE, "write_loan"))


def test_1_a_moved_prompt_refuses_its_item_and_leaves_the_others(asked, scripted):
    before = asked.digests()
    write(asked, scripted, rate=RATE.replace("Which", "What"))
    run = asked.audit()
    assert "q-rate-sighted-1 is stale: prompt moved" in run.words
    assert [one["question"] for one in run.report["grades"]] == ["q-store"]
    # Adopting grades what can be graded, and is no way around it.
    assert "stale: prompt moved" in asked.audit("--snapshot-update").words
    assert (asked.digests(), asked.chat.asked()) == (before, 0)

    again = asked.live()
    assert (again.code, asked.chat.asked("reader")) == (0, 1), again.out


def test_2_a_moved_key_regrades_and_leaves_the_verdict_stale(asked, scripted):
    before = asked.digests()
    write(asked, scripted, key="weekly_rate")
    run = asked.audit()
    moved, still = run.grade("q-rate"), run.grade("q-store")
    assert (moved["score"], still["score"]) == (0.0, 1.0)
    assert (moved["judge"]["state"], still["judge"]["state"]) == ("stale", "ok")
    # The stale verdict says 1 where the checklist says 0: compared with nothing.
    assert run.findings("disagreement") == []
    (found,) = run.findings("stale-verdicts")
    assert "q-rate" in found["symptom"]
    assert "q-store" not in found["symptom"]
    assert "--judge-live" in found["check"]
    assert "--judge-live" in run.words
    assert (asked.digests(), asked.chat.asked()) == (before, 0)


@pytest.mark.parametrize("lost", ["fingerprint", "prompt"])
def test_3_without_a_fingerprint_nothing_is_taken_as_checked(asked, lost):
    def forget(row):
        if lost == "prompt":
            del row["parts"]["prompt"]
        else:
            row["fingerprint"] = ""

    asked.restore("reader", forget)
    before = asked.digests()
    run = asked.audit()
    assert run.code == 1
    assert "nothing shows what it answered" in run.words
    assert run.report["grades"] == []
    assert asked.digests() == before
    assert asked.live().code == 0
    assert asked.chat.asked("reader") == 2


def test_4_nothing_is_adopted_by_looking(library, scripted):
    library.chat.on("reader", RATE, "daily_rate in src/rates.py computes it.")
    library.chat.on("opus", "", scripted.checklist(1.0, f1=True))
    library.configure(library.judge("opus"))
    library.evals(scripted.CHECKED, arms=("sighted", "blind"), replicates=2)
    library.questions(scripted.lookup("q-rate", RATE, "daily_rate"))
    library.live()
    library.chat.calls.clear()
    before = library.digests()

    library.questions(scripted.lookup("q-rate", RATE, "weekly_rate"))
    run = library.audit()
    assert run.code == 1
    for arm in ("sighted", "blind"):
        text = run.out.partition(f" test_reads::grades[reader-{arm}] ")[2].partition("___")[2]
        shown = text.partition("Accept them")[0]
        for row in ("q-rate: ", "q-rate-2: "):
            assert f"- {row}" in shown
            assert f"+ {row}" in shown
    assert library.digests() == before
    assert library.chat.asked() == 0

    library.audit("--snapshot-update")
    assert library.digests() != before
    assert library.chat.asked() == 0
    assert "grades[" not in library.audit().out


def test_5_a_shift_of_every_arm_is_the_graders(library, scripted):
    for agent in ("reader", "other"):
        library.chat.on(agent, RATE, f"daily_rate in src/rates.py computes it, {agent} says.")
        library.chat.on(agent, STORE, "write_loan.")
    library.evals(scripted.GRADED, arms=("sighted", "blind"))
    library.configure(agent=[library.agent("reader"), library.agent("other")])
    store = scripted.lookup("q-store", STORE, "write_loan")
    library.questions(scripted.lookup("q-rate", RATE, "computes", "daily"), store)
    library.live()
    library.questions(scripted.lookup("q-rate", RATE, "computes", "monthly"), store)
    run = library.audit()
    (found,) = run.findings("uniform-shift")
    assert found["where"] == "q-rate"
    assert "all 4 arms move by -0.50, on f2" in found["symptom"]
    assert "grader" in found["check"]
    assert "uniform-shift" in run.words


def test_6_judging_again_asks_for_stale_and_pending_verdicts_only(library, scripted):
    names = [f"q{number:02}" for number in range(12)]
    down = {"status": 500}
    library.chat.on("reader", "", "daily_rate in src/rates.py computes it.")
    library.chat.on("opus", "", scripted.checklist(1.0, f1=True))
    library.chat.on("opus", "about q07", [down, scripted.checklist(1.0, f1=True)])
    library.configure(library.judge("opus"))
    library.evals()

    def write(key):
        library.questions(
            *(
                scripted.lookup(
                    name, f"{RATE} This is about {name}.", key if name < "q03" else "daily_rate"
                )
                for name in names
            )
        )

    write("daily_rate")
    library.live()
    write("src/rates.py")
    states = [one["judge"]["state"] for one in library.audit().report["grades"]]
    assert (states.count("stale"), states.count("pending"), states.count("ok")) == (3, 1, 8)

    before, answers = library.stored("opus"), library.stored()
    library.chat.calls.clear()
    library.live()
    after = library.stored("opus")
    assert (library.chat.asked("opus"), library.chat.asked("reader")) == (4, 0)
    assert sum(after[name] == line for name, line in before.items()) == 8
    assert (len(before), len(after)) == (11, 12)
    assert library.stored() == answers

    library.live("--judge-live-all")
    assert (library.chat.asked("opus"), library.chat.asked("reader")) == (4 + 12, 12)
    assert all(json.loads(line)["text"] for line in library.stored("opus").values())
