"""What holds a campaign, and what does not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_judgeaudit.audit.holds import ASK, BROKEN, FAULTY, UNLOGGED
from pytest_judgeaudit.records.plans import GateSpec

ESTIMATED = (
    "estimate", "macro", "weighted", "dc", "upper", "lower", "lower_checked", "lower_exact", "interval",
    "p_raw", "p_holm",
)  # fmt: skip


def bare(cell):
    """Whether a cell says nothing that is made of outcomes."""
    nothing = all(getattr(cell, name) is None for name in ESTIMATED)
    return nothing and not (cell.by_order or cell.patterns or cell.subsets or cell.warnings)


def served_judge(studies, **changes):
    return studies.judge(**{"api": "openai", "requested": "m-5", "identity": "served", **changes})


def one_cell(studies, edit=lambda trials: trials, *, count=93, judge=None, trial=None, **options):
    """A campaign of copies that all tie, edited."""
    known = studies.tasks(count)
    planned = studies.cell("clone", known)
    judges = [judge or studies.judge()]
    observed = edit(studies.copies(planned, **(trial or {})))
    return studies.run(studies.plan([planned], known, judges=judges), observed, **options)


def held(audit):
    """The reasons of the only campaign, which must be HOLD with everything that hangs on it."""
    (found,) = audit.configurations
    assert found.state == "HOLD"
    assert all(bare(cell) and cell.state == "HOLD" for cell in audit.cells)
    assert {gate.state for gate in audit.gates} == {"HOLD"}
    assert {entry.label for entry in audit.joint} <= {"HOLD"}
    assert audit.state == ("pass" if all(g.outcome == "passed" for g in audit.gates) else "hold")
    return "; ".join(found.reasons)


def test_a_clean_campaign_is_not_held(studies):
    audit = one_cell(studies)
    (found,) = audit.configurations
    assert (found.state, found.reasons, found.judge_fault) == ("OK", (), False)
    assert (found.calls, found.terminal, found.edge_calls) == (93, 93, 0)
    assert audit.state == "pass"


def test_a_missing_presentation_holds(studies):
    reasons = held(one_cell(studies, lambda trials: trials[1:]))
    assert reasons == "1 presentation without a trial: t000 AB"


def test_many_missing_presentations_are_counted_and_not_all_listed(studies):
    reasons = held(one_cell(studies, lambda trials: trials[:-40]))
    assert reasons.startswith("40 presentations without a trial: t053 AB, t054 AB")
    assert reasons.endswith("and 35 more")


def test_a_void_trial_holds_with_its_reason(studies):
    def spoil(trials):
        return [replace(trials[0], outcome="void", winner=None, reason="OSError: gone"), *trials[1:]]

    assert held(one_cell(studies, spoil)) == "1 trial measured nothing: t000 AB (OSError: gone)"


@pytest.mark.parametrize(
    ("answer", "identity", "check"),
    [
        ("missing", "log", UNLOGGED),
        ("missing", "served", ASK),
        ("failed", "served", BROKEN),
        ("stopped", "served", BROKEN),
        ("faulty", "served", FAULTY),
        ("hit", "served", FAULTY),
        (None, "log", FAULTY),
    ],
)
def test_the_next_step_depends_on_why_a_trial_measured_nothing(studies, answer, identity, check):
    known = studies.tasks(60)
    cell = studies.cell("clone", known)
    judge = studies.judge(identity=identity)
    first, *rest = studies.copies(cell, served="qwen")
    spoilt = [replace(first, outcome="void", winner=None, reason="gone", answer=answer), *rest]
    audit = studies.run(studies.plan([cell], known, judges=[judge]), spoilt)
    assert [found.check for found in audit.findings if found.code == "void"] == [check]


def test_a_trial_voided_after_its_verdict_is_no_observation_but_a_terminal_call(studies):
    audit = one_cell(studies, lambda trials: [replace(trials[0], outcome="void"), *trials[1:]])
    assert "1 trial measured nothing" in held(audit)
    assert audit.configurations[0].terminal == 93
    assert len(audit.trials) == 92


def test_a_pair_without_a_verdict_is_void_whatever_its_assertion(studies):
    audit = one_cell(studies, lambda trials: [replace(trials[0], winner=None), *trials[1:]])
    assert "no verdict was obtained" in held(audit)


def test_a_presentation_that_came_twice_holds(studies):
    assert "1 presentation came more than once: t000 AB" in held(
        one_cell(studies, lambda trials: [*trials, trials[0]])
    )


def test_a_presentation_that_was_scheduled_twice_holds(studies):
    known = studies.tasks(60)
    planned = studies.cell("clone", known)
    planned = replace(planned, selected=(*planned.selected, planned.selected[0]))
    audit = studies.run(studies.plan([planned], known), studies.copies(planned))
    assert "came more than once" in held(audit)
    assert audit.configurations[0].calls == 60


def test_thirty_tasks_run_twice_never_certify_like_sixty(studies):
    known = studies.tasks(30)
    planned = studies.cell("clone", known)
    planned = replace(planned, selected=planned.selected * 2)
    assert "30 presentations" in held(studies.run(studies.plan([planned], known), studies.copies(planned)))


def test_two_different_rows_of_a_log_hold(studies):
    judge = studies.judge(api="recorded", identity="log", requested="m-5")

    def contradict(trials):
        return [replace(trials[0], duplicated=True), *trials[1:]]

    reasons = held(one_cell(studies, contradict, judge=judge, trial={"served": "m-5"}))
    assert reasons == "1 presentation with two different rows in the log: t000 AB"


def test_a_log_whose_judge_names_no_model_is_told_which_key_to_write(studies):
    judge = studies.judge(api="recorded", identity="log")
    audit = one_cell(studies, judge=judge, trial={"served": "gpt-5.1"})
    (found,) = (one for one in audit.findings if one.code == "served-differs")
    assert "model = 'gpt-5.1' in the judge's table" in found.check


def test_an_ambiguous_call_holds(studies):
    key = ("evals/test_study.py", "qwen")
    assert "2 ambiguous calls" in held(one_cell(studies, ambiguous={key: 2}))
    assert one_cell(studies, ambiguous={("other", "qwen"): 2}).configurations[0].state == "OK"


@pytest.mark.parametrize("identity", ["served", "log"])
def test_the_requested_model_everywhere_is_as_requested(studies, identity):
    judge = served_judge(studies, identity=identity)
    (found,) = one_cell(studies, judge=judge, trial={"served": "m-5"}).configurations
    assert (found.state, found.served, found.served_as_requested) == ("OK", {"m-5": 93}, True)


@pytest.mark.parametrize("identity", ["served", "log"])
@pytest.mark.parametrize(
    ("served", "agrees", "words"),
    [
        ("other", False, "'other' (1×) served where 'm-5' was requested"),
        (None, None, "1 output without a stated model"),
    ],
)
def test_one_call_of_another_or_an_unnamed_model_holds(studies, identity, served, agrees, words):
    audit = one_cell(
        studies,
        lambda trials: [replace(trials[0], served=served), *trials[1:]],
        judge=served_judge(studies, identity=identity),
        trial={"served": "m-5"},
    )
    assert words in held(audit)
    assert audit.configurations[0].served_as_requested is agrees


def test_names_that_mean_one_model_agree_but_a_mixture_holds(studies):
    dated = {"judge": served_judge(studies), "same_model": lambda a, b: b.startswith(a)}
    alone = one_cell(studies, trial={"served": "m-5-20260101"}, **dated)
    assert alone.configurations[0].served_as_requested is True
    mixed = one_cell(
        studies,
        lambda trials: [replace(trials[0], served="m-5"), *trials[1:]],
        trial={"served": "m-5-20260101"},
        **dated,
    )
    assert "several models served" in held(mixed)


@pytest.mark.parametrize(
    ("identity", "api"),
    [
        ("served", "openai"),
        ("log", "recorded"),
        ("undeclared log", "recorded"),
        ("construction", "python"),
        ("construction", "embedded"),
    ],
)
def test_several_stated_models_hold_whoever_stated_them(studies, identity, api):
    judge = studies.judge(identity=identity, api=api, requested="m-5")
    mixed = one_cell(
        studies,
        lambda trials: [replace(trials[0], served="other"), *trials[1:]],
        judge=judge,
        trial={"served": "m-5"},
        same_model=lambda *_: True,
    )
    assert "several models served: 'm-5' (92×), 'other' (1×)" in held(mixed)
    assert one_cell(studies, judge=judge, trial={"served": "m-5"}).configurations[0].state == "OK"


def test_the_model_of_a_call_that_brought_no_verdict_is_kept(studies):
    def stopped(trials):
        return [
            replace(trial, outcome="void", winner=None, served="other") for trial in trials[:1]
        ] + trials[1:]

    audit = one_cell(studies, stopped, judge=served_judge(studies), trial={"served": "m-5"})
    assert "'other' (1×)" in held(audit)
    assert audit.configurations[0].served == {"m-5": 92, "other": 1}


def test_a_log_without_served_names_is_a_finding_and_no_hold(studies):
    judge = studies.judge(api="recorded", identity="undeclared log")
    audit = one_cell(studies, judge=judge)
    assert audit.configurations[0].state == "OK"
    assert [f.code for f in audit.findings] == ["identity"]
    assert "identity: declared by the log" in audit.findings[0].symptom


def test_a_judge_in_the_process_needs_no_served_name(studies):
    (found,) = one_cell(studies).configurations
    assert (found.state, found.served, found.served_as_requested) == ("OK", {}, None)


def test_a_campaign_spans_the_arms_and_criteria_of_a_study(studies):
    known = studies.tasks(50)
    cells = [
        studies.cell(arm, known, criterion=c) for c in ("neutral", "strict") for arm in ("clone", "signal")
    ]
    observed = [t for c in cells[:-1] for t in studies.trials(c, ["tie"] * len(c.selected))]
    observed += studies.trials(cells[-1], ["invalid"] * 4 + ["first"] * 96)
    audit = studies.run(studies.plan(cells, known), observed)
    assert "4 of 300 outputs are no verdict" in held(audit)
    assert audit.configurations[0].by_condition == {
        "neutral clone": {"scheduled": 50, "terminal": 50, "invalid": 0},
        "neutral signal AB": {"scheduled": 50, "terminal": 50, "invalid": 0},
        "neutral signal BA": {"scheduled": 50, "terminal": 50, "invalid": 0},
        "strict clone": {"scheduled": 50, "terminal": 50, "invalid": 0},
        "strict signal AB": {"scheduled": 50, "terminal": 50, "invalid": 2},
        "strict signal BA": {"scheduled": 50, "terminal": 50, "invalid": 2},
    }


def test_studies_are_campaigns_of_their_own(studies):
    known = studies.tasks(100)
    clean = studies.cell("clone", known)
    dirty = studies.cell("clone", known, study="evals/test_b.py", eval="evals/test_b.py::test_copies")
    observed = studies.copies(clean) + studies.copies(dirty, invalid=8)
    audit = studies.run(studies.plan([clean, dirty], known), observed)
    assert [found.state for found in audit.configurations] == ["OK", "HOLD"]
    assert [gate.state for gate in audit.gates] == ["PASS", "HOLD"]


def test_edge_strata_are_counted_apart(studies):
    known = studies.tasks(60)
    core = studies.cell("clone", known)
    edge = studies.cell("clone", ["e0", "e1"], stratum="empty", gates=())
    observed = studies.copies(core) + studies.copies(edge, invalid=2)
    audit = studies.run(studies.plan([core, edge], known), observed)
    (found,) = audit.configurations
    assert (found.state, found.calls, found.invalid) == ("OK", 60, 0)
    assert (found.edge_calls, found.edge_invalid) == (2, 2)
    assert (audit.cells[1].counts["adverse"], audit.cells[1].tasks) == (2, 2)
    assert bare(audit.cells[1])


def test_a_hole_in_an_edge_stratum_holds_that_stratum_only(studies):
    known = studies.tasks(60)
    core = studies.cell("clone", known)
    edge = studies.cell("clone", ["e0", "e1"], stratum="empty", gates=())
    audit = studies.run(studies.plan([core, edge], known), studies.copies(core))
    assert [cell.state for cell in audit.cells] == ["OK", "HOLD"]


def test_an_operational_gate_changes_the_limit_of_its_study(studies):
    known = studies.tasks(100)
    gate = GateSpec(kind="operational_gate", max_invalid=0.05)
    planned = studies.cell("clone", known, gates=(studies.CLONE, gate))
    audit = studies.run(studies.plan([planned], known), studies.copies(planned, invalid=5))
    assert audit.configurations[0].max_invalid == 0.05
    operational = audit.gates[1]
    assert operational.id == "evals/test_study.py::test_copies::operational_gate[qwen-neutral]"
    assert (operational.state, operational.threshold, operational.bound) == ("PASS", 0.05, 0.05)
    audit = studies.run(studies.plan([planned], known), studies.copies(planned, invalid=6))
    assert [gate.state for gate in audit.gates] == ["HOLD", "HOLD"]


def test_a_held_cell_shows_scheduled_terminal_and_invalid_counts_only(studies):
    audit = one_cell(studies, lambda trials: trials[1:])
    assert audit.cells[0].counts == {"scheduled": 93, "terminal": 92, "invalid": 0}


def test_usage_is_summed_and_unknown_is_not_zero(studies):
    known = studies.tasks(60)
    planned = studies.cell("clone", known)
    observed = studies.copies(planned, answer="asked", prompt_tokens=10, completion_tokens=2, attempts=1)
    observed[0] = replace(observed[0], prompt_tokens=None, completion_tokens=None, attempts=3)
    audit = studies.run(studies.plan([planned], known), observed)
    (found,) = audit.configurations
    assert found.usage == {"prompt": 590, "completion": 118, "unknown_calls": 1}
    assert found.later_attempts == 1
    assert any("1 verdict came from a later attempt" in finding.symptom for finding in audit.findings)


def test_answers_given_in_the_process_have_no_unknown_usage(studies):
    assert one_cell(studies).configurations[0].usage == {"prompt": 0, "completion": 0, "unknown_calls": 0}


def test_only_what_the_judge_said_is_the_judges_fault(studies):
    invalid = one_cell(studies, lambda trials: [replace(t, winner="invalid") for t in trials])
    assert invalid.configurations[0].judge_fault is True
    mixed = one_cell(studies, lambda trials: [replace(t, winner="invalid") for t in trials[1:]])
    assert mixed.configurations[0].judge_fault is False
