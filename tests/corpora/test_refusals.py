import pytest

from pytest_judgeaudit.corpora.refusals import unless_refused
from pytest_judgeaudit.records.errors import Refused


def test_items_without_a_refusal_pass_through():
    assert list(unless_refused(iter("abc"))) == ["a", "b", "c"]


def test_a_single_refusal_is_raised_as_it_is():
    with pytest.raises(Refused, match=r"\Af:2: bad\Z"):
        list(unless_refused(["a", Refused("f:2: bad"), "b"]))


def test_items_after_a_refusal_are_still_read():
    items = unless_refused(["a", Refused("bad"), "b"])
    assert [next(items), next(items)] == ["a", "b"]
    with pytest.raises(Refused):
        next(items)


def test_ten_refusals_have_a_line_each():
    with pytest.raises(Refused) as caught:
        list(unless_refused([Refused(f"f:{i}: bad") for i in range(10)]))
    assert str(caught.value).splitlines() == [f"f:{i}: bad" for i in range(10)]


def test_more_than_ten_refusals_are_counted():
    with pytest.raises(Refused) as caught:
        list(unless_refused([Refused(f"f:{i}: bad") for i in range(12)]))
    assert str(caught.value).splitlines()[-2:] == ["f:9: bad", "... and 2 more"]
