from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from pytest_judgeaudit.judge.fences import fence

TEXT = st.text(alphabet=st.characters(), max_size=40)  # lone surrogates included
LIKE = st.text(alphabet="bcdfghjkmnpqrstvBCDFGHJKMNPQRSTV", max_size=200)


@given(seed=st.integers(min_value=0), prompt=TEXT | LIKE, first=TEXT | LIKE, second=TEXT | LIKE)
def test_a_fence_is_eight_letters_that_occur_in_no_text_in_either_case(
    pair_of, seed, prompt, first, second
):
    found = fence(seed, pair_of(prompt=prompt, first=first, second=second))
    assert re.fullmatch("[b-df-hjkmnp-tv]{8}", found)
    assert all(found not in text.lower() for text in (prompt, first, second))


def test_a_text_that_holds_the_fence_gets_another(pair_of, monkeypatch):
    # No text can hold the digest of itself, so the digests are prescribed: 00…, then ff…
    monkeypatch.setattr("pytest_judgeaudit.judge.fences.hashlib.sha256", Prescribed)
    assert fence(1, pair_of(first="see BBBBBBBB!")) == "vvvvvvvv"
    assert fence(1, pair_of(first="see bbbbbbb!")) == "bbbbbbbb"


class Prescribed:
    """A digest that is zero, and all ones once it is taken of a digest."""

    def __init__(self, data: bytes) -> None:
        self.value = b"\xff" * 32 if len(data) == 32 else b"\0" * 32

    def digest(self) -> bytes:
        return self.value


def test_both_orders_of_a_task_carry_one_fence(pair_of):
    assert fence(1, pair_of()) == fence(1, pair_of(order="BA"))


def test_the_same_call_listed_the_other_way_carries_the_same_fence(pair_of):
    listed = pair_of(first="x", second="y")
    assert fence(1, listed) == fence(1, pair_of(first="y", second="x", order="BA", id="other"))


def test_seed_and_every_text_move_the_fence(pair_of):
    plain = pair_of(prompt="p", first="ab", second="c")
    others = [
        fence(2, plain),
        fence(1, pair_of(prompt="q", first="ab", second="c")),
        fence(1, pair_of(prompt="p", first="a", second="bc")),
        fence(1, pair_of(prompt="pab", first="", second="c")),
    ]
    assert len({fence(1, plain), *others}) == 5
