"""What the parts of one process share: settings, judges, agents, sandboxes, the store and the calls."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import pytest

from pytest_judgeaudit.ask.served import same_model
from pytest_judgeaudit.judge.campaign import Asker, Campaign
from pytest_judgeaudit.records.claims import Claim
from pytest_judgeaudit.records.exclusions import Exclusion
from pytest_judgeaudit.records.plans import Plan
from pytest_judgeaudit.session.answering import DESK, Desk
from pytest_judgeaudit.session.asking import askers
from pytest_judgeaudit.session.choices import Settings
from pytest_judgeaudit.session.claiming import read_claims, read_exclusions
from pytest_judgeaudit.session.crew import Crew
from pytest_judgeaudit.session.judging import BENCH
from pytest_judgeaudit.session.keeping import Keeper
from pytest_judgeaudit.session.panel import Panel
from pytest_judgeaudit.session.registry import Registry
from pytest_judgeaudit.session.workspaces import Workspaces
from pytest_judgeaudit.settings.models import AgentSettings, Configuration, JudgeSettings

if TYPE_CHECKING:  # starting a server is for runs that ask
    from pytest_judgeaudit.session.serving import LocalModels


# Compared and hashed by identity: it is registered as a plug-in, and pluggy keeps plug-ins in sets.
@dataclass(frozen=True, kw_only=True, eq=False)
class Setup:
    """What the parts of one process share."""

    config: pytest.Config
    settings: Settings
    configuration: Configuration
    keeper: Keeper
    panel: Panel
    registry: Registry

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
            traces=self.registry.trace_formats,
        )

    @cached_property
    def claims(self) -> tuple[Claim, ...]:
        """The published figures that this run recomputes."""
        settings = self.settings
        return read_claims(self.configuration, root=settings.root, folders=settings.paths)

    @cached_property
    def exclusions(self) -> tuple[Exclusion, ...]:
        """What this run leaves out of every mean."""
        return read_exclusions(self.configuration, root=self.settings.root)

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
                requested=self.local.identity if self.local else None,
            )

    @cached_property
    def local(self) -> LocalModels | None:
        """The local models of a process that may ask; None where it only replays."""
        every = (*self.panel.asked(), *self.configuration.agents)
        judges = [one for one in every if one.api == "local"]
        settings = self.settings
        asks = (settings.mode != "replay" and not settings.freeze) or settings.probe is not None
        if not judges or not asks or settings.plan_only or self.config.option.collectonly:
            return None
        from pytest_judgeaudit.session.serving import LocalModels

        worker = getattr(self.config, "workerinput", None)
        return LocalModels(judges, resolve=self.configuration.resolve, worker=worker)

    @classmethod
    def of(
        cls, config: pytest.Config, settings: Settings, configuration: Configuration, registry: Registry
    ) -> Setup:
        """Make what they share."""
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
                configuration,
                judges=settings.judges,
                criteria=settings.criteria,
                root=settings.root,
                registry=registry,
            ),
            registry=registry,
        )

    @property
    def controls(self) -> bool:
        """Whether this process decides; a worker of xdist does not."""
        return not hasattr(self.config, "workerinput")

    def same_model(self, requested: str, served: str | None) -> bool:
        """Whether a requested and a served name mean one model, with the declared aliases."""
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
        """Return how to reach a judge, or the model of an agent."""
        reached = self.local.reached(judge) if self.local else judge
        reach = askers(
            root=self.settings.root,
            environ=os.environ,
            limits=self.keeper.limits_folder,
            wires=self.registry.providers,
        )
        return reach(reached)
