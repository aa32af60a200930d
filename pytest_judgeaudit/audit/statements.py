"""The sentences that gates stand for: what a state claims, under which model, and what it does not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pytest_judgeaudit.audit.campaigns import Campaign
from pytest_judgeaudit.audit.families import Standing
from pytest_judgeaudit.audit.numbers import counted, p_value, rate, share
from pytest_judgeaudit.audit.utility import Utility
from pytest_judgeaudit.records.labelled import ERRORS
from pytest_judgeaudit.records.plans import GateSpec

MODEL = "an independent, common-rate working model"
SCOPE = "this configuration as served; no population guarantee"


def clone(
    gate: GateSpec, standing: Standing | None, *, adverse: int, n: int, upper: float, p: float
) -> str:
    """Word what a clone gate found (METHODS 2, "Gate")."""
    level = 1 - gate.confidence
    shown = p_value(p, apart_from=level)
    how = (
        f"unadjusted {shown}"
        if standing is None
        else f"{shown} in a Holm family of {len(standing.members)}"
    )
    return (
        f"{adverse} of {counted(n, 'task')} adverse, upper bound {rate(upper, apart_from=gate.upper)} "
        f"at {rate(gate.confidence)}, {how}"
    )


def _these(n: int) -> str:
    return f"{'this' if n == 1 else 'these'} {counted(n, 'task')}"


def clone_pass(gate: GateSpec, found: str, *, n: int, adverse: int) -> str:
    """Word a clone gate that passes."""
    zero = " zero observed is not zero probability;" if adverse == 0 else ""
    return (
        f"fewer than {rate(gate.upper or 0)} adverse is supported for {_these(n)} under {MODEL} "
        f"({found}); marginal bound;{zero} {SCOPE}"
    )


def clone_miss(gate: GateSpec, found: str, *, beyond: bool) -> str:
    """Word a clone gate that misses; ``beyond`` says that the rate's other bound is over the limit too."""
    limit = rate(gate.upper or 0)
    missed = f"fewer than {limit} adverse is not supported by this evidence ({found})"
    return missed + _no_evidence(f"that the rate exceeds {limit}", beyond=beyond)


def _no_evidence(of: str, *, beyond: bool) -> str:
    """Say what a miss is no evidence of; nothing where it would be, though no gate claims that."""
    return "" if beyond else f"; that is not evidence {of}"


def utility(gate: GateSpec, found: Utility, *, n: int, passed: bool) -> str:
    """Word a utility gate that passes or misses."""
    limit = rate(gate.lower or 0)
    mean = f"mean {rate(found.estimate, apart_from=gate.lower)}"
    if found.weighted is not None:
        shown = rate(found.weighted, apart_from=gate.lower)
        mean = f"weighted mean {shown} (unweighted {rate(found.estimate)})"
    measured = (
        f"{mean} over {counted(n, 'task')} in "
        f"{counted(len(found.sizes), 'stratum', 'strata')}, {_bounds(gate, found)}"
    )
    if passed:
        claim = (
            f"a mean utility of at least {limit} is supported for {_these(n)} under a working model of "
            f"independent tasks ({measured}); for these strata, not adjusted for several cells; {SCOPE}"
        )
    else:
        claim = f"a mean utility of at least {limit} is not supported by this evidence ({measured})"
        claim += _no_evidence("that it is lower", beyond=found.interval[1] < (gate.lower or 0))
    return f"{claim}; {_under_coverage(gate, found.sizes)}" if gate.bound == "bootstrap" else claim


def _bounds(gate: GateSpec, found: Utility) -> str:
    lower = f"bootstrap lower bound {rate(found.lower, apart_from=gate.lower)}"
    if gate.bound == "exact" and found.exact is not None:
        lower = f"exact lower bound {rate(found.exact, apart_from=gate.lower)}"
    if gate.bound == "checked":
        lower += f" and checked lower bound {rate(found.checked, apart_from=gate.lower)}"
    return f"{lower} at {rate(gate.confidence)}"


SIMULATED = 0.95
"""The confidence of the simulations."""

BY_SIZE: Sequence[tuple[int, str]] = ((60, "8 to 12 %"), (200, "7 to 8 %"))
BY_STRATUM: Sequence[tuple[float, str]] = ((3, "15 to 19 %"), (4.5, "12 to 13 %"))
"""Tasks, and tasks a stratum, up to which its bound reaches a true mean of .75 so often (RULES 2)."""

FEWEST_SIMULATED = 20


def _under_coverage(gate: GateSpec, sizes: Mapping[str, int]) -> str:
    """Say how often the bound of the source's rule reaches a true mean, at about this size."""
    if gate.confidence != SIMULATED:
        return f"the bootstrap rule alone under-covers; how much was simulated at {rate(SIMULATED)} only"
    tasks = sum(sizes.values())
    often, like = (
        next((text for limit, text in BY_SIZE if tasks <= limit), "5 to 6 %"),
        "of about this size",
    )
    if tasks < FEWEST_SIMULATED:
        like = f"of {FEWEST_SIMULATED} to 60 tasks"
    for limit, text in reversed(BY_STRATUM):
        if tasks / len(sizes) <= limit:
            often, like = text, "with strata of about this size"
    below = f", higher still below {FEWEST_SIMULATED} tasks" if tasks < FEWEST_SIMULATED else ""
    return (
        "the bootstrap rule alone under-covers: simulated at a true mean of .75, its bound reaches that "
        f"mean in {often} of audits {like}{below}, for a nominal 5 %"
    )


def rates(
    gate: GateSpec, *, successes: int, n: int, trials: int, bound: float, passed: bool, beyond: bool
) -> str:
    """Word a rate gate that passes or misses; ``trials`` is the most that a unit has (RULES R20)."""
    side = "upper" if gate.lower is None else "lower"
    limit = (gate.lower if gate.upper is None else gate.upper) or 0.0
    claim = f"a success rate of {'at most' if side == 'upper' else 'at least'} {rate(limit)}"
    found = (
        f"{share(successes, n)}, {side} bound {rate(bound, apart_from=limit)} at {rate(gate.confidence)}, "
        "unadjusted"
    )
    if trials > 1:
        found += f"; a unit of up to {trials} trials succeeds only if every one of them does"
    if passed:
        return f"{claim} is supported for {_these(n)} under {MODEL} ({found}); no population guarantee"
    return f"{claim} is not supported by this evidence ({found})" + _no_evidence(
        "of the contrary", beyond=beyond
    )


def errors(
    gate: GateSpec, arm: str, *, adverse: int, n: int, upper: float, passed: bool, beyond: bool
) -> str:
    """Word a rate gate on labelled answers that passes or misses; an invalid output is an error."""
    limit = rate(gate.upper or 0)
    claim = f"fewer than {limit} {ERRORS[arm]}"
    found = (
        f"{adverse} of {counted(n, 'task')} adverse, upper bound {rate(upper, apart_from=gate.upper)} "
        f"at {rate(gate.confidence)}, unadjusted"
    )
    if not passed:
        return f"{claim} is not supported by this evidence ({found})" + _no_evidence(
            f"that the rate exceeds {limit}", beyond=beyond
        )
    zero = " zero observed is not zero probability;" if adverse == 0 else ""
    return f"{claim} is supported for {_these(n)} under {MODEL} ({found}); marginal bound;{zero} {SCOPE}"


def operational(campaign: Campaign) -> str:
    """Word the state of a campaign that is not on HOLD."""
    found = campaign.configuration
    return (
        f"{share(found.invalid, found.calls)} outputs are no verdict, at most {rate(found.max_invalid)} "
        "may be; every scheduled call has one usable answer; a count, no bound"
    )


HOLD = "could not measure; nothing is claimed"
PARTIAL = "not evaluated, because only a part was run; nothing is claimed"


def selected(scheduled: int, declared: int, *, seen: int) -> str:
    """Say how much of a cell was run."""
    cut = f", and {seen} of those were run" if seen < scheduled else ""
    return f"{scheduled} of {declared} declared presentations were selected{cut}"


def ruled(terminal: int, declared: int) -> str:
    """Say how much of a campaign was run: the rest may still hold it."""
    return f"operational rule applied to {terminal:,} of {declared:,} calls of the campaign"


def absent_members(standing: Standing, p_raw: float, level: float) -> str:
    """Say why a complete gate is not evaluated: members of its family were not run in full."""
    adjusted = p_value(standing.p_holm or 1.0, apart_from=level)
    return (
        f"{standing.absent} of the {len(standing.members)} gates of its Holm family were not run in full; "
        f"alone it has {p_value(p_raw, apart_from=level)}, with those at p = 1 adjusted {adjusted}"
    )


def underpowered(n: int, needed: int, *, m: int) -> str:
    """Say that a clone gate cannot pass at this size, and which size could."""
    family = f" in a Holm family of {m}" if m > 1 else ""
    return f"{counted(n, 'task')} cannot pass even with 0 adverse{family}: {_at_least(needed)}"


def underpowered_utility(n: int, needed: int, *, best: float, threshold: float) -> str:
    """Say that a utility gate cannot pass at this size, and which size could."""
    enough = _at_least(needed) if needed > n else "more tasks in each stratum are needed"
    shown = rate(best, apart_from=threshold)
    return f"{counted(n, 'task')} cannot pass: the highest bound that any outcome has is {shown}: {enough}"


def underpowered_rate(n: int, needed: int) -> str:
    """Say that a rate gate cannot pass at this size, and which size could."""
    return f"{counted(n, 'task')} cannot pass whatever the outcomes: {_at_least(needed)}"


def _at_least(needed: int) -> str:
    return f"at least {counted(needed, 'task')} {'is' if needed == 1 else 'are'} needed"
