"""Which part of an item's id is not ours."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_judgeaudit.session.foreign import foreign_ids, without

IDS = st.lists(st.text("abc", min_size=1, max_size=3), max_size=3).map("-".join)


def item(params, ids, *marks):
    """An item with these parameters, the parts of its id, and the arguments of its parametrize markers."""
    found = [SimpleNamespace(args=(names, ()), kwargs={}) for names in marks]
    callspec = SimpleNamespace(params=params, id="-".join(ids), _idlist=ids)
    return SimpleNamespace(callspec=callspec, iter_markers=lambda _: found)


def test_an_item_without_parameters_has_no_parts():
    assert foreign_ids(SimpleNamespace(), ours="", carrier=None) == {}


@pytest.mark.parametrize(
    ("params", "ids", "marks", "found"),
    [
        (["judge", "pair"], ["q-n-c1-AB"], [], {}),
        (["tone", "judge", "pair"], ["calm", "q-n-c1-AB"], ["tone"], {"tone": "calm"}),
        (["a", "b", "judge", "pair"], ["1-2", "q"], ["a, b"], {"a": "1-2"}),
        (["judge", "pair", "late"], ["q", "x-y"], [], {"late": "x-y"}),
        (["judge", "pair", "__pytest_repeat_step_number"], ["q", "1-2"], [], {}),
        (
            ["anyio_backend", "judge", "pair"],
            ["asyncio+uvloop", "q"],
            [],
            {"anyio_backend": "asyncio+uvloop"},
        ),
        (["tone", "judge", "pair"], ["q", "q"], ["tone"], {"tone": "q"}),
    ],
)
def test_each_parameter_keeps_the_part_that_it_made(params, ids, marks, found):
    made = item(dict.fromkeys(params, 0), ids, *marks)
    assert foreign_ids(made, ours="q-n-c1-AB", carrier="pair") == found


def test_without_a_source_a_pair_is_the_users_own():
    made = item({"judge": 0, "pair": 0}, ["q-n", "7"], "pair")
    assert foreign_ids(made, ours="q-n", carrier=None) == {"pair": "7"}


def test_a_pytest_that_tells_less_is_read_by_the_whole_id():
    made = item({"anyio_backend": "trio", "tone": 0, "judge": 0, "pair": 0}, ["trio-calm-q-n-c1-AB"])
    found = foreign_ids(made, ours="q-n-c1-AB", carrier="pair")
    assert found == {"anyio_backend": "trio", "": "calm"}


@given(before=IDS, ours=IDS.filter(bool), after=IDS)
def test_what_is_not_ours_is_left_of_an_id(before, ours, after):
    marked = f"<{ours}>"  # unlike anything beside it
    full = "-".join(part for part in (before, marked, after) if part)
    assert without(full, marked) == "-".join(part for part in (before, after) if part)


@pytest.mark.parametrize(("full", "part", "rest"), [("x-y", "", "x-y"), ("x", "x", ""), ("", "", "")])
def test_an_id_may_be_all_ours_or_none_of_it(full, part, rest):
    assert without(full, part) == rest
