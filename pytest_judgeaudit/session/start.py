"""Put the parts of an audit together, once, when pytest is configured."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import pytest

from pytest_judgeaudit.ask.served import same_model
from pytest_judgeaudit.corpora.sources import Loaded, load_pairs
from pytest_judgeaudit.judge.campaign import Asker, Campaign
from pytest_judgeaudit.judge.independence import check_independence
from pytest_judgeaudit.records.audits import Audit, Loss
from pytest_judgeaudit.records.claims import Claim
from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.records.plans import Plan
from pytest_judgeaudit.records.trials import Trial
from pytest_judgeaudit.report import json as json_report
from pytest_judgeaudit.session import gates, outcomes
from pytest_judgeaudit.session.accept import AcceptedGrades
from pytest_judgeaudit.session.ahead import Ahead
from pytest_judgeaudit.session.analysis import Conclusion
from pytest_judgeaudit.session.answering import DESK, Desk
from pytest_judgeaudit.session.bodies import Bodies
from pytest_judgeaudit.session.choices import Settings
from pytest_judgeaudit.session.claiming import read_claims
from pytest_judgeaudit.session.collected import Collected
from pytest_judgeaudit.session.controller import Controller
from pytest_judgeaudit.session.crew import Crew
from pytest_judgeaudit.session.filling import Filling
from pytest_judgeaudit.session.judging import BENCH
from pytest_judgeaudit.session.keeping import Keeper
from pytest_judgeaudit.session.markers import SourceSpec
from pytest_judgeaudit.session.panel import Panel, askers
from pytest_judgeaudit.session.parametrize import Parametrizer
from pytest_judgeaudit.session.paths import choose_paths, is_eval_path
from pytest_judgeaudit.session.probe import Probe
from pytest_judgeaudit.session.protocol import Freeze, protocol_of, refuse_changed, with_locked_members
from pytest_judgeaudit.session.questions import QuestionSets
from pytest_judgeaudit.session.refusing import told
from pytest_judgeaudit.session.reviewing import Review
from pytest_judgeaudit.session.scheduling import SteadyScheduler
from pytest_judgeaudit.session.sharding import Sharding
from pytest_judgeaudit.session.signals import Termination
from pytest_judgeaudit.session.summary import Summary
from pytest_judgeaudit.session.workspaces import Workspaces
from pytest_judgeaudit.settings.expectations import predictions_of
from pytest_judgeaudit.settings.models import AgentSettings, Configuration, JudgeSettings
from pytest_judgeaudit.settings.reading import read_configuration

if TYPE_CHECKING:  # starting a server is for runs that ask
    from pytest_judgeaudit.session.serving import LocalModels


def start(config: pytest.Config) -> None:
    """Read the settings and register the halves of the session that this process needs."""
    settings = Settings.of(config)
    choose_paths(config, settings)
    with told():
        configuration = read_configuration(settings.configuration, root=settings.root)
        check_independence(configuration)
        parts = list(_parts(_Setup.of(config, settings, configuration)))
    for name, part in parts:
        config.pluginmanager.register(part, f"judgeaudit-{name}")


# Compared and hashed by identity: it is registered as a plug-in, and pluggy keeps plug-ins in sets.
@dataclass(frozen=True, kw_only=True, eq=False)
class _Setup:
    """What the parts of one process share."""

    config: pytest.Config
    settings: Settings
    configuration: Configuration
    keeper: Keeper
    panel: Panel

    @cached_property
    def workspaces(self) -> Workspaces:
        """What agents see."""
        configured = self.configuration.file
        hidden = (self.settings.snapshots, *([configured] if configured else []))
        return Workspaces(self.configuration, root=self.settings.root, hidden=hidden)

    @cached_property
    def crew(self) -> Crew:
        """The selected agents."""
        return Crew(
            self.configuration,
            selected=self.settings.agents,
            root=self.settings.root,
            asker=self.asker,
            limits=self.keeper.limits_folder,
        )

    @cached_property
    def claims(self) -> tuple[Claim, ...]:
        """The published figures that this run recomputes."""
        settings = self.settings
        return read_claims(self.configuration, root=settings.root, folders=settings.paths)

    def seat(self, config: pytest.Config, plan: Plan) -> None:
        """Put the judges and agents of a plan in their places; nothing is made where there are none."""
        if plan.judges:
            config.stash[BENCH] = self.panel.bench(self._campaign, grounding=self.workspaces.grounding)
        if plan.agents:
            config.stash[DESK] = Desk(
                crew=self.crew,
                workspaces=self.workspaces,
                campaign=self._campaign,
                same_model=self.same_model,
            )

    @cached_property
    def local(self) -> LocalModels | None:
        """The local models of a process that may ask; None where it only replays."""
        judges = [judge for judge in self.panel.asked() if judge.api == "local"]
        settings = self.settings
        asks = (settings.mode != "replay" and not settings.freeze) or settings.probe is not None
        if not judges or not asks or settings.plan_only or self.config.option.collectonly:
            return None
        from pytest_judgeaudit.session.serving import LocalModels

        worker = getattr(self.config, "workerinput", None)
        return LocalModels(judges, resolve=self.configuration.resolve, worker=worker)

    @classmethod
    def of(cls, config: pytest.Config, settings: Settings, configuration: Configuration) -> _Setup:
        worker = getattr(config, "workerinput", None)
        return cls(
            config=config,
            settings=settings,
            configuration=configuration,
            keeper=Keeper(
                settings=settings,
                configuration=configuration,
                worker=worker,
                output=getattr(config, "workeroutput", None),
            ),
            panel=Panel(
                configuration, judges=settings.judges, criteria=settings.criteria, root=settings.root
            ),
        )

    @property
    def controls(self) -> bool:
        """Whether this process decides; a worker of xdist does not."""
        return not hasattr(self.config, "workerinput")

    def same_model(self, requested: str, served: str | None) -> bool:
        return same_model(requested, served, self.configuration.aliases)

    @cached_property
    def _campaign(self) -> Campaign:
        return Campaign(
            mode=self.settings.mode,
            recall=self.keeper,
            record=self.keeper.journal,
            asker=self.asker,
            redact=self.keeper.redact,
            same_model=self.same_model,
            brake=self.keeper.brake,
            requested=self.local.identity if self.local else None,
        )

    def stop(self) -> None:
        """Begin no new call."""
        if "_campaign" in self.__dict__:
            self._campaign.stop()
        self.crew.stop()

    def end(self, config: pytest.Config) -> None:
        """Let nobody ask any more, and xdist's workers finish: what they have in flight is paid for."""
        if self.settings.mode == "replay":
            return
        self.keeper.brake.pull_all("the run was interrupted: nothing further is asked")
        for node in getattr(config.pluginmanager.get_plugin("dsession"), "_active_nodes", ()):
            node.shutdown()
        self.keeper.wait(config)

    def pytest_unconfigure(self) -> None:
        """Let go of all connections."""
        if "_campaign" in self.__dict__:
            self._campaign.close()

    def asker(self, judge: JudgeSettings | AgentSettings) -> Asker:
        reached = self.local.reached(judge) if self.local and isinstance(judge, JudgeSettings) else judge
        reach = askers(root=self.settings.root, environ=os.environ, limits=self.keeper.limits_folder)
        return reach(reached)


def _parts(setup: _Setup) -> Iterator[tuple[str, object]]:
    collected, parts = _collecting(setup)
    yield "setup", setup
    yield "crew", setup.crew
    yield "workspaces", setup.workspaces
    yield "keeper", setup.keeper
    if setup.keeper.shipping is not None:
        yield "shipping", setup.keeper.shipping
    yield from parts
    if setup.local is not None:
        if setup.controls:
            setup.local.check()
        yield "local", setup.local
    if setup.settings.shard is not None:
        yield "sharding", Sharding(setup.settings.shard)
    instead = _instead(setup, collected)
    if instead is None:
        yield from _running(setup, collected)
    else:
        # It needs one collection at most, of this process: nothing is worth distributing.
        option = setup.config.option
        option.dist, option.tx, option.numprocesses = "no", [], None
        yield "instead", instead


def _collecting(setup: _Setup) -> tuple[Collected, list[tuple[str, object]]]:
    sets = QuestionSets(root=setup.settings.root, workspaces=setup.workspaces, agents=setup.crew.names)
    parametrizer = Parametrizer(
        panel=setup.panel,
        load=lambda spec: _load(spec, setup.settings),
        ask=sets.rows,
        seed=setup.configuration.audit.seed,
    )
    collected = Collected(
        declared=parametrizer.declared,
        panel=setup.panel,
        crew=setup.crew,
        seat=setup.seat,
        locked=lambda plan: _locked(plan, setup),
        check=lambda plan: _check(plan, setup),
        sends=not setup.controls,
    )
    return collected, [("parametrizer", parametrizer), ("collected", collected)]


def _check_keys(setup: _Setup) -> None:
    """Refuse to start asking without a key that is configured: every single call would fail."""
    asked = (*setup.panel.to_ask(), *setup.configuration.agents)
    for one in asked if setup.settings.mode != "replay" else ():
        kind = "judge" if isinstance(one, JudgeSettings) else "agent"
        for name in one.secret_names:
            if not os.environ.get(name):
                raise Refused(
                    f'{kind} "{one.name}": the environment variable {name} is not set. Set it to the key, '
                    "or leave out --judge-live."
                )


def _running(setup: _Setup, collected: Collected) -> Iterator[tuple[str, object]]:
    _check_keys(setup)
    bodies = Bodies(setup.config)
    ahead = _ahead(setup, bodies)
    made: dict[str, Trial] | None = {} if setup.controls else None
    yield "observer", outcomes.Observer(plan=collected.to_send, made=made)
    yield "words", outcomes
    yield "gates", gates
    yield "filling", Filling(bodies)
    if ahead.in_flight:
        yield "ahead", ahead
    if setup.controls:
        yield from _controlling(setup, collected, ahead, made)


def _load(spec: SourceSpec, settings: Settings) -> Loaded:
    return load_pairs(
        spec.source,
        kind=spec.kind,
        root=settings.root,
        strata=spec.strata,
        fields=spec.fields,
        context=spec.context,
    )


def _locked(plan: Plan, setup: _Setup) -> Plan:
    # A freeze replaces the lock, also one that cannot be read.
    if setup.settings.freeze:
        return plan
    return with_locked_members(plan, snapshots=setup.settings.snapshots)


def _check(plan: Plan, setup: _Setup) -> None:
    if setup.settings.mode != "replay" and not setup.settings.freeze:
        refuse_changed(plan, setup.configuration, snapshots=setup.settings.snapshots)


def _ahead(setup: _Setup, bodies: Bodies) -> Ahead:
    """Ask ahead where something is asked, several may be in flight, and nobody debugs."""
    option = setup.config.getoption
    alone = option("usepdb", False) or option("trace", False)
    # Items that another worker could steal after they were asked for would be paid for twice.
    stolen = option("dist", "no") == "worksteal"
    asked = (*setup.panel.to_ask(), *setup.configuration.agents)
    several = () if setup.settings.mode == "replay" or alone or stolen else asked
    return Ahead(
        in_flight={one.name: one.limits.in_flight for one in several if one.limits.in_flight > 1},
        bodies=bodies,
        stop=setup.stop,
    )


def _instead(setup: _Setup, collected: Collected) -> object | None:
    """Return what an option asks for instead of a run."""
    settings = setup.settings
    if settings.probe is not None:
        return Probe(
            setup.panel.asked(), calls=settings.probe, asker=setup.asker, same_model=setup.same_model
        )
    if settings.freeze:
        return Freeze(lambda: collected.plan, setup.configuration, snapshots=settings.snapshots)
    if settings.plan_only:
        from pytest_judgeaudit.session.plan_only import PlanOnly

        return PlanOnly(lambda: collected.plan, verbose=settings.verbose > 0)
    return None


def _controlling(
    setup: _Setup, collected: Collected, ahead: Ahead, made: dict[str, Trial] | None
) -> Iterator[tuple[str, object]]:
    settings = setup.settings
    setup.keeper.recover()
    if settings.mode != "replay":
        yield "termination", Termination()
        yield "receiving", setup.keeper.receiving
        yield "scheduler", SteadyScheduler(in_flight=ahead.in_flight)
    controller = Controller(
        analysis=_conclusion(setup),
        is_eval_path=lambda path: is_eval_path(settings, path),
        plan=lambda: collected.plan,
        drain=ahead.drain,
        end=setup.end,
        made=made,
    )
    yield "controller", controller
    yield "summary", Summary(controller, verbose=settings.verbose > 0)


def _conclusion(setup: _Setup) -> Conclusion:
    settings = setup.settings
    return Conclusion(
        baseline=None if settings.baseline is None else json_report.read(settings.baseline),
        narrowed=settings.narrowed,
        whole=setup.config.args_source is not pytest.Config.ArgsSource.ARGS,
        predictions=predictions_of(setup.configuration),
        claims=setup.claims,
        losses=[
            Loss(name=risk.name, losses=risk.model_dump(exclude={"name"}))
            for risk in setup.configuration.risks
        ],
        keep=lambda plan, complete: setup.keeper.keep(plan, complete=complete),
        review=Review(
            grades=AcceptedGrades(setup.config, settings.snapshots),
            root=settings.root,
            live=settings.mode != "replay",
            sharded=settings.shard is not None,
        ),
        same_model=setup.same_model,
        protocol=lambda plan, asked_at: protocol_of(
            plan, setup.configuration, snapshots=settings.snapshots, asked_at=asked_at
        ),
        write=lambda audit: _write(audit, settings),
    )


def _write(audit: Audit, settings: Settings) -> None:
    """Write every report that can be written. Refused, a line each: those that cannot."""
    refused: list[str] = []
    for path in settings.reports:
        try:
            json_report.write(path, json_report.to_json(audit))
        except Refused as error:
            refused.append(str(error))
    if refused:
        raise Refused("\n".join(refused))
