"""Writing what a run found: the reports that were asked for, and the summary of a CI job."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_judgeaudit.records.answers import StoredAnswer
from pytest_judgeaudit.records.audits import Audit
from pytest_judgeaudit.records.errors import JudgeAuditError, Refused, addressed
from pytest_judgeaudit.records.items import short_digest
from pytest_judgeaudit.records.plans import Plan
from pytest_judgeaudit.records.trials import Trial
from pytest_judgeaudit.report import extra, markdown
from pytest_judgeaudit.report import json as json_report
from pytest_judgeaudit.report.details import Detail
from pytest_judgeaudit.session.choices import Settings
from pytest_judgeaudit.session.controller import Gathered
from pytest_judgeaudit.session.registry import ReportWriter
from pytest_judgeaudit.store.recovery import read_journals
from pytest_judgeaudit.store.snapshots import Snapshots

if TYPE_CHECKING:
    from pytest_judgeaudit.report.html import Page

STEP_SUMMARY = "GITHUB_STEP_SUMMARY"


@dataclass(frozen=True, slots=True, kw_only=True)
class Publisher:
    """
    Writes the reports of a run.

    ``summary`` is the file to which a CI job adds Markdown, ``run_url`` where the job's files can be had;
    ``baseline`` the earlier report that the run is compared with; ``writers`` those of plug-ins, by suffix.
    """

    reports: Sequence[Path]
    snapshots: Path
    baseline: Mapping[str, Any] | None = None
    summary: Path | None = None
    run_url: str | None = None
    writers: Mapping[str, ReportWriter] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        settings: Settings,
        *,
        baseline: Mapping[str, Any] | None,
        environ: Mapping[str, str],
        writers: Mapping[str, ReportWriter],
    ) -> Publisher:
        """Say what is to be written."""
        summary = environ.get(STEP_SUMMARY)
        return cls(
            reports=settings.reports,
            snapshots=settings.snapshots,
            baseline=baseline,
            summary=Path(summary) if summary else None,
            run_url=_run_url(environ),
            writers=writers,
        )

    def publish(self, audit: Audit, gathered: Gathered) -> None:
        """Write every report that can be written. Refused, a line each: those that cannot."""
        pages = [path for path in self.reports if path.suffix == ".html"]
        refused: list[str] = []
        for path in self.reports:
            if path not in pages:
                refused += self._written(path, audit, gathered)
        if self.summary is not None:
            refused += _appended(self.summary, lambda: self._markdown(audit))
        # What takes longest, and most packages, comes last: whatever it ends with, the rest is there.
        for path in pages:
            refused += self._written(path, audit, gathered)
        if refused:
            raise Refused("\n".join(refused))

    def _written(self, path: Path, audit: Audit, gathered: Gathered) -> Iterator[str]:
        """Write one report; yield what went wrong."""
        try:
            json_report.write(path, self._text(path, audit, gathered))
        except JudgeAuditError as error:
            yield str(error)
        except Exception as error:  # noqa: BLE001 - a fault of ours in one report must not cost the others
            yield _faulty(str(path), error)

    def _text(self, path: Path, audit: Audit, gathered: Gathered) -> str:
        if path.suffix in self.writers:
            # Values of its own: what a plug-in does with them reaches no other report.
            with addressed(str(path)):
                return self.writers[path.suffix](json.loads(json_report.to_json(audit)))
        if path.suffix == ".html":
            # Not before it is needed: drawing takes half a second to load.
            from pytest_judgeaudit.report.html import to_html

            return to_html(self._page(audit, gathered))
        return self._markdown(audit) if path.suffix == ".md" else json_report.to_json(audit)

    def _markdown(self, audit: Audit) -> str:
        names = [path.name for path in self.reports]
        return markdown.to_markdown(json_report.document(audit), files=names, run_url=self.run_url)

    def _page(self, audit: Audit, gathered: Gathered) -> Page:
        from pytest_judgeaudit.report.html import Page

        plan = gathered.plan or Plan()
        return Page(
            report=json_report.document(audit),
            details=tuple(_details(plan, gathered.trials, self.snapshots)),
            baseline=self.baseline,
        )


def check_extra(reports: Sequence[Path]) -> None:
    """Refused, before anything is asked: an HTML report without the packages that make one."""
    if any(path.suffix == ".html" for path in reports):
        extra.check()


def _run_url(environ: Mapping[str, str]) -> str | None:
    names = ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_RUN_ID")
    server, repository, run = (environ.get(name) for name in names)
    return f"{server}/{repository}/actions/runs/{run}" if server and repository and run else None


def _faulty(name: str, error: Exception) -> str:
    told = " ".join(f"{type(error).__name__}: {error}".split())
    return f"{name}: the report could not be made: {told:.200}. Please report it; others are written."


def _appended(path: Path, text: Callable[[], str]) -> Iterator[str]:
    """Add a text to a job's summary; yield what went wrong."""
    try:
        added = text()
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8", newline="\n") as file:
            file.write(added)
    except OSError as error:
        reason = error.strerror or str(error)
        yield f"{STEP_SUMMARY}: {path} could not be written: {reason}. Unset it, or name another file."
    except Exception as error:  # noqa: BLE001 - as for a report
        yield _faulty(STEP_SUMMARY, error)


def _details(plan: Plan, trials: Sequence[Trial], folder: Path) -> Iterator[Detail]:
    """Lay what is stored beside each trial, in the plan's order."""
    stored = Snapshots(folder, journaled=read_journals(folder).answers)
    cells = {cell.id: (rank, cell) for rank, cell in enumerate(plan.cells)}
    ranked = sorted(
        (trial for trial in trials if trial.cell in cells), key=lambda trial: cells[trial.cell][0]
    )
    for trial in ranked:
        cell = cells[trial.cell][1]
        task = plan.tasks.get(cell.eval, {}).get(trial.task)
        module, judge = cell.eval.partition("::")[0], cell.judge or cell.agent or ""
        answer = _stored(stored, module, judge, trial)
        yield Detail(
            trial=trial,
            prompt=(answer.parts.get("prompt") if answer else None) or (task.digest if task else ""),
            subset=task.subset if task else "",
            reply=answer.reply if answer else None,
        )


def _stored(stored: Snapshots, module: str, judge: str, trial: Trial) -> StoredAnswer | None:
    """Find the answer that a trial saw; None where it is not stored, or no longer the same."""
    if trial.answer_name is None or trial.digest is None:
        return None
    try:
        found = stored.find(module, judge, trial.answer_name)
    except JudgeAuditError:
        return None
    return found if found is not None and short_digest(found.reply.text) == trial.digest else None
