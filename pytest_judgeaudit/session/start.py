"""Put the parts of an audit together, once, when pytest is configured."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from pytest_judgeaudit.corpora.labelled import LoadedAnswers, load_answers
from pytest_judgeaudit.corpora.sources import Loaded, load_pairs
from pytest_judgeaudit.records.audits import Loss
from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.records.plans import Plan
from pytest_judgeaudit.records.trials import Trial
from pytest_judgeaudit.report import json as json_report
from pytest_judgeaudit.session import gates, outcomes
from pytest_judgeaudit.session.accept import AcceptedGrades
from pytest_judgeaudit.session.agreeing import Agreement, Unstarted
from pytest_judgeaudit.session.ahead import Ahead
from pytest_judgeaudit.session.analysis import Conclusion
from pytest_judgeaudit.session.bodies import Bodies
from pytest_judgeaudit.session.choices import Settings
from pytest_judgeaudit.session.collected import Collected
from pytest_judgeaudit.session.controller import Controller
from pytest_judgeaudit.session.failed_before import failed_before
from pytest_judgeaudit.session.filling import Filling
from pytest_judgeaudit.session.folding import Folding, Shortening
from pytest_judgeaudit.session.heap import Heap
from pytest_judgeaudit.session.live import live_parts, refuse_repeated
from pytest_judgeaudit.session.markers import AnswersSpec, SourceSpec
from pytest_judgeaudit.session.parametrize import Parametrizer
from pytest_judgeaudit.session.paths import choose_paths, is_eval_path
from pytest_judgeaudit.session.probe import Probe
from pytest_judgeaudit.session.protocol import Freeze, protocol_of, refuse_changed, with_locked_members
from pytest_judgeaudit.session.publishing import Publisher, check_extra
from pytest_judgeaudit.session.questions import QuestionSets
from pytest_judgeaudit.session.reasons import Reasons
from pytest_judgeaudit.session.refusing import told
from pytest_judgeaudit.session.registry import Registry
from pytest_judgeaudit.session.retired import retired_rows
from pytest_judgeaudit.session.reviewing import Review
from pytest_judgeaudit.session.running import Running
from pytest_judgeaudit.session.scheduling import distribution
from pytest_judgeaudit.session.setup import Setup
from pytest_judgeaudit.session.sharding import Sharding
from pytest_judgeaudit.session.summary import Summary
from pytest_judgeaudit.session.workers import Undelivered
from pytest_judgeaudit.settings.expectations import predictions_of
from pytest_judgeaudit.settings.models import JudgeSettings
from pytest_judgeaudit.settings.reading import read_configuration


def start(config: pytest.Config) -> None:
    """Read the settings and register the halves of the session that this process needs."""
    try:
        registry = Registry.of(config)
    except Refused as error:
        if not hasattr(config, "workerinput"):
            raise pytest.UsageError(*str(error).splitlines()) from None
        # The controller has started: only here do plug-ins fail.
        config.pluginmanager.register(Unstarted(str(error)), "judgeaudit-unstarted")
        return
    settings = Settings.of(config, suffixes=registry.report_writers)
    choose_paths(config, settings)
    with told():
        configuration = read_configuration(
            settings.configuration, root=settings.root, contributed=registry.contributed
        )
        parts = list(_parts(Setup.of(config, settings, configuration, registry)))
    for name, part in parts:
        config.pluginmanager.register(part, f"judgeaudit-{name}")


def _parts(setup: Setup) -> Iterator[tuple[str, object]]:
    collected, parts = _collecting(setup)
    yield "setup", setup
    yield "agreement", Agreement(setup.registry, setup.config)
    yield "crew", setup.crew
    yield "workspaces", setup.workspaces
    yield "keeper", setup.keeper
    if setup.keeper.shipping is not None:
        yield "shipping", setup.keeper.shipping
    yield from parts
    yield from failed_before(setup.config)
    yield "heap", Heap()
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


def _collecting(setup: Setup) -> tuple[Collected, list[tuple[str, object]]]:
    sets = QuestionSets(
        root=setup.settings.root,
        workspaces=setup.workspaces,
        agents=setup.crew.names,
        matchers=setup.registry.matchers,
    )
    parametrizer = Parametrizer(
        panel=setup.panel,
        load=lambda spec: _load(spec, setup.settings),
        label=lambda spec: _labelled(spec, setup.settings),
        ask=sets.rows,
        seed=setup.configuration.audit.seed,
        kind=setup.configuration.audit.schedule,
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


def _check_keys(setup: Setup) -> None:
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


def _running(setup: Setup, collected: Collected) -> Iterator[tuple[str, object]]:
    _check_keys(setup)
    if setup.controls:
        check_extra(setup.settings.reports)
    bodies = Bodies(setup.config)
    ahead = _ahead(setup, bodies)
    made: dict[str | int, Trial] | None = {} if setup.controls else None
    observer = outcomes.Observer(plan=collected.to_send, made=made)
    yield "observer", observer
    yield "words", outcomes
    yield "gates", gates
    yield "filling", Filling(bodies)
    # In a live run what tells of its progress reads trials from their reports.
    yield "running", Running(bodies, observer, at_hand=setup.settings.mode == "replay")
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


def _labelled(spec: AnswersSpec, settings: Settings) -> LoadedAnswers:
    return load_answers(
        spec.source,
        root=settings.root,
        fields=spec.fields,
        labels=spec.labels,
        controls=spec.controls,
    )


def _locked(plan: Plan, setup: Setup) -> Plan:
    # A freeze replaces the lock, also one that cannot be read.
    if setup.settings.freeze:
        return plan
    return with_locked_members(plan, snapshots=setup.settings.snapshots)


def _check(plan: Plan, setup: Setup) -> None:
    if setup.settings.mode != "replay" and not setup.settings.freeze:
        refuse_changed(plan, setup.configuration, snapshots=setup.settings.snapshots)
        refuse_repeated(plan)
        if not (setup.settings.plan_only or setup.config.option.collectonly):
            setup.crew.ready()


def _ahead(setup: Setup, bodies: Bodies) -> Ahead:
    """Ask ahead where something is asked, several may be in flight, and nobody debugs."""
    option = setup.config.getoption
    alone = option("usepdb", False) or option("trace", False)
    # Items that another worker could steal after they were asked for would be paid for twice.
    stolen = distribution(setup.config) == "worksteal"
    judges = setup.panel.to_ask()
    asked = (*judges, *setup.configuration.agents)
    several = () if setup.settings.mode == "replay" or alone or stolen else asked
    return Ahead(
        in_flight={one.name: one.limits.in_flight for one in several if one.limits.in_flight > 1},
        # A conversation settles that it begins when it does, and a budget what a call may cost.
        slotted=[one.name for one in judges if not one.limits.has_budget],
        bodies=bodies,
        stop=setup.stop,
    )


def _instead(setup: Setup, collected: Collected) -> object | None:
    """Return what an option asks for instead of a run."""
    settings = setup.settings
    if settings.probe is not None:
        return Probe(
            [*setup.panel.asked(), *setup.crew.models()],
            calls=settings.probe,
            asker=setup.asker,
            same_model=setup.same_model,
        )
    if settings.freeze:
        return Freeze(lambda: collected.plan, setup.configuration, snapshots=settings.snapshots)
    if settings.plan_only:
        from pytest_judgeaudit.session.plan_only import PlanOnly

        return PlanOnly(lambda: collected.plan, verbose=settings.verbose > 0)
    if settings.show is not None:
        from pytest_judgeaudit.session.show import ShowTask

        return ShowTask(
            settings.show,
            grades=AcceptedGrades(setup.config, settings.snapshots),
            recall=setup.keeper,
        )
    return None


def _controlling(
    setup: Setup, collected: Collected, ahead: Ahead, made: dict[str | int, Trial] | None
) -> Iterator[tuple[str, object]]:
    settings = setup.settings
    yield "undelivered", Undelivered()
    if settings.mode != "replay" and not setup.config.option.collectonly:
        yield from live_parts(
            setup.config,
            settings,
            setup.keeper,
            asked=(*setup.panel.to_ask(), *setup.configuration.agents),
            ahead=ahead.in_flight,
            plan=lambda: controller.plan,
            in_turn=setup.configuration.audit.schedule != "hash",
        )
    setup.keeper.recover()
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
    if settings.verbose <= 0:
        folding = Folding()
        yield "folding", folding
        yield "shortening", Shortening(folding)
    yield "reasons", Reasons()


def _conclusion(setup: Setup) -> Conclusion:
    settings = setup.settings
    baseline = None if settings.baseline is None else json_report.read(settings.baseline)
    return Conclusion(
        baseline=baseline,
        narrowed=settings.narrowed,
        whole=setup.config.args_source is not pytest.Config.ArgsSource.ARGS,
        predictions=predictions_of(setup.configuration),
        claims=setup.claims,
        exclusions=setup.exclusions,
        retired=lambda plan: tuple(retired_rows(plan, setup.keeper.stored)),
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
            prunes=settings.prune,
        ),
        same_model=setup.same_model,
        protocol=lambda plan, asked_at: protocol_of(
            plan, setup.configuration, snapshots=settings.snapshots, asked_at=asked_at
        ),
        write=Publisher.of(
            settings, baseline=baseline, environ=os.environ, writers=setup.registry.report_writers
        ).publish,
    )
