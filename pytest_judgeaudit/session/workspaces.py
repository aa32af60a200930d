"""What agents see: the configured corpora, their renamed copies, and one sandbox for each arm."""

from __future__ import annotations

import os
import tempfile
import threading
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_judgeaudit.records.errors import Refused, nearest
from pytest_judgeaudit.records.grounding import Grounding
from pytest_judgeaudit.session.arms import Arm

if TYPE_CHECKING:
    from pytest_judgeaudit.agent.sandboxes import Sandbox
    from pytest_judgeaudit.corpora.grounding import SearchedCorpus
    from pytest_judgeaudit.corpora.renaming import Renaming
    from pytest_judgeaudit.session.trial import Slot
    from pytest_judgeaudit.settings.models import Configuration, CorpusSettings

NOTHING = Grounding()
"""What is found of an answer where there is no corpus."""


class Workspaces:
    """
    The sandboxes of one process, made when they are first needed and removed when it ends.

    ``root`` is the project, which agents are kept out of, ``hidden`` what none may ever see beside the
    question files: snapshots and the configuration.
    """

    def __init__(self, configuration: Configuration, *, root: Path, hidden: tuple[Path, ...]) -> None:
        self._configuration = configuration
        self._root = root
        self._hidden = dict.fromkeys(hidden)
        self._made: dict[tuple[str | None, str], Sandbox] = {}
        self._searched: dict[tuple[str, int | None], SearchedCorpus] = {}
        self._renamings: dict[tuple[str, int], Renaming] = {}
        self._open = ExitStack()
        self._lock = threading.RLock()

    def corpus(self, name: str) -> CorpusSettings:
        """Return a configured corpus; Refused for a name that is none, with the nearest one."""
        known = {corpus.name: corpus for corpus in self._configuration.corpora}
        if name not in known:
            names = ", ".join(known) or "none"
            raise Refused(
                f"corpus: found {name!r}, expected a configured [[corpus]]; there are {names}."
                f"{nearest(name, known)}"
            )
        return known[name]

    def folder(self, name: str) -> Path:
        """Return where a corpus lies."""
        return self._configuration.resolve(self.corpus(name).path)

    def hide(self, path: Path) -> None:
        """Let no agent see a file, in sandboxes that are yet to be made."""
        self._hidden[path] = None

    def renaming(self, name: str, seed: int) -> Renaming:
        """Return the renaming of a corpus under its ``seed``-th seed, from 1."""
        from pytest_judgeaudit.corpora.renaming import plan_renaming

        with self._lock:
            if (name, seed) not in self._renamings:
                corpus = self.corpus(name)
                if seed > len(corpus.rename_seeds):
                    raise Refused(
                        f"arms: the corpus {name} has {len(corpus.rename_seeds)} rename_seeds, found "
                        f"@{seed}. Add one."
                    )
                self._renamings[name, seed] = plan_renaming(
                    self.folder(name), seed=corpus.rename_seeds[seed - 1], protected=corpus.protected
                )
            return self._renamings[name, seed]

    def sandbox(self, corpus: str | None, arm: str) -> Sandbox:
        """Return the sandbox of an arm."""
        with self._lock:
            if (corpus, arm) not in self._made:
                self._made[corpus, arm] = self._sandbox(corpus, Arm.of(arm))
            return self._made[corpus, arm]

    def _sandbox(self, corpus: str | None, arm: Arm) -> Sandbox:
        from pytest_judgeaudit.agent.sandboxes import blind, sighted

        every = [self._configuration.resolve(one.path) for one in self._configuration.corpora]
        hidden = tuple(self._hidden)
        if arm.blind or corpus is None:
            made = blind(arm=arm.name, hidden=hidden, sources=every, keep_out=[self._root])
            return self._open.enter_context(made)
        source = self.folder(corpus)
        hidden = (*hidden, *self._left_out(corpus))
        if arm.seed is not None:
            source = self._renamed(corpus, arm.seed)
        made = sighted(
            source, corpus=corpus, arm=arm.name, hidden=hidden, sources=every, keep_out=[self._root]
        )
        return self._open.enter_context(made)

    def _left_out(self, corpus: str) -> list[Path]:
        """Return the files that the corpus excludes."""
        from pytest_judgeaudit.corpora.question_lint import excluded

        patterns, folder = self.corpus(corpus).exclude, self.folder(corpus)
        found: list[Path] = []
        for place, _, names in os.walk(folder) if patterns else ():
            paths = [Path(place, name) for name in names]
            found += [path for path in paths if excluded(path.relative_to(folder).as_posix(), patterns)]
        return found

    def _renamed(self, corpus: str, seed: int) -> Path:
        """Write a renamed copy beside the sandboxes; what agents are not shown is not in it."""
        from pytest_judgeaudit.agent.sandboxes import sighted
        from pytest_judgeaudit.corpora.renaming import rename_tree

        hidden = (*self._hidden, *self._left_out(corpus))
        clean = self._open.enter_context(sighted(self.folder(corpus), corpus=corpus, hidden=hidden))
        target = Path(self._open.enter_context(tempfile.TemporaryDirectory(prefix="workspace-")))
        rename_tree(clean.path, target, self.renaming(corpus, seed))
        return target

    def grounding(self, slot: Slot) -> Grounding:
        """
        Verify the claims of an item's answer against its corpus, in every arm: the blind one's too.

        Without a corpus nothing is claimed to be supported or not.
        """
        from pytest_judgeaudit.corpora.grounding import ground

        asked, row = slot.asked, slot.hearing.row if slot.hearing else None
        if asked is None or row is None or asked.corpus is None:
            return NOTHING
        return ground(row.answer, self._searched_corpus(asked.corpus, Arm.of(asked.arm)))

    def _searched_corpus(self, corpus: str, arm: Arm) -> SearchedCorpus:
        from pytest_judgeaudit.corpora.grounding import read_corpus

        with self._lock:
            if (corpus, arm.seed) not in self._searched:
                if arm.seed is None:
                    exclude = self.corpus(corpus).exclude
                    found = read_corpus(self.folder(corpus), exclude=exclude)
                else:
                    found = read_corpus(self._renamed(corpus, arm.seed))
                self._searched[corpus, arm.seed] = found
            return self._searched[corpus, arm.seed]

    def pytest_unconfigure(self) -> None:
        """Remove every sandbox."""
        self._open.close()
