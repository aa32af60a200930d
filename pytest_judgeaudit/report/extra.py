"""Whether the packages of the extra ``report`` are there: asked before anything is paid for."""

from __future__ import annotations

from importlib.util import find_spec

from pytest_judgeaudit.records.errors import Refused

NEEDED = ("jinja2", "matplotlib")


def check() -> None:
    """Refused, in one line: an environment without what HTML reports are made with."""
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise Refused(
            f"--judge-report: an HTML report needs {' and '.join(missing)}, which cannot be imported. "
            "Run pip install 'pytest-judgeaudit[report]', or write .json or .md."
        )
