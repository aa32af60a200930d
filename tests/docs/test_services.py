"""The tables of the page about services are configurations that we read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pytest_judgeaudit.settings.reading import read_configuration

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "reach-a-service.md"
BLOCKS = re.findall(r"```toml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_every_table_is_read(number, tmp_path):
    (tmp_path / "judgeaudit.toml").write_text(BLOCKS[number], encoding="utf-8")
    assert read_configuration(None, root=tmp_path).judges
