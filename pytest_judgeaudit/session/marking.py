"""The markers by name, and what they say of themselves. Every run of pytest imports it: keep it light."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

SOURCES: Mapping[str, tuple[str, ...]] = {
    "clone_pairs": ("pair",),
    "signal_pairs": ("pair",),
    "equivalent_pairs": ("pair",),
    "questions": ("question", "arm", "replicate"),
    "labelled_answers": ("item",),
}
"""Source markers and the parameters that each of them fills."""

GATES = ("clone_gate", "utility_gate", "rate_gate", "blind_floor", "operational_gate")
OURS = (*SOURCES, *GATES)

DESCRIPTIONS = (
    "clone_pairs(source, strata=('core',), fields=None): parametrise `pair` with exact copies",
    "signal_pairs(source, fields=None, context=None): parametrise `pair` with targets, in both orders",
    "equivalent_pairs(source, fields=None, context=None): parametrise `pair` with certified equivalents",
    (
        "questions(source, corpus=None, arms=('sighted', 'blind'), replicates=1, judges=None, "
        "agents=None): questions for an agent"
    ),
    (
        "labelled_answers(source, fields=None, controls=('blank', 'repeated'), labels=None): parametrise "
        "`item` with single answers that are good or bad"
    ),
    "clone_gate(upper=.05, confidence=.95, adjust='holm', family=None, study=None): copies must tie",
    (
        "utility_gate(lower=.75, confidence=.95, strata='subset', bound='checked', weights=None, "
        "study=None): targets win"
    ),
    "rate_gate(upper=None, lower=None, confidence=.95, where=None): bound the rate of success of any test",
    "blind_floor(max=None): require a verified blind arm for every scored cell",
    "operational_gate(max_invalid=.01): change the share of invalid output that holds a campaign",
)


def register(config: pytest.Config) -> None:
    """Describe the markers to pytest, for ``--markers`` and ``--strict-markers``."""
    for description in DESCRIPTIONS:
        config.addinivalue_line("markers", description)


def is_eval(item: pytest.Item) -> bool:
    """Whether a test has a marker of ours; in one walk, since all tests of any suite are looked at."""
    return any(mark.name in OURS for mark in item.iter_markers())


def parametrized(definition: pytest.Item) -> list[str]:
    """Return the arguments that the test's own ``parametrize`` markers fill."""
    return [name for mark in definition.iter_markers("parametrize") for name in argument_names(mark)]


def argument_names(mark: pytest.Mark) -> Sequence[str]:
    """Return the arguments that one ``parametrize`` marker fills."""
    names = mark.args[0] if mark.args else mark.kwargs.get("argnames", ())
    return [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
