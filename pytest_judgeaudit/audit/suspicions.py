"""
Findings about graded answers: where judge and checklist differ, and what neither can see.

Each names a symptom and what to check, never a cause. A wrong key makes no disagreement at all, since the
judge is shown the same key: hence the other signs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from pytest_judgeaudit.audit.numbers import counted, share, some
from pytest_judgeaudit.audit.scores import by_cell, by_question, cell_name, cell_of, summary
from pytest_judgeaudit.grade.normalise import folded, plain
from pytest_judgeaudit.grade.paths import spelled
from pytest_judgeaudit.grade.reconciling import THRESHOLD, reconcile
from pytest_judgeaudit.grade.sets import mentioned_paths
from pytest_judgeaudit.grade.states import hedges, refused
from pytest_judgeaudit.records.grades import ChecklistVerdict, GradedRow
from pytest_judgeaudit.records.plans import Finding
from pytest_judgeaudit.records.traces import SILENT

_SYMBOL = re.compile(
    r"\b(?:[A-Za-z]\w*_\w+|[a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*|[A-Z][A-Z0-9]*(?:-[A-Z0-9]+)+)\b"
)
_SHORTEST = 2  # cells that must converge before a key is suspect


def where(row: GradedRow) -> str:
    """Word a row for a finding: question, agent and arm, and the replicate behind the first."""
    again = f" #{row.replicate}" if row.replicate > 1 else ""
    return f"{row.question.id} [{' '.join(filter(None, (row.agent, row.arm)))}]{again}"


def disagreements(rows: Iterable[GradedRow], *, threshold: float = THRESHOLD) -> Iterator[Finding]:
    """
    Yield the rows in which judge and checklist are further apart than the threshold.

    Also those in which the judge's number does not follow from its own booleans. Only verdicts whose state
    is ``ok``, of answers that the judge saw whole: a stale or pending one is compared with nothing.
    """
    for row in rows:
        for judge, verdict in row.checks.items() if not row.truncated else ():
            if verdict.valid and verdict.score is not None:
                yield from _disagreement(row, judge, verdict, verdict.score, threshold=threshold)


def _disagreement(
    row: GradedRow, judge: str, verdict: ChecklistVerdict, score: float, *, threshold: float
) -> Iterator[Finding]:
    found = reconcile(
        row.grade.score,
        score,
        threshold=threshold,
        facts=row.question.facts,
        per_fact=verdict.per_fact,
        forbidden=row.question.forbidden,
    )
    name = judge or "the judge"
    if found.agree is False:
        yield Finding(
            code="disagreement",
            where=where(row),
            symptom=f"{name} says {score:.2f}, the checklist {row.grade.score:.2f} "
            f"({str(found.kind).replace('_', ' ')}){_different(row, verdict)}",
            check="the answer, the key, its matchers and the rubric: an alarm names no cause",
        )
    if found.rubric_mismatch:
        yield Finding(
            code="rubric-mismatch",
            where=where(row),
            symptom=f"the number {score:.2f} of {name} does not follow from its own booleans, "
            f"which give {found.mirrored:.2f}",
            check="whether the judge counts optional facts as required, or by a rule of its own",
        )


def _different(row: GradedRow, verdict: ChecklistVerdict) -> str:
    said = verdict.per_fact
    facts = [name for name, hit in row.grade.per_fact.items() if name in said and said[name] != hit]
    return f"; they differ on {some(facts)}" if facts else ""


def suspect_keys(rows: Iterable[GradedRow]) -> Iterator[Finding]:
    """
    Yield the questions where all arms converge on what the key rejects.

    All arms that could see the corpus miss the same required fact, and their answers name one same path or
    symbol that is in neither key nor prompt. A judge that is shown a wrong key agrees with it.
    """
    for group in by_question(row for row in rows if "blind" not in row.arm).values():
        graded = [row for row in group if row.grade.state == "graded"]
        if len({cell_of(row) for row in graded}) < _SHORTEST:
            continue
        missed = set.intersection(*(set(row.grade.missing) for row in graded))
        common = set.intersection(*(_named(row.answer) for row in graded)) - _of_key(graded[0])
        if missed and common:
            arms = counted(len({cell_of(row) for row in graded}), "arm")
            yield Finding(
                code="suspect-key",
                where=graded[0].question.id,
                symptom=f"all {arms} miss {some(sorted(missed))}, and all name {some(sorted(common))}",
                check="the key against the corpus: judge and checklist cannot see a wrong key",
            )


def _named(answer: str) -> set[str]:
    bare = plain(answer)
    return {*mentioned_paths(answer), *(found[0] for found in _SYMBOL.finditer(bare))}


def _of_key(row: GradedRow) -> set[str]:
    """Return what is in the key or the prompt, and so no answer of the agents' own."""
    asked = row.question
    values = [value for fact in (*asked.facts, *asked.forbidden) for value in fact.match.values]
    text = " ".join([asked.prompt, *values, *asked.gt])
    return {*_named(text), *map(spelled, values)}


def uniform_shifts(before: Iterable[GradedRow], after: Iterable[GradedRow]) -> Iterator[Finding]:
    """
    Yield the questions whose scores a change of the grader moves alike in every arm.

    Rows are matched by question, cell and replicate. Arms differ, and graders apply to all of them alike.
    """
    old = {(where(row), row.eval): row for row in before}
    moved = [(old[key], row) for row in after if (key := (where(row), row.eval)) in old]
    groups: dict[str, list[tuple[GradedRow, GradedRow]]] = {}
    for was, now in moved:
        groups.setdefault(f"{now.eval} {now.question.id}", []).append((was, now))
    for group in groups.values():
        steps = {_step(was, now) for was, now in group}
        arms = {cell_of(now) for _, now in group}
        if len(arms) >= _SHORTEST and len(steps) == 1 and (step := steps.pop()):
            facts = _flipped(*group[0])
            yield Finding(
                code="uniform-shift",
                where=group[0][1].question.id,
                symptom=f"all {counted(len(arms), 'arm')} move by {step:+.2f}"
                + (f", on {some(facts)}" if facts else ""),
                check="the grader's change, not the arms: arms differ, a grader applies to all alike",
            )


def _step(was: GradedRow, now: GradedRow) -> float | None:
    if was.grade.score is None or now.grade.score is None:
        return None
    return round(now.grade.score - was.grade.score, 9)


def _flipped(was: GradedRow, now: GradedRow) -> list[str]:
    old = was.grade.per_fact
    return [name for name, hit in now.grade.per_fact.items() if old.get(name, hit) != hit]


def behaviours(rows: Sequence[GradedRow]) -> Iterator[Finding]:
    """Yield, for each cell, what its answers did: a lower bound each, since patterns miss phrasings."""
    for cell, group in by_cell(row for row in rows if row.outcome not in SILENT).items():
        name, total = cell_name(cell), len(group)
        idle = [row for row in group if row.tool_calls == 0 and "blind" not in row.arm]
        if idle:
            yield Finding(
                code="no-evidence-used",
                where=name,
                symptom=f"{share(len(idle), total)} answers came without a call of any tool: "
                f"{some(where(row) for row in idle)}",
                check="whether these questions can be answered from general knowledge",
            )
        guessed = {phrase: None for row in group for phrase in hedges(row.answer)}
        hedged = [row for row in group if hedges(row.answer)]
        if hedged and "blind" not in cell[2]:
            yield Finding(
                code="hedged",
                where=name,
                symptom=f"at least {share(len(hedged), total)} answers hedge: {some(guessed)}",
                check="these answers: a symptom of recall",
            )
        yield from _apart(name, group)


def _apart(name: str, group: Sequence[GradedRow]) -> Iterator[Finding]:
    """Yield the answers of a cell that are listed apart."""
    total = len(group)
    states = {
        state: [row for row in group if row.grade.state == state]
        for state in ("unavailable", "contaminated")
    }
    if out := states["unavailable"]:
        yield Finding(
            code="unavailable",
            where=name,
            symptom=f"{share(len(out), total)} answers report that tools were out of reach: "
            f"{some(where(row) for row in out)}",
            check="the agent's tools and what they work on; these answers are in no mean",
        )
    if leaked := states["contaminated"]:
        yield Finding(
            code="contaminated",
            where=name,
            symptom=f"{share(len(leaked), total)} answers rest on the question set: "
            f"{some(map(_signs, leaked))}",
            check="what the agent could read; its other answers may rest on it too",
        )
    soft = [row for row in group if row.grade.contamination.soft]
    if soft:
        yield Finding(
            code="suspected-probe",
            where=name,
            symptom=f"at least {share(len(soft), total)} answers guess that the question is a test",
            check="nothing, if they searched before; counted, never punished",
        )


def _signs(row: GradedRow) -> str:
    return f"{where(row)} ({', '.join(row.grade.contamination.hard)})"


def same_answers(rows: Iterable[GradedRow]) -> Iterator[Finding]:
    """Yield answer texts that stand for two prompts; abstentions and refusals may well be alike."""
    homes: dict[str, dict[str, str]] = {}
    for row in rows:
        text = folded(plain(row.answer)).strip()
        if text and not row.grade.abstained and not refused(row.answer):
            homes.setdefault(text, {}).setdefault(row.question.prompt_digest(), where(row))
    for places in homes.values():
        if len(places) > 1:
            yield Finding(
                code="same-answer-different-questions",
                where=some(places.values()),
                symptom=f"one answer text stands for {counted(len(places), 'prompt')}",
                check="where the agent's answers are read from: one of another question may have been left",
            )


def two_valued(rows: Iterable[GradedRow]) -> Iterator[Finding]:
    """Yield the questions whose repeated answers have two scores: their median says nothing."""
    groups: dict[tuple[str, ...], list[GradedRow]] = {}
    for row in rows:
        groups.setdefault((*cell_of(row), row.question.id), []).append(row)
    for group in groups.values():
        found = summary(row.grade.score for row in group)
        if found.bimodal:
            scores = ", ".join(f"{times} × {score:.2f}" for score, times in found.counts.items())
            yield Finding(
                code="bimodal",
                where=where(group[0]).partition(" #")[0],
                symptom=f"{found.n} answers have two scores: {scores}; no median is shown",
                check="which fact comes and goes; count cells, not medians",
            )


def suspicions(rows: Sequence[GradedRow], *, before: Sequence[GradedRow] = ()) -> Iterator[Finding]:
    """Yield all findings about graded rows; ``before`` are the same as they were graded earlier."""
    for read in (disagreements, suspect_keys, behaviours, same_answers, two_valued):
        yield from read(rows)
    yield from uniform_shifts(before, rows)
