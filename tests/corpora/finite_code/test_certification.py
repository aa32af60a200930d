from __future__ import annotations

import dataclasses
import json
import sys

import pytest

from pytest_judgeaudit.corpora.finite_code import certification, execution
from pytest_judgeaudit.corpora.finite_code.__main__ import main
from pytest_judgeaudit.corpora.finite_code.families import battery
from pytest_judgeaudit.corpora.finite_code.items import digest
from pytest_judgeaudit.records.errors import Refused

ITEM = battery()["search-01"]
STORED = json.loads(certification.stored())
ROWS = {row["id"]: row for row in STORED["certificates"]}


@pytest.fixture(scope="module")
def certificates():
    return certification.certify_all()


def test_all_items_certify_as_stored(certificates, capsys):
    inputs = sum(certificate.inputs for certificate in certificates)
    checked = f"{inputs} input vectors, {3 * inputs} candidate-input pairs"
    with capsys.disabled():
        sys.stdout.write(f"\ncertified {len(certificates)} items: {checked}\n")
    assert certification.to_json(certificates) == certification.stored()


def test_the_totals_are_those_of_the_domains():
    assert STORED["items"] == len(ROWS) == 96
    assert STORED["inputs"] == sum(len(list(item.domain.inputs())) for item in battery().values())
    assert STORED["pairs"] == 3 * STORED["inputs"]


def test_the_stored_digests_are_those_of_the_texts():
    assert {name: row["sha256"] for name, row in ROWS.items()} == {
        name: {role: digest(text) for role, text in item.texts.items()} for name, item in battery().items()
    }


def test_the_witness_shows_the_fault():
    for item in battery().values():
        witness = ROWS[item.id]["witness"]
        arguments = tuple(tuple(value) if isinstance(value, list) else value for value in witness["input"])
        assert arguments in set(item.domain.inputs()), item.id
        returned = [next(execution.results(text, [arguments])) for text in item.texts.values()]
        assert returned == [witness["expected"], witness["expected"], witness["returned"]], item.id
        assert witness["expected"] != witness["returned"], item.id


def test_every_fault_shows_on_some_inputs_and_not_on_most():
    shares = [row["faulty_inputs"] / row["inputs"] for row in ROWS.values()]
    assert min(shares) > 0.02
    assert max(shares) < 0.95
    assert sorted(shares)[48] < 0.5


def test_a_wrong_reference_is_refused_with_its_first_wrong_input():
    broken = dataclasses.replace(ITEM, reference="def solve(target, limit):\n    return 0\n")
    with pytest.raises(
        Refused, match=r"search-01: reference: found 0 for \(1, 0\), expected -1 as the oracle"
    ):
        certification.certify(broken)


def test_a_wrong_equivalent_is_refused():
    broken = dataclasses.replace(ITEM, equivalent="def solve(target, limit):\n    return -1\n")
    with pytest.raises(Refused, match=r"search-01: equivalent: found -1 for \(0, 0\), expected 0"):
        certification.certify(broken)


def test_a_faulty_text_without_a_fault_is_refused():
    broken = dataclasses.replace(ITEM, faulty=ITEM.equivalent)
    with pytest.raises(Refused, match=r"search-01: faulty: found it wrong on 0 of 610 inputs"):
        certification.certify(broken)


def test_a_faulty_text_that_is_always_wrong_is_refused():
    broken = dataclasses.replace(ITEM, faulty="def solve(target, limit):\n    return -2\n")
    with pytest.raises(Refused, match=r"search-01: faulty: found it wrong on 610 of 610 inputs"):
        certification.certify(broken)


def test_a_text_that_returns_something_else_than_an_integer_is_refused():
    broken = dataclasses.replace(ITEM, faulty="def solve(target, limit):\n    return target < limit\n")
    with pytest.raises(Refused, match=r"search-01: faulty: found False for \(0, 0\), expected an integer"):
        certification.certify(broken)


def test_a_text_that_raises_is_refused():
    broken = dataclasses.replace(ITEM, faulty="def solve(target, limit):\n    return target // limit\n")
    with pytest.raises(Refused, match="search-01: faulty: found ZeroDivisionError"):
        certification.certify(broken)


def test_a_text_that_serves_two_items_is_refused(monkeypatch):
    twin = dataclasses.replace(ITEM, id="search-00")
    monkeypatch.setattr(certification, "battery", lambda: {"search-01": ITEM, "search-00": twin})
    monkeypatch.setattr(certification, "expected", lambda _: _expected("search-01"))
    with pytest.raises(Refused, match="search-00: reference: this text is also search-01 reference"):
        certification.certify_all()


_expected = certification.expected


def test_the_command_writes_the_certificates_and_says_what_it_checked(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("pytest_judgeaudit.corpora.finite_code.__main__.__file__", str(tmp_path / "x.py"))
    assert main() == 0
    assert (tmp_path / certification.FILE).read_text(encoding="ascii") == certification.stored()
    checked = f"{STORED['inputs']} input vectors, {STORED['pairs']} candidate-input pairs"
    assert capsys.readouterr().out == f"certificates.json: 96 items, {checked}\n"


def test_the_command_writes_nothing_when_an_item_is_refused(tmp_path, monkeypatch, capsys):
    broken = dataclasses.replace(ITEM, reference="def solve(target, limit):\n    return 0\n")
    monkeypatch.setattr("pytest_judgeaudit.corpora.finite_code.__main__.__file__", str(tmp_path / "x.py"))
    monkeypatch.setattr(certification, "battery", lambda: {"search-01": broken})
    assert main() == 1
    assert capsys.readouterr().err.startswith("battery:finite-code: search-01: reference: found 0 for")
    assert list(tmp_path.iterdir()) == []
