"""From markers to items: the rows that each eval test is parametrised with."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

import pytest

from pytest_judgeaudit.judge.independence import check_independence
from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.records.items import Order, Pair
from pytest_judgeaudit.records.labelled import LabelledAnswer
from pytest_judgeaudit.records.plans import Finding, Presentation
from pytest_judgeaudit.session import rows as listing
from pytest_judgeaudit.session.combinations import check, idle, refuse_xfail
from pytest_judgeaudit.session.evals import CellKey, Declared, Eval
from pytest_judgeaudit.session.foreign import BACK_END, foreign_ids, foreign_parts
from pytest_judgeaudit.session.leftout import LeftOut
from pytest_judgeaudit.session.markers import (
    AnswersSpec,
    QuestionSpec,
    SourceSpec,
    carrier_of,
    gates_of,
    source_of,
)
from pytest_judgeaudit.session.marking import OURS, parametrized
from pytest_judgeaudit.session.ordering import Turn, drawn_turns, schedule
from pytest_judgeaudit.session.panel import Panel
from pytest_judgeaudit.session.questions import retirement
from pytest_judgeaudit.session.refusing import refuse
from pytest_judgeaudit.session.trial import SLOT, Asked, Hearing, Seat, Slot, test_name

if TYPE_CHECKING:
    from pytest_judgeaudit.corpora.labelled import LoadedAnswers
    from pytest_judgeaudit.corpora.sources import Loaded

Kind = TypeVar("Kind")

ORDERS: Mapping[str, tuple[Order, ...]] = {
    "clone": ("AB",),
    "equivalent": ("AB", "BA"),
    "signal": ("AB", "BA"),
}

DIRECT = ("pair", "item")
"""Parameters that are handed over as they are; our fixtures stand behind the others."""


class Parametrizer:
    """
    The collecting half of a session: parametrises eval tests and declares their trials.

    ``panel`` knows the judges. ``load`` reads a source of pairs, ``label`` one of labelled answers,
    ``ask`` the rows of a source of questions.
    """

    def __init__(
        self,
        *,
        panel: Panel,
        load: Callable[[SourceSpec], Loaded],
        label: Callable[[AnswersSpec], LoadedAnswers],
        ask: Callable[[QuestionSpec], tuple[Sequence[Asked], Sequence[Finding]]],
        seed: int,
        kind: str = "hash",
    ) -> None:
        self._panel = panel
        self._load = load
        self._label = label
        self._ask = ask
        self._seed = seed
        self._kind = kind
        self._refused: set[str] = set()
        self._slots: dict[str, Slot] = {}
        self._retired: set[str] = set()
        self._left_out = LeftOut()
        self._judges: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {}
        self.declared = Declared()

    @pytest.hookimpl(trylast=True)
    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Parametrise an eval test in one call of function scope: no other keeps the schedule."""
        definition = metafunc.definition
        if not is_eval(definition):
            return
        carrier = carrier_of(definition)
        ours = ("judge", carrier)
        names = [name for name in ours if name in metafunc.fixturenames]
        try:
            rows = self._rows_of(definition, names, metafunc.fixturenames)
        except Refused as error:
            self._fault(definition, error)
            rows, names = {}, [name for name in names if name not in parametrized(definition)]
        if names:
            values = [listing.taken_of(row, [name in names for name in ours]) for row in rows.values()]
            indirect = [name for name in names if name not in DIRECT]
            metafunc.parametrize(names, values, ids=list(rows), indirect=indirect, scope="function")

    def _rows_of(
        self, definition: pytest.Item, names: Sequence[str], taken: Sequence[str]
    ) -> Mapping[str, tuple[Seat | None, Pair | LabelledAnswer | Asked | None]]:
        source = source_of(definition)
        check(definition, source, taken)
        if isinstance(source, QuestionSpec):
            self._check_panel(definition, source, taken)
            rows, findings = self._ask(source)
            self.declared.findings.extend(findings)
            judges, _ = self._judges.get(_eval_id(definition), ((), ()))
            answer_seats = [Seat(name, "") for name in judges] if "judge" in names else [None]
            return listing.unique_rows(listing.asked_rows(answer_seats, rows))
        if isinstance(source, AnswersSpec):
            seats = self._seated(self._panel.accepting)
            return listing.unique_rows(listing.labelled_rows(seats, self._labelled(definition, source)))
        seats = self._seated(self._panel.seats) if "judge" in names else (None,)
        if source is None:
            return listing.unique_rows((seat.id, (seat, None)) for seat in seats if seat)
        loaded = self._load(source)
        self.declared.findings.extend(loaded.findings)
        return listing.unique_rows(
            listing.paired_rows(seats, loaded.pairs, ORDERS[source.kind], source.contexts)
        )

    def _labelled(self, definition: pytest.Item, source: AnswersSpec) -> Sequence[LabelledAnswer]:
        """Read labelled answers; refused where a gate names an arm that the source has nothing for."""
        loaded = self._label(source)
        arms = tuple(dict.fromkeys(answer.arm for answer in loaded.answers if answer.stratum is None))
        for gate in gates_of(definition):
            if gate.where is not None and gate.where["arm"] not in arms:
                raise idle(gate, arms)
        self.declared.findings.extend(loaded.findings)
        return loaded.answers

    def _check_panel(self, definition: pytest.Item, source: QuestionSpec, taken: Sequence[str]) -> None:
        """Choose the judges of answers; a floor needs two families of them (METHODS 4)."""
        if not {"judge", "judges"} & set(taken):
            return
        chosen = self._panel.answer_judges(source.judges)
        configured = self._panel.configuration
        agents = [one for one in configured.agents if source.agents is None or one.name in source.agents]
        check_independence(chosen, agents, aliases=configured.aliases)
        names = tuple(judge.name for judge in chosen)
        every = self._panel.judges_of_answers(source.judges)
        left = tuple(judge.name for judge in every if judge.name not in names)
        self._judges[_eval_id(definition)] = names, left
        families = dict.fromkeys(judge.family for judge in every)
        if len(families) == 1 and any(gate.kind == "blind_floor" for gate in gates_of(definition)):
            raise Refused(
                f"blind_floor: all judges are of one family ({next(iter(families))}), expected at least "
                "two. Configure a [[judge]] of another family."
            )

    def _seated(self, seats: Callable[[], Sequence[Seat]]) -> Sequence[Seat | None]:
        """Seat the judges; what is wrong with them is no fault of the test that asks for them."""
        try:
            return seats()
        except Refused as error:
            self.declared.faults.append(str(error))
            return ()

    def _fault(self, definition: pytest.Item, error: Refused) -> None:
        eval_id = _eval_id(definition)
        if eval_id not in self._refused:
            self._refused.add(eval_id)
            self.declared.faults.extend(f"{eval_id}: {line}" for line in str(error).splitlines())
            self.declared.doubts.extend(error.doubts)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_pycollect_makeitem(self) -> Generator[None, object, object]:
        """Declare the trials of an eval test, before anything can be deselected."""
        made = yield
        self._left_out.made(made)
        items = [one for one in made if isinstance(one, pytest.Function)] if isinstance(made, list) else []
        # All have the markers of their one function; looking them up for each would double what this costs.
        alike = [item for item in items if not _own_marks(item)]
        eval_id = _eval_id(alike[0]) if alike and is_eval(alike[0]) else ""
        for item in items:
            if _own_marks(item):
                self._check_and_declare(item)
            elif eval_id:
                self._declare(item, eval_id)
        return made

    def pytest_collectstart(self, collector: pytest.Collector) -> None:
        """Note what pytest collects itself."""
        self._left_out.started(collector)

    def _check_and_declare(self, item: pytest.Function) -> None:
        """Declare an item whose parameters carry markers, if those fit."""
        if not is_eval(item):
            return
        try:
            refuse_xfail(item)
        except Refused as error:
            self._fault(item, error)
        self._declare(item)

    def _declare(self, item: pytest.Function, eval_id: str | None = None) -> None:
        eval_id = eval_id or _eval_id(item)
        if eval_id in self._refused:
            return
        try:
            an_eval = self.declared.evals.get(eval_id) or self._new_eval(eval_id, item)
        except Refused as error:
            self._fault(item, error)
            return
        asked = _param(item, "question", Asked)
        if asked is not None and (reason := retirement(asked)) is not None:
            item.add_marker(pytest.mark.skip(reason=reason))
            self._retired.add(item.nodeid)
            an_eval.retire(
                self._asked_key(item, an_eval, asked),
                listing.asked_presentation(asked),
                asked,
                scored=_scored(item, an_eval),
            )
            return
        if not an_eval.in_class:
            # What pytest would find out anew for every item, from the file system too.
            item.location = (*an_eval.location, item.name)
        item.stash[SLOT] = self._slots[item.nodeid] = self._slot(item, an_eval, asked)

    def _new_eval(self, eval_id: str, item: pytest.Function) -> Eval:
        path, line, _ = item.location
        judged = "judges" in item.fixturenames
        judges, left = self._judges.get(eval_id, ((), ())) if judged else ((), ())
        made = Eval(
            id=eval_id,
            location=(path, line or 0),
            in_class=item.cls is not None,
            gates=gates_of(item),
            carrier=carrier_of(item),
            scored=judges,
            unseated=left,
        )
        self.declared.evals[eval_id] = made
        return made

    def _slot(self, item: pytest.Function, an_eval: Eval, asked: Asked | None) -> Slot:
        seat = _param(item, "judge", Seat)
        if asked is not None:
            return self._asked_slot(item, an_eval, seat, asked)
        pair = _param(item, "pair", Pair) if an_eval.carrier == "pair" else None
        labelled = _param(item, "item", LabelledAnswer) if an_eval.carrier == "item" else None
        shown = labelled if pair is None else pair
        foreign = foreign_parts(item, seat, shown, carrier=an_eval.carrier)
        if shown is not None:
            task, variant = shown.id, "-".join(foreign.values())
        else:
            variant = foreign.pop(BACK_END, "")
            task = "-".join(foreign.values()) or item.originalname
        key = CellKey(eval=an_eval.id, variant=variant, seat=seat, **listing.condition_of(shown))
        order, replicate = pair.order if pair else "AB", labelled.replicate if labelled else 1
        presentation = Presentation(task, order, replicate)
        return Slot(
            cell=an_eval.declare(key, presentation, shown),
            declared=presentation,
            module=an_eval.module,
            test=test_name(an_eval.id, variant),
            arm=key.arm,
            task=task,
            order=order,
            replicate=replicate,
            seat=seat,
            pair=pair,
            item=labelled,
        )

    def _asked_key(self, item: pytest.Function, an_eval: Eval, asked: Asked) -> CellKey:
        seat = _param(item, "judge", Seat)
        ours = "-".join(filter(None, (seat.id if seat else "", asked.id)))
        foreign = foreign_ids(item, ours=ours, carrier=an_eval.carrier)
        # A judge of answers makes no cell of pairs: it tells cells apart as a parameter does.
        variant = "-".join(filter(None, (seat.id if seat else "", *foreign.values())))
        return CellKey(an_eval.id, variant, None, asked.arm, None, asked.agent)

    def _asked_slot(self, item: pytest.Function, an_eval: Eval, seat: Seat | None, asked: Asked) -> Slot:
        key, presentation = self._asked_key(item, an_eval, asked), listing.asked_presentation(asked)
        return Slot(
            cell=an_eval.ask(key, presentation, asked, scored=_scored(item, an_eval)),
            declared=presentation,
            module=an_eval.module,
            test=test_name(an_eval.id, key.variant),
            arm=asked.arm,
            task=asked.question.id,
            replicate=asked.replicate,
            seat=seat,
            asked=asked,
            judges=an_eval.scored,
            hearing=Hearing(),
        )

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Refuse what was wrong, then put each module's trials in the schedule's order."""
        for item in items:
            if SLOT in item.stash:
                continue
            if item.nodeid in self._slots:
                # A plug-in has put an item of its own in the place of the one that was declared.
                item.stash[SLOT] = self._slots[item.nodeid]
            elif is_eval(item) and item.nodeid not in self._retired:
                self._fault(
                    item, Refused("this kind of test cannot be parametrised. Write a plain function.")
                )
        modules = {an_eval.module for an_eval in self.declared.evals.values()}
        self.declared.faults.extend(self._left_out.collected(modules))
        self._slots.clear()  # the items have them
        if self.declared.faults:
            refuse(config, items, self.declared.faults, doubts=self.declared.doubts)
        schedule(items, seed=self._seed, turn=self._turns())

    def _turns(self) -> Turn | None:
        """Return the drawn schedule; None where the order is that of hashes."""
        if self._kind == "hash":
            return None
        criteria = {
            judge.name: judge.criteria for judge in self._panel.configuration.judges if judge.compares
        }
        return drawn_turns(self.declared.evals, criteria, seed=self._seed, kind=self._kind)


def _scored(item: pytest.Function, an_eval: Eval) -> tuple[str, ...]:
    """Name the judges that an item may put its answer to: its own, or all of the test."""
    seat = _param(item, "judge", Seat)
    return (seat.judge,) if seat else an_eval.scored


def _eval_id(item: pytest.Item) -> str:
    """Return the node id of a test without its parameters."""
    name = getattr(item, "originalname", None) or item.name
    return f"{item.parent.nodeid}::{name}" if item.parent else item.nodeid


def _own_marks(item: pytest.Function) -> bool:
    """Whether an item's parameters carry markers, beside those of its function."""
    return hasattr(item, "callspec") and bool(item.callspec.marks)


def is_eval(item: pytest.Item) -> bool:
    """Whether a test carries one of our markers."""
    return any(mark.name in OURS for mark in item.iter_markers())


def _param(item: pytest.Function, name: str, kind: type[Kind]) -> Kind | None:
    """Return a parameter of an item where it is one of ours."""
    found = item.callspec.params.get(name) if hasattr(item, "callspec") else None
    return found if isinstance(found, kind) else None
