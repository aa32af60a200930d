"""The published context audit, from a log through the whole pipeline; and what a judge is shown in it."""

from __future__ import annotations

import json
from itertools import product

import pytest

EVALS = """
import pytest

@pytest.mark.equivalent_pairs("corpora/equal.jsonl", context="third")
def test_equal(judge, pair):
    assert judge.compare(pair).tie

@pytest.mark.signal_pairs("corpora/signal.jsonl", context="third")
def test_signal(judge, pair):
    assert judge.compare(pair).winner == pair.target
"""
LOST = {
    "neutral": {(0, 0): 2, (0, 1): 1, (0, 2): 1, (0, 3): 1, (1, 0): 2, (1, 1): 1, (1, 2): 1},
    "strict": {(0, 0): 2},
}
"""Equal pairs on which the third candidate takes ties away: in how many orders, by family and task."""
GAINED = ((0, 0), (0, 1), (0, 2), (1, 0))
"""Signal pairs that are right in both orders only with it; (2, 0) never is."""


def tasks():
    for family, number in product(range(8), range(4)):
        yield f"f{family}-{number}", (family, number)


def pairs(kind):
    for name, (family, _) in tasks():
        texts = {"first": f"one {name}", "second": f"other {name}", "third": f"third {name}"}
        label = {"equivalent": True} if kind == "equivalent" else {"target": "first"}
        yield {"id": name, "prompt": f"Ask {name}", "family": f"family {family}", **texts, **label}


def said(kind, criterion, place, order, context):
    late = order == "BA"
    if kind == "equivalent":
        swayed = LOST[criterion].get(place, 0) if context == "present" else 0
        return "tie" if swayed < (1 if late else 2) else "first"
    missed = place == (2, 0) or (place in GAINED and context == "absent")
    return "second" if missed and late else "first"


def rows():
    for (name, place), kind, criterion, order, context in product(
        tasks(), ("equivalent", "signal"), ("neutral", "strict"), ("AB", "BA"), ("absent", "present")
    ):
        verdict = said(kind, criterion, place, order, context)
        yield {
            "id": name, "arm": kind, "rubric": criterion, "order": order, "shown": context, "said": verdict
        }  # fmt: skip


@pytest.fixture(scope="module")
def run(once):
    def build(project):
        project.jsonl("corpora/equal.jsonl", pairs("equivalent"))
        project.jsonl("corpora/signal.jsonl", pairs("signal"))
        project.jsonl("log.jsonl", rows())
        project.write("evals/test_context.py", EVALS)
        project.judges(
            {
                "name": "q",
                "family": "q",
                "api": "recorded",
                "path": "log.jsonl",
                "criteria": ["neutral", "strict"],
                "fields": {
                    "id": "id",
                    "order": "order",
                    "verdict": "said",
                    "arm": "arm",
                    "criterion": "rubric",
                    "context": "shown",
                },
                "orders": {"AB": "AB", "BA": "BA"},
                "arms": {"equivalent": "equivalent", "signal": "signal"},
                "verdicts": {"first": "first", "second": "second", "tie": "tie"},
            }
        )
        return project.audit()

    return once("context", build)


def effect(run, arm, criterion):
    (found,) = (e for e in run.report["contexts"] if (e["arm"], e["criterion"]) == (arm, criterion))
    return found


def test_the_published_rows_are_reproduced(run, shared):
    values = json.loads((shared / "reference" / "paper_values.json").read_text("utf-8"))["context_audit"]
    for row in values["rows"]:
        found = effect(run, row["arm"], row["criterion"])
        assert (found["tasks"], found["families"]) == (values["tasks"], values["families"])
        assert found["adverse"] == len(found["adverse_tasks"]) == row["adverse"]
        assert (found["absent"], found["present"]) == (row["absent"], row["present"])
        assert (found["difference"], found["interval"]) == (row["diff"], row["ci"])


def test_adverse_tasks_are_named(run):
    assert effect(run, "equivalent", "strict")["adverse_tasks"] == ["f0-0"]


def test_each_context_is_a_cell_of_its_own_without_gate_contrast_or_risk(run):
    contexts = [cell["context"] for cell in run.report["cells"]]
    assert sorted(contexts) == ["absent"] * 4 + ["present"] * 4
    assert (run.report["gates"], run.report["contrasts"], run.report["risk"]) == ([], [], {})
    assert run.code == 0


def test_the_terminal_says_what_the_third_candidate_did(run):
    assert "with and without a third candidate" in run.text
    assert "7/32 tasks adverse" in " ".join(run.text.split())


def test_no_row_of_the_log_is_left_over(run):
    assert "stray-rows" not in {finding["code"] for finding in run.report["findings"]}


PYTHON_JUDGE = """
import json

def judge(messages):
    with open("shown.jsonl", "a") as file:
        file.write(json.dumps(messages[-1]["content"]) + "\\n")
    return '{"winner": "tie"}'
"""
ONE = """
import pytest

@pytest.mark.equivalent_pairs("corpora/equal.jsonl", context="third")
def test_equal(judge, pair):
    assert judge.compare(pair).tie
"""


@pytest.fixture
def asked(tmp_path, once):
    def build(project):
        project.jsonl("corpora/equal.jsonl", list(pairs("equivalent"))[:4])
        project.write("evals/test_context.py", ONE)
        project.write("mine.py", PYTHON_JUDGE)
        project.judges({"name": "mine", "family": "m", "api": "python", "callable": "mine:judge"})
        live = project.audit("--judge-live")
        assert live.report["answers"]["asked"] == 16, live.text
        project.write("asked.txt", (project.root / "shown.jsonl").read_text("utf-8"))
        return project.audit()

    return once("context-asked", build)


def shown(asked, tmp_path_factory):
    base = tmp_path_factory.getbasetemp()
    found = next(path for path in (base, base.parent) if (path / "endtoend/context-asked").exists())
    text = (found / "endtoend/context-asked/asked.txt").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


def test_contexts_differ_in_nothing_but_the_third_candidate_which_comes_last(asked, tmp_path_factory):
    prompts = shown(asked, tmp_path_factory)
    absent = {prompt for prompt in prompts if "candidate_C" not in prompt}
    present = [prompt for prompt in prompts if "candidate_C" in prompt]
    assert len(absent) == len(present) == 8
    for prompt in present:
        before, _, rest = prompt.partition("\n\n<candidate_C_")
        block, _, sentence = rest.partition("\n\nCompare only candidate A and candidate B.")
        assert "third f" in block
        assert "<candidate_B_" in before
        assert f"{before}\n\nCompare only candidate A and candidate B.{sentence}" in absent


def test_answers_of_both_contexts_are_kept_under_names_of_their_own(asked):
    assert asked.report["answers"]["hit"] == 16
    assert asked.report["answers"]["asked"] == 0
    assert asked.report["answers"]["unused"] == 0
    assert asked.report["contexts"][0]["adverse"] == 0
