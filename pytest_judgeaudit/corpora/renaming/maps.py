"""A renaming: the pure map from the names of a tree to novel ones, over texts, paths and questions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from pytest_judgeaudit.corpora.renaming.words import MOST_PIECES, RUN, cased, lowered
from pytest_judgeaudit.records.questions import Evidence, Fact, Question


@dataclass(frozen=True, kw_only=True)
class Renaming:
    """
    One bijection between names, applied wherever they stand as words.

    ``words`` maps identifiers to their tokens, both in lower case and of the same length; an occurrence
    keeps its own case. ``protected`` is the vocabulary that was left alone, in lower case. The same map
    serves contents, paths, questions and keys; :attr:`inverse` undoes it.
    """

    seed: int
    words: Mapping[str, str]
    protected: frozenset[str] = frozenset()

    @cached_property
    def inverse(self) -> Renaming:
        """The renaming that gives the original back."""
        return replace(self, words={token: word for word, token in self.words.items()})

    def text(self, text: str) -> str:
        r"""
        Return a text with every name in it replaced; its length and its lines stay.

        Of a word with hyphens the longest names are replaced, from the left. A letter behind a
        backslash is an escape where the word without it is a name, as in the pattern ``\bqueue``.

        >>> Renaming(seed=1, words={"loan-rate": "qzxv-btrk"}).text(r"ADD LOAN-RATE. \bloan-rate\b")
        'ADD QZXV-BTRK. \\bqzxv-btrk\\b'
        """
        return RUN.sub(self._run, text)

    def path(self, path: str) -> str:
        """Return a path, with forward slashes, with every name in it replaced."""
        return "/".join(map(self.text, path.split("/")))

    def question(self, question: Question) -> Question:
        """
        Return a question with its prompt, its key and its evidence renamed.

        Ids, classes and the reason of a retirement stay, so that arms can be paired.
        """
        return replace(
            question,
            prompt=self.text(question.prompt),
            label=self.text(question.label),
            facts=tuple(map(self._fact, question.facts)),
            forbidden=tuple(map(self._fact, question.forbidden)),
            gt=self._texts(question.gt),
            rubric=self.text(question.rubric),
            markers=self._texts(question.markers),
            evidence=tuple(map(self._evidence, question.evidence)),
            leak_terms=self._texts(question.leak_terms),
        )

    def _fact(self, fact: Fact) -> Fact:
        match = replace(fact.match, values=self._texts(fact.match.values))
        return replace(fact, match=match, desc=self.text(fact.desc))

    def _evidence(self, evidence: Evidence) -> Evidence:
        return replace(evidence, file=self.path(evidence.file), contains=self.text(evidence.contains))

    def _texts(self, texts: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(map(self.text, texts))

    def _run(self, found: re.Match[str]) -> str:
        run = found[0]
        escaped = found.start() > 0 and found.string[found.start() - 1] == "\\"
        if escaped and not self._name_at(run.split("-"), 0) and self._name_at(run[1:].split("-"), 0):
            return run[0] + self._parts(run[1:].split("-"))
        return self._parts(run.split("-"))

    def _parts(self, parts: list[str]) -> str:
        done, first = [], 0
        while first < len(parts):
            last = self._name_at(parts, first) or first + 1
            name = "-".join(parts[first:last])
            done.append(cased(self.words.get(lowered(name), name), name))
            first = last
        return "-".join(done)

    def _name_at(self, parts: list[str], first: int) -> int:
        """Return the end of the longest name that begins at a part, 0 where none does."""
        ends = range(min(len(parts), first + MOST_PIECES), first, -1)
        return next((end for end in ends if lowered("-".join(parts[first:end])) in self.words), 0)
