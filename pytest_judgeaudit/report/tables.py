"""Configurations and cells as tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import NamedTuple

from pytest_judgeaudit.audit.apart import EDGE
from pytest_judgeaudit.audit.numbers import bare_p, counted, money, rate
from pytest_judgeaudit.records.audits import Audit, Cell, Configuration, Gate
from pytest_judgeaudit.records.labelled import ERRORS, LABELLED_ARMS
from pytest_judgeaudit.report.lines import Block, columns, line, wrapped
from pytest_judgeaudit.report.text import safe

NONE = "–"
FACTS = ("state", "served", "calls", "invalid", "tokens", "cost")
EDGES = ("empty", "whitespace")

Gates = Mapping[str, Sequence[Gate]]
"""Gates by the id of their cell."""


def configurations(audit: Audit, width: int) -> list[Block]:
    """Return one line a campaign: judge, state, served model, calls, invalid outputs, tokens."""
    if not audit.configurations:
        return []
    studies = _studies(found.study for found in audit.configurations)
    rows = [("judge", "study" if any(studies.values()) else "", *FACTS)]
    rows += [
        (
            safe(found.judge, shown=60),
            studies[found.study],
            found.state,
            safe(_served(found, wide=width >= NARROW), shown=80),
            f"{found.calls:,}",
            f"{found.invalid} ({rate(found.invalid_rate)})" if found.invalid else "0",
            _tokens(found.usage),
            _cost(found),
        )
        for found in audit.configurations
    ]
    texts = list(columns(rows, right={4, 5, 6, 7}, flexible=(3, 1, 0), width=width))
    held = [found.state == "HOLD" for found in audit.configurations]
    return _blocks(texts, [False] * len(held), held)


def _studies(studies: Iterable[str]) -> dict[str, str]:
    """Shorten the studies' names to what tells them apart; to nothing where there is one."""
    names = list(dict.fromkeys(studies))
    if len(names) < 2:
        return dict.fromkeys(names, "")
    short = {name: safe(name.rpartition("/")[2].removesuffix(".py"), shown=60) for name in names}
    return (
        short if len(set(short.values())) == len(names) else {name: safe(name, shown=60) for name in names}
    )


def _studies_of(cells: Iterable[Cell]) -> dict[str, str]:
    """Name the studies of cells, unless each judge is in one study only: the configurations tell which."""
    pairs = {(cell.judge, cell.study) for cell in cells}
    if len(pairs) == len({judge for judge, _ in pairs}):
        return dict.fromkeys((study for _, study in pairs), "")
    return _studies(cell.study for cell in cells)


def _tokens(used: Mapping[str, int]) -> str:
    """Show tokens in and out; unknown is not 0."""
    if used.get("prompt") or used.get("completion"):
        known = f"{used['prompt']:,} + {used['completion']:,}"
        return f"{known} + unknown" if used.get("unknown_calls") else known
    return "unknown" if used.get("unknown_calls") else NONE


def _cost(found: Configuration) -> str:
    """Show what the known tokens cost; nothing without a price, and unknown is not 0."""
    if found.cost is None or not (found.cost or found.usage.get("unknown_calls")):
        return ""
    return money(found.cost) + (" + unknown" if found.usage.get("unknown_calls") else "")


def _served(found: Configuration, *, wide: bool) -> str:
    names = ", ".join(found.served)
    if found.identity == "construction":
        return f"{found.requested or found.api} (in the process)" if wide else found.requested or found.api
    if found.identity == "undeclared log":
        return "declared by the log"
    if found.served_as_requested:
        return f"{names} (as requested)" if wide else names
    return f"{names or 'not stated'} (requested {found.requested or 'nothing'})"


class Row(NamedTuple):
    """One row of the table of cells, each entry as it is shown."""

    name: str
    study: str
    adverse: str = ""
    upper: str = ""
    p: str = ""
    clone: str = ""
    utility: str = ""
    lower: str = ""
    signal: str = ""
    label: str = ""


TITLES = Row("", "", "adverse", "upper", "adj. p", "clone", "utility", "lower", "signal", "joint label")
NARROW = 100
"""Below so many columns the states of two gates are left to their joint label."""

TELLING = ("both gates pass", "clone gate only", "utility gate only", "neither", "HOLD")
"""Joint labels that say how both gates ended."""


def cells(audit: Audit, width: int) -> list[Block]:
    """Return a row for each configuration and criterion: its core copies beside its signal pairs."""
    gates = _by_cell(audit)
    labels = {(found.study, found.judge, found.criterion): found.label for found in audit.joint}
    groups: dict[tuple[str, str | None, str | None], tuple[list[Cell], list[Cell]]] = {}
    for cell in audit.cells:
        if _tabled(cell):
            pair = groups.setdefault((cell.study, cell.judge, cell.criterion), ([], []))
            pair[cell.arm == "signal"].append(cell)
    studies = _studies_of(audit.cells)
    rows, missed, held = [TITLES], [], []
    for (study, judge, criterion), (clones, signals) in groups.items():
        for index, (clone, signal) in enumerate(zip_longest(clones, signals)):
            name = " ".join(filter(None, (judge, criterion, _which(clone, signal, clones, signals))))
            own = [gate for cell in (clone, signal) if cell for gate in gates[cell.id]]
            label = labels.get((study, judge or "", criterion or ""), "") if index == 0 else ""
            label += " (expected)" if label and _expected(own) else ""
            rows.append(_row(Row(safe(name, shown=80), studies[study], label=label), clone, signal, gates))
            missed.append(any(gate.outcome == "failed" for gate in own))
            held.append(any(gate.outcome == "error" for gate in own))
    if len(rows) == 1:
        return []
    shown = rows if width >= NARROW else list(_narrowed(rows))
    return _blocks(
        list(columns(shown, right={2, 3, 4, 6, 7}, flexible=(0, 9, 1), width=width)), missed, held
    )


def _narrowed(rows: Sequence[Row]) -> Iterator[Row]:
    """Take the columns of states away, and put them into labels that do not tell them."""
    yield rows[0]._replace(clone="", signal="", label="gates")
    for row in rows[1:]:
        states = ", ".join(filter(None, (row.clone, row.signal)))
        told = row.label.startswith(TELLING)
        label = row.label if told else ": ".join(filter(None, (row.label, states)))
        yield row._replace(clone="", signal="", label=label)


def _expected(gates: Sequence[Gate]) -> bool:
    return any(gate.expected == "uncertified" for gate in gates) and all(
        gate.outcome == "passed" for gate in gates
    )


def _which(
    clone: Cell | None, signal: Cell | None, clones: Sequence[Cell], signals: Sequence[Cell]
) -> str | None:
    """Tell several cells of one configuration and criterion apart by their tests."""
    if len(clones) < 2 and len(signals) < 2:
        return None
    tests = [cell.id.partition("::")[2].partition("::")[0] for cell in (clone, signal) if cell]
    return " / ".join(dict.fromkeys(tests))


def _row(row: Row, clone: Cell | None, signal: Cell | None, gates: Gates) -> Row:
    if clone is not None:
        row = row._replace(
            adverse=f"{clone.counts['adverse']}/{clone.tasks}" if clone.state == "OK" else NONE,
            upper=_rate(clone.upper),
            p=bare_p(clone.p_holm) if clone.p_holm is not None else _raw(clone.p_raw),
            clone=_state(clone, gates, "clone_gate"),
        )
    if signal is not None:
        decided = [gate.bound for gate in gates[signal.id] if gate.kind == "utility_gate"]
        row = row._replace(
            utility=_rate(signal.estimate),
            lower=_rate(decided[0] if decided else signal.lower_checked),
            signal=_state(signal, gates, "utility_gate"),
        )
    return row


def _rate(value: float | None) -> str:
    return NONE if value is None else rate(value)


def _raw(p: float | None) -> str:
    return NONE if p is None else f"{bare_p(p)} raw"


def _state(cell: Cell, gates: Gates, kind: str) -> str:
    states = [gate.state for gate in gates[cell.id] if gate.kind == kind]
    return states[0] if states else "no gate" if cell.state == "OK" else cell.state


def _by_cell(audit: Audit) -> Gates:
    found: dict[str, list[Gate]] = defaultdict(list)
    for gate in audit.gates:
        found[gate.cell].append(gate)
    return found


def others(audit: Audit, width: int) -> list[Block]:
    """Return a line for each other cell, and for each gate that the table of cells has no column for."""
    gates = _by_cell(audit)
    studies = _studies_of(audit.cells)
    found = [(cell, gate) for cell in audit.cells for gate in _untabled(cell, gates[cell.id])]
    rows = [_other(cell, gate, studies[cell.study]) for cell, gate in found]
    if len({cell.eval for cell in audit.cells}) == 1 and all(
        cell.arm in LABELLED_ARMS for cell, _ in found
    ):
        # One test has all of these arms: its name would take the room of the counts.
        rows = [(name, study, "", *rest) for name, study, _, *rest in rows]
    missed = [gate is not None and gate.outcome == "failed" for _, gate in found]
    held = [gate is not None and gate.outcome == "error" for _, gate in found]
    blocks = _blocks(list(columns(rows, titled=False, flexible=(2, 3, 0), width=width)), missed, held)
    edges = any(cell.stratum in EDGES and cell.state == "OK" for cell in audit.cells)
    why = tuple(line(text) for text in wrapped(f"edge strata: {EDGE}", width)) if edges else ()
    return [*blocks, Block(why, rank=2, stands_for=0)] if edges else blocks


def _tabled(cell: Cell) -> bool:
    return cell.arm in {"clone", "signal"} and cell.stratum not in EDGES and not cell.context


def _untabled(cell: Cell, gates: Sequence[Gate]) -> Sequence[Gate | None]:
    shown = [gate for gate in gates if gate.kind not in {"clone_gate", "utility_gate"}]
    # What agents answered has a table of its own, and a context audit a line for both of its cells.
    elsewhere = _tabled(cell) or cell.agent or (cell.context and cell.state == "OK")
    return shown if shown or elsewhere else [None]


def _other(cell: Cell, gate: Gate | None, study: str) -> tuple[str, ...]:
    floor = gate is not None and gate.kind == "blind_floor"
    arm = cell.arm if (cell.agent and not floor) or cell.arm in LABELLED_ARMS else None
    name = " ".join(filter(None, (cell.judge, cell.criterion, cell.agent, arm)))
    test = cell.id.partition("::")[2].partition("::")[0]
    state = gate.state if gate else "" if cell.state == "OK" else cell.state
    bound = ""
    if gate is not None and floor:
        limit = f", limit {gate.threshold:g}" if gate.threshold < 100 else ""
        bound = "" if gate.bound is None else f"floor {gate.bound:.1f} of 100{limit}"
    elif gate is not None and gate.bound is not None:
        bound = f"bound {rate(gate.bound, apart_from=gate.threshold)}, limit {rate(gate.threshold)}"
    counts = (
        gate.kind if gate is not None and (_tabled(cell) or gate.kind != "rate_gate") else _counts(cell)
    )
    return safe(name, shown=60), study, safe(test, shown=60), counts, bound, state


def _counts(cell: Cell) -> str:
    if cell.state != "OK":
        return counted(cell.tasks, "task")
    if cell.arm in LABELLED_ARMS:
        return _labelled(cell)
    if cell.stratum in EDGES:
        return f"{cell.counts['adverse']}/{cell.tasks} {cell.stratum} copies adverse"
    if cell.arm == "equivalent":
        patterns = "".join(f", {times} {name}" for name, times in cell.patterns.items() if times)
        unvalidated = ", not validated" if cell.stratum == "unvalidated" else ""
        return f"{cell.counts['adverse']}/{cell.tasks} adverse{patterns}{unvalidated}"
    return f"{round((cell.estimate or 0) * cell.tasks)}/{cell.tasks} succeed"


SHORT = {"blank": "accepted", "repeated": "changed"}
"""What errors are called where the arm is named beside them."""


def _labelled(cell: Cell) -> str:
    """Count the errors on labelled answers, with those that were no verdict."""
    invalid = f", {cell.counts['invalid']} invalid" if cell.counts["invalid"] else ""
    white = ", white space" if cell.stratum in EDGES else ""
    return f"{cell.counts['adverse']}/{cell.tasks} {SHORT.get(cell.arm, ERRORS[cell.arm])}{white}{invalid}"


def _blocks(texts: Sequence[str], missed: Sequence[bool], held: Sequence[bool]) -> list[Block]:
    """Make one block a row; a first row without flags is the header."""
    head = len(texts) - len(missed)
    blocks = [Block((line(text, bold=True),), rank=-1, stands_for=0) for text in texts[:head]]
    for text, miss, hold in zip(texts[head:], missed, held, strict=True):
        colour = {"yellow": True} if hold else {"red": True} if miss else {}
        blocks.append(Block((line(text, **colour),), rank=0 if miss or hold else 1))
    return blocks
