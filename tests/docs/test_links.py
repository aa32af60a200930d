"""Links between pages lead to pages and headings that exist, and every page is reached from the index."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *DOCS.rglob("*.md")])
FENCE = re.compile(r"^ *```.*?^ *```$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)


def prose(page):
    return FENCE.sub("", page.read_text(encoding="utf-8"))


def anchors(page):
    """The anchors of a page's headings, as GitHub and MyST make them."""
    for heading in HEADING.findall(prose(page)):
        yield re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def broken(page):
    """The links of a page that lead nowhere; addresses on the web are not followed."""
    for target in LINK.findall(prose(page)):
        file, _, anchor = target.partition("#")
        if "://" in file:
            continue
        found = (page.parent / file).resolve() if file else page
        if not found.is_file() or (anchor and anchor not in anchors(found)):
            yield target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_of_a_page_lead_somewhere(page):
    assert list(broken(page)) == []


def test_every_page_is_reached_from_the_index():
    index = DOCS / "index.md"
    reached = {(DOCS / target.partition("#")[0]).resolve() for target in LINK.findall(prose(index))}
    assert {page for page in DOCS.rglob("*.md") if page != index} <= reached


def test_a_broken_link_is_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "# A page: here\n[a](#a-page-here) [b](page.md#a-page-here) [c](#there) [d](none.md) [e](https://x.y)\n"
        "```text\n[f](none)\n```\n",
        encoding="utf-8",
    )
    assert list(broken(page)) == ["#there", "none.md"]
