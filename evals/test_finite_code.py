"""The finite-code battery: copies must tie, equivalents should, and the correct program must win."""

import pytest

BATTERY = "battery:finite-code"


@pytest.mark.clone_pairs(BATTERY)
@pytest.mark.clone_gate(upper=0.05)
def test_exact_copies_tie(judge, pair):
    assert judge.compare(pair).tie


@pytest.mark.equivalent_pairs(BATTERY)
def test_equivalent_programs_tie(judge, pair):
    assert judge.compare(pair).tie


@pytest.mark.signal_pairs(BATTERY)
@pytest.mark.utility_gate(lower=0.75)
def test_correct_program_wins(judge, pair):
    assert judge.compare(pair).winner == pair.target
