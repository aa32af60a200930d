"""Keys, claims, and what is left out with a reason: scenarios 19, 20 and 24 of questions."""

from __future__ import annotations

import re

import pytest

RATE = "Which function computes the daily rate?"
RIGHT = "daily_rate in src/rates.py computes it."


def fact(kind, value):
    return {"f1": {"must": True, "desc": "a fact", "match": {"type": kind, "value": value}}}


def test_19_the_lint_says_all_at_once_and_nobody_is_asked(library, scripted):
    absent = {"q-abstain": {"class": "abstain"}}
    facts = {
        "q-empty": fact("literal", ""),
        "q-matcher": fact("liteal", "daily_rate"),
        "q-regex": fact("regex", "daily(_rate"),
    }
    shared = {
        "f1": {"must": True, "desc": "one", "match": {"type": "literal", "value": "daily_rate"}},
        "f2": {"must": True, "desc": "two", "match": {"type": "any-of", "value": ["daily_rate", "rate"]}},
    }
    library.questions(
        *({"id": name, "prompt": f"{RATE} {name}", **keys} for name, keys in absent.items()),
        *({"id": name, "prompt": f"{RATE} {name}", "fact": one} for name, one in facts.items()),
        scripted.lookup("q-range", f"{RATE} 1", "daily_rate", evidence=["src/rates.py:99"]),
        scripted.lookup("q-excluded", f"{RATE} 2", "write_loan", evidence=["src/store.py:1"]),
        {"id": "q-shared", "prompt": f"{RATE} 3", "fact": shared},
    )
    library.configure(corpus=[{"name": "code", "path": "corpora/code", "exclude": ["src/store.py"]}])
    library.evals(scripted.GRADED)
    run = library.live()
    errors, warnings = (
        [line for line in run.out.splitlines() if line.startswith(head)] for head in ("ERROR:", "warning:")
    )
    assert (run.code, len(errors), len(warnings)) == (4, 6, 1), run.out
    for name, said in (
        ("q-abstain", "forbidden"),
        ("q-empty", 'fact "f1"'),
        ("q-matcher", 'Did you mean "literal"?'),
        ("q-regex", 'fact "f1"'),
        ("q-range", "src/rates.py:99: is out of range"),
        ("q-excluded", "src/store.py:1: the corpus excludes this file"),
    ):
        (line,) = [line for line in errors if f'"{name}"' in line]
        assert said in line
        assert re.search(r"questions\.toml:\d+", line)
    assert "q-shared" in warnings[0]
    assert '"f1", "f2" share the token "daily_rate"' in warnings[0]
    assert library.chat.asked() == 0


CLAIMS = """
[[claim]]
text = "the mean is .935"
cell = { agent = "reader", arm = "sighted" }
value = 0.935
n = 4
sum = 3.0

[[claim]]
text = "more than there is"
cell = { agent = "reader", arm = "sighted" }
kind = "sum"
value = 5

[[claim]]
text = "a mean above the maximum"
cell = { agent = "reader", arm = "sighted" }
value = 1.04

[[claim]]
text = "sighted is better"
cell = { agent = "reader", arm = "sighted" }
against = { agent = "reader", arm = "blind" }
kind = "effect"
value = 0.0

[[claim]]
text = "three of four"
cell = { agent = "reader", arm = "sighted" }
value = 0.75
"""


@pytest.fixture
def answered(library, scripted):
    """Four questions, of which one is missed in every arm; two agents with replicates."""
    for agent in ("reader", "second"):
        library.chat.on(agent, "", RIGHT)
        library.chat.on(agent, "This is q3.", "I cannot say.")
    library.questions(*(scripted.lookup(f"q{n}", f"{RATE} This is q{n}.", "daily_rate") for n in range(4)))
    library.evals(scripted.GRADED, arms=("sighted", "blind"))
    return library


def test_20_claims_are_recomputed_from_the_rows(answered, scripted):
    agents = [answered.agent("reader"), answered.agent("second")]
    answered.evals(scripted.GRADED, arms=("sighted", "blind"), replicates=2)
    answered.configure(more=CLAIMS.replace("n = 4\nsum = 3.0", "n = 8\nsum = 6.0"), agent=agents)
    run = answered.live()
    found = {one["claim"]["text"]: one for one in run.report["claims"]}
    assert {text: one["state"] for text, one in found.items()} == {
        "the mean is .935": "failed",
        "more than there is": "failed",
        "a mean above the maximum": "failed",
        "sighted is better": "failed",
        "three of four": "verified",
    }
    reasons = {text: " ".join(one["reasons"]) for text, one in found.items()}
    assert "stated 0.935 × 8 = 7.48, against the stated sum 6" in reasons["the mean is .935"]
    assert "computed mean 0.75, stated 0.935" in reasons["the mean is .935"]
    assert "computed sum 6, stated 5" in reasons["more than there is"]
    assert "stated 1.04 lies outside of 0 to 1" in reasons["a mean above the maximum"]
    assert "within the noise floor" in reasons["sighted is better"]
    assert run.code == 1
    assert "computed mean 0.75, stated 0.935" in run.words


def test_20_claims_without_rows_are_not_verified(answered):
    answered.configure(
        more=CLAIMS.partition('[[claim]]\ntext = "more')[0]
        .replace('"sighted"', '"nowhere"')
        .replace("sum = 3.0", "sum = 3.74")
    )
    run = answered.live()
    (claim,) = run.report["claims"]
    assert (claim["state"], claim["computed"]) == ("not verified", None)
    assert run.code == 10
    assert "not verified" in run.words


def test_24_what_is_left_out_is_shown_with_and_without(answered, scripted):
    agents = [answered.agent("reader"), answered.agent("second")]
    answered.evals(scripted.GRADED, arms=("sighted", "blind"), replicates=2)
    answered.configure(agent=agents)
    answered.live()
    before = answered.stored()

    text = (answered.root / "questions.toml").read_text("utf-8")
    retired = 'id = "q3"\nretired = { on = "2026-01-05", why = "no such function exists" }'
    answered.write("questions.toml", text.replace('id = "q3"', retired))
    left = '[[exclusion]]\ncell = { arm = "blind" }\nwhy = "its sandbox was open"\n'
    answered.chat.on("second", "cannot look at it", "I cannot say.")
    answered.configure(more=left, agent=agents)
    run = answered.audit("--judge-prune")
    # Nothing of a retired question is asked, graded in a mean, or removed.
    assert answered.stored() == before
    assert len(before) == 4 * 2 * 2 == len(answered.stored("second"))
    assert {one["question"] for one in run.report["grades"]} == {"q0", "q1", "q2"}
    assert run.report["answers"]["unused"] == 0
    assert run.findings("unused-answers") == []
    assert run.findings("grades-vanished") == []
    blind = run.grades(arm="blind")
    assert blind
    assert all(one["excluded"] == "its sandbox was open" for one in blind)

    found = {(one["agent"], one["what"]): one for one in run.report["left_out"]}
    arm = found["reader", "arm blind"]
    question = found["reader", "question q3, retired on 2026-01-05"]
    assert (arm["rows"], arm["mean_with"], arm["mean_without"]) == (6, 1.0, 1.0)
    assert (question["rows"], question["mean_without"]) == (4, 1.0)
    assert question["mean_with"] == pytest.approx(6 / (6 + 4))
    for said in ("its sandbox was open", "no such function exists", "0.600 with, 1.000 without"):
        assert said in run.words

    answered.configure(more=left.replace('why = "its sandbox was open"\n', ""), agent=agents)
    refused = answered.audit()
    assert refused.code == 4
    assert "why" in refused.words
    answered.configure(more=left.replace("arm =", "amr ="), agent=agents)
    assert 'Did you mean "arm"?' in answered.audit().words
    answered.configure(agent=agents)
    answered.write(
        "questions.toml", text.replace('id = "q3"', retired.replace("no such function exists", ""))
    )
    assert answered.audit().code == 4


def test_24_a_test_whose_every_question_is_retired_is_on_hold(answered, scripted):
    text = (answered.root / "questions.toml").read_text("utf-8")
    answered.configure()
    answered.write("questions.toml", text.replace("prompt = ", 'retired = { why = "moved" }\nprompt = '))
    run = answered.live()
    assert (run.code, set(run.gates().values())) == (10, {"HOLD"})
    assert answered.chat.asked() == 0
