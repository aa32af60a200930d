"""The reference is complete and holds nothing that is not there: options, markers, keys, codes, states."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import json
import re
from pathlib import Path
from typing import get_args

import pytest
from pydantic import BaseModel

import pytest_judgeaudit
from pytest_judgeaudit import grade, hookspecs, plugin, stats
from pytest_judgeaudit.audit.auditing import EXITS, audit
from pytest_judgeaudit.audit.holds import _KINDS
from pytest_judgeaudit.audit.joint import LABELS
from pytest_judgeaudit.audit.tallies import KINDS
from pytest_judgeaudit.corpora import claims, question_rows
from pytest_judgeaudit.corpora.columns import KEYS
from pytest_judgeaudit.corpora.rows import FORMATS
from pytest_judgeaudit.grade.matching import MATCHERS
from pytest_judgeaudit.records.answers import Reply, StoredAnswer
from pytest_judgeaudit.records.audits import (
    Answers,
    Audit,
    Cell,
    Configuration,
    Gate,
    GateState,
    Joint,
    Protocol,
)
from pytest_judgeaudit.records.claims import ClaimState
from pytest_judgeaudit.records.floors import (
    CellMeans,
    Design,
    Exclusions,
    Floor,
    Noise,
    PredictionOutcome,
    Spread,
)
from pytest_judgeaudit.records.grades import HARD_SIGNALS, SOFT_SIGNALS, GradeState, JudgeState
from pytest_judgeaudit.records.plans import Finding
from pytest_judgeaudit.records.verdicts import Verdict
from pytest_judgeaudit.report.json import SCHEMA, to_json
from pytest_judgeaudit.report.noted import MEANINGS
from pytest_judgeaudit.session import fixtures, markers, marking, outcomes, probe
from pytest_judgeaudit.session.judging import Judge
from pytest_judgeaudit.session.options import INI, OPTIONS
from pytest_judgeaudit.settings import tables
from pytest_judgeaudit.settings.expectations import CONTRASTS
from pytest_judgeaudit.settings.models import JudgeSettings, Limits, LogFields, Price
from pytest_judgeaudit.settings.reading import ARRAYS, TABLES
from pytest_judgeaudit.settings.studies import AuditSettings
from pytest_judgeaudit.stats.patterns import PATTERNS
from pytest_judgeaudit.store.lines import encode

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "pytest_judgeaudit"
PAGES = {page.stem: page.read_text(encoding="utf-8") for page in (ROOT / "docs" / "reference").glob("*.md")}
UNBUILT = "Not built yet"


def section(page, heading):
    """The text below a heading, up to the next one of its level or above; code is no heading."""
    found = re.search(rf"^(#+) {re.escape(heading)}$", PAGES[page], re.MULTILINE)
    assert found, f"{page}.md has no heading {heading!r}"
    rest = PAGES[page][found.end() :]
    end = re.search(
        rf"^#{{1,{len(found[1])}}} ",
        re.sub(r"```.*?```", lambda m: "`" * len(m[0]), rest, flags=re.DOTALL),
        re.MULTILINE,
    )
    return rest[: end.start()] if end else rest


def codes(text):
    """What stands in backticks, but for blocks."""
    return set(re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL)))


def first_column(text):
    """What stands in backticks in the first cells of a text's tables."""
    rows = re.findall(r"^ *\| (.*?) \|", text, re.MULTILINE)
    return {code for row in rows for code in codes(row)}


# Options


def test_every_option_is_documented():
    codes_ = first_column(PAGES["options"])
    listed = {code.partition("=")[0].split()[0] for code in codes_ if code.startswith("--")}
    assert listed == {option.flag for option in OPTIONS}


def test_every_ini_value_is_documented():
    assert first_column(section("options", "ini values")) == {ini.name for ini in INI}


def test_every_state_of_a_probe_is_documented():
    states = set(re.findall(r'"([A-Z]{4,})"', inspect.getsource(probe)))
    assert first_column(section("options", "What a probe says")) == states


# Markers and fixtures


def test_every_marker_is_documented_with_its_arguments():
    for name, form in {**markers._SOURCE_FORMS, **markers._GATE_FORMS}.items():
        text = section("markers", f"`{name}`")
        assert set(inspect.signature(form).parameters) <= {
            argument for code in codes(text) for argument in re.findall(r"\w+", code)
        }, name
        for argument, parameter in inspect.signature(form).parameters.items():
            assert re.search(rf"\b{argument}\b", text.split("\n\n")[1]), (name, argument)
            if isinstance(parameter.default, float):
                assert f"{argument}={parameter.default:g}".replace("=0.", "=.") in text, (name, argument)


def test_every_marker_that_pytest_lists_is_documented():
    assert {line.partition("(")[0] for line in marking.DESCRIPTIONS} <= codes(PAGES["markers"]) | set(
        re.findall(r"^### `(\w+)`$", PAGES["markers"], re.MULTILINE)
    )


def test_every_fixture_is_documented_as_built_or_not():
    ours = {name for name, value in vars(plugin).items() if isinstance(value, type(fixtures.judge))}
    rows = re.findall(r"^\| (.*?) \| (.*?) \|$", PAGES["fixtures"].partition("\n## ")[0], re.MULTILINE)
    unbuilt = {name for names, text in rows if text.startswith("Not built yet") for name in codes(names)}
    assert ours | {"pair", "item"} == {name for names, _ in rows for name in codes(names)}
    assert unbuilt == {name for name in ours if f"`{name}` is not built yet" in inspect.getsource(fixtures)}


def test_every_attribute_of_a_verdict_is_documented():
    fields = {field.name for field in dataclasses.fields(Verdict)}
    properties = {name for name, value in vars(Verdict).items() if isinstance(value, property)}
    assert first_column(section("fixtures", "The verdict")) == fields | properties


def test_what_is_documented_of_a_judge_exists():
    for code in first_column(section("fixtures", "`judge`")):
        name = re.match(r"judge\.(\w+)", code)[1]
        assert hasattr(Judge, name), name


# Python


def public(module):
    """The public names of a module, with the parameters of those that can be called."""
    for name in module.__all__:
        try:
            parameters = inspect.signature(getattr(module, name)).parameters
        except ValueError:  # an exception
            parameters = {}
        yield name, parameters


@pytest.mark.parametrize("module", [pytest_judgeaudit, stats, grade], ids=lambda module: module.__name__)
def test_every_public_name_is_documented_and_no_other(module):
    calls = first_column(section("python", f"`{module.__name__}`"))
    assert {call.partition("(")[0] for call in calls} == set(module.__all__)


@pytest.mark.parametrize("module", [stats, grade], ids=lambda module: module.__name__)
def test_every_call_is_documented_as_it_is(module):
    shown = {
        call.partition("(")[0]: call for call in first_column(section("python", f"`{module.__name__}`"))
    }
    for name, parameters in public(module):
        if inspect.isfunction(getattr(module, name)):
            bare = [
                one.replace(annotation=inspect.Parameter.empty, default=_shown(one.default))
                for one in parameters.values()
            ]
            assert shown[name] == f"{name}{inspect.Signature(bare)}", name


class _AsCall:
    """A default that is written as a call without arguments."""

    def __init__(self, default):
        self.default = default

    def __repr__(self):
        return f"{type(self.default).__name__}()"


def _shown(default):
    plain = (
        default is inspect.Parameter.empty
        or default is None
        or isinstance(default, str | int | float | tuple)
    )
    return default if plain else _AsCall(default)


# Hooks


def test_every_hook_is_documented_and_no_other():
    hooks = {name for name in vars(hookspecs) if name.startswith("pytest_judgeaudit_")}
    table = PAGES["hooks"].partition("\n## ")[0]
    assert len(hooks) == 6
    assert first_column(table) == hooks


def test_every_noun_of_a_hook_is_documented_with_what_it_holds():
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", section("hooks", "Nouns"), re.MULTILINE))
    assert set(rows) == set(hookspecs.__all__)
    for name in (
        "Wire",
        "WireCall",
        "VerdictParser",
        "FactMatcher",
        "TraceFormat",
        "Stream",
        "PromptTemplate",
    ):
        noun = getattr(hookspecs, name)
        assert {one.name for one in dataclasses.fields(noun)} <= set(re.findall(r"\w+", rows[name])), name


def test_hooks_and_their_nouns_have_docstrings():
    hooks = [value for name, value in vars(hookspecs).items() if name.startswith("pytest_judgeaudit_")]
    assert all(inspect.getdoc(hook) for hook in hooks)
    assert all(inspect.signature(hook).parameters.keys() == {"config"} for hook in hooks)


# Files that people write


def test_every_key_of_a_pair_file_is_documented():
    assert first_column(section("pairs", "Keys")) == set(KEYS)
    assert set(FORMATS) <= first_column(PAGES["pairs"])


def test_everything_of_a_question_file_is_documented():
    assert first_column(section("questions", "Keys")) == set(question_rows.KEYS)
    assert set(question_rows.FACT_KEYS) <= codes(section("questions", "Keys"))
    assert first_column(section("questions", "Graders")) == set(question_rows.GRADERS)
    assert first_column(section("questions", "Matchers")) == set(MATCHERS)
    assert first_column(section("questions", "Contamination")) == {*HARD_SIGNALS, *SOFT_SIGNALS}


def test_every_state_of_a_grade_and_of_a_verdict_is_documented():
    assert first_column(section("questions", "States of a grade")) == set(get_args(GradeState))
    assert first_column(section("questions", "States of a judge's verdict")) == set(get_args(JudgeState))


def test_everything_of_a_claim_is_documented():
    text = section("questions", "Claims")
    assert first_column(text) == set(claims.KEYS)
    assert {*claims.KINDS, *claims.FIELDS, *get_args(ClaimState)} <= codes(text)


def keys_of(model):
    return set(model.model_fields)


def test_every_key_of_a_judge_is_documented():
    text = section("configuration", "`[[judge]]`").partition("\n### ")[0]
    assert first_column(text) == keys_of(JudgeSettings)


@pytest.mark.parametrize(
    ("heading", "model"),
    [("`limits`", Limits), ("`[audit]`", AuditSettings), ("`[[criterion]]`", ARRAYS["criterion"][1])],
)
def test_every_key_of_a_table_is_documented(heading, model):
    assert first_column(section("configuration", heading)) == keys_of(model)


def test_every_key_of_a_prediction_is_documented():
    keys, contrasts = section("configuration", "`[[prediction]]`").split("| contrast |")
    assert first_column(keys) == keys_of(ARRAYS["prediction"][1])
    assert first_column(contrasts) == set(CONTRASTS)


def test_every_key_of_a_log_is_documented():
    text = section("configuration", "Recorded judges")
    tables_ = text.split("A value of `fields`")
    assert first_column(tables_[0]) == set(tables.LOG_KEYS)
    assert first_column(tables_[1]) == keys_of(LogFields)


def test_every_key_of_a_price_is_documented():
    (row,) = re.findall(r"^\| `price` \| (.*) \|$", PAGES["configuration"], re.MULTILINE)
    assert keys_of(Price) <= codes(row)


@pytest.mark.parametrize("name", TABLES)
def test_every_table_is_documented_with_its_keys(name):
    text = section("configuration", f"`{TABLES[name]}`")
    if name in ARRAYS:
        assert keys_of(ARRAYS[name][1]) <= codes(text) | set(re.findall(r"\w+", " ".join(codes(text))))


def test_the_models_of_the_configuration_are_all_covered():
    nested = {
        inner
        for _, model in ARRAYS.values()
        for field in model.model_fields.values()
        for inner in (field.annotation, *get_args(field.annotation))
        if isinstance(inner, type) and issubclass(inner, BaseModel)
    }
    assert nested == {Limits, Price, LogFields}


def test_every_api_parser_criterion_and_embedded_judge_is_documented():
    assert first_column(section("configuration", "`api`")) == set(tables.APIS)
    known = codes(PAGES["configuration"])
    assert {*tables.EMBEDDED, *tables.PARSERS, *tables.BUILT_IN_CRITERIA} <= known
    for api, address in tables.HTTP_APIS.items():
        assert re.search(
            rf"^\| `{api}` \|.*\| `{re.escape(address)}` \|$", PAGES["configuration"], re.MULTILINE
        )


def test_defaults_of_limits_are_documented():
    text = section("configuration", "`limits`")
    for name, field in Limits.model_fields.items():
        shown = "none" if field.default is None else f"{field.default:g}"
        assert f"| `{name}` | {shown} |" in text


# The report


NOUNS = {
    "`protocol`": Protocol,
    "`answers`": Answers,
    "`configurations[]`": Configuration,
    "`cells[]`": Cell,
    "`gates[]`": Gate,
    "`floors[]`": Floor,
    "`spreads[]`": Spread,
    "`noise`": Noise,
    "`designs[]`": Design,
    "`means[]`": CellMeans,
    "`exclusions`": Exclusions,
    "`predictions[]`": PredictionOutcome,
}


@pytest.mark.parametrize(("heading", "noun"), NOUNS.items())
def test_every_key_of_the_report_is_documented(heading, noun):
    assert first_column(section("report", heading)) == {field.name for field in dataclasses.fields(noun)}


@pytest.mark.parametrize(("heading", "noun"), [("`joint[]`", Joint), ("`findings[]`", Finding)])
def test_short_entries_of_the_report_are_documented(heading, noun):
    assert codes(section("report", heading)) == {field.name for field in dataclasses.fields(noun)}


def test_the_top_level_of_the_report_is_documented():
    written = json.loads(to_json(Audit(state="pass")))
    assert first_column(section("report", "Top level")) == set(written)
    assert f"schema {SCHEMA}\n" in PAGES["report"]


def test_what_a_row_of_trials_holds_is_documented():
    source = inspect.getsource(inspect.getmodule(audit)).split("def _row(")[1]
    assert first_column(section("report", "`trials[]`")) == set(re.findall(r'"(\w+)": trial\.', source))


def test_counts_subsets_patterns_and_families_are_documented():
    known = codes(section("report", "`cells[]`"))
    assert {*KINDS, "adverse", "scheduled", "terminal", *PATTERNS} <= known
    assert {"name", "tasks", "calls", "aligned", "estimate"} <= known
    assert {"name", "m", "members"} <= codes(section("report", "`gates[]`"))


def test_the_keys_of_a_stored_answer_are_documented():
    reply = Reply(text="")
    stored = StoredAnswer(name="n", fingerprint="f", parts={}, instrument="i", reply=reply)
    # An agent's answer has one key more.
    assert first_column(section("snapshots", "A line of answers")) == {*json.loads(encode(stored)), "trace"}


# Outcomes


def test_every_state_and_label_is_documented():
    assert first_column(section("outcomes", "States of a gate")) == set(get_args(GateState))
    labels = set(LABELS.values()) | {"HOLD", "clone not measured", "utility not measured", "unmatched"}
    assert first_column(section("outcomes", "Joint labels")) == labels


def test_every_letter_is_documented():
    rows = dict(re.findall(r"^\| `(\S)` \| `(\w+)` \|", section("outcomes", "Items"), re.MULTILINE))
    ours = {letter: word for _, letter, (word, _) in outcomes.LETTERS.values()}
    assert rows == {**ours, ".": "PASSED", "F": "FAILED", "H": "HOLD", "s": "SKIPPED"}


def test_every_exit_status_is_documented():
    listed = {
        int(number)
        for cell in re.findall(r"^\| ([\d, ]+) \|", section("outcomes", "Exit status"), re.MULTILINE)
        for number in cell.split(",")
    }
    assert listed == {*EXITS.values(), *range(6)}


# Findings and warnings


def finding_codes():
    """The codes of all findings and holds in the package, by its syntax trees."""
    for file in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id in {"Finding", "Hold"}
            ):
                codes_ = [keyword.value for keyword in node.keywords if keyword.arg == "code"]
                yield from (code.value for code in codes_ if isinstance(code, ast.Constant))
    yield from (kind[0] for kind in _KINDS)


def test_every_code_of_a_finding_is_documented_and_no_other():
    assert first_column(section("findings", "Findings")) == set(finding_codes())


def test_every_warning_is_documented_and_no_other():
    source = ast.parse((PACKAGE / "audit" / "utility.py").read_text(encoding="utf-8"))
    raised = {
        node.value.value
        for node in ast.walk(source)
        if isinstance(node, ast.Yield) and isinstance(node.value, ast.Constant)
    }
    assert raised <= set(MEANINGS)
    assert first_column(section("findings", "Warnings")) == set(MEANINGS)


def test_a_section_ends_where_the_next_begins_and_code_is_no_heading(monkeypatch):
    monkeypatch.setitem(
        PAGES, "x", "# X\n## A\n| `a` | b |\n```sh\n## no\n```\n`c`\n### D\n| `d` |\n## E\n`e`\n"
    )
    assert first_column(section("x", "A")) == {"a", "d"}
    assert codes(section("x", "A")) == {"a", "c", "d"}
