"""From the marker ``questions`` to rows: every agent × arm × question × replicate."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.records.plans import Finding
from pytest_judgeaudit.records.questions import FactMatcher, Question
from pytest_judgeaudit.session.arms import Arm, every_seed
from pytest_judgeaudit.session.markers import QuestionSpec
from pytest_judgeaudit.session.trial import Asked
from pytest_judgeaudit.session.workspaces import Workspaces

if TYPE_CHECKING:  # graders compile many patterns
    from pytest_judgeaudit.corpora.questions import LoadedQuestions
    from pytest_judgeaudit.grade.guarding import Guard


class QuestionSets:
    """
    The question files of a session, each read once for each corpus.

    ``agents`` names the selected agents among those wanted, raising Refused where none is configured.
    ``matchers`` are those of plug-ins.
    """

    def __init__(
        self,
        *,
        root: Path,
        workspaces: Workspaces,
        agents: Callable[[Sequence[str] | None], Sequence[str]],
        matchers: Mapping[str, FactMatcher] | None = None,
    ) -> None:
        self._matchers = matchers
        self._root = root
        self._workspaces = workspaces
        self._agents = agents
        self._loaded: dict[tuple[Path, str | None], LoadedQuestions] = {}

    def rows(self, spec: QuestionSpec) -> tuple[list[Asked], Sequence[Finding]]:
        """Return the rows of a marker in the order of its source, and what the lint found."""
        arms = self._arms(spec)
        fresh = (self._root / spec.source, spec.corpus) not in self._loaded
        loaded = self._load(spec)
        guard = _guard(spec.source, loaded.questions)
        rows = [
            Asked(
                question=question,
                arm=arm,
                replicate=replicate,
                agent=agent,
                corpus=spec.corpus,
                guard=guard,
            )
            for agent in self._agents(spec.agents)
            for arm in arms
            for question in self._as_asked(loaded.questions, spec.corpus, arm)
            for replicate in range(1, 1 + spec.replicates)
        ]
        return rows, loaded.findings if fresh else ()

    def _arms(self, spec: QuestionSpec) -> tuple[str, ...]:
        if spec.corpus is None:
            shown = [arm.name for arm in map(Arm.of, spec.arms) if not arm.blind or arm.seed is not None]
            if shown:
                raise Refused(f"the arm {shown[0]} needs a corpus. Name one: corpus=…, or leave it out.")
            return spec.arms
        return every_seed(spec.arms, len(self._workspaces.corpus(spec.corpus).rename_seeds))

    def _load(self, spec: QuestionSpec) -> LoadedQuestions:
        from pytest_judgeaudit.corpora.questions import load_questions

        path, key = self._root / spec.source, (self._root / spec.source, spec.corpus)
        if key not in self._loaded:
            folder = None if spec.corpus is None else self._workspaces.folder(spec.corpus)
            exclude = () if spec.corpus is None else self._workspaces.corpus(spec.corpus).exclude
            self._loaded[key] = load_questions(
                spec.source, root=self._root, corpus=folder, exclude=exclude, matchers=self._matchers
            )
            self._workspaces.hide(path)
        return self._loaded[key]

    def _as_asked(self, questions: Sequence[Question], corpus: str | None, arm: str) -> Iterator[Question]:
        """Yield the questions as an arm asks them, each with its prompt and its key renamed alike."""
        seed = Arm.of(arm).seed
        if corpus is None or seed is None:
            yield from questions
            return
        renaming = self._workspaces.renaming(corpus, seed)
        yield from (renaming.question(question) for question in questions)


def _guard(source: str | Path, questions: Sequence[Question]) -> Guard:
    from pytest_judgeaudit.grade.guarding import Guard

    path = Path(source)
    return Guard(
        files=tuple(dict.fromkeys((path.as_posix(), path.name))),
        ids=tuple(question.id for question in questions),
    )


def retirement(asked: Asked) -> str | None:
    """Say why a question is asked no more; None where it is."""
    retired = asked.question.retired
    if retired is None:
        return None
    return f"retired{retired.on and ' on ' + retired.on}: {retired.why}"
