"""Certify the whole battery anew: ``python -m pytest_judgeaudit.corpora.finite_code`` rewrites the file."""

from __future__ import annotations

import sys
from pathlib import Path

from pytest_judgeaudit.corpora.finite_code.certification import FILE, certify_all, to_json
from pytest_judgeaudit.records.errors import Refused


def main() -> int:
    """Write the certificates beside this module; 0, or 1 with one line that says what is refused."""
    try:
        certificates = certify_all()
    except Refused as error:
        sys.stderr.write(f"{error}\n")
        return 1
    path = Path(__file__).with_name(FILE)
    path.write_text(to_json(certificates), encoding="ascii")
    inputs = sum(certificate.inputs for certificate in certificates)
    checked = f"{inputs} input vectors, {3 * inputs} candidate-input pairs"
    sys.stdout.write(f"{path.name}: {len(certificates)} items, {checked}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
