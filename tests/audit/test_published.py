"""Published tables through the whole analysis: counts in, the printed figures out."""

from __future__ import annotations

import pytest

QWEN25 = {
    "neutral": [(1, 4, 12), (1, 8, 8), (1, 6, 10), (1, 5, 11), (0, 3, 14), (0, 2, 15)],
    "strict": [(1, 7, 9), (2, 10, 5), (2, 10, 5), (2, 11, 4), (2, 10, 5), (3, 12, 2)],
}
QWEN36 = {
    "neutral": [(0, 2, 15), (1, 4, 12), (0, 4, 13), (1, 4, 12), (0, 4, 13), (0, 4, 13)],
    "strict": [(1, 2, 14), (1, 5, 11), (1, 5, 11), (2, 7, 8), (2, 4, 11), (1, 3, 13)],
}
GPT_OSS = {"neutral": [(2, 5, 10), (1, 2, 14), (0, 3, 14), (0, 0, 17), (0, 2, 15), (1, 2, 14)]}
ROWS_485 = {
    "neutral": [(7, 15, 137), (0, 0, 83), (3, 4, 34), (13, 28, 36), (10, 21, 69), (0, 0, 25)],
    "strict": [(19, 32, 108), (3, 5, 75), (2, 4, 35), (35, 26, 16), (3, 4, 93), (1, 0, 24)],
}


def signal_cell(studies, strata, **changes):
    known = studies.strata_tasks(strata)
    planned = studies.cell("signal", known, **changes)
    audit = studies.run(studies.plan([planned], known), studies.scored(planned, studies.halves(strata)))
    return audit.cells[0], audit.gates[0]


@pytest.mark.parametrize(
    ("strata", "mean", "lower", "checked", "state"),
    [
        (QWEN25["neutral"], 168 / 204, 159 / 204, 0.7730, "PASS"),
        (QWEN25["strict"], 120 / 204, 110 / 204, 0.5284, "MISS"),
        (QWEN36["neutral"], 178 / 204, 170 / 204, 0.8259, "PASS"),
        (QWEN36["strict"], 162 / 204, 152 / 204, 0.7354, "MISS"),
        (GPT_OSS["neutral"], 182 / 204, 174 / 204, 0.8442, "PASS"),
    ],
)
def test_102_tasks_have_the_published_utility_bounds(studies, strata, mean, lower, checked, state):
    cell, gate = signal_cell(studies, strata)
    assert (cell.tasks, cell.calls) == (102, 204)
    assert cell.estimate == pytest.approx(mean, abs=1e-12)
    assert cell.lower == pytest.approx(lower, abs=1e-12)
    assert cell.lower_checked == pytest.approx(checked, abs=6e-5)
    assert (gate.state, gate.bound) == (state, min(cell.lower, cell.lower_checked))


@pytest.mark.parametrize(
    ("strata", "aligned", "lower", "macro"),
    [(ROWS_485["neutral"], 836, 816 / 970, 0.87187), (ROWS_485["strict"], 773, 751 / 970, 0.81711)],
)
def test_485_rows_have_the_published_means_and_bounds(studies, strata, aligned, lower, macro):
    cell, gate = signal_cell(studies, strata)
    assert (cell.counts["correct"], cell.calls) == (aligned, 970)
    assert cell.estimate == pytest.approx(aligned / 970, abs=1e-12)
    assert cell.lower == pytest.approx(lower, abs=1e-12)
    assert cell.macro == pytest.approx(macro, abs=5e-6)
    assert gate.state == "PASS"


def test_the_strict_485_rows_have_a_weak_subset_and_the_published_checked_bound(studies):
    cell, _ = signal_cell(studies, ROWS_485["strict"])
    weak = next(subset for subset in cell.subsets if subset["name"] == "PreciseIF")
    assert cell.lower_checked == pytest.approx(0.77351, abs=5e-6)
    assert (weak["tasks"], weak["aligned"], weak["calls"]) == (77, 58, 154)
    assert weak["estimate"] == pytest.approx(58 / 154)


@pytest.mark.parametrize(
    ("strata", "checked"),
    [
        ([(0, 0, 20)], 0.86089),
        ([(0, 0, 10)], 0.74113),
        ([(0, 0, 12)] * 8, 0.96923),
        ([(4, 6, 20)], 0.63156),
    ],
)
def test_small_and_perfect_cells_have_the_reference_checked_bound(studies, strata, checked):
    known = studies.strata_tasks(strata, [f"s{i}" for i in range(len(strata))])
    planned = studies.cell("signal", known)
    audit = studies.run(studies.plan([planned], known), studies.scored(planned, studies.halves(strata)))
    assert audit.cells[0].lower_checked == pytest.approx(checked, abs=6e-6)


def clone_cells(studies, count, adverse, **changes):
    known = studies.tasks(count)
    cells = [studies.cell("clone", known, criterion=f"c{i}", **changes) for i in range(len(adverse))]
    observed = [
        trial for cell, k in zip(cells, adverse, strict=True) for trial in studies.copies(cell, adverse=k)
    ]
    return studies.run(studies.plan(cells, known), observed)


@pytest.mark.parametrize(
    ("count", "adverse", "upper", "raw", "adjusted", "state"),
    [
        (102, (0, 0, 0, 0), 0.028942819582926292, 0.005343277621351454, 0.021373110485405817, "PASS"),
        (102, (2, 0, 0, 0), 0.06043646283134882, 0.11026985672872074, 0.11026985672872074, "MISS"),
        (96, (0,) * 6, 0.03072367683353283, 0.007268856709612755, 0.04361314025767653, "PASS"),
        (485, (0, 0), 0.006157730561406089, 1.570176832168999e-11, 3.140353664337998e-11, "PASS"),
    ],
)
def test_clone_cells_have_the_published_bounds_and_p_values(
    studies, count, adverse, upper, raw, adjusted, state
):
    audit = clone_cells(studies, count, adverse)
    cell, gate = audit.cells[0], audit.gates[0]
    assert cell.upper == pytest.approx(upper, rel=1e-12)
    assert cell.p_raw == pytest.approx(raw, rel=1e-9)
    assert cell.p_holm == pytest.approx(adjusted, rel=1e-9)
    assert (gate.state, gate.p_holm, gate.bound) == (state, cell.p_holm, cell.upper)
    assert gate.family["m"] == len(adverse)


@pytest.mark.parametrize(
    ("count", "adverse", "state"),
    [
        (59, 0, "PASS"),
        (58, 0, "MISS"),
        (93, 1, "PASS"),
        (92, 1, "MISS"),
        (124, 2, "PASS"),
        (123, 2, "MISS"),
    ],
)
def test_a_clone_gate_turns_at_the_planned_sizes(studies, count, adverse, state):
    assert clone_cells(studies, count, (adverse,)).gates[0].state == state


@pytest.mark.parametrize(
    ("stable", "position", "one_sided", "rate"),
    [(2, 58, 0, 1.0), (27, 32, 1, 0.992), (0, 5, 21, 0.258)],
)
def test_equivalent_pairs_have_the_published_patterns(studies, stable, position, one_sided, rate):
    known = studies.tasks(60, target="tie")
    planned = studies.cell("equivalent", known)
    pairs = (
        [("first", "first")] * stable + [("first", "second")] * position + [("first", "tie")] * one_sided
    )
    pairs += [("tie", "tie")] * (60 - len(pairs))
    winners = [winner for pair in pairs for winner in pair]
    (cell,) = studies.run(studies.plan([planned], known), studies.trials(planned, winners)).cells
    assert cell.patterns == {
        "tie": pairs.count(("tie", "tie")),
        "stable": stable,
        "position": position,
        "one_sided": one_sided,
        "invalid": 0,
    }
    assert (cell.calls - cell.counts["tie"]) / cell.calls == pytest.approx(rate, abs=6e-4)
    assert cell.estimate == pytest.approx((stable + position + one_sided) / 60)


@pytest.mark.parametrize(
    ("invalid", "calls", "state"),
    [
        (211, 612, "HOLD"),
        (33, 612, "HOLD"),
        (7, 612, "HOLD"),
        (6, 612, "OK"),
        (1, 960, "OK"),
        (0, 612, "OK"),
    ],
)
def test_the_operational_gate_turns_above_one_per_cent(studies, invalid, calls, state):
    known = studies.tasks(calls)
    planned = studies.cell("clone", known)
    audit = studies.run(studies.plan([planned], known), studies.copies(planned, invalid=invalid))
    (found,) = audit.configurations
    assert (found.calls, found.invalid, found.state) == (calls, invalid, state)
    assert found.invalid_rate == pytest.approx(invalid / calls)
    assert bool(found.reasons) == (state == "HOLD") == found.judge_fault
