"""Put the parts of an audit together, once, when pytest is configured."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from pytest_judgeaudit.ask.served import same_model
from pytest_judgeaudit.corpora.sources import Loaded, load_pairs
from pytest_judgeaudit.judge.campaign import Asker, Campaign
from pytest_judgeaudit.records.audits import Audit
from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.records.plans import Plan
from pytest_judgeaudit.report import json as json_report
from pytest_judgeaudit.session import gates, outcomes
from pytest_judgeaudit.session.accept import AcceptedGrades
from pytest_judgeaudit.session.ahead import Ahead
from pytest_judgeaudit.session.analysis import Conclusion
from pytest_judgeaudit.session.collected import Collected
from pytest_judgeaudit.session.controller import Controller
from pytest_judgeaudit.session.judging import BENCH
from pytest_judgeaudit.session.keeping import Keeper
from pytest_judgeaudit.session.markers import SourceSpec
from pytest_judgeaudit.session.options import Settings, without_gate
from pytest_judgeaudit.session.panel import Panel, askers
from pytest_judgeaudit.session.parametrize import Parametrizer
from pytest_judgeaudit.session.plan_only import PlanOnly
from pytest_judgeaudit.session.probe import Probe
from pytest_judgeaudit.session.protocol import Freeze, protocol_of, refuse_changed
from pytest_judgeaudit.session.refusing import told
from pytest_judgeaudit.session.scheduling import SteadyScheduler
from pytest_judgeaudit.session.sharding import Sharding
from pytest_judgeaudit.session.signals import Termination
from pytest_judgeaudit.session.summary import Summary
from pytest_judgeaudit.settings.models import Configuration, JudgeSettings
from pytest_judgeaudit.settings.reading import read_configuration


def start(config: pytest.Config) -> None:
    """Read the settings and register the halves of the session that this process needs."""
    settings = Settings.of(config)
    _choose_paths(config, settings)
    with told():
        configuration = read_configuration(settings.configuration, root=settings.root)
        parts = list(_parts(config, settings, configuration))
    for name, part in parts:
        config.pluginmanager.register(part, f"judgeaudit-{name}")


def _choose_paths(config: pytest.Config, settings: Settings) -> None:
    """Run the declared evals where no path is given, and a gate's test where a gate is named."""
    config.args[:] = list(dict.fromkeys(without_gate(argument) for argument in config.args))
    if config.args_source is pytest.Config.ArgsSource.ARGS or hasattr(config, "workerinput"):
        return
    missing = [path for path in settings.paths if not path.exists()]
    if missing:
        shown = os.path.relpath(missing[0], settings.root)
        raise pytest.UsageError(
            f"no evals at {shown}. Name a path, or set judge_audit_paths in the ini-file to where they are."
            f"{_misplaced(config, settings)}"
        )
    config.args[:] = [str(path) for path in settings.paths]


def _misplaced(config: pytest.Config, settings: Settings) -> str:
    """Explain a root directory that pytest took from an option: it does so for files that exist."""
    if (
        config.invocation_params.dir.is_relative_to(settings.root)
        and config.invocation_params.dir != settings.root
    ):
        return f" The root directory is {settings.root}: write options with paths as --judge-report=FILE."
    return ""


def _parts(
    config: pytest.Config, settings: Settings, configuration: Configuration
) -> Iterator[tuple[str, object]]:
    worker: dict[str, Any] | None = getattr(config, "workerinput", None)
    keeper = Keeper(
        settings=settings,
        configuration=configuration,
        worker=worker,
    )
    panel = Panel(configuration, judges=settings.judges, criteria=settings.criteria, root=settings.root)
    parametrizer = Parametrizer(
        seats=panel.seats, load=lambda spec: _load(spec, settings), seed=configuration.audit.seed
    )
    campaign = _campaign(settings, configuration, keeper)
    collected = Collected(
        declared=parametrizer.declared,
        panel=panel,
        campaign=campaign,
        check=lambda plan: _check(plan, settings, configuration),
        sends=worker is not None,
    )
    yield "keeper", keeper
    yield "parametrizer", parametrizer
    yield "collected", collected
    if settings.shard is not None:
        yield "sharding", Sharding(settings.shard)
    instead = _instead(settings, configuration, keeper, panel, collected)
    if instead is not None:
        # It needs one collection at most, of this process: nothing is worth distributing.
        config.option.dist, config.option.tx, config.option.numprocesses = "no", [], None
        yield "instead", instead
        return
    yield "observer", outcomes.Observer(plan=collected.to_send)
    yield "words", outcomes
    yield "gates", gates
    ahead = _ahead(config, settings, panel)
    yield "ahead", ahead
    if worker is None:
        yield from _controlling(config, settings, configuration, keeper, collected, ahead)


def _load(spec: SourceSpec, settings: Settings) -> Loaded:
    return load_pairs(
        spec.source, kind=spec.kind, root=settings.root, strata=spec.strata, fields=spec.fields
    )


def _check(plan: Plan, settings: Settings, configuration: Configuration) -> None:
    if settings.mode != "replay" and not settings.freeze:
        refuse_changed(plan, configuration, snapshots=settings.snapshots)


def _campaign(settings: Settings, configuration: Configuration, keeper: Keeper) -> Callable[[], Campaign]:
    return lambda: Campaign(
        mode=settings.mode,
        recall=keeper,
        record=keeper.journal,
        asker=_asker(settings, keeper),
        redact=keeper.redact,
        same_model=_same_model(configuration),
    )


def _asker(settings: Settings, keeper: Keeper) -> Callable[[JudgeSettings], Asker]:
    return askers(root=settings.root, environ=os.environ, limits=keeper.limits_folder)


def _same_model(configuration: Configuration) -> Callable[[str, str | None], bool]:
    return lambda requested, served: same_model(requested, served, configuration.aliases)


def _ahead(config: pytest.Config, settings: Settings, panel: Panel) -> Ahead:
    """Ask ahead where something is asked, several may be in flight, and nobody debugs."""
    alone = config.getoption("usepdb", False) or config.getoption("trace", False)
    # Items that another worker could steal after they were asked for would be paid for twice.
    stolen = config.getoption("dist", "no") == "worksteal"
    judges = () if settings.mode == "replay" or alone or stolen else panel.to_ask()
    return Ahead(
        in_flight={judge.name: judge.limits.in_flight for judge in judges if judge.limits.in_flight > 1},
        bench=lambda: config.stash[BENCH],
    )


def _instead(
    settings: Settings, configuration: Configuration, keeper: Keeper, panel: Panel, collected: Collected
) -> object | None:
    """Return what an option asks for instead of a run."""
    if settings.probe is not None:
        return Probe(
            panel.asked(),
            calls=settings.probe,
            asker=_asker(settings, keeper),
            same_model=_same_model(configuration),
        )
    if settings.freeze:
        return Freeze(lambda: collected.plan, configuration, snapshots=settings.snapshots)
    if settings.plan_only:
        return PlanOnly(lambda: collected.plan, verbose=settings.verbose > 0)
    return None


def _controlling(
    config: pytest.Config,
    settings: Settings,
    configuration: Configuration,
    keeper: Keeper,
    collected: Collected,
    ahead: Ahead,
) -> Iterator[tuple[str, object]]:
    keeper.recover()
    if settings.mode != "replay":
        yield "termination", Termination()
        yield "scheduler", SteadyScheduler(in_flight=ahead.in_flight)
    conclusion = Conclusion(
        root=settings.root,
        live=settings.mode != "replay",
        sharded=settings.shard is not None,
        keep=lambda plan, complete: keeper.keep(plan, complete=complete),
        grades=AcceptedGrades(config, settings.snapshots),
        same_model=_same_model(configuration),
        protocol=lambda plan, calls: protocol_of(
            plan, configuration, snapshots=settings.snapshots, calls=calls
        ),
        write=lambda audit: _write(audit, settings),
    )
    controller = Controller(
        analysis=conclusion,
        is_eval_path=lambda path: any(
            (settings.root / path).is_relative_to(folder) for folder in settings.paths
        ),
        plan=lambda: collected.plan,
        drain=ahead.drain,
    )
    yield "controller", controller
    yield "summary", Summary(controller, verbose=settings.verbose > 0)


def _write(audit: Audit, settings: Settings) -> None:
    refused: list[str] = []
    for path in settings.reports:
        try:
            json_report.write(path, json_report.to_json(audit))
        except Refused as error:
            refused.append(str(error))
    if refused:
        raise Refused("\n".join(refused))
