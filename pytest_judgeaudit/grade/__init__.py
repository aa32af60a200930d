"""
Graders: pure functions of texts and keys, data first and positional, the rest by name. No I/O.

Nothing is imported before a name is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_judgeaudit.records.lazily import lazily

if TYPE_CHECKING:
    from pytest_judgeaudit.grade.abstention import absence, abstain, abstained
    from pytest_judgeaudit.grade.actions import Action, action_of, actions_done
    from pytest_judgeaudit.grade.checklists import checklist
    from pytest_judgeaudit.grade.grading import grade
    from pytest_judgeaudit.grade.guarding import Guard, contamination
    from pytest_judgeaudit.grade.matching import asserted, hit, match_of, mentions
    from pytest_judgeaudit.grade.normalise import folded, plain
    from pytest_judgeaudit.grade.patterns import SlowPattern
    from pytest_judgeaudit.grade.reconciling import reconcile
    from pytest_judgeaudit.grade.sets import by_ground_truth, mentioned_paths
    from pytest_judgeaudit.grade.states import hedges, out_of_reach, refused

__all__ = [
    "Action",
    "Guard",
    "SlowPattern",
    "absence",
    "abstain",
    "abstained",
    "action_of",
    "actions_done",
    "asserted",
    "by_ground_truth",
    "checklist",
    "contamination",
    "folded",
    "grade",
    "hedges",
    "hit",
    "match_of",
    "mentioned_paths",
    "mentions",
    "out_of_reach",
    "plain",
    "reconcile",
    "refused",
]

_HOMES = {
    "Action": "actions",
    "action_of": "actions",
    "actions_done": "actions",
    "Guard": "guarding",
    "SlowPattern": "patterns",
    "absence": "abstention",
    "abstain": "abstention",
    "abstained": "abstention",
    "asserted": "matching",
    "by_ground_truth": "sets",
    "checklist": "checklists",
    "contamination": "guarding",
    "folded": "normalise",
    "grade": "grading",
    "hedges": "states",
    "hit": "matching",
    "match_of": "matching",
    "mentioned_paths": "sets",
    "mentions": "matching",
    "out_of_reach": "states",
    "plain": "normalise",
    "reconcile": "reconciling",
    "refused": "states",
}

__getattr__, __dir__ = lazily(__name__, _HOMES)
