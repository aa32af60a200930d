"""The judges of a session: which are selected, and the bench they sit on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_judgeaudit.audit.numbers import counted
from pytest_judgeaudit.judge.campaign import Campaign
from pytest_judgeaudit.judge.log_rows import LogKey
from pytest_judgeaudit.judge.recorded import RecordedJudge
from pytest_judgeaudit.records.errors import Refused, nearest
from pytest_judgeaudit.records.grounding import Grounding
from pytest_judgeaudit.records.plans import Finding, JudgePlan, Plan
from pytest_judgeaudit.session.judging import Bench, state_of
from pytest_judgeaudit.session.registry import Registry
from pytest_judgeaudit.session.trial import Seat, Slot

if TYPE_CHECKING:
    from pytest_judgeaudit.judge.direct import DirectJudge
    from pytest_judgeaudit.judge.instruments import Instrument
    from pytest_judgeaudit.judge.pointwise import Pointwise
    from pytest_judgeaudit.session.scoring import Scorers
    from pytest_judgeaudit.settings.models import Configuration, JudgeSettings

NO_JUDGE = """no judge is configured. Write judgeaudit.toml beside your ini-file:
[[judge]]
name = "mine"
family = "qwen"
api = "openai"
model = "qwen2.5:32b"
base_url = "http://127.0.0.1:11434/v1\""""

DIRECT = ("embedded", "recorded")


class Panel:
    """
    The configured judges, narrowed by ``--judge`` and ``--criterion``.

    ``registry`` is what plug-ins registered. Raises UsageError for a name that is not configured, with the
    nearest one.
    """

    def __init__(
        self,
        configuration: Configuration,
        *,
        judges: Sequence[str],
        criteria: Sequence[str],
        root: Path,
        registry: Registry | None = None,
    ) -> None:
        self.configuration = configuration
        self._registry = registry or Registry()
        self._root = root
        every = configuration.judges
        _check_names("--judge", judges, [judge.name for judge in every])
        _check_names("--criterion", criteria, [name for judge in every for name in judge.criteria])
        chosen = tuple(
            (judge, Seat(judge.name, criterion))
            for judge in every
            if not judges or judge.name in judges
            for criterion in judge.criteria
            if not criteria or criterion in criteria
        )
        self._seats = tuple(seat for judge, seat in chosen if judge.compares)
        self._accepting = tuple(seat for judge, seat in chosen if judge.accepts)
        self._names = tuple(judges)
        self._opened: set[str] = set()
        self._compares = self._rules = False

    def seats(self) -> Sequence[Seat]:
        """Every selected judge under every selected criterion; their logs and templates are read now."""
        _ = self._some(self._seats, "compare with"), self.direct, self.instruments
        self._opened.update(seat.judge for seat in self._seats)
        self._compares = True
        return self._seats

    def accepting(self) -> Sequence[Seat]:
        """Every selected judge that accepts or rejects single answers; otherwise as :meth:`seats`."""
        _ = self._some(self._accepting, "accept answers with"), self.direct, self.pointwise
        self._opened.update(seat.judge for seat in self._accepting)
        self._rules = True
        return self._accepting

    def _some(self, seats: Sequence[Seat], what: str) -> Sequence[Seat]:
        """Refuse to have nobody."""
        if not self.configuration.judges:
            raise Refused(NO_JUDGE)
        if not seats and not self._names:
            names = ", ".join(judge.name for judge in self.configuration.judges)
            raise Refused(f"no judge is configured to {what}; there are {names}, which cannot.")
        if not seats:
            raise Refused(
                f"--judge and --criterion together select nothing to {what}. Leave one of them out."
            )
        return seats

    def answer_judges(self, names: Sequence[str] | None) -> Sequence[JudgeSettings]:
        """
        Every selected judge of answers, or those of the given names; Refused where there is none.

        Criteria are for pairs: here they select nothing.
        """
        if not self.configuration.judges:
            raise Refused(NO_JUDGE)
        known = {judge.name: judge for judge in self.configuration.judges if judge.scores}
        for name in names or ():
            if name not in known:
                there = ", ".join(known) or "none"
                raise Refused(
                    f"judges: found {name!r}, expected judges of answers; there are {there}."
                    f"{nearest(name, known)}"
                )
        wanted = known if names is None else {name: known[name] for name in names}
        found = [judge for name, judge in wanted.items() if not self._names or name in self._names]
        self._opened.update(judge.name for judge in found)
        return found

    def judges_of_answers(self, names: Sequence[str] | None) -> Sequence[JudgeSettings]:
        """Every configured judge of answers, selected or not, or those of the given names."""
        every = [judge for judge in self.configuration.judges if judge.scores]
        return [judge for judge in every if names is None or judge.name in names]

    @property
    def _selected(self) -> Mapping[str, JudgeSettings]:
        """The judges that a test asks for."""
        return {judge.name: judge for judge in self.configuration.judges if judge.name in self._opened}

    @cached_property
    def _seatable(self) -> Mapping[str, JudgeSettings]:
        """The selected judges that compare or accept."""
        names = {seat.judge for seat in (*self._seats, *self._accepting)}
        return {judge.name: judge for judge in self.configuration.judges if judge.name in names}

    @cached_property
    def direct(self) -> Mapping[str, DirectJudge]:
        """The judges that answer in the process."""
        from pytest_judgeaudit.judge.direct import build_direct

        return {
            name: build_direct(
                judge,
                configuration=self.configuration,
                root=self._root,
                parsers=self._registry.parsers,
            )
            for name, judge in self._seatable.items()
            if judge.api in DIRECT
        }

    @cached_property
    def instruments(self) -> Mapping[Seat, Instrument]:
        """The instruments of the judges that are recalled or asked."""
        from pytest_judgeaudit.judge.instruments import build_instrument

        return {
            seat: build_instrument(
                self._seatable[seat.judge],
                seat.criterion,
                configuration=self.configuration,
                root=self._root,
                parsers=self._registry.parsers,
                templates=self._registry.templates,
            )
            for seat in self._seats
            if self._seatable[seat.judge].api not in DIRECT
        }

    @cached_property
    def pointwise(self) -> Mapping[Seat, Pointwise]:
        """The instruments for single answers, of the judges that are recalled or asked."""
        from pytest_judgeaudit.judge.pointwise import build_pointwise

        return {
            seat: build_pointwise(
                self._seatable[seat.judge],
                seat.criterion,
                configuration=self.configuration,
                root=self._root,
            )
            for seat in self._accepting
            if self._seatable[seat.judge].api not in DIRECT
        }

    def scorers(self, campaign: Campaign, *, grounding: Callable[[Slot], Grounding]) -> Scorers:
        """The selected judges as judges of answers; ``grounding`` verifies the claims of an answer."""
        from pytest_judgeaudit.judge.scorers import SCORERS, score_embedded
        from pytest_judgeaudit.judge.scoring import build_scoring
        from pytest_judgeaudit.session.scoring import Scorers

        return Scorers(
            scorings={
                name: build_scoring(
                    judge,
                    configuration=self.configuration,
                    root=self._root,
                    templates=self._registry.templates,
                )
                for name, judge in self._selected.items()
                if judge.api not in DIRECT
            },
            embedded={
                name: partial(score_embedded, judge.model)
                for name, judge in self._selected.items()
                if judge.api == "embedded" and judge.model in SCORERS
            },
            campaign=campaign,
            grounding=grounding,
            state_of=state_of,
        )

    def to_ask(self) -> Sequence[JudgeSettings]:
        """The judges that are not left out and may have to be asked."""
        every = self.configuration.judges
        chosen = [judge for judge in every if not self._names or judge.name in self._names]
        return [judge for judge in chosen if judge.api not in DIRECT]

    def asked(self) -> Sequence[JudgeSettings]:
        """The judges that are not left out and are asked over a network."""
        return [judge for judge in self.to_ask() if judge.api != "python"]

    def plans(self) -> Sequence[JudgePlan]:
        """What the analysis needs to know of each selected judge."""
        return tuple(
            JudgePlan(
                name=judge.name,
                family=judge.family,
                api=judge.api,
                requested=judge.requested or judge.name,
                expect=judge.expect,
                identity=self._identity(judge),
                parser=judge.parser,
                criteria=tuple(judge.criteria),
                price=_price(judge),
            )
            for judge in self._selected.values()
        )

    def stray_rows(self, plan: Plan) -> Sequence[Finding]:
        """Count the rows of recorded logs that belong to no declared trial."""
        return tuple(
            Finding(
                code="stray-rows",
                where=judge.log,
                symptom=f"{name}: {counted(stray, 'row')} of the log without a scheduled call: "
                f"{judge.example(used)}",
                check="where, fields and orders of this judge, and whether the source lost tasks",
            )
            for name, settings in self._selected.items()
            if settings.api == "recorded"
            and isinstance(judge := self.direct[name], RecordedJudge)
            and (stray := judge.unmatched(used := _scheduled(plan, judge)))
        )

    def _identity(self, judge: JudgeSettings) -> Any:
        found = self.direct.get(judge.name) if judge.api == "recorded" else None
        if isinstance(found, RecordedJudge):
            return "log" if found.has_served else "undeclared log"
        own_code = judge.api == "python" and judge.model == judge.name
        return "construction" if judge.api == "embedded" or own_code else "served"

    def bench(self, campaign: Campaign, *, grounding: Callable[[Slot], Grounding]) -> Bench:
        """Seat everybody."""
        return Bench(
            judges=self._selected,
            instruments=self.instruments if self._compares else {},
            pointwise=self.pointwise if self._rules else {},
            direct=self.direct if self._compares or self._rules else {},
            campaign=campaign,
            scorers=lambda: self.scorers(campaign, grounding=grounding),
        )


def _price(judge: JudgeSettings) -> tuple[float, float] | None:
    prompt, completion = judge.price.prompt, judge.price.completion
    return None if prompt is None or completion is None else (prompt, completion)


def _scheduled(plan: Plan, judge: RecordedJudge) -> dict[LogKey, None]:
    """Return the presentations that the log should hold, in the plan's order."""
    return {
        judge.key_of(
            task=shown.task,
            order=shown.order,  # type: ignore[arg-type]
            criterion=cell.criterion or "",
            arm=cell.arm,
            replicate=shown.replicate,
            context=cell.context,
        ): None
        for cell in plan.cells
        if cell.judge == judge.name
        for shown in cell.declared
    }


def _check_names(option: str, asked: Sequence[str], known: Sequence[str]) -> None:
    for name in asked:
        if name not in known:
            names = ", ".join(dict.fromkeys(known)) or "none"
            raise pytest.UsageError(
                f"{option} {name}: not configured; there are {names}.{nearest(name, known)}"
            )
