from __future__ import annotations

import pytest

from pytest_judgeaudit.judge.log_words import checked_words, equal, slot_of
from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.records.verdicts import winner_of


@pytest.mark.parametrize(
    ("word", "value", "same"),
    [
        ("1", "1", True),
        ("1", 1, True),
        (1, "1", True),
        (1, 1, True),
        (1, 1.0, True),
        ("1.5", 1.5, True),
        (False, False, True),
        ("1", "1 ", False),
        ("01", 1, False),
        ("a", "A", False),
        (True, 1, False),
        (1, True, False),
        ("true", True, False),
        ("True", True, False),
        (False, None, False),
        ("None", None, False),
        ("[]", [], False),
        (0, [], False),
        ("x", {"x": 1}, False),
    ],
)
def test_a_word_equals_a_value_of_its_type_or_a_number_written_as_text(word, value, same):
    assert equal(word, value) is same


@pytest.mark.parametrize("slot", ["A", "B", "tie"])
@pytest.mark.parametrize("order", ["AB", "BA"])
def test_content_is_mapped_back_to_the_slot_that_showed_it(slot, order):
    assert slot_of(winner_of(slot, order), order) == slot


@pytest.mark.parametrize("order", ["AB", "BA"])
def test_an_invalid_verdict_names_no_slot(order):
    assert slot_of("invalid", order) is None


BY_CONTENT = {"first": "1", "second": "2", "tie": "tie"}
BY_SLOT = {"A": "[[A]]", "B": "[[B]]", "tie": 0}


@pytest.mark.parametrize(
    ("verdicts", "value", "order", "slot"),
    [
        (BY_CONTENT, "1", "AB", "A"),
        (BY_CONTENT, "1", "BA", "B"),
        (BY_CONTENT, 2, "BA", "A"),
        (BY_CONTENT, "tie", "BA", "tie"),
        (BY_SLOT, "[[A]]", "AB", "A"),
        (BY_SLOT, "[[A]]", "BA", "A"),
        (BY_SLOT, 0, "BA", "tie"),
        (BY_SLOT, False, "AB", None),
        ({"first": 1, "second": 2}, "tie", "AB", None),
        (None, "second", "AB", "B"),
        (BY_CONTENT, None, "AB", None),
        (BY_CONTENT, ["1"], "AB", None),
        (BY_CONTENT, {"1": 1}, "AB", None),
        (BY_CONTENT, "?", "AB", None),
    ],
)
def test_a_verdict_names_content_or_slot_or_nothing(verdicts, value, order, slot):
    assert checked_words(orders=None, verdicts=verdicts, arms=None).slot(value, order) == slot


def test_an_unknown_order_is_refused_with_the_known_ones():
    words = checked_words(orders={"AB": False, "BA": True}, verdicts=None, arms=None)
    assert (words.order(False), words.order(True)) == ("AB", "BA")
    with pytest.raises(Refused, match=r"^found 0, expected false \(AB\) or true \(BA\); complete orders"):
        words.order(0)


def test_without_a_mapping_arms_are_named_as_we_name_them():
    assert checked_words(orders=None, verdicts=None, arms={}).arm("clone") == "clone"


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ({"orders": {"AB": 0, "ba": 1}}, "orders: found AB, ba, expected AB, BA."),
        ({"orders": {"BA": 1}}, "orders: AB is missing; expected AB, BA"),
        ({"orders": {"AB": 1, "BA": "1"}}, "orders: AB and BA are written alike"),
        (
            {"verdicts": {"first": 1, "B": 2}},
            "verdicts: found first, B, expected first, second, tie or A, B,",
        ),
        (
            {"verdicts": {"A": 1, "tie": 2}},
            "verdicts: B is missing; expected first, second, tie or A, B, tie",
        ),
        ({"verdicts": {"first": 1}}, "verdicts: second is missing"),
        ({"verdicts": {"first": 1, "second": 2, "tie": 2}}, "verdicts: second and tie are written alike"),
        ({"arms": {"copy": 1}}, "arms: found copy, expected clone, equivalent, signal."),
    ],
)
def test_words_that_mean_nothing_or_two_things_are_refused(words, reason):
    with pytest.raises(Refused) as refused:
        checked_words(**{"orders": None, "verdicts": None, "arms": None, **words})
    assert str(refused.value).startswith(reason)
