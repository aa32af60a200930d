"""The pages as a site: each in a table of contents, nothing that leads nowhere. Needs the extra docs."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
for needed in ("sphinx", "myst_parser", "furo"):
    pytest.importorskip(needed, reason="the extra docs is not installed")


def built(root: Path, target: Path) -> subprocess.CompletedProcess[str]:
    """Build the pages as ./check does."""
    return subprocess.run(
        [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", str(root / "docs"), str(target)],
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )


@pytest.fixture
def copy(tmp_path):
    """The pages, to be spoilt."""
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


@pytest.mark.slow
def test_the_pages_build_without_a_warning_and_load_nothing_from_elsewhere(tmp_path):
    done = built(ROOT, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    pages = {page.relative_to(tmp_path).with_suffix("") for page in tmp_path.rglob("*.html")}
    assert {
        page.relative_to(ROOT / "docs").with_suffix("") for page in (ROOT / "docs").rglob("*.md")
    } <= pages
    text = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert not re.findall(r'(?:src|<link [^>]*href)="https?://', text)
    assert text.count('class="caption-text"') == 4


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "text", "warning"),
    [
        ("howto/regrade.md", "\n[a](choose-n.md#nowhere)\n", "nowhere"),
        ("howto/regrade.md", "\n[a](nothing.md)\n", "nothing.md"),
        ("howto/new.md", "# New\n", "any toctree"),
        ("howto/regrade.md", "\n```nolexer\nx\n```\n", "nolexer"),
    ],
)
def test_a_fault_of_a_page_stops_the_build(copy, tmp_path, page, text, warning):
    with (copy / "docs" / page).open("a", encoding="utf-8") as file:
        file.write(text)
    done = built(copy, tmp_path / "html")
    assert done.returncode != 0
    assert warning in done.stderr
