"""Accepted grades that were cut or edited: half a file must not switch the comparison off."""

from __future__ import annotations

import pytest

from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.store.amber import read_amber, write_amber

GRADES = {"test_x[a][grades]": "dict({\n  't1-AB': 'd tie success',\n})", "test_y[a][grades]": "dict({\n})"}


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "test_x.ambr"
    write_amber(tmp_path, path, GRADES)
    return path


def test_a_whole_file_is_read_as_it_was_written(file):
    assert read_amber(file) == GRADES


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(lambda text: text[:-6], id="cut at the end"),
        pytest.param(lambda text: text[: len(text) // 2], id="half of it"),
        pytest.param(lambda text: text.replace("# ---\n", "", 1), id="an end is missing"),
        pytest.param(lambda text: text.replace("# name: test_x", "# nome: test_x"), id="a name is spoilt"),
        pytest.param(lambda text: text + text.partition("\n")[2], id="every name twice"),
    ],
)
def test_a_torn_file_is_refused_with_its_line(file, spoil):
    file.write_text(spoil(file.read_text()))
    with pytest.raises(Refused, match=r"test_x\.ambr:\d+: found"):
        read_amber(file)
