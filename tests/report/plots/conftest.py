"""What the tests of pictures share."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

pytest.importorskip("matplotlib", reason="the extra report is not installed")


def marks(svg: str) -> list[str]:
    """The names of what is drawn, without the drawing's own."""
    root = ET.fromstring(svg)  # noqa: S314 - ours
    return [title.text for title in root.iter("title") if "id" not in title.attrib]


def texts(svg: str) -> list[str]:
    """The texts of a drawing."""
    return [text.text for text in ET.fromstring(svg).iter("text")]  # noqa: S314 - ours


@pytest.fixture
def named():
    """Return the names of what is drawn."""
    return marks


@pytest.fixture
def written():
    """Return the texts of a drawing."""
    return texts


@pytest.fixture
def bare():
    """A report without anything."""
    lists = (
        "configurations cells gates joint trials contrasts ladders floors spreads designs grades findings"
    )
    return {**dict.fromkeys(lists.split(), ()), "risk": {}, "noise": {}}
