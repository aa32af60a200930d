"""Markdown for pull requests and CI: what it says, its size, and that no foreign text is live in it."""

from __future__ import annotations

import re
import unicodedata

import pytest
from markdown_it import MarkdownIt

from pytest_judgeaudit.records.audits import Audit
from pytest_judgeaudit.report.json import document
from pytest_judgeaudit.report.markdown import LONGEST, code, to_markdown

LIVE = re.compile(r"[<>\[\]@#!]|https?:|www\.|\$\\")
OURS = ("<details><summary>Cells</summary>", "</details>", "### ", "## ")


def outside(text):
    """What is left of a text without code spans, fenced blocks and our own markup."""
    text = re.sub(r"^```text\n.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"(?<!`)`[^`\n]+`(?!`)", "", text)
    for markup in OURS:
        text = text.replace(markup, "")
    return text


def tokens(text):
    """The kinds of tokens that a reader of Markdown with tables sees, and the HTML among them."""
    found = MarkdownIt("commonmark").enable("table").parse(text)
    every = [*found, *(child for token in found for child in token.children or ())]
    return {token.type for token in every}, {
        token.content for token in every if token.type.startswith("html")
    }


@pytest.fixture(scope="module")
def report(page):
    return page.report


@pytest.fixture(scope="module")
def poisoned(samples, report):
    return to_markdown(samples.poisoned(report), files=["audit.json"])


def test_it_says_the_verdict_then_the_gates_worst_first(report):
    text = to_markdown(report)
    assert text.startswith(
        "## Judge audit: MISS\n\n12 gates: 7 PASS, 1 MISS, 4 HOLD · protocol `unfrozen`\n"
    )
    rows = [line for line in text.splitlines() if "_gate[" in line and line.startswith("|")]
    assert re.search(r"\| ❌ MISS \| 6\.04 % \| ≤ 5 % \| 102 \| 0\.331 \|$", rows[0])
    assert [row.split(" | ")[1].split()[-1] for row in rows] == ["MISS", *["HOLD"] * 4, *["PASS"] * 7]


def test_it_names_judges_cells_findings_and_other_reports(report):
    text = to_markdown(report, files=["audit.html"], run_url="https://ci.example/runs/7")
    assert "`qwen2.5-32b`" in text
    assert "| `house-gpt · strict: signal` | ⏸️ HOLD | 102 |" in text
    assert "invalid-outputs: house-gpt in evals/test_study.py: HOLD: 20 of 612 outputs" in text
    assert "Reports: `audit.html` among the [files of this run](<https://ci.example/runs/7>)." in text


def test_every_table_has_as_many_columns_as_its_head(report, poisoned):
    for text in (to_markdown(report), poisoned):
        tables = re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE)
        assert len(tables) == 3
        for table in tables:
            assert len({line.count("|") for line in table.splitlines()}) == 1


def test_a_hostile_text_is_nowhere_live(poisoned):
    assert not LIVE.search(outside(poisoned))
    assert "<script" not in poisoned
    assert "<img" not in poisoned


def test_a_reader_of_markdown_sees_the_same_kinds_of_things_as_without_hostile_texts(report, poisoned):
    kinds, markup = tokens(poisoned)
    assert kinds == tokens(to_markdown(report))[0]
    assert not {"link_open", "image"} & kinds
    assert {line for text in markup for line in text.split()} == {
        *("<details><summary>Cells</summary>", "</details>")
    }


def test_a_hostile_text_neither_ends_its_block_nor_begins_one(poisoned):
    fences = [line for line in poisoned.splitlines() if line.startswith("```")]
    assert fences == ["```text", "```"]
    block = poisoned.split("```text\n")[1].split("\n```")[0]
    assert "`" not in block


def test_no_control_character_is_left(poisoned):
    assert not [c for c in poisoned if unicodedata.category(c) in {"Cc", "Cf", "Cs"} and c != "\n"]
    poisoned.encode("utf-8")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "`plain`"),
        ("", "`(empty)`"),
        ("  ", "`\\x20`"),
        ("a|b`c``", "`a\\x7cb\\x60c\\x60\\x60`"),
        ("</code>", "`\\x3c/code>`"),
        ("p < 0.001", "`p < 0.001`"),
        ("two\nlines", "`two\\x0alines`"),
        ("y" * 999, f"`{'y' * 160}…`"),
    ],
)
def test_a_code_span_cannot_be_left(text, shown):
    assert code(text) == shown


def test_a_run_without_gates_is_said_to_be_one():
    text = to_markdown(document(Audit(state="pass")))
    assert text.startswith("## Judge audit: NO GATE\n\nno gate was run")
    assert "|" not in text


def test_whatever_the_run_says_the_text_fits_into_a_comment(samples, studies, report):
    gates = [{**gate, "reasons": ["z" * 3000] * 40} for gate in report["gates"] * 60]
    text = to_markdown({**report, "gates": gates}, files=["audit.json"])
    assert len(text.encode("utf-8")) <= LONGEST
    assert "more lines in the other reports" in text
    assert text.rstrip().endswith("Reports: `audit.json`.")
    assert text.count("```") % 2 == 0
    assert text.count("<details>") == text.count("</details>")


def test_a_baseline_names_the_flipped_tasks(samples, studies):
    text = to_markdown(samples.compared(studies).report)
    part = text[text.index("### Against the baseline") :]
    assert "2 flipped: t003, t004" in part
