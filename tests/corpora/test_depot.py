"""The depot: its keys tell right from wrong, its Python runs, and its scripted agents do as they say."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import types
from collections import Counter
from pathlib import Path

import pytest
import tomli

from pytest_judgeaudit.agent.functions import View
from pytest_judgeaudit.agent.sandboxes import blind, sighted
from pytest_judgeaudit.ask.functions import load_function
from pytest_judgeaudit.corpora.questions import load_questions
from pytest_judgeaudit.grade import grade

ROOT = Path(__file__).parents[2]
HOME = ROOT / "corpora" / "depot"
SOURCES = HOME / "src"
LOADED = load_questions("corpora/depot/questions.toml", root=ROOT, corpus=SOURCES)
ANSWERS = tomli.loads(Path(__file__).with_name("depot_answers.toml").read_text(encoding="utf-8"))
EVIDENCE = [(one.id, evidence) for one in LOADED.questions for evidence in one.evidence]

each_question = pytest.mark.parametrize("question", LOADED.questions, ids=lambda question: question.id)


# The set


def test_the_set_has_thirty_questions_over_all_classes_and_no_lint_finding():
    assert LOADED.findings == ()
    assert Counter(question.cls for question in LOADED.questions) == {
        "lookup": 6,
        "structural": 6,
        "blast": 6,
        "arch": 4,
        "abstain": 6,
        "removed": 2,
    }


@each_question
def test_every_question_is_described_and_rests_on_evidence(question):
    assert question.genre
    assert question.category
    assert question.difficulty in {"easy", "medium", "hard"}
    assert bool(question.evidence) != question.abstains


@pytest.mark.parametrize(("name", "evidence"), EVIDENCE, ids=str)
def test_every_line_of_evidence_is_there_and_says_something(name, evidence):
    lines = (SOURCES / evidence.file).read_text(encoding="utf-8").splitlines()
    first = evidence.line or 1
    held = lines[first - 1 : evidence.last or first]
    assert all(line.strip() for line in held), name
    assert held[-1:] != [], name
    assert evidence.contains in "\n".join(held), name


@each_question
def test_a_right_answer_scores_one(question):
    assert grade(question, ANSWERS[question.id]["right"]).score == 1.0


@each_question
def test_a_plausible_wrong_answer_scores_less_than_half(question):
    assert grade(question, ANSWERS[question.id]["wrong"]).score < 0.5


def test_every_question_has_its_answers_and_no_other():
    assert set(ANSWERS) == {question.id for question in LOADED.questions}


# Its code

CODE = [path for path in sorted(SOURCES.rglob("*")) if path.is_file() and "__pycache__" not in path.parts]


def test_the_code_is_in_five_languages_and_sixteen_to_twenty_files():
    assert 16 <= len(CODE) <= 20
    assert {path.suffix for path in CODE} == {".cbl", ".cpy", ".jcl", ".sql", ".py", ".txt"}


@pytest.fixture
def depot(monkeypatch):
    """The modules of the depot, imported as its own interpreter would, and forgotten afterwards."""
    monkeypatch.syspath_prepend(str(SOURCES / "python"))
    names = ("proposal_file", "spending_rule", "order_store", "nightly_load", "picklist", "packlist")
    modules = {name: __import__(f"depot.{name}", fromlist=[name]) for name in names}
    yield types.SimpleNamespace(**modules)
    for name in [one for one in sys.modules if one.partition(".")[0] == "depot"]:
        del sys.modules[name]


PROPOSALS = (
    "BOLT0001ACME  00001000000250  \nNUT00002ACME  00000500000100  \nPUMP0003HELD  00000010999999  \n"
)


@pytest.fixture
def orders():
    connection = sqlite3.connect(":memory:")
    connection.executescript((SOURCES / "sql/schema.sql").read_text(encoding="utf-8"))
    connection.executemany(
        "INSERT INTO supplier VALUES (?, ?, ?)", [("ACME", "Acme", 0), ("HELD", "Held", 1)]
    )
    yield connection
    connection.close()


def test_proposals_become_orders_of_suppliers_that_are_not_on_hold(depot, orders, tmp_path):
    (tmp_path / "proposals").write_text(PROPOSALS, encoding="ascii")
    lines = list(depot.proposal_file.read_proposals(tmp_path / "proposals"))
    store = depot.order_store.OrderStore(orders)
    assert depot.nightly_load.load_proposals(lines, store) == [1]
    assert store.commitments() == {"ACME": 100 * 250 + 50 * 100}
    assert orders.execute("SELECT order_state FROM purchase_order").fetchall() == [("sent",)]


@pytest.mark.parametrize(("pence", "signed"), [(250_000, False), (250_001, True)])
def test_an_order_above_the_limit_needs_a_signature(depot, pence, signed):
    line = depot.proposal_file.ProposalLine("P", "S", 1, pence)
    assert depot.spending_rule.needs_signature([line]) is signed


def test_the_fullest_shelf_is_emptied_first(depot):
    shelves = [("A1", "bolt", 2), ("B1", "bolt", 5)]
    picks = depot.picklist.plan_picks({"bolt": 8}, shelves)
    assert [tuple(pick) for pick in picks] == [
        ("", "bolt", 0, 1),
        ("A1", "bolt", 2, 0),
        ("B1", "bolt", 5, 0),
    ]


def test_boxes_hold_twelve_kilograms(depot):
    assert depot.packlist.plan_boxes([("a", 7000), ("b", 6000), ("c", 5000)]) == [["a", "c"], ["b"]]


def test_the_dropped_table_is_in_no_schema(orders):
    orders.executescript((SOURCES / "sql/drop_reservations.sql").read_text(encoding="utf-8"))
    names = {
        row[0] for row in orders.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")
    }
    assert names == {"supplier", "purchase_order", "order_line", "open_commitment"}


def test_the_modules_import_in_an_interpreter_of_their_own():
    code = "import depot.nightly_load, depot.picklist, depot.packlist"
    subprocess.run([sys.executable, "-W", "error", "-c", code], cwd=SOURCES / "python", check=True)


# The scripted agents


@pytest.fixture(scope="module")
def searched():
    """Per question: the answer of the agent that searches the depot, and the tools that it called."""
    agent = load_function("evals.readers:searching", who="test", root=ROOT)
    answers = {}
    with sighted(SOURCES, corpus="depot", hidden=[HOME / "questions.toml"]) as sandbox:
        for question in LOADED.questions:
            view = View(sandbox)
            answers[question.id] = (agent(question.prompt, view), view.used()[0])
    return answers


@pytest.fixture(scope="module")
def guessed():
    agent = load_function("evals.readers:guessing", who="test", root=ROOT)
    with blind() as sandbox:
        view = View(sandbox)
        answers = {question.id: agent(question.prompt, view) for question in LOADED.questions}
    return answers, view.used()[0]


def mean(texts):
    scores = [grade(question, texts[question.id]).score for question in LOADED.questions]
    return sum(scores) / len(scores)


def test_the_agent_that_searches_uses_its_tools_for_every_question(searched):
    assert all(calls and {call.tool for call in calls} == {"grep"} for _, calls in searched.values())


def test_the_agent_that_guesses_uses_none(guessed):
    assert guessed[1] == ()


def test_looking_pays(searched, guessed):
    looked = mean({name: text for name, (text, _) in searched.items()})
    assert looked > 0.3
    assert mean(guessed[0]) < 0.1, looked
