"""Makers of whole reports for the tests of pages: of every kind of cell, and as hostile as models get."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from types import ModuleType
from typing import Any

from pytest_judgeaudit.audit.baseline import against
from pytest_judgeaudit.records.answers import Attempt, Reply
from pytest_judgeaudit.records.audits import AgentRecord, Audit
from pytest_judgeaudit.records.claims import Claim, ClaimResult
from pytest_judgeaudit.records.floors import Design, Figure, Floor, Noise, PredictionOutcome, Spread
from pytest_judgeaudit.records.grounding import ClaimVolume
from pytest_judgeaudit.records.plans import Task
from pytest_judgeaudit.records.trials import Trial
from pytest_judgeaudit.records.verdicts import Usage
from pytest_judgeaudit.report.details import Detail
from pytest_judgeaudit.report.html import Page
from pytest_judgeaudit.report.json import document, to_json

HOSTILE = (
    '<script>document.title="owned"</script></script><img src=x onerror="document.title=1">'
    "<svg onload=alert(1)><style>*{display:none}</style>{{ 7*7 }}$\\frac{$ @everyone #1 "
    "![x](http://127.0.0.1:9/i.png) `|` <!-- \u2028\u202egnp\x1b[2J\x1b]0;owned\x07\ud800"
)
"""Script, style, drawing, template, formula, Markdown, line and direction controls, a lone surrogate."""

JUDGES = ("qwen2.5-32b", "gpt-oss-20b", "house-gpt")
ASKED_AT = 1_795_000_000.0


def details(plan: Any, trials: Sequence[Trial], text: str = '{"winner": "tie"}') -> list[Detail]:
    """Each trial with a stored answer of two tries."""
    found = []
    for number, trial in enumerate(trials):
        start = ASKED_AT + 3.0 * number
        tries = (
            Attempt(started=start, ended=start + 1.5, outcome="refused", status=429, error=text[:200]),
            Attempt(
                started=start + 2,
                ended=start + 2.8,
                outcome="answered",
                status=200,
                usage=Usage(prompt=800),
            ),
        )
        found.append(
            Detail(
                trial=replace(
                    trial,
                    answer="asked",
                    attempts=2,
                    asked_at=start,
                    prompt_tokens=800 + number % 97,
                    completion_tokens=12,
                ),
                prompt=f"{number:016x}",
                subset="(none)",
                reply=Reply(text=f"{text} {number}", attempts=tries),
            )
        )
    return found


def study(
    studies: ModuleType, *, judges: Sequence[str] = JUDGES, tasks: int = 102
) -> tuple[Audit, Any, list]:
    """Two criteria of each judge on copies and signal pairs; the last judge is on HOLD."""
    known: Mapping[str, Task] = studies.tasks(tasks, subsets=studies.SUBSETS)
    cells, observed = [], []
    for rank, judge in enumerate(judges):
        for strict, criterion in enumerate(("neutral", "strict")):
            seat = {"judge": judge, "criterion": criterion}
            clone, signal = studies.cell("clone", known, **seat), studies.cell("signal", known, **seat)
            cells += [clone, signal]
            invalid = tasks // 10 if rank == len(judges) - 1 and rank else 0
            observed += studies.copies(clone, adverse=2 * rank * (1 - strict), invalid=invalid)
            weak = [
                1 if task % (7 - 3 * strict) == 0 else 0 if task % (23 - rank) == 0 else 2
                for task in range(tasks)
            ]
            observed += studies.scored(signal, weak, miss="tie" if strict else "second")
    plan = studies.plan(cells, known)
    return studies.run(plan, observed), plan, observed


def page(studies: ModuleType, *, text: str = '{"winner": "tie"}', **sizes: Any) -> Page:
    """A page of such a study, with its trials."""
    audit, plan, observed = study(studies, **sizes)
    return Page(report=document(audit), details=details(plan, observed, text))


def poisoned(value: Any) -> Any:
    """The same value with every text that is no word of ours replaced by a hostile one."""
    if isinstance(value, Mapping):
        # Names of judges are keys too: JUDGE/CRITERION.
        return {
            f"{key} {HOSTILE}" if "/" in key else key: entry if key in OURS else poisoned(entry)
            for key, entry in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [poisoned(entry) for entry in value]
    return f"{value} {HOSTILE}" if isinstance(value, str) else value


OURS = {"unit", "design", "state", "kind", "arm", "outcome", "sha256", "stratum", "identity", "of", "exit"}
"""Keys whose values are words of ours."""


def with_everything(page: Page) -> Page:
    """The same page with what its run has no data for: ladders, rubric scores, designs, a baseline."""
    report = {**page.report, **RUBRICS, "ladders": LADDERS}
    return replace(page, report=report)


_PARTS = {"accuracy": 8.4, "completeness": 9.2, "traceability": 4.1, "usefulness": 11.18}
_OTHER = {"accuracy": 15.1, "completeness": 8.9, "traceability": 3.8, "usefulness": 10.7}
_PLACE: Mapping[str, Any] = {"eval": "evals/test_lending.py::test_q", "agent": "reader"}
_FLOOR = Floor(
    **_PLACE,
    corpus="lending",
    run="1",
    state="reported",
    judges={
        "opus": {"family": "claude", "floor": 32.88, "by_dimension": _PARTS, "adjusted": {}},
        "gpt": {"family": "gpt", "floor": 38.5, "by_dimension": _OTHER, "adjusted": {}},
    },
    by_dimension={name: (_PARTS[name] + _OTHER[name]) / 2 for name in _PARTS},
    floor=35.69,
    scores={"sighted": 73.47},
    adjusted={"sighted": 0.5875},
    verified_blind=True,
)
_SPREAD = Spread(
    **_PLACE,
    corpus="lending",
    condition="",
    minuend="gpt",
    subtrahend="claude",
    answers={"blind": 40, "sighted": 40},
    blind={"total": 7.2, "accuracy": 6.7, "completeness": -0.3},
    sighted={"total": -1.1, "accuracy": -1.6, "completeness": 0.2},
    ratio={"accuracy": 4.19},
    under_determined={"total": True, "accuracy": True, "completeness": None},
)
_DESIGN = Design(
    design="corpus × rename",
    agent="reader",
    corpora=("lending", "billing"),
    levels=("", "renamed"),
    means={},
    figures=(
        Figure(name="effect on the higher corpus", value=-7.67, multiple=1.98, within_noise=False),
        Figure(name="sighted effect", value=-0.93, multiple=0.24, within_noise=True),
        Figure(name="premium removed", value=0.84, unit="share"),
        Figure(name="not known", value=None, reason="no sighted cell"),
    ),
)
_CLAIM = Claim(
    text="mean of reader on lookup is .93", cell={"agent": "reader", "class": "lookup"}, value=0.93
)
_PREDICTION = PredictionOutcome(
    id="premium-is-recall", contrast="rename", expects="falls by at least 3", outcome="hit", value=-7.67
)
_AGENT = AgentRecord(
    study="evals/test_lending.py",
    agent="reader",
    kind="tools",
    family="gpt",
    requested="gpt-5",
    served={"gpt-5-2026": 80},
    served_as_requested=True,
    calls=80,
    answers=79,
    outcomes={"ok": 78, "timeout": 1},
    tool_calls={"read": 410, "grep": 88},
    usage={"prompt": 120_000, "completion": 9_000, "unknown_calls": 0},
    cost=None,
    later_attempts=0,
    state="OK",
    reasons=(),
)
_VOLUME = ClaimVolume(
    eval="e",
    agent="reader",
    arm="blind",
    answers=40,
    claims_per_answer=2.5,
    few=31,
    states={"SUPPORTED": 12},
)
_GRADE: Mapping[str, Any] = {
    "eval": _PLACE["eval"],
    "agent": "reader",
    "arm": "blind",
    "question": "L1",
    "replicate": 1,
    "state": "ok",
    "score": 0.5,
    "per_fact": {"f1": True, "f2": False},
    "findings": ["hallucinated"],
    "judge": {"state": "ok", "reason": "", "score": 0.75, "served": "opus"},
    "judges": {"opus": {"total": 41.0, "label": "weak", "state": "ok"}},
}
RUBRICS: Mapping[str, Any] = {
    "agents": [asdict(_AGENT)],
    "floors": [
        asdict(_FLOOR),
        asdict(replace(_FLOOR, condition="renamed", floor=25.2, verified_blind=False)),
        asdict(replace(_FLOOR, corpus="billing", floor=None, by_dimension={}, judges={}, scores={})),
    ],
    "spreads": [asdict(_SPREAD)],
    "noise": asdict(Noise(state="measured", cells=4, total=3.88, by_dimension={"accuracy": 1.93})),
    "designs": [asdict(_DESIGN)],
    "predictions": [asdict(_PREDICTION)],
    "claims": [
        asdict(ClaimResult(claim=_CLAIM, state="failed", computed=0.91, reasons=("0.91 is not 0.93",)))
    ],
    "claim_volumes": [asdict(_VOLUME)],
    "grades": [_GRADE],
}
"""What rubric scores come to; figures as published where there are any."""

LADDERS = [
    {
        "study": "s",
        "eval": "e",
        "judge": judge,
        "criterion": "neutral",
        "statement": "",
        "success": dict(zip("12345", shares, strict=True)),
        "pairs": dict.fromkeys("12345", 50),
        "smallest_gap": gap,
        "false_preference": 0.258,
        "patterns": {},
    }
    for judge, shares, gap in (
        ("qwen2.5-32b", (0.62, 0.74, 0.81, 0.9, 1.0), "3"),
        ("gpt-oss-20b", (0.8, 0.84, 0.93, 0.97, 1.0), "<=1"),
    )
]


def poisoned_page(page: Page) -> Page:
    """The same page with every foreign text of report and trials replaced by a hostile one."""
    cells = {cell["id"]: f"{cell['id']} {HOSTILE}" for cell in page.report["cells"]}
    report = poisoned(page.report)
    spoiled = [
        replace(
            detail,
            trial=replace(
                detail.trial,
                cell=cells[detail.trial.cell],
                task=f"{detail.trial.task} {HOSTILE}",
                reason=HOSTILE,
                served=HOSTILE,
            ),
            subset=HOSTILE,
            reply=replace(
                detail.reply,
                text=f"{HOSTILE}\n{detail.reply.text}",
                attempts=tuple(replace(one, error=HOSTILE) for one in detail.reply.attempts),
            ),
        )
        for detail in page.details
    ]
    return replace(page, report=report, details=spoiled)


def compared(studies: ModuleType) -> Page:
    """A page of a run in which two tasks flipped against the baseline."""
    known = studies.tasks(60)
    cells = [studies.cell("clone", known), studies.cell("signal", known)]
    halves = [[2] * 60, [0 if task in {3, 4} else 2 for task in range(60)]]
    runs = [
        studies.run(
            studies.plan(cells, known),
            studies.copies(cells[0], adverse=3 * rank) + studies.scored(cells[1], right),
        )
        for rank, right in enumerate(halves)
    ]
    earlier = json.loads(to_json(runs[0]))
    contrasts = (*runs[1].contrasts, *against(runs[1], earlier))
    return Page(report=json.loads(to_json(replace(runs[1], contrasts=contrasts))), baseline=earlier)
