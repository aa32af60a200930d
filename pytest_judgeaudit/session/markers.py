"""The arguments of markers, read into checked values."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pytest_judgeaudit.records.errors import Refused, addressed, nearest
from pytest_judgeaudit.records.items import Context, Kind, Stratum
from pytest_judgeaudit.records.labelled import Control
from pytest_judgeaudit.records.plans import GateSpec
from pytest_judgeaudit.session.arms import checked_arms
from pytest_judgeaudit.session.labelling import checked_controls, checked_words
from pytest_judgeaudit.session.marking import GATES, SOURCES

KINDS: Mapping[str, Kind] = {
    "clone_pairs": "clone",
    "signal_pairs": "signal",
    "equivalent_pairs": "equivalent",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceSpec:
    """
    The arguments of a source marker: where the items come from and which of them are wanted.

    ``context`` names the field of a row that holds the third candidate of a context audit.
    """

    marker: str
    source: str | Path | Iterable[Any]
    strata: tuple[Stratum, ...] = ("core",)
    fields: Mapping[str, str] | None = None
    context: str | None = None

    @property
    def contexts(self) -> tuple[Context, ...]:
        """The contexts in which each pair is shown."""
        return ("",) if self.context is None else ("absent", "present")

    @property
    def kind(self) -> Kind:
        """The kind of pairs."""
        return KINDS[self.marker]

    @property
    def carrier(self) -> str:
        """The argument that carries a row."""
        return "pair"


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionSpec:
    """
    The arguments of ``questions``: the file, the corpus it asks about, the arms, and how often.

    ``judges`` names those that the answers are put to, None for all that judge answers; ``agents`` those
    that are asked, None for all.
    """

    marker: str
    source: str | Path
    corpus: str | None
    arms: tuple[str, ...]
    replicates: int
    judges: tuple[str, ...] | None
    agents: tuple[str, ...] | None = None

    @property
    def carrier(self) -> str:
        """The argument that carries a row."""
        return "question"


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswersSpec:
    """The arguments of ``labelled_answers``; ``labels`` says how the source writes good and bad."""

    marker: str
    source: str | Path | Iterable[Any]
    fields: Mapping[str, str] | None
    controls: tuple[Control, ...]
    labels: Mapping[str, str | int | bool] | None

    @property
    def carrier(self) -> str:
        """The argument that carries a row."""
        return "item"


Spec = SourceSpec | QuestionSpec | AnswersSpec


def source_of(definition: pytest.Item) -> Spec | None:
    """Read the source marker of a test; Refused for two of them or wrong arguments."""
    found = [mark for name in SOURCES if (mark := definition.get_closest_marker(name))]
    if not found:
        return None
    if len(found) > 1:
        names = " and ".join(mark.name for mark in found)
        raise Refused(f"found the markers {names}, expected one source. Write two tests.")
    (mark,) = found
    with addressed(mark.name):
        if mark.name == "questions":
            return QuestionSpec(marker=mark.name, **_bound(_questions, mark))
        if mark.name == "labelled_answers":
            return AnswersSpec(marker=mark.name, **_bound(_SOURCE_FORMS[mark.name], mark))
        return SourceSpec(marker=mark.name, **_bound(_SOURCE_FORMS[mark.name], mark))


def carrier_of(definition: pytest.Item) -> str | None:
    """Name the argument by which a source marker hands over its rows; None without one."""
    found = next((name for name in SOURCES if definition.get_closest_marker(name)), None)
    return None if found is None else SOURCES[found][0]


def gates_of(definition: pytest.Item) -> tuple[GateSpec, ...]:
    """Read the gate markers of a test; Refused for wrong arguments."""
    specs = []
    for name in GATES:
        with addressed(name):
            marks = _closest(definition, name)
            specs += [GateSpec(kind=name, **_bound(_GATE_FORMS[name], mark)) for mark in marks]  # type: ignore[arg-type]
            _refuse_twice([spec for spec in specs if spec.kind == name], definition)
    return tuple(specs)


def _closest(definition: pytest.Item, name: str) -> list[pytest.Mark]:
    """List the markers of a name at the closest place that has one: the test, its class or its module."""
    found = [(node, mark) for node, mark in definition.iter_markers_with_node(name)]
    return [mark for node, mark in found if node is found[0][0]]


def _refuse_twice(specs: Sequence[GateSpec], definition: pytest.Item) -> None:
    """Refuse a second gate of a kind, but for those of labelled answers that name an arm of their own."""
    arms = [spec.where and spec.where["arm"] for spec in specs]
    if len(specs) < 2 or (None not in arms and len(set(arms)) == len(arms) and _by_arm(specs, definition)):
        return
    told = "one that names an arm for each" if _by_arm(specs, definition) else "one"
    raise Refused(f"found {len(specs)} of these markers, expected {told}. Leave the others out.")


def _by_arm(specs: Sequence[GateSpec], definition: pytest.Item) -> bool:
    return specs[0].kind == "rate_gate" and carrier_of(definition) == "item"


def _bound(form: Callable[..., dict[str, Any]], mark: pytest.Mark) -> dict[str, Any]:
    """Call a marker's form, with a refusal in our words for names that do not fit."""
    names = list(inspect.signature(form).parameters)
    for name in mark.kwargs:
        if name not in names:
            raise Refused(f"unknown argument {name!r}, expected {', '.join(names)}.{nearest(name, names)}")
    try:
        inspect.signature(form).bind(*mark.args, **mark.kwargs)
    except TypeError as error:
        raise Refused(f"{error}, expected ({', '.join(names)})") from None
    return form(*mark.args, **mark.kwargs)


def _clone_pairs(source: Any, strata: Any = ("core",), fields: Any = None) -> dict[str, Any]:
    known = ("core", "empty", "whitespace")
    if isinstance(strata, str) or not isinstance(strata, Collection) or not strata:
        raise Refused(f"strata: found {strata!r}, expected a tuple of {', '.join(known)}")
    for stratum in strata:
        if stratum not in known:
            raise Refused(
                f"strata: found {stratum!r}, expected {', '.join(known)}.{nearest(str(stratum), known)}"
            )
    return {"source": _source(source), "strata": tuple(strata), "fields": _fields(fields)}


def _contrast_pairs(source: Any, fields: Any = None, context: Any = None) -> dict[str, Any]:
    return {"source": _source(source), "fields": _fields(fields), "context": _label("context", context)}


def _questions(
    source: Any,
    corpus: Any = None,
    arms: Any = ("sighted", "blind"),
    replicates: Any = 1,
    judges: Any = None,
    agents: Any = None,
) -> dict[str, Any]:
    if not isinstance(source, (str, Path)):
        raise Refused(f"source: found {source!r}, expected the path of a question file")
    if isinstance(replicates, bool) or not isinstance(replicates, int) or not 1 <= replicates <= 1000:
        raise Refused(f"replicates: found {replicates!r}, expected a whole number from 1 to 1000")
    return {
        "source": source,
        "corpus": _label("corpus", corpus),
        "arms": checked_arms(arms),
        "replicates": replicates,
        "judges": _names("judges", judges),
        "agents": _names("agents", agents),
    }


def _labelled_answers(
    source: Any, fields: Any = None, controls: Any = ("blank", "repeated"), labels: Any = None
) -> dict[str, Any]:
    return {
        "source": _source(source),
        "fields": _fields(fields),
        "controls": checked_controls(controls),
        "labels": checked_words(labels),
    }


def _names(what: str, names: Any) -> tuple[str, ...] | None:
    if names is None:
        return None
    listed = isinstance(names, (tuple, list)) and all(isinstance(name, str) for name in names)
    if not listed or not names or len(set(names)) < len(names):
        raise Refused(f"{what}: found {names!r}, expected a tuple of {what}' names, each once")
    return tuple(names)


def _source(source: Any) -> Any:
    if not isinstance(source, (str, Path, Iterable)):
        raise Refused(f"source: found {source!r}, expected a path, battery:NAME or items")
    return source


def _fields(fields: Any) -> Mapping[str, str] | None:
    if fields is None:
        return None
    if not isinstance(fields, Mapping) or not all(isinstance(v, str) for kv in fields.items() for v in kv):
        raise Refused(
            f"fields: found {fields!r}, expected a table of field names, such as {{'prompt': 'ask'}}"
        )
    return dict(fields)


def _clone_gate(
    upper: Any = 0.05, confidence: Any = 0.95, adjust: Any = "holm", family: Any = None, study: Any = None
) -> dict[str, Any]:
    return {
        "upper": _rate("upper", upper),
        "confidence": _rate("confidence", confidence),
        "adjust": _choice("adjust", adjust, ("holm", "none")),
        "family": _label("family", family),
        "study": _label("study", study),
    }


def _utility_gate(
    lower: Any = 0.75,
    confidence: Any = 0.95,
    strata: Any = "subset",
    bound: Any = "checked",
    weights: Any = None,
    study: Any = None,
) -> dict[str, Any]:
    return {
        "lower": _rate("lower", lower),
        "confidence": _rate("confidence", confidence),
        "strata": _choice("strata", strata, ("subset", "family")),
        "bound": _choice("bound", bound, ("checked", "bootstrap", "exact")),
        "weights": _weights(weights),
        "study": _label("study", study),
    }


def _rate_gate(
    upper: Any = None, lower: Any = None, confidence: Any = 0.95, where: Any = None
) -> dict[str, Any]:
    if (upper is None) == (lower is None):
        raise Refused("found both or neither of upper and lower, expected one of them")
    if where is not None and (not isinstance(where, Mapping) or set(where) != {"arm"}):
        raise Refused(f"where: found {where!r}, expected {{'arm': NAME}}")
    return {
        "upper": None if upper is None else _rate("upper", upper),
        "lower": None if lower is None else _rate("lower", lower),
        "confidence": _rate("confidence", confidence),
        "where": where,
    }


def _blind_floor(max: Any = None) -> dict[str, Any]:  # noqa: A002 - the public name of the argument
    number = isinstance(max, (int, float)) and not isinstance(max, bool) and math.isfinite(max)
    if max is not None and not (number and 0 <= max < 100):
        raise Refused(f"max: found {max!r}, expected a floor of 100, from 0 to below 100")
    return {"maximum": None if max is None else float(max)}


def _operational_gate(max_invalid: Any = 0.01) -> dict[str, Any]:
    return {"max_invalid": _rate("max_invalid", max_invalid, zero=True)}


def _rate(name: str, value: Any, *, zero: bool = False) -> float:
    number = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
    if not number or not (0 < value < 1 or (zero and value == 0)):
        raise Refused(f"{name}: found {value!r}, expected a rate between 0 and 1, such as 0.05 for 5 %")
    return float(value)


def _choice(name: str, value: Any, known: tuple[str, ...]) -> str:
    if value not in known:
        raise Refused(
            f"{name}: found {value!r}, expected {' or '.join(known)}.{nearest(str(value), known)}"
        )
    return str(value)


def _label(name: str, value: Any) -> str | None:
    if value is not None and (not isinstance(value, str) or not value.strip()):
        raise Refused(f"{name}: found {value!r}, expected a name")
    return value


def _weights(weights: Any) -> Mapping[str, float] | None:
    if weights is None:
        return None
    if not isinstance(weights, Mapping) or not weights:
        raise Refused(f"weights: found {weights!r}, expected a table of shares, such as {{'Math': 0.4, …}}")
    shares = {str(name): _rate(f"weights[{name!r}]", share) for name, share in weights.items()}
    if abs(sum(shares.values()) - 1) > 1e-9:
        raise Refused(f"weights: found shares that sum to {sum(shares.values()):g}, expected 1")
    return shares


_SOURCE_FORMS: Mapping[str, Callable[..., dict[str, Any]]] = {
    "labelled_answers": _labelled_answers,
    "clone_pairs": _clone_pairs,
    "signal_pairs": _contrast_pairs,
    "equivalent_pairs": _contrast_pairs,
}
_GATE_FORMS: Mapping[str, Callable[..., dict[str, Any]]] = {
    "clone_gate": _clone_gate,
    "utility_gate": _utility_gate,
    "rate_gate": _rate_gate,
    "blind_floor": _blind_floor,
    "operational_gate": _operational_gate,
}
