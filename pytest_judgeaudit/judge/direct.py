"""Judges that answer in the process: nothing is asked of a service, and no answer is stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from pytest_judgeaudit.records.items import Pair
from pytest_judgeaudit.records.labelled import LabelledAnswer
from pytest_judgeaudit.records.verdicts import Acceptance, Verdict

if TYPE_CHECKING:  # pydantic is not needed to decide
    from pytest_judgeaudit.judge.parsers import VerdictParser
    from pytest_judgeaudit.settings.models import Configuration, JudgeSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What was said, and whether the log holds two different rows for this presentation."""

    verdict: Verdict | Acceptance
    duplicated: bool = False


class DirectJudge(Protocol):
    """An embedded or recorded judge. The same arguments always bring the same decision."""

    def decide(self, pair: Pair, *, criterion: str, replicate: int = 1) -> Decision:
        """
        Decide one presentation under a criterion's name.

        Raises a :class:`~pytest_judgeaudit.records.errors.Void`, in one line, when there is no verdict to
        give: that is never an observation about the judge.
        """
        ...

    def rule(self, item: LabelledAnswer, *, criterion: str) -> Decision:
        """Accept or reject one answer; otherwise as :meth:`decide`."""
        ...


def build_direct(
    judge: JudgeSettings,
    *,
    configuration: Configuration,
    root: Path,
    parsers: Mapping[str, VerdictParser] | None = None,
) -> DirectJudge:
    """
    Return the judge of a ``[[judge]]`` table whose api is ``embedded`` or ``recorded``; a log is read now.

    A relative path starts at the configuration file's folder, or at ``root`` when there is no file;
    ``parsers`` are those of other plug-ins.
    Refused: whatever :func:`~pytest_judgeaudit.judge.embedded.build_embedded` and
    :meth:`~pytest_judgeaudit.judge.recorded.RecordedJudge.open` refuse.
    """
    # Imported here: both import Decision from this module.
    from pytest_judgeaudit.judge.embedded import build_embedded  # noqa: PLC0415
    from pytest_judgeaudit.judge.recorded import RecordedJudge  # noqa: PLC0415

    if judge.api == "embedded":
        return build_embedded(judge, seed=configuration.audit.seed, parsers=parsers)
    folder = Path(configuration.file).parent if configuration.file else root
    return RecordedJudge.open(judge, root=root, configuration_dir=folder, parsers=parsers)
