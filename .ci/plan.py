"""
What ``.ci/run`` has to do, read from the files that say so.

``plan.py command NAME`` prints the command that README.md shows below ``<!-- command: NAME -->``.
``plan.py acceptance FOLDER`` prints arguments of pytest for the modules in ``.ci/acceptance``.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


class PlanError(Exception):
    """A file that does not say what it should."""


def command(readme: str, name: str) -> str:
    """
    Find the one-line command in the fenced block that follows ``<!-- command: NAME -->``.

    Raises PlanError unless there is exactly one such block with exactly one line.
    """
    marker = f"<!-- command: {name} -->"
    blocks = re.findall(rf"^{re.escape(marker)}\n+```\w*\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines() if line.strip()]
    if len(blocks) != 1 or len(lines) != 1:
        found = f"{len(blocks)} with {len(lines)} lines"
        raise PlanError(f"README.md: expected one fenced block of one line below {marker}, found {found}")
    return lines[0].strip()


def acceptance(listing: str, folder: Path) -> Iterator[str]:
    """
    Turn a listing (``MODULE``, or ``MODULE not TEST...  # reason`` a line) into arguments of pytest.

    Raises PlanError for a module or a test that does not exist, a test left out without a reason, and a
    name that would leave out others too.
    """
    for number, line in enumerate(listing.splitlines(), start=1):
        words, _, reason = line.partition("#")
        module, *rest = words.split() or [""]
        where = f".ci/acceptance:{number}"
        if not module:
            continue
        if not (folder / module).is_file():
            raise PlanError(f"{where}: there is no module {module}")
        if rest and (rest[0] != "not" or not rest[1:] or not reason.strip()):
            raise PlanError(f"{where}: expected 'MODULE' or 'MODULE not TEST...  # reason', found {line!r}")
        yield str(folder / module)
        tests = re.findall(r"^def (test_\w+)", (folder / module).read_text(encoding="utf-8"), re.MULTILINE)
        for name in rest[1:]:
            # pytest deselects by the beginning of an id.
            meant = [test for test in tests if test.startswith(name)]
            if meant != [name]:
                raise PlanError(f"{where}: {name} means {meant}, expected exactly one test")
            yield f"--deselect={module}::{name}"


def main(what: str, argument: str) -> Iterator[str]:
    """Yield the lines to print for the two arguments of the command line."""
    if what == "command":
        yield command((ROOT / "README.md").read_text(encoding="utf-8"), argument)
    elif what == "acceptance":
        yield from acceptance((ROOT / ".ci" / "acceptance").read_text(encoding="utf-8"), Path(argument))
    else:
        raise PlanError(f"expected 'command NAME' or 'acceptance FOLDER', found {what!r}")


if __name__ == "__main__":
    try:
        sys.stdout.write("".join(line + "\n" for line in main(*sys.argv[1:3])))
    except PlanError as error:
        sys.exit(str(error))
