"""The door to templates: what is put into one is safe, and data cannot end its element."""

from __future__ import annotations

import json

import pytest

pages = pytest.importorskip("pytest_judgeaudit.report.pages", reason="the extra report is not installed")


@pytest.mark.parametrize(
    "text", ["</script>", "<!--", "]]>", "&amp;", "\u2028\u2029", "\ud800", 'a"b\\', "日本"]
)
def test_embedded_data_comes_back_as_it_was_and_holds_no_markup(text):
    found = pages.embedded({"text": [text]})
    assert json.loads(found) == {"text": [text]}
    assert not set(found) & set("<>&")
    assert found.isascii()


def test_data_that_no_json_holds_is_refused():
    with pytest.raises(ValueError, match="JSON"):
        pages.embedded(float("nan"))


def test_a_text_is_made_safe_and_markup_of_ours_is_left():
    assert pages.shown("\x1b\u202e<b>") == "\\x1b\\u202e<b>"
    assert pages.shown(pages.trusted("<b>\n</b>")) == "<b>\n</b>"
    assert pages.shown(3) == 3
    assert len(pages.shown("x" * 9999)) == pages.SHOWN + 1


def test_the_hash_is_that_of_a_content_policy():
    # echo -n "doSomething();" | openssl dgst -sha256 -binary | base64
    assert pages.source_hash("doSomething();") == "'sha256-RFWPLDbv2BY+rCkDzsE+0fr8ylGr2R2faWMhq4lfEQc='"


def test_a_long_text_is_no_number_and_costs_no_time():
    # With the pattern alone each row takes minutes: it tries every way to share out the digits.
    rows = [("a", "1 " * 200_000 + "x"), ("b", "2")]
    assert pages.numeric_columns(rows) == frozenset()
    assert pages.numeric_columns([("a", "9" * pages.LONGEST_NUMBER)]) == {1}
