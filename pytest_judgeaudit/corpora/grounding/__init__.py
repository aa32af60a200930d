"""Grounding: the checkable claims of an answer, each verified against the files of a corpus."""

from __future__ import annotations

from pytest_judgeaudit.corpora.grounding.searched import SearchedCorpus, read_corpus
from pytest_judgeaudit.corpora.grounding.showing import grounding_text
from pytest_judgeaudit.corpora.grounding.verifying import ground, verified

__all__ = ["SearchedCorpus", "ground", "grounding_text", "read_corpus", "verified"]
