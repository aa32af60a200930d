"""Question files: read strictly, in both schemas, with every fault named by place, question and fact."""

from __future__ import annotations

import json

import pytest

from pytest_judgeaudit.corpora.questions import load_questions
from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.records.questions import Evidence, Fact, Match, Retirement

TOML = """\
# a comment
[[question]]
id = "q-rate"
prompt = "Where is the rate computed?"
class = "lookup"
genre = "behaviour"
category = "interest"
difficulty = "easy"
evidence = ["CALC.cbl:2", { file = "sub/STORE.cbl", line = 1, contains = "open vsam" }]

[[question.fact]]
id = "paragraph"
desc = "names it"
match = {
    type = "any-of",
    value = ["COMPUTE-DAILY-RATE", "daily paragraph"],   # a multi-line inline table: TOML 1.1
}

[[question.fact]]
id = "bonus"
must = false
match = { type = "near", value = ["rate", "daily"], within = 40, flags = "" }

[[question]]
id = "q-retry"
prompt = "Where is the retry queue drained?"
class = "abstain"

[[question.forbidden]]
id = "place"
match = { type = "regex", value = "drained (in|by) " }
"""


@pytest.fixture
def corpus(tmp_path):
    folder = tmp_path / "src"
    (folder / "sub").mkdir(parents=True)
    (folder / "CALC.cbl").write_text("PERFORM X.\n COMPUTE.\n", encoding="utf-8")
    (folder / "sub" / "STORE.cbl").write_text("OPEN VSAM-MASTER.\n", encoding="utf-8")
    return folder


def load(tmp_path, text, name="questions.toml", **rest):
    (tmp_path / name).write_text(text, encoding="utf-8")
    return load_questions(name, root=tmp_path, **rest)


def refusal(tmp_path, text, name="questions.toml", **rest):
    with pytest.raises(Refused) as caught:
        load(tmp_path, text, name, **rest)
    return str(caught.value)


def test_toml_with_multi_line_inline_tables_is_read(tmp_path, corpus):
    loaded = load(tmp_path, TOML, corpus=corpus)
    rate, retry = loaded.questions
    assert (rate.id, rate.cls, rate.difficulty, rate.grader) == ("q-rate", "lookup", "easy", "checklist")
    assert rate.place == "questions.toml:2"
    assert rate.facts == (
        Fact(
            id="paragraph",
            desc="names it",
            match=Match(type="any-of", values=("COMPUTE-DAILY-RATE", "daily paragraph")),
        ),
        Fact(
            id="bonus",
            must=False,
            match=Match(type="near", values=("rate", "daily"), within=40, flags=""),
        ),
    )
    assert rate.evidence[0] == Evidence(file="CALC.cbl", line=2)
    assert retry.abstains
    assert retry.forbidden[0].id == "place"


SOURCE = {
    "set": "lending",
    "version": 2,
    "_comment": ["free text"],
    "questions": [
        {
            "id": "LK1",
            "cls": "lookup",
            "label": "rate",
            "prompt": "Where?",
            "checklist": [
                {"id": "f1", "must": True, "desc": "d", "match": {"type": "path", "value": "a.py"}}
            ],
            "forbidden": [],
            "provenance": {"verified_by": "reading", "note": "n", "evidence": ["CALC.cbl:1"]},
            "leak_terms": ["secret"],
            "_rewriteNote": "x",
        },
        {
            "id": "AB1",
            "cls": "abstain",
            "prompt": "Where is it?",
            "grader": {"forbidden": [{"id": "x1", "match": {"type": "literal", "value": "a"}}]},
            "abstainMarkers": ["not-in-corpus"],
        },
        {"id": "S1", "cls": "structural", "prompt": "Which?", "grader": {"type": "set", "gt": ["a.py"]}},
        {
            "id": "LK2",
            "cls": "lookup",
            "prompt": "Old?",
            "enabled": False,
            "retired": {"on": "2026-01-01", "why": "the premise is false", "found_by": "reading"},
            "grader": {"type": "llm", "rubric": "is it right"},
        },
    ],
}


def test_the_json_schema_of_the_source_is_read_as_it_is(tmp_path, corpus):
    loaded = load(tmp_path, json.dumps(SOURCE, indent=1), "set.json", corpus=corpus)
    first, abstain, listed, retired = loaded.questions
    assert (loaded.name, loaded.version) == ("lending", "2")
    assert (first.facts[0].match.type, first.evidence, first.leak_terms) == (
        "path",
        (Evidence(file="CALC.cbl", line=1),),
        ("secret",),
    )
    assert (abstain.grader, abstain.forbidden[0].id, abstain.markers) == (
        "abstain",
        "x1",
        ("not-in-corpus",),
    )
    assert (listed.grader, listed.gt) == ("set", ("a.py",))
    assert retired.retired == Retirement(why="the premise is false", on="2026-01-01", found_by="reading")
    assert [question.id for question in loaded.asked] == ["LK1", "AB1", "S1"]
    assert [question.place for question in loaded.questions] == [
        f"set.json:{line}"
        for line, text in enumerate(json.dumps(SOURCE, indent=1).splitlines(), start=1)
        if any(f'"id": "{name}"' in text for name in ("LK1", "AB1", "S1", "LK2"))
    ]


def test_a_bare_list_is_read_too(tmp_path):
    assert len(load(tmp_path, json.dumps(SOURCE["questions"]), "list.json").questions) == 4


QUESTION = '[[question]]\nid = "q"\nprompt = "p"\nclass = "lookup"\n'
FACT = '[[question.fact]]\nid = "f"\nmatch = { type = "literal", value = "x" }\n'


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (QUESTION + FACT.replace('"literal"', '"regex"').replace('"x"', '"(open"'), ["q", "f", "broken"]),
        (QUESTION + FACT.replace('"literal"', '"litteral"'), ["q", "f", "unknown matcher", '"literal"']),
        (QUESTION + FACT.replace('"x"', '""'), ["q", "f", "empty"]),
        (QUESTION.replace("lookup", "abstain"), ["q", "abstain question without forbidden facts"]),
        (QUESTION.replace("lookup", "abstain") + FACT, ["q", "carries no checklist"]),
        (QUESTION, ["q", "no required fact"]),
        (QUESTION + FACT.replace('id = "f"', 'id = "f"\nmust = false'), ["q", "no required fact"]),
        (QUESTION + FACT + FACT, ["q", "f", "occurs twice"]),
        (QUESTION + FACT + QUESTION + FACT, ['"q"', "occurs already at questions.toml:1"]),
        (QUESTION + 'evidnce = ["a:1"]\n' + FACT, ["evidnce", "evidence"]),
        (QUESTION + 'retired = { on = "2026-01-01", why = " " }\n' + FACT, ["q", "needs a reason"]),
        (QUESTION + 'evidence = ["../a.py:1"]\n' + FACT, ["../a.py:1", "inside of the corpus"]),
        (QUESTION.replace('prompt = "p"\n', "") + FACT, ["q", "prompt"]),
        (QUESTION + 'grader = "sett"\n' + FACT, ["q", "sett", "set"]),
        (QUESTION + FACT.replace("type", "kind"), ["q", "f", "unknown matcher"]),
        (QUESTION + FACT.replace('id = "f"', 'id = "f"\nmust = "yes"'), ["q", "f", "must"]),
    ],
)
def test_a_fault_names_place_question_and_fact(tmp_path, text, words):
    message = refusal(tmp_path, text)
    assert message.startswith("questions.toml:")
    assert len(message.splitlines()) == 1
    for word in words:
        assert word in message


@pytest.mark.parametrize(
    ("evidence", "exclude", "words"),
    [
        ("CALC.cbl:3", (), "CALC.cbl:3: is out of range; the file has 2 lines"),
        ("CALC.cbl:0", (), "out of range"),
        ("CALC.cbl:1-3", (), "out of range"),
        ("GONE.cbl:1", (), "there is no such file"),
        ("sub:1", (), "is a folder"),
        ("sub/STORE.cbl:1", ("sub",), "the corpus excludes this file"),
        ("link.cbl:1", (), "leads out of the corpus"),
    ],
)
def test_evidence_that_is_not_there_is_refused(tmp_path, corpus, evidence, exclude, words):
    (tmp_path / "outside.cbl").write_text("x\n", encoding="utf-8")
    (corpus / "link.cbl").symlink_to(tmp_path / "outside.cbl")
    text = QUESTION + f'evidence = ["{evidence}"]\n' + FACT
    assert words in refusal(tmp_path, text, corpus=corpus, exclude=exclude)


def test_evidence_must_contain_what_it_says(tmp_path, corpus):
    text = QUESTION + 'evidence = [{ file = "CALC.cbl", line = 2, contains = "DISPLAY" }]\n' + FACT
    assert 'does not contain "DISPLAY"' in refusal(tmp_path, text, corpus=corpus)
    load(tmp_path, text.replace("DISPLAY", "COMPUTE"), corpus=corpus)


def test_six_faults_are_said_at_once_and_a_shared_token_is_a_warning(tmp_path, corpus):
    rows = [
        QUESTION.replace('"q"', '"q1"').replace("lookup", "abstain"),
        QUESTION.replace('"q"', '"q2"') + FACT.replace('"x"', '""'),
        QUESTION.replace('"q"', '"q3"') + FACT.replace("literal", "litteral"),
        QUESTION.replace('"q"', '"q4"') + FACT.replace("literal", "regex").replace('"x"', '"["'),
        QUESTION.replace('"q"', '"q5"') + 'evidence = ["CALC.cbl:99"]\n' + FACT,
        QUESTION.replace('"q"', '"q6"') + 'evidence = ["sub/STORE.cbl:1"]\n' + FACT,
    ]
    message = refusal(tmp_path, "".join(rows), corpus=corpus, exclude=["sub/*"])
    assert len(message.splitlines()) == 6
    assert all(f'"q{number}"' in line for number, line in enumerate(message.splitlines(), start=1))


def test_a_refusal_carries_its_warnings_apart(tmp_path):
    other = FACT.replace('"f"', '"g"').replace('"literal", value = "x"', '"any-of", value = ["y", "**X**"]')
    faulty = QUESTION.replace('"q"', '"q2"').replace("lookup", "abstain")
    with pytest.raises(Refused) as caught:
        load(tmp_path, QUESTION + FACT + other + faulty)
    assert '"q2"' in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1
    (doubt,) = caught.value.doubts
    assert 'question q: the facts "f", "g" share the token "x"' in doubt


def test_a_token_of_two_facts_is_a_finding(tmp_path):
    other = FACT.replace('"f"', '"g"').replace('"literal", value = "x"', '"any-of", value = ["y", "**X**"]')
    (finding,) = load(tmp_path, QUESTION + FACT + other).findings
    assert finding.code == "shared-token"
    assert "question q" in finding.where
    assert '"f"' in finding.symptom
    assert '"g"' in finding.symptom


@pytest.mark.parametrize(
    ("kind", "value", "code"),
    [
        ("forbidden", r"[\\w./-]+\\.py", "bare-shape"),
        ("fact", "shelf sync", "literal-separator"),
        ("fact", "a`b", "decorated-pattern"),
    ],
)
def test_a_doubtful_pattern_is_a_finding(tmp_path, kind, value, code):
    doubtful = f'[[question.{kind}]]\nid = "d"\nmatch = {{ type = "regex", value = "{value}" }}\n'
    findings = load(tmp_path, QUESTION + FACT + doubtful).findings
    assert [finding.code for finding in findings] == [code]


def test_keys_and_prompts_have_digests_of_their_own(tmp_path):
    one = load(tmp_path, QUESTION + FACT).questions[0]
    key = load(tmp_path, QUESTION + FACT.replace('"x"', '"y"')).questions[0]
    prompt = load(tmp_path, QUESTION.replace('"p"', '"p2"') + FACT).questions[0]
    described = load(tmp_path, QUESTION + FACT.replace('id = "f"', 'id = "f"\ndesc = "d"')).questions[0]
    assert one.prompt_digest() == key.prompt_digest() != prompt.prompt_digest()
    assert len({one.key_digest(), key.key_digest(), described.key_digest()}) == 3
    assert one.key_digest() == prompt.key_digest()


@pytest.mark.parametrize(
    ("text", "name", "words"),
    [
        ("question = 3\n", "q.toml", "expected a list"),
        ("", "q.toml", "expected a list"),
        ("[]", "q.json", "has no questions"),
        ("[{]", "q.json", "not JSON"),
        ("[[question]\n", "q.toml", "not TOML"),
        ("[[quetsion]]\nid = 1\n", "q.toml", "expected a list of questions"),
        ('{"questions": [], "sett": 1}', "q.json", "unknown key"),
        ("x", "q.yaml", "cannot tell the format"),
        ('{"questions": [1]}', "q.json", "expected a list of questions"),
        ('[{"id": "a", "id": "b"}]', "q.json", "occurs twice"),
    ],
)
def test_what_is_no_question_file_is_refused(tmp_path, text, name, words):
    assert words in refusal(tmp_path, text, name)
