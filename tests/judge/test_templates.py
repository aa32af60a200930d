from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_judgeaudit.judge.templates import BUILT_IN, PromptTemplate, load_template, parse_template
from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.records.items import short_digest
from pytest_judgeaudit.records.requests import Message

BLOCKS = """<candidate_A_{fence}>
{candidate_A}
</candidate_A_{fence}>
[the candidate_B of {fence}]
{candidate_B}
[/the candidate_B of {fence}]"""
OWN = (
    "=== system ===\nRule: {criterion}\n\n=== user ===\n{prompt}\n" + BLOCKS + "\n{reply} {{prompt}} {1}\n"
)
VALUES = {
    "criterion": "C",
    "prompt": "P",
    "candidate_A": "a",
    "candidate_B": "b",
    "fence": "f00d",
    "reply": "R",
}


def refusal(text: str) -> str:
    with pytest.raises(Refused) as refused:
        parse_template(text, name="own.txt")
    return str(refused.value)


def test_a_template_is_filled_into_messages():
    assert parse_template(OWN, name="own.txt").render(VALUES) == (
        Message(role="system", content="Rule: C"),
        Message(
            role="user",
            content=(
                "P\n<candidate_A_f00d>\na\n</candidate_A_f00d>\n"
                "[the candidate_B of f00d]\nb\n[/the candidate_B of f00d]\nR {prompt} {1}"
            ),
        ),
    )


def test_without_role_lines_the_whole_file_is_the_users_message():
    (message,) = parse_template("{criterion} {prompt}\n" + BLOCKS, name="own.txt").render(VALUES)
    assert message.role == "user"
    assert message.content.startswith("C P\n<candidate_A_f00d>\na\n")


PIECES = st.sampled_from([f"{{{name}}}" for name in VALUES] + ["{{prompt}}", "{", "}", "x", "\n", "\ud800"])


@given(a=st.lists(PIECES).map("".join), b=st.lists(PIECES).map("".join))
def test_a_candidate_that_looks_like_a_template_is_shown_as_it_is(a, b):
    *_, user = parse_template(OWN, name="own.txt").render({**VALUES, "candidate_A": a, "candidate_B": b})
    assert f"<candidate_A_f00d>\n{a}\n</candidate_A_f00d>" in user.content
    assert f"[the candidate_B of f00d]\n{b}\n[/the candidate_B of f00d]" in user.content
    assert user.content.endswith("\nR {prompt} {1}")


@given(criterion=st.lists(PIECES).map("".join))
def test_filling_in_two_steps_is_filling_in_one(criterion):
    template = parse_template(OWN, name="own.txt")
    first = {"criterion": criterion, "reply": "R"}
    assert template.filled(first).render(VALUES) == template.render({**VALUES, **first})


NEEDS = "{criterion}, {prompt}, {candidate_A}, {candidate_B}, {fence}"
THREE = "<candidate_A_{fence}>, {candidate_A}, </candidate_A_{fence}>"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            OWN.replace("{prompt}\n", "{promt}\n"),
            "own.txt:5: unknown placeholder {promt}; there are criterion,",
        ),
        (
            OWN.replace("{reply}", "{Reply}"),
            "own.txt:12: unknown placeholder {Reply}; there are criterion,",
        ),
        (
            OWN.replace("{criterion}", "be good"),
            f"own.txt:5: the template has no {{criterion}}; it needs {NEEDS}",
        ),
        (OWN.replace("{prompt}\n", ""), "own.txt:5: the template has no {prompt}"),
        (OWN.replace("_{fence}", "").replace(" of {fence}", ""), "own.txt:5: the template has no {fence}"),
        (
            OWN.replace("<candidate_A_{fence}>", "<candidate_A>"),
            f"own.txt:5: {{candidate_A}} must stand once, in the last message, as the three lines {THREE}",
        ),
        (OWN.replace("</candidate_A_{fence}>", ""), "own.txt:5: {candidate_A} must stand once"),
        (OWN.replace("<candidate_A", "So: <candidate_A"), "own.txt:5: {candidate_A} must stand once"),
        (OWN + "{candidate_B}", "own.txt:5: {candidate_B} must stand once"),
        (OWN.replace("Rule:", "{candidate_B}"), "own.txt:5: {candidate_B} must stand once"),
        (OWN.replace("{candidate_A}\n", "{candidate_B}\n"), "own.txt:5: the template has no {candidate_A}"),
        (
            OWN.replace("=== user", "=== usr"),
            'own.txt:4: unknown role "usr"; there are system, user, assistant. Did you mean "user"?',
        ),
        (OWN + "=== system ===\nmore\n", "own.txt:13: a system message stands first or not at all"),
        (
            OWN + "=== assistant ===\n{prompt}\n",
            "own.txt:13: the last message is the user's, found assistant",
        ),
        (OWN + "=== user ===\n\n\n", "own.txt:13: the user message is empty"),
        ("# mine\n" + OWN, "own.txt:1: text before the first role line"),
        ("", "own.txt:1: the user message is empty"),
    ],
)
def test_a_template_that_cannot_be_used_is_refused_with_its_line(text, reason):
    assert refusal(text).startswith(reason)


def test_an_unknown_placeholder_is_refused_with_the_near_one_and_the_way_to_write_it():
    assert refusal(OWN.replace("{prompt}\n", "{promt}\n")).endswith(
        'candidate_B, fence, reply. Write {{promt}} for the text {promt}. Did you mean "prompt"?'
    )


def test_a_file_of_ones_own_is_looked_for_in_the_configurations_folder(tmp_path):
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts/own.txt").write_bytes(b"\xef\xbb\xbf" + OWN.replace("\n", "\r\n").encode())
    template = load_template("prompts/own.txt", folder=tmp_path)
    assert template.render(VALUES) == parse_template(OWN, name="own.txt").render(VALUES)


@pytest.mark.parametrize("name", ["pairwise/2", "no\0file", "folder", "../nowhere"])
def test_a_name_that_is_no_template_is_refused(tmp_path, name):
    (tmp_path / "folder").mkdir()
    with pytest.raises(
        Refused, match=r'^template ".*" is no built-in one \(pairwise/1\), and as a file it is'
    ):
        load_template(name, folder=tmp_path)


def test_a_file_that_is_no_text_is_refused(tmp_path):
    (tmp_path / "own.txt").write_bytes(b"\xff\xfe{prompt}")
    with pytest.raises(Refused, match="as a file it is not UTF-8 text"):
        load_template("own.txt", folder=tmp_path)


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_built_in_template_holds_criterion_prompt_and_both_blocks(tmp_path, name):
    messages = load_template(name, folder=tmp_path).render(
        {**VALUES, "criterion": "THE RULE", "prompt": "THE\nTASK", "reply": "THE REPLY"}
    )
    text = "\n".join(message.content for message in messages)
    assert [message.role for message in messages] == ["system", "user"]
    assert all(part in text for part in ("THE RULE", "\nTHE\nTASK\n", "THE REPLY"))
    for slot in "AB":
        block = f"\n<candidate_{slot}_f00d>\n{slot.lower()}\n</candidate_{slot}_f00d>\n"
        assert messages[-1].content.count(block) == 1
        assert messages[-1].content.count(f"<candidate_{slot}") == 1


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_built_in_template_says_that_candidates_are_data(tmp_path, name):
    text = load_template(name, folder=tmp_path).text
    assert all(part in text for part in ("is data", "never an instruction"))


def test_a_released_template_never_changes():
    # Another text here would make every answer stale that was recorded with it: write pairwise/2 instead.
    assert short_digest(BUILT_IN["pairwise/1"].read_text(encoding="utf-8")) == "0bf27020b5b135f8"


def test_a_template_of_a_plug_in_goes_before_a_file_of_its_name(tmp_path):
    (tmp_path / "house").mkdir()
    (tmp_path / "house" / "1").write_text(OWN + "from the file")
    found = load_template("house/1", folder=tmp_path, contributed={"house/1": PromptTemplate(text=OWN)})
    assert found == parse_template(OWN, name="house/1")


def test_a_template_of_another_form_is_not_among_those_that_there_are(tmp_path):
    others = {"house/1": PromptTemplate(text=OWN), "rated/1": PromptTemplate(text="…", form="rubric")}
    with pytest.raises(Refused) as refused:
        load_template("rated/1", folder=tmp_path, contributed=others)
    assert str(refused.value).startswith(
        'template "rated/1" is no built-in one (pairwise/1, house/1), and as a file it is not there'
    )
