"""From a file to a configuration, or to one refusal that names every fault in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel

from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.settings import checking
from pytest_judgeaudit.settings.declared import Contributed
from pytest_judgeaudit.settings.expectations import prediction_faults
from pytest_judgeaudit.settings.faults import Fault, read_table, unknown_key, without_faults
from pytest_judgeaudit.settings.models import (
    AgentSettings,
    Configuration,
    CorpusSettings,
    Endpoint,
    JudgeSettings,
)
from pytest_judgeaudit.settings.showing import quoted, shown
from pytest_judgeaudit.settings.sources import Source, addressed_lines, find_source
from pytest_judgeaudit.settings.studies import (
    AuditSettings,
    ClaimSettings,
    CriterionSettings,
    ExclusionSettings,
    PredictionSettings,
    RiskSettings,
)
from pytest_judgeaudit.settings.tables import BUILT_IN_CRITERIA, PARSERS, TRACES

Table = TypeVar("Table", bound=BaseModel)

ARRAYS: Mapping[str, tuple[str, type[BaseModel]]] = {
    "judge": ("judges", JudgeSettings),
    "agent": ("agents", AgentSettings),
    "corpus": ("corpora", CorpusSettings),
    "prediction": ("predictions", PredictionSettings),
    "risk": ("risks", RiskSettings),
    "claim": ("claims", ClaimSettings),
    "exclusion": ("exclusions", ExclusionSettings),
    "criterion": ("criteria", CriterionSettings),
}
"""Arrays of tables: their name in the file → the configuration's field, and the model of an entry."""

TABLES: Mapping[str, str] = {
    **{name: f"[[{name}]]" for name in ARRAYS},
    "audit": "[audit]",
    "aliases": "[aliases]",
}
"""All tables, each as it is written."""


_NOTHING = Contributed()


def read_configuration(
    file: Path | None, *, root: Path, contributed: Contributed = _NOTHING
) -> Configuration:
    """
    Read the configuration of a run.

    ``file`` where one is named, else ``judgeaudit.toml`` in ``root``, else ``[tool.judgeaudit]`` in its
    ``pyproject.toml``, else an empty configuration. ``contributed`` is what plug-ins registered.
    Refused, with one line a fault: a file that cannot be read, and anything in it that is not
    as DESIGN 3 says.
    """
    source = find_source(file, root)
    return Configuration() if source is None else configuration_of(source, contributed=contributed)


def configuration_of(source: Source, *, contributed: Contributed = _NOTHING) -> Configuration:
    """Read the configuration that a source holds; refused as :func:`read_configuration` says."""
    known = checking.Known(
        criteria=(*BUILT_IN_CRITERIA, *_names(source.table.get("criterion"))),
        apis=contributed.apis,
        parsers=(*PARSERS, *contributed.parsers),
        traces=(*TRACES, *contributed.traces),
        corpora=tuple(_names(source.table.get("corpus"))),
        agents=tuple(_names(source.table.get("agent"))),
    )
    try:
        fields, faults = _read(source.table, known)
    except RecursionError:
        raise Refused(f"{source.label}: nested too deeply to be a configuration") from None
    if faults:
        raise Refused("\n".join(addressed_lines(source, faults)))
    for kind in ("judges", "agents"):
        fields[kind] = tuple(
            _rooted(table, source.file.parent).declared(contributed) for table in fields.get(kind, ())
        )
    return Configuration(file=source.file, **fields)


def _rooted(table: Endpoint, folder: Path) -> Endpoint:
    """Complete the path of a certificate file, which belongs to the machine and not to the protocol."""
    return table.model_copy(update={"ca_file": str(folder / table.ca_file)}) if table.ca_file else table


def _read(document: Mapping[str, Any], known: checking.Known) -> tuple[dict[str, Any], list[Fault]]:
    """Read all tables; the fields of the configuration, and all faults by the order of the file."""
    fields: dict[str, Any] = {}
    faults: list[Fault] = []
    for name, value in document.items():
        if name in ARRAYS:
            field, model = ARRAYS[name]
            fields[field] = _entries(name, value, model, known, faults)
        elif name == "audit":
            fields["audit"] = _audit(value, faults)
        elif name == "aliases":
            fields["aliases"] = _aliases(value, faults)
        else:
            faults.append(Fault((name,), unknown_key(name, TABLES)))
    faults += _doubles(document)
    return fields, faults


def _entries(
    name: str, value: Any, model: type[Table], known: checking.Known, faults: list[Fault]
) -> tuple[Table, ...]:
    if not isinstance(value, list):
        faults.append(
            Fault((name,), f"found {shown(value)}, expected an array of tables. Write [[{name}]].")
        )
        return ()
    found: list[Table] = []
    for index, entry in enumerate(value):
        if not isinstance(entry, dict):
            faults.append(
                Fault((name, index), f"found {shown(entry)}, expected a table. Write [[{name}]].")
            )
            continue
        table, wrong = _entry(model, _completed(name, entry, known), known)
        faults += [Fault((name, index, *fault.path), fault.message) for fault in wrong]
        if table is not None:
            found.append(table)
    return tuple(found)


def _entry(
    model: type[Table], entry: Mapping[str, Any], known: checking.Known
) -> tuple[Table | None, list[Fault]]:
    table, wrong = read_table(model, entry)
    faulty = {fault.path[0] for fault in wrong}
    partial = table or without_faults(model, entry, wrong)
    wrong += [fault for fault in _cross_checks(partial, known) if fault.path[0] not in faulty]
    return table, wrong


def _completed(kind: str, table: Mapping[str, Any], known: checking.Known) -> Mapping[str, Any]:
    """Complete a table with the model's name where an API can do without: the judge's own name."""
    without = ("recorded", "python", *known.apis)
    if kind == "judge" and "model" not in table and table.get("api") in without:
        return {**table, "model": table.get("name", "-")}
    return table


def _cross_checks(table: BaseModel | None, known: checking.Known) -> Iterator[Fault]:
    match table:
        case JudgeSettings():
            yield from checking.name_faults(table.name)
            yield from checking.judge_faults(table, known)
        case AgentSettings():
            yield from checking.name_faults(table.name)
            yield from checking.agent_faults(table, known)
        case PredictionSettings():
            yield from prediction_faults(table, known)
        case CriterionSettings() if table.name in BUILT_IN_CRITERIA:
            yield Fault(("name",), f"{quoted(table.name)} is built in. Choose another name.")
        case RiskSettings() if table.pi_c + table.pi_e > 1:
            yield Fault(("pi_e",), "pi_c and pi_e are shares of the same tasks: together at most 1.")
        case _:
            return


def _audit(value: Any, faults: list[Fault]) -> AuditSettings:
    if not isinstance(value, dict):
        faults.append(Fault(("audit",), f"found {shown(value)}, expected a table. Write [audit]."))
        return AuditSettings()
    table, wrong = read_table(AuditSettings, value)
    faults += [Fault(("audit", *fault.path), fault.message) for fault in wrong]
    return table or AuditSettings()


def _aliases(value: Any, faults: list[Fault]) -> Mapping[str, str]:
    if not isinstance(value, dict):
        faults.append(Fault(("aliases",), f"found {shown(value)}, expected a table. Write [aliases]."))
        return {}
    for name, other in value.items():
        if not isinstance(other, str) or not other.strip() or not name.strip():
            faults.append(
                Fault(
                    ("aliases", name), f"found {shown(other)}, expected the name of a model on both sides."
                )
            )
    return value


def _names(tables: Any) -> list[str]:
    """List the names that an array of tables declares, whatever else is wrong with it."""
    entries = tables if isinstance(tables, list) else []
    return [
        entry["name"] for entry in entries if isinstance(entry, dict) and isinstance(entry.get("name"), str)
    ]


def _doubles(document: Mapping[str, Any]) -> Iterator[Fault]:
    """Find names that are used twice; judges and agents share a folder, where case may not count."""
    for kinds in (("judge", "agent"), ("corpus",), ("criterion",), ("risk",), ("prediction",)):
        seen: dict[str, str] = {}
        for kind in kinds:
            entries = document.get(kind)
            for index, entry in enumerate(entries if isinstance(entries, list) else ()):
                key = "id" if kind == "prediction" else "name"
                name = entry.get(key) if isinstance(entry, dict) else None
                if not isinstance(name, str):
                    continue
                before = seen.setdefault(name.casefold(), f"{kind}[{index + 1}]")
                if before != f"{kind}[{index + 1}]":
                    yield Fault((kind, index, key), f"found {quoted(name)}, the name of {before} already.")
