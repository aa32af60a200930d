"""How judges and agents of a session are reached: over HTTP, or as a function of the user's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_judgeaudit.judge.campaign import Asker
from pytest_judgeaudit.records.items import slug
from pytest_judgeaudit.store.files import safe_name

if TYPE_CHECKING:
    from pytest_judgeaudit.ask.wire.shapes import Wire
    from pytest_judgeaudit.settings.models import AgentSettings, JudgeSettings


def askers(
    *,
    root: Path,
    environ: Mapping[str, str],
    limits: Callable[[], Path],
    wires: Mapping[str, Wire] | None = None,
) -> Callable[[Any], Asker]:
    """
    Return how to reach a judge: over HTTP, or as a function of the user's; within its budget.

    ``wires`` are the wire formats of plug-ins.
    """

    def asker(judge: JudgeSettings | AgentSettings) -> Asker:
        from pytest_judgeaudit.ask.limiter import Limiter

        # Local models are named by their weights: all judges of one model share its only slot.
        name = f"local-{slug(judge.requested)}" if judge.api == "local" else judge.name
        limiter = Limiter(limits(), name, judge.limits.in_flight, judge.limits.per_minute)
        if judge.api == "python" and not hasattr(judge, "kind"):
            from pytest_judgeaudit.judge.python import PythonAsker

            return _within_budget(PythonAsker(judge, root=root, limiter=limiter), judge, limits)
        from pytest_judgeaudit.ask.transport.asker import HttpAsker

        # Our own server is on this machine, whatever proxy leads out of it.
        direct = {"no_proxy": "*"} if judge.api == "local" else {}
        http = HttpAsker(judge, environ={**environ, **direct}, limiter=limiter, wires=wires)
        return _within_budget(http, judge, limits)

    return asker


def _within_budget(asker: Asker, judge: JudgeSettings | AgentSettings, limits: Callable[[], Path]) -> Asker:
    wanted, price = judge.limits, judge.price
    if not wanted.has_budget:
        return asker
    from pytest_judgeaudit.ask import purse

    budget = purse.Budget(
        judge=judge.name,
        tokens=wanted.budget_tokens,
        money=wanted.budget,
        prompt=price.prompt or 0.0,
        completion=price.completion or 0.0,
    )
    return purse.Paid(asker, purse.Purse(limits, safe_name(judge.name), budget, patience_s=wanted.timeout))
