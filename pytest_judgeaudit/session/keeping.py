"""The store as a session uses it: recall, record, recover, and what is left over at the end."""

from __future__ import annotations

import os
import shutil
import tempfile
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_judgeaudit.audit.numbers import counted
from pytest_judgeaudit.records.answers import Reply, StoredAnswer
from pytest_judgeaudit.records.items import slug
from pytest_judgeaudit.records.plans import Finding, Plan
from pytest_judgeaudit.session.choices import Settings
from pytest_judgeaudit.session.shipping import Receiving, Shipping
from pytest_judgeaudit.session.station import (
    LIMITS,
    RUN,
    WHERE,
    HostLimits,
    Station,
    folder_away,
    leave_word,
    place_of,
    whereabouts,
)
from pytest_judgeaudit.session.using import asked_names, owned, used_names
from pytest_judgeaudit.store.brake import FileBrake
from pytest_judgeaudit.store.files import safe_module, safe_name
from pytest_judgeaudit.store.journal import Intent, Journal
from pytest_judgeaudit.store.parcels import Inbox, Outbox
from pytest_judgeaudit.store.recovery import absorb, read_journals
from pytest_judgeaudit.store.redact import Redactor, redact_reply
from pytest_judgeaudit.store.snapshots import Snapshots, prune

if TYPE_CHECKING:
    from pytest_judgeaudit.settings.models import Configuration


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """
    What the store knows after a run.

    ``unused`` counts stored answers of the collected evals that no declared trial uses, ``recovered``
    those that an ended run had left in its journal; ``ambiguous`` counts requests without an end by
    (study, judge). ``calls`` are those that a live run which ended early was to make, and
    ``answered`` how many of these have an answer, one to an earlier request too.
    """

    calls: int = 0
    answered: int = 0
    unused: int = 0
    recovered: int = 0
    ambiguous: Mapping[tuple[str, str], int] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()


class Keeper:
    """
    Everything on disk that a session reads or writes, but for accepted grades and reports.

    ``worker`` is an xdist worker's input, None on the controller; ``output`` is what a worker sends last.
    ``run`` is the name of the run, which all its processes share.
    """

    def __init__(
        self,
        *,
        settings: Settings,
        configuration: Configuration,
        worker: dict[str, Any] | None,
        output: dict[str, Any] | None = None,
    ) -> None:
        self._folder = settings.snapshots
        self._root = settings.root
        self._live = settings.mode != "replay"
        self._shard = str(settings.shard) if settings.shard else None
        self._prunes = settings.prune
        self._narrowed = settings.narrowed
        self._worker, self._output = worker, output
        self._alone = worker is None
        self.run: str = (worker or {}).get(RUN) or uuid.uuid4().hex
        self._redactor = Redactor.of(os.environ, _key_names(configuration))
        self._station = Station.of(worker, root=settings.root, snapshots=settings.snapshots)
        self._limits: Path | None = self._station.limits
        self._recovered = 0
        endpoints = (*configuration.judges, *configuration.agents)
        self._longest_call_s = max((one.limits.timeout for one in endpoints), default=0.0)

    # Asking and recalling

    @cached_property
    def journal(self) -> Journal:
        """The journal of this process; nothing is created before the first write."""
        return Journal(
            self._journals,
            self.run,
            self._worker["workerid"] if self._worker else "main",
            shard=self._shard,
            redactor=self._redactor,
            told=self._post if self._outbox else None,
        )

    @cached_property
    def _journals(self) -> Path:
        """The folder above this process' journals."""
        return folder_away(self._root) if self._station.away else self._folder

    @cached_property
    def _snapshots(self) -> Snapshots:
        journaled = list(read_journals(self._folder).answers)
        if self._station.away:
            journaled += read_journals(self._journals).answers
        return Snapshots(self._folder, journaled=journaled)

    def find(
        self, module: str, judge: str, name: str, *, fingerprint: str | None = None
    ) -> StoredAnswer | None:
        """Return the stored or journaled answer of a call."""
        return self._snapshots.find(module, judge, name, fingerprint=fingerprint)

    def stored(self, module: str, owner: str, name: str) -> StoredAnswer | None:
        """Return the answer that is stored under a name, whatever it was asked."""
        return self._snapshots.find(module, owner, name, fingerprint="")

    def redact(self, reply: Reply) -> Reply:
        """Scrub a reply before anybody sees it."""
        return redact_reply(self._redactor, reply)

    def limits_folder(self) -> Path:
        """The folder of the lock files that all processes of this run on this machine share."""
        if self._limits is None and self._host is not None:
            self._limits = self._host.enter()
        if self._limits is None:
            self._limits = Path(tempfile.mkdtemp(prefix="judgeaudit-"))
            leave_word(self._limits, self.run)
        return self._limits

    @cached_property
    def _host(self) -> HostLimits | None:
        if self._worker is None or self._station.limits is not None:
            return None
        return HostLimits(self.run, self._worker["workerid"])

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tell an xdist worker to which run it belongs, and where the controller is."""
        self._alone = False
        if self._live:
            node.workerinput[RUN] = self.run
            node.workerinput[LIMITS] = str(self.limits_folder())
            node.workerinput[WHERE] = whereabouts(self._root, self._folder)

    def pytest_sessionfinish(self) -> None:
        """Close a worker's journal before the controller hears that it has finished, and absorbs it."""
        self._close()
        if self.shipping is not None and self._output is not None:
            self.shipping.finish(self._output)

    def pytest_unconfigure(self) -> None:
        """Close the journal, and let go of the lock files: the last one here removes them."""
        self._close()
        if self._host is not None:
            self._host.leave()
        elif self._limits is not None and self._worker is None:
            shutil.rmtree(self._limits, ignore_errors=True)

    def _close(self) -> Path:
        if "journal" in self.__dict__:
            self.journal.close()
        return self.journal.path

    # Workers elsewhere

    @cached_property
    def _outbox(self) -> Outbox | None:
        if not self._station.away:
            return None
        outbox = Outbox(self._journals, place=place_of(self._journals))
        outbox.claim()
        return outbox

    def _post(self, line: str) -> None:
        if self._outbox is not None:
            self._outbox.post(self.journal.path.stem, line)

    @cached_property
    def shipping(self) -> Shipping | None:
        """The hooks that send what this worker records, where the controller's snapshots are elsewhere."""
        return Shipping(self._outbox, close=self._close) if self._outbox else None

    @cached_property
    def receiving(self) -> Receiving:
        """The hooks of a controller that take what such workers send."""
        return Receiving(Inbox(self._folder, run=self.run, journal=self._copy))

    def _copy(self, folder: Path, name: str) -> Journal:
        return Journal(folder, name, "sent", redactor=self._redactor)

    def wait(self, config: pytest.Config) -> None:
        """Wait for workers elsewhere, in a run that was interrupted."""
        self.receiving.wait(config, patience_s=self._patience_s(complete=False))

    # Before and after

    @cached_property
    def brake(self) -> FileBrake:
        """What all processes of this run know of judges that must not be asked further."""
        return FileBrake(lambda: None if self._alone else self.limits_folder())

    def recover(self) -> None:
        """Absorb what ended runs left behind; only a live run moves anything."""
        if self._live:
            self._recovered = len(absorb(self._folder, redactor=self._redactor).answers)

    def keep(self, plan: Plan, *, complete: bool) -> Kept:
        """
        Absorb what this run's processes recorded, and say what is unused, recovered or ambiguous.

        ``complete`` is whether the run covered all that its evals declare: only then anything is pruned.
        """
        if self._live:
            self._absorb(patience_s=self._patience_s(complete))
        journals = read_journals(self._folder, snapshots=Snapshots(self._folder))
        # What a replay has read has not changed.
        snapshots = Snapshots(self._folder, journaled=journals.answers) if self._live else self._snapshots
        unused = {} if self._narrowed else dict(_unused(plan, snapshots))
        if self._prunes and complete and not self._narrowed:
            for place in unused:
                prune(self._folder, *place, keep=used_names(plan).get(place, ()))
            unused = {}
        calls, answered = _progress(plan, snapshots) if self._live and not complete else (0, 0)
        return Kept(
            calls=calls,
            answered=answered,
            unused=sum(map(len, unused.values())),
            recovered=self._recovered + self.receiving.inbox.recovered,
            ambiguous=_ambiguous(plan, journals.open_intents),
            findings=(
                *_unused_findings(unused),
                *self._recovery(),
                *self.receiving.findings(),
                *_intent_findings(journals.open_intents),
            ),
        )

    def _absorb(self, *, patience_s: float) -> None:
        self._close()
        self.receiving.inbox.close()
        own = self.journal
        absorb(self._folder, redactor=self._redactor, run=self.run, own=own, patience_s=patience_s)

    def _patience_s(self, complete: bool) -> float:
        """Wait for workers that are ending: for as long as a call may take where the run was cut short."""
        return 10.0 if complete else max(10.0, self._longest_call_s)

    def _recovery(self) -> Iterator[Finding]:
        recovered = self._recovered + self.receiving.inbox.recovered
        if recovered:
            yield Finding(
                code="recovered",
                where="snapshots",
                symptom=f"{counted(recovered, 'answer')} recovered from a run that ended early",
                check="nothing, unless you did not expect a run to have ended",
            )


def _progress(plan: Plan, snapshots: Snapshots) -> tuple[int, int]:
    """Count the calls of a plan whose answers are to be stored, and those of them that have one."""
    used = asked_names(plan)
    return (
        sum(map(len, used.values())),
        sum(len(snapshots.names(*place) & names) for place, names in used.items()),
    )


def _key_names(configuration: Configuration) -> Iterable[str]:
    for endpoint in (*configuration.judges, *configuration.agents):
        yield from endpoint.secret_names


def _unused(plan: Plan, snapshots: Snapshots) -> Iterator[tuple[tuple[str, str], frozenset[str]]]:
    """Find the stored answers of the plan's modules that no trial uses, of judges that are gone too."""
    used = dict(used_names(plan))
    modules = {safe_module(module) for module, _ in used}
    files = {(safe_module(module), safe_name(judge)) for module, judge in used}
    for module, judge in snapshots.files():
        if module in modules and (module, safe_name(judge)) not in files:
            used[module, judge] = set()
    for place, names in used.items():
        left = snapshots.names(*place) - names
        if left:
            yield place, left


def _unused_findings(unused: Mapping[tuple[str, str], frozenset[str]]) -> Iterator[Finding]:
    for (module, judge), names in unused.items():
        yield Finding(
            code="unused-answers",
            where=f"{module}/{slug(judge)}.jsonl",
            symptom=f"{counted(len(names), 'stored answer')} without a trial, such as {min(names)}",
            check="whether the source lost rows; nothing removes them but --judge-prune",
        )


def _ambiguous(plan: Plan, intents: Sequence[Intent]) -> Mapping[tuple[str, str], int]:
    """Count the open intents of calls that this plan still makes, by study and judge."""
    found: Counter[tuple[str, str]] = Counter()
    waiting = {(intent.module, intent.judge, intent.name) for intent in intents}
    for cell in plan.cells if waiting else ():
        module = cell.eval.partition("::")[0]
        for owner, names in owned(cell):
            found[cell.study, owner] += sum((module, owner, name) in waiting for name in names)
    return +found


def _intent_findings(intents: Sequence[Intent]) -> Iterator[Finding]:
    if intents:
        first = intents[0]
        yield Finding(
            code="ambiguous-intent",
            where=f"{first.module}/{slug(first.judge)}.jsonl",
            symptom=f"{counted(len(intents), 'request')} without a recorded end (ambiguous), "
            f"such as {first.name}",
            check="nothing: --judge-live asks them again; until then their campaigns are HOLD",
        )
