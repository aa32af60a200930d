"""
Renaming a corpus: every name of its own becomes a novel one of the same shape, wherever it stands.

What an agent knows by heart of a well-known corpus is of no use on the copy; what it can read is.
"""

from __future__ import annotations

from pytest_judgeaudit.corpora.renaming.copying import rename_tree, verified
from pytest_judgeaudit.corpora.renaming.maps import Renaming
from pytest_judgeaudit.corpora.renaming.planning import plan_renaming
from pytest_judgeaudit.records.renames import RenameReport

__all__ = ["RenameReport", "Renaming", "plan_renaming", "rename_tree", "verified"]
