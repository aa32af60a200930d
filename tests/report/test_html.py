"""The page: its sections, what it loads (nothing), and that no foreign text becomes markup."""

from __future__ import annotations

import base64
import hashlib
import html.parser
import json
import re
from dataclasses import replace

import pytest

EMPTY = {"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"}


class Parsed(html.parser.HTMLParser):
    """Tags with their attributes, ids, and the text of scripts and styles."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.tags, self.ids, self.raw, self.open = [], [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.ids += [value for name, value in attrs if name == "id"]
        if tag not in EMPTY:
            self.open.append(tag)
        if tag in {"script", "style"}:
            self.raw.append((tag, dict(attrs).get("type"), ""))

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.ids += [value for name, value in attrs if name == "id"]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] in {"script", "style"}:
            tag, kind, text = self.raw[-1]
            self.raw[-1] = (tag, kind, text + data)

    def named(self, tag):
        return [attributes for name, attributes in self.tags if name == tag]


@pytest.fixture(scope="module")
def to_html(samples):
    from pytest_judgeaudit.report.html import to_html  # noqa: PLC0415 - needs the extra

    return to_html


@pytest.fixture(scope="module")
def text(to_html, page):
    return to_html(page)


@pytest.fixture(scope="module")
def parsed(text):
    return Parsed(text)


@pytest.fixture(scope="module")
def poisoned(to_html, samples, page):
    """The page of a report in which every foreign text is hostile."""
    return to_html(samples.poisoned_page(page))


def test_the_first_thing_said_is_the_verdict_with_its_gates(text):
    start = text.index("<main>")
    order = [
        text.index(found, start) for found in ("<h1", "12 gates: 7 PASS, 1 MISS, 4 HOLD", 'id="gates"')
    ]
    assert order == sorted(order)
    assert re.search(r"<h1[^>]*>MISS</h1>", text)
    assert "unfrozen" in text


def test_each_gate_shows_its_bound_against_its_limit(text, page):
    shown = re.sub(r"<[^>]+>", "", text)
    for gate in page.report["gates"]:
        assert gate["id"] in text
    assert "bound 6.04 %, limit ≤ 5 %, adjusted p 0.331" in shown
    assert "bound –, limit ≥ 75 %" in shown


def test_what_went_wrong_comes_first(text):
    badges = re.findall(r'class="badge (\w+)"', text[text.index('id="gates"') : text.index("Joint labels")])
    assert badges == ["miss", *["hold"] * 4, *["pass"] * 7]


def test_every_picture_has_its_numbers_beside_it(parsed, text):
    titles = re.findall(r"<figcaption><h3>(.*?)</h3>", text)
    assert titles[:3] == ["Certificate map", "Verdicts by cell", "Order patterns"]
    assert {"Quality ladders", "Plausibility floors", "Blind and sighted"} <= set(titles)
    assert {"Spread between judge families", "Noise floor", "Calls and tokens by time"} <= set(titles)
    assert text.count('aria-label="Numbers of: ') == len(titles) == len(parsed.named("figure"))


def test_sections_without_data_are_left_out(to_html, page):
    empty = {"floors": [], "spreads": [], "noise": {}, "designs": [], "ladders": [], "risk": {}}
    report = {**page.report, **empty, "cells": [], "gates": [], "findings": [], "configurations": []}
    found = Parsed(to_html(replace(page, report={**report, "joint": []}, details=())))
    assert not {"pictures", "cells", "findings", "trials", "baseline"} & set(found.ids)
    assert found.named("figure") == []


def test_the_page_is_well_formed_and_every_id_is_there_once(parsed):
    assert parsed.open == []
    assert len(parsed.ids) == len(set(parsed.ids))
    targets = [attributes["href"] for attributes in parsed.named("a")]
    assert {target.removeprefix("#") for target in targets} <= set(parsed.ids)


def test_references_inside_drawings_lead_somewhere(parsed, text):
    used = {attributes["href"].removeprefix("#") for attributes in parsed.named("use")}
    clipped = set(re.findall(r"url\(#([\w-]+)\)", text))
    named = {name for svg in parsed.named("svg") for name in svg.get("aria-labelledby", "").split()}
    assert used
    assert used | clipped | named <= set(parsed.ids)


def test_nothing_is_loaded(parsed, text):
    loading = ("src", "srcset", "data", "action", "poster", "xlink:href")
    assert [name for _, found in parsed.tags for name in found if name in loading] == []
    assert all(found["href"].startswith("#") for _, found in parsed.tags if "href" in found)
    assert not re.search(r"@import|url\((?!#)", text)
    assert not {"link", "img", "iframe", "object", "embed", "base"} & {tag for tag, _ in parsed.tags}


def test_the_policy_allows_the_pages_own_script_and_style_only(parsed):
    (policy,) = (m["content"] for m in parsed.named("meta") if "http-equiv" in m)
    parts = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    assert parts["default-src"] == "'none'"
    for tag, kind, text in parsed.raw:
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        if kind is None:
            assert parts[f"{tag}-src"] == f"'sha256-{digest}'"
    assert not any("style" in attributes for _, attributes in parsed.tags), "the policy refuses it"


def test_the_trials_are_data_with_both_orders_digest_text_and_attempts(parsed, page):
    (text,) = (text for _, kind, text in parsed.raw if kind == "application/json")
    data = json.loads(text)
    rows = [dict(zip(data["keys"], row, strict=True)) for row in data["rows"]]
    assert len(rows) == len(page.details)
    last = rows[-1]
    assert data["cells"][last["cell"]] == ["house-gpt · strict: signal", "house-gpt · strict", "signal"]
    assert (last["prompt"], last["order"], last["attempts"]) == (page.details[-1].prompt, "BA", 2)
    assert last["text"].startswith('{"winner": "tie"}')
    assert last["tries"][0].startswith("refused, status 429, 1.5 s")


# Hostile texts


def test_no_hostile_text_becomes_markup(poisoned, to_html, page):
    clean, dirty = Parsed(to_html(page)), Parsed(poisoned)
    assert dirty.open == []
    assert {tag for tag, _ in dirty.tags} == {tag for tag, _ in clean.tags}
    assert [kind for _, kind, _ in dirty.raw] == [kind for _, kind, _ in clean.raw]
    assert not any(name.startswith("on") for _, attributes in dirty.tags for name in attributes)


def test_no_control_character_reaches_the_page(poisoned):
    assert not re.search(
        r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]", poisoned
    )
    poisoned.encode("utf-8")


def test_hostile_texts_are_shown_as_they_came(poisoned, parsed):
    assert "&lt;svg onload=alert(1)&gt;" in poisoned
    assert "\\u202egnp\\x1b[2J" in poisoned
    assert "{{ 7*7 }}" in poisoned
    assert "$\\frac{$" in poisoned


def test_the_data_of_the_trials_cannot_end_its_element(poisoned):
    (text,) = (text for _, kind, text in Parsed(poisoned).raw if kind == "application/json")
    assert not set("<>&") & set(text)
    assert text.isascii()
    assert "</script>" in json.dumps(json.loads(text))


def test_the_same_report_gives_the_same_page(to_html, page, text):
    assert to_html(page) == text


# The baseline


def test_a_baseline_is_compared_gate_by_gate_and_task_by_task(to_html, samples, studies):
    text = to_html(samples.compared(studies))
    shown = " ".join(re.sub(r"<[^>]+>", " ", text[text.index('id="baseline"') :]).split())
    assert "PASS → to MISS same protocol" in shown
    assert "clone_gate[qwen-neutral] PASS MISS 4.87 % 12.4 %" in shown
    assert "t003 100 % 0 % ▼ t004 100 % 0 % ▼" in shown


def test_a_baseline_that_holds_little_is_no_error(to_html, samples, studies):
    page = samples.compared(studies)
    bare = {"schema": 1, "cells": [], "configurations": [], "trials": []}
    assert 'id="baseline"' in to_html(replace(page, baseline=bare))


# Sizes


def test_ten_thousand_trials_make_a_page_in_seconds(to_html, samples, studies):
    page = samples.page(studies, judges=("a", "b", "c"), tasks=560)
    assert len(page.details) == 10_080
    assert len(to_html(page)) < 6_000_000


def test_long_answers_are_cut_and_say_so(to_html, samples, studies):
    page = samples.page(studies, judges=("a",), tasks=2, text="x" * 50_000)
    found = to_html(page)
    assert "x" * 4000 in found
    assert "x" * 4001 not in found
    assert "and 46,002 more characters" in found


def test_a_page_of_ten_thousand_questions_stays_small(to_html, samples, page):
    """Every list of a report is longer than a page shows; what is left out is counted."""
    report, count = dict(samples.with_everything(page).report), 20_000
    lists = ("grades", "findings", "gates", "cells", "configurations", "joint", "floors", "spreads")
    report["findings"] = [
        {"code": "shared-token", "where": "q", "symptom": f"{i} " + "a word " * 20, "check": "it"}
        for i in range(count)
    ]
    for name in lists:
        report[name] = [report[name][i % len(report[name])] for i in range(count)]
    details = [page.details[i % len(page.details)] for i in range(count)]
    long = [replace(one, reply=replace(one.reply, text="日本語の答え" * 300)) for one in details]
    text = to_html(replace(page, report=report, details=long))
    assert len(text.encode("utf-8")) < 15_000_000
    for noun in ("rows", "findings", "gates", "cells", "judges", "labels"):
        assert f"… and 19,500 more {noun} in the JSON report." in text
    assert len(Parsed(text).named("tr")) < 5_000


def test_what_is_on_hold_comes_first_where_not_all_findings_are_shown(to_html, page):
    plain = {"code": "c", "where": "w", "check": "it"}
    found = [{**plain, "symptom": f"as ever {i}"} for i in range(600)]
    held = {**plain, "code": "void", "symptom": "HOLD: nothing came"}
    text = to_html(replace(page, report={**page.report, "findings": [*found, held]}))
    assert text.index("HOLD: nothing came") < text.index("as ever 0")
    assert "… and 101 more findings in the JSON report." in text


def test_what_is_said_alike_of_several_places_is_said_once(to_html, page):
    found = [{"code": "c", "where": f"cell {i}", "symptom": "as ever", "check": "it"} for i in range(7)]
    text = to_html(replace(page, report={**page.report, "findings": found}))
    assert text.count("<p>as ever</p>") == 1
    assert "cell 0, cell 1, cell 2, cell 3, cell 4 and 2 more" in text


def test_gates_that_failed_come_first_and_are_open_and_expected_misses_are_not(to_html, page):
    gates = page.report["gates"]
    missed = next(gate for gate in gates if gate["state"] == "MISS")
    expected = {**missed, "id": "e.py::t::clone_gate[expected]", "outcome": "passed"}
    failed = {**missed, "id": "e.py::t::clone_gate[failed]", "outcome": "failed"}
    text = to_html(replace(page, report={**page.report, "gates": [expected, failed]}))
    assert text.index("clone_gate[failed]") < text.index("clone_gate[expected]")
    assert text.count('<details class="gate" open>') == 1
