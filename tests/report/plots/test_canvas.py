"""Drawings as a page holds them: themed by classes, named, reproducible, and safe with any label."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from pytest_judgeaudit import report
from pytest_judgeaudit.report.plots.canvas import COLOURS, ROLES, Canvas, label

STYLE = (Path(report.__file__).parent / "templates" / "report.css").read_text(encoding="utf-8")


def drawn(*labels, key="k"):
    canvas = Canvas(120, left=150)
    canvas.rows(labels or ["one", "two"])
    bars = canvas.axes.barh(range(len(labels) or 2), 0.5, color=COLOURS["correct"])
    canvas.name(bars[0], "one: 50 %")
    canvas.shares()
    canvas.legend({"correct": bars})
    return canvas.svg(key, "A title", "What it says")


def test_no_style_and_no_colour_is_left_for_the_page_could_not_change_it():
    root = ET.fromstring(drawn())  # noqa: S314 - ours
    values = [value for element in root.iter() for value in element.attrib.values()]
    assert not any("style" in element.attrib or element.tag == "style" for element in root.iter())
    assert not [value for value in values if re.fullmatch(r"#[0-9a-f]{6}", value)]


def test_every_class_of_a_drawing_has_its_colour_in_the_style_of_the_page():
    for role in ROLES:
        assert f".f-{role} {{ fill: " in STYLE
        assert f".s-{role} {{ stroke: " in STYLE
    used = set(re.findall(r'class="([^"]+)"', drawn())) - {"plot"}
    assert {name for names in used for name in names.split()} <= {
        f"{kind}-{role}" for kind in "fs" for role in ROLES
    }


def test_every_colour_is_given_for_light_dark_and_print():
    names = [
        set(re.findall(r"(--[\w-]+): #", block))
        for block in re.findall(r":root \{(.*?)\n? *\}", STYLE, re.DOTALL)
    ]
    light, dark, print_ = names
    assert light == dark
    assert light - {"--page"} <= print_ | {"--soft"}


def test_it_has_a_title_a_description_and_named_marks(named):
    root = ET.fromstring(drawn())  # noqa: S314 - ours
    assert root.attrib["role"] == "img"
    assert root.attrib["aria-labelledby"] == "k-title k-desc"
    assert [(e.tag, e.attrib["id"], e.text) for e in list(root)[:2]] == [
        ("title", "k-title", "A title"),
        ("desc", "k-desc", "What it says"),
    ]
    assert named(drawn()) == ["one: 50 %"]


def test_texts_are_texts(written):
    assert {"one", "two", "correct", "50 %"} <= set(written(drawn()))


def test_the_same_drawing_is_the_same_text_and_two_of_a_page_share_no_id():
    assert drawn() == drawn()
    ids = [set(re.findall(r'\bid="([^"]+)"', drawn(key=key))) for key in ("a", "b")]
    assert ids[0]
    assert not ids[0] & ids[1]


@pytest.mark.parametrize(
    "text",
    [
        "$\\frac{$",
        "a $x$ b",
        "日本語 🙂",
        "\ud800",
        "\x1b[2J",
        "<script>",
        "\u202eabc",
        "&amp;",
        "_{}^%#\\",
    ],
)
def test_any_label_can_be_drawn_and_is_shown_as_it_is(text, written):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        svg = drawn(text, "two")
    assert label(text) in [found or "" for found in written(svg)]
    svg.encode("utf-8")


def test_a_label_is_short():
    assert len(label("x" * 500)) == 31
