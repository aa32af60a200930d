"""From the marker ``questions`` to rows: agents × arms × questions × replicates."""

from __future__ import annotations

import pytest

from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.session.markers import QuestionSpec
from pytest_judgeaudit.session.questions import QuestionSets, retirement
from pytest_judgeaudit.session.workspaces import Workspaces
from pytest_judgeaudit.settings.models import Configuration, CorpusSettings

QUESTIONS = """
[[question]]
id = "q1"
prompt = "Which file holds write_loan?"
class = "lookup"
evidence = ["store.py:1"]
fact = [
    { id = "file", must = true, match = { type = "literal", value = "write_loan" } },
    { id = "twin", match = { type = "literal", value = "write_loan" } },
]

[[question]]
id = "q2"
prompt = "Which one?"
class = "lookup"
retired = { on = "2026-01-05", why = "false premise" }
fact = [{ id = "f", must = true, match = { type = "literal", value = "x" } }]
"""


@pytest.fixture
def sets(tmp_path):
    """The question sets of a project with one corpus and two agents."""
    (tmp_path / "code").mkdir()
    (tmp_path / "code/store.py").write_text("def write_loan(loan):\n    return loan\n", "utf-8")
    (tmp_path / "q.toml").write_text(QUESTIONS, "utf-8")
    corpus = CorpusSettings(name="code", path="code", rename_seeds=(1, 2))
    configuration = Configuration(corpora=(corpus,), file=tmp_path / "judgeaudit.toml")
    spaces = Workspaces(configuration, root=tmp_path, hidden=())
    yield QuestionSets(
        root=tmp_path, workspaces=spaces, agents=lambda wanted: wanted or ("reader", "second")
    )
    spaces.pytest_unconfigure()


def spec(*arms, corpus="code", replicates=1, agents=None):
    return QuestionSpec(
        marker="questions",
        source="q.toml",
        corpus=corpus,
        arms=arms or ("sighted",),
        replicates=replicates,
        judges=None,
        agents=agents,
    )


def test_rows_are_every_agent_arm_question_and_replicate_in_the_order_of_the_file(sets):
    rows, _ = sets.rows(spec("sighted", "blind", replicates=2))
    assert len(rows) == 2 * 2 * 2 * 2
    assert [row.id for row in rows[:5]] == [
        "reader-q1-sighted",
        "reader-q1-sighted-2",
        "reader-q2-sighted",
        "reader-q2-sighted-2",
        "reader-q1-blind",
    ]


def test_a_marker_may_name_its_agents(sets):
    assert {row.agent for row in sets.rows(spec(agents=("second",)))[0]} == {"second"}


def test_the_lint_is_told_once_whatever_the_number_of_tests(sets):
    told = [sets.rows(spec())[1] for _ in range(2)]
    assert [[finding.code for finding in one] for one in told] == [["shared-token"], []]


def test_a_retired_question_keeps_its_rows_and_says_why(sets):
    rows, _ = sets.rows(spec())
    assert [retirement(row) for row in rows[:2]] == [None, "retired on 2026-01-05: false premise"]


def test_every_seed_of_a_corpus_is_an_arm_with_questions_renamed_alike(sets):
    rows, _ = sets.rows(spec("renamed-sighted"))
    asked = {row.arm: row.question for row in rows if row.question.id == "q1"}
    assert list(asked) == ["renamed-sighted", "renamed-sighted@2"]
    prompts = {question.prompt for question in asked.values()}
    assert len(prompts) == 2
    assert not any("write_loan" in prompt for prompt in prompts)
    for question in asked.values():
        # The name in the key is the one in the prompt.
        assert question.facts[0].match.values[0] in question.prompt


@pytest.mark.parametrize("arms", [("sighted",), ("blind", "renamed-blind")])
def test_without_a_corpus_there_is_nothing_to_see_or_to_rename(sets, arms):
    with pytest.raises(Refused, match="needs a corpus"):
        sets.rows(spec(*arms, corpus=None))


def test_blind_questions_need_no_corpus(sets):
    rows, _ = sets.rows(spec("blind", corpus=None))
    assert {(row.arm, row.corpus) for row in rows} == {("blind", None)}


def test_an_unknown_corpus_is_refused_with_the_nearest(sets):
    with pytest.raises(Refused, match='Did you mean "code"'):
        sets.rows(spec(corpus="cod"))


def test_a_guard_knows_the_file_and_every_id(sets):
    rows, _ = sets.rows(spec())
    assert (rows[0].guard.files, rows[0].guard.ids) == (("q.toml",), ("q1", "q2"))
