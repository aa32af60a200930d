"""
Single answers with a label: rows of ``id``, ``prompt``, ``answer`` and ``label``, and their controls.

The controls are made here: a blank answer to each distinct prompt, and every answer once more.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pytest_judgeaudit.corpora.columns import Columns, Naming
from pytest_judgeaudit.corpora.fields import Field, holds, parsed, parsed_fields
from pytest_judgeaudit.corpora.found import found, quoted
from pytest_judgeaudit.corpora.kinds import SHOWN
from pytest_judgeaudit.corpora.refusals import unless_refused
from pytest_judgeaudit.corpora.sources import Item, Source, claim, entries, known_battery, names_of
from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.records.items import NO_SUBSET
from pytest_judgeaudit.records.labelled import BLANK, CONTROLS, LABELS, Control, Label, LabelledAnswer
from pytest_judgeaudit.records.plans import Finding

TABLE = "answer"
"""What the tables of a TOML file are called."""

KEYS = ("id", "prompt", "answer", "label", "subset", "family")
"""What a row can say, and so the keys of ``fields``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedAnswers:
    """
    The answers of a source, each once, then their controls.

    ``findings`` say what was merged, and what about the source weakens its claim.
    """

    answers: tuple[LabelledAnswer, ...]
    findings: tuple[Finding, ...]


def load_answers(
    source: Source,
    *,
    root: Path,
    fields: Mapping[str, str] | None = None,
    labels: Mapping[str, str | int | bool] | None = None,
    controls: Collection[Control] = (),
) -> LoadedAnswers:
    """
    Read the labelled answers of a source.

    ``source`` is a path (relative to ``root``; ``.jsonl``, ``.json`` or ``.toml`` with ``[[answer]]``
    tables, each with ``.gz``), ``battery:finite-code``, or an iterable of answers and row mappings.
    ``fields`` maps our names to those of a foreign file; ``labels`` says how it writes ``good`` and
    ``bad``. Refused with one line per fault, each with its address: ten at most, then a count.
    """
    mapped = parsed_fields({} if fields is None else fields, known=KEYS)
    naming = _naming(mapped, labels)
    shown, items = entries(
        source,
        root,
        battery=lambda name: known_battery(name, _BATTERIES)(),
        fields=mapped,
        table=TABLE,
        what="labelled answers",
    )
    made = list(unless_refused(_unless_none_is_labelled(_answers(items, naming), naming, shown)))
    if not made:
        raise Refused(f"{shown}: has no rows; expected at least one labelled answer")
    answers, merged = _one_per_answer(made)
    findings = (*merged, *_one_label(answers, shown), *_repeated_prompts(answers, shown))
    return LoadedAnswers(answers=(*answers, *_controls(answers, controls)), findings=findings)


def _naming(fields: Mapping[str, Field], labels: Mapping[str, str | int | bool] | None) -> Naming:
    words = {label: label for label in LABELS} if labels is None else labels
    return Naming(
        name="labelled answers",
        columns={**{key: parsed(key) for key in KEYS}, **fields},
        labels={word: label for label, word in words.items()},
        mapped=frozenset(fields),
    )


def _finite_code() -> Iterable[LabelledAnswer]:
    from pytest_judgeaudit.corpora import finite_code  # noqa: PLC0415 - certified when first used

    for pair in finite_code.pairs("signal"):
        texts: Sequence[tuple[Label, str]] = (("good", pair.first), ("bad", pair.second))
        for label, text in texts:
            yield LabelledAnswer(
                id=f"{pair.id}-{label}",
                prompt=pair.prompt,
                answer=text,
                label=label,
                subset=pair.subset,
                family=pair.family,
                wording=pair.wording,
                source=pair.source,
            )


_BATTERIES: Mapping[str, Callable[[], Iterable[LabelledAnswer]]] = {"finite-code": _finite_code}


class _Unlabelled(Refused):
    """The refusal of a row without a label."""


def _unless_none_is_labelled(
    answers: Iterable[LabelledAnswer | Refused], naming: Naming, shown: str
) -> Iterator[LabelledAnswer | Refused]:
    """Yield what came of each row; one line where no row at all has a label."""
    every = list(answers)
    if every and all(isinstance(one, _Unlabelled) for one in every):
        name = naming.columns["label"].written
        yield Refused(
            f"{shown}: label: none of {len(every)} rows has a field {quoted(name)}; expected good or bad "
            'in each; name the field with fields={"label": …} on the marker'
        )
        return
    yield from every


def _answers(items: Iterable[Item | Refused], naming: Naming) -> Iterator[LabelledAnswer | Refused]:
    """Yield the answer of each entry, or the refusal with its address; an id may occur once."""
    places: dict[str, str] = {}
    labels: dict[tuple[str, str, str], tuple[str, str]] = {}
    for item in items:
        if isinstance(item, Refused):
            yield item
            continue
        try:
            answer = _checked(_answer(item, naming))
            claim(answer.id, item.place, places)
            _agree(answer, item.place, labels)
        except Refused as error:
            yield type(error)(f"{item.place}: {error}")
        else:
            yield answer


def _answer(item: Item, naming: Naming) -> LabelledAnswer:
    entry = item.entry
    if isinstance(entry, LabelledAnswer):
        return replace(entry, control="", source=entry.source or item.place)
    if not isinstance(entry, Mapping):
        raise Refused(f"expected a labelled answer or a row of named fields, found {found(entry)}")
    names_of(entry)
    columns = Columns(entry, naming)
    return LabelledAnswer(
        label=_label(columns),
        id=columns.identifier(),
        prompt=columns.text("prompt"),
        answer=columns.text("answer"),
        subset=_shared(columns.word("subset")) or NO_SUBSET,
        family=_shared(columns.word("family")),
        source=item.place,
        metadata=columns.rest(),
    )


def _label(columns: Columns) -> Label:
    field = columns.schema.columns["label"]
    if not any(holds(columns.row, name) for name in field.names) or columns.value("label") is None:
        raise _Unlabelled(str(columns.missing("label", "good or bad")))
    label: Label = columns.label("label")
    return label


def _shared(text: str | None) -> str | None:
    """One object for equal names; a subclass of text cannot be interned and becomes a plain one first."""
    return None if text is None else sys.intern(str.__str__(text))


def _checked(answer: LabelledAnswer) -> LabelledAnswer:
    """Refuse what somebody's own object may hold, and an answer without text: that is a control."""
    for name in ("id", "prompt", "answer", "subset"):
        value: Any = getattr(answer, name)
        if not isinstance(value, str):
            raise Refused(f"{name}: expected a text, found {found(value)}")
    if not answer.id.strip():
        raise Refused(f"id: expected a text with something in it, found {found(answer.id)}")
    if answer.label not in LABELS:
        raise Refused(f"label: expected good or bad, found {found(answer.label)}")
    if not answer.answer.strip():
        raise Refused(
            "answer: is blank, expected a text with something in it; leave the row out: the control blank "
            "shows an empty answer to every prompt"
        )
    return answer


def _agree(answer: LabelledAnswer, place: str, labels: dict[tuple[str, str, str], tuple[str, str]]) -> None:
    """Refuse one answer to one prompt with two labels."""
    key = (answer.wording, answer.prompt, answer.answer)
    label, before = labels.setdefault(key, (answer.label, place))
    if label != answer.label:
        raise Refused(
            f"label: is {answer.label}, but the same answer to the same prompt is {label} at {before}; "
            "one of them is wrong"
        )


def _one_per_answer(answers: Iterable[LabelledAnswer]) -> tuple[list[LabelledAnswer], list[Finding]]:
    """Merge answers that render the same prompt under several ids: asked once, as the first (RULES R4)."""
    kept: dict[tuple[str, str, str], LabelledAnswer] = {}
    merged = []
    for answer in answers:
        first = kept.setdefault((answer.wording, answer.prompt, answer.answer), answer)
        if first is not answer:
            merged.append((first, answer))
    findings = [
        Finding(
            code="merged-answers",
            where=answer.source,
            symptom=f"answer {quoted(answer.id)} is that of {quoted(first.id)} ({first.source}) to the "
            f"same prompt: asked once{_more(len(merged) - SHOWN) if number == SHOWN else ''}",
            check="one rendered prompt is one task; if two were meant, their texts must differ",
        )
        for number, (first, answer) in enumerate(merged[:SHOWN], start=1)
    ]
    return list(kept.values()), findings


def _more(count: int) -> str:
    return f"; and {count} more like it" if count > 0 else ""


def _one_label(answers: Sequence[LabelledAnswer], shown: str) -> Iterator[Finding]:
    """Say so when all answers have one label: a judge that always says the same would be right."""
    labels = {answer.label for answer in answers}
    if len(labels) == 1:
        other, what = ("bad", "accepts") if labels == {"good"} else ("good", "rejects")
        yield Finding(
            code="one-label",
            where=shown,
            symptom=f"no answer is {other}: a judge that {what} everything is right here",
            check=f"the source; {other} answers to the same prompts tell such a judge from a good one",
        )


def _repeated_prompts(answers: Sequence[LabelledAnswer], shown: str) -> Iterator[Finding]:
    """Say so when answers of one label share a prompt and no family says it: they are not independent."""
    counts = Counter((answer.label, answer.prompt) for answer in answers if answer.family is None)
    shared = [count for count in counts.values() if count > 1]
    if shared:
        yield Finding(
            code="repeated-prompts",
            where=shown,
            symptom=f"{sum(shared)} of {len(answers)} answers share {len(shared)} prompts with others of "
            "their label",
            check="answers to one prompt are no independent tasks; keep one of each label, or name their "
            "family",
        )


def _controls(answers: Sequence[LabelledAnswer], controls: Collection[Control]) -> Iterator[LabelledAnswer]:
    """Yield the controls: blank ones of the first answer to each distinct prompt, repeated ones of all."""
    prompts = {(answer.wording, answer.prompt): answer for answer in reversed(answers)}
    firsts = [answer for answer in answers if prompts[answer.wording, answer.prompt] is answer]
    for control in CONTROLS:
        if control in controls:
            shown = firsts if control in BLANK else answers
            yield from (answer.shown(control) for answer in shown)
