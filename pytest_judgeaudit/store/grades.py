"""Accepted grades compared with those of a run: what moved, what is new, and what may be accepted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

State = Literal["same", "moved", "new", "written", "none"]
Moved = tuple[str, str, str]
"""Key, accepted, now."""

SHOWN = 20
"""How many moved rows a message shows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grades:
    """
    What became of one cell's accepted grades.

    ``same``: the rows seen are as accepted; ``moved``: some are not; ``new``: none moved, but some have
    never been accepted; ``written``: they are accepted from now on; ``none``: nothing is accepted, and
    nothing was written. ``moved`` holds (key, accepted, now); ``vanished`` the accepted keys that a
    complete cell no longer has, ``new`` the keys of rows that are still to be accepted. ``message`` says it
    for a person, with no more than the rows that moved; empty for ``same``.
    """

    state: State
    moved: tuple[Moved, ...] = ()
    vanished: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """
    On which terms a cell is compared.

    ``complete``: all of its rows were seen. ``live``: answers may be asked for; ``asked`` are the keys of
    those that were. ``sharded``: the run is one shard. ``update`` and ``update_new`` are syrupy's
    ``--snapshot-update`` and ``--snapshot-update-new-only``.
    """

    complete: bool
    live: bool = False
    asked: frozenset[str] = frozenset()
    sharded: bool = False
    update: bool = False
    update_new: bool = False


def decide(
    rows: Mapping[str, str], accepted: Mapping[str, str] | None, terms: Terms
) -> tuple[Grades, Mapping[str, str] | None]:
    """
    Compare a cell's rows with those accepted; return the result and what to accept, None for nothing.

    Only a complete cell of a run that is no shard is ever accepted: as a whole with ``--snapshot-update``;
    on a live run the rows that were asked for, and new ones. A row that was asked for never counts as
    moved: where it may not be accepted, it is new.
    """
    known = {} if accepted is None else accepted
    differ = [key for key, row in rows.items() if known.get(key) != row]
    moved = sorted(
        (key, known[key], rows[key]) for key in differ if key in known and key not in terms.asked
    )
    new = sorted(key for key in differ if key not in known or key in terms.asked)
    vanished = sorted(known.keys() - rows.keys()) if terms.complete else []
    if terms.complete and rows and not terms.sharded:
        if terms.update and (differ or vanished):
            told = f"accepted {len(differ)} grades, {len(moved)} of them moved; removed {len(vanished)}"
            return Grades(state="written", message=told), rows
        if new and (terms.live or (terms.update_new and accepted is None)):
            state: State = "moved" if moved else "written"
            told = f"accepted {len(new)} grades" if not moved else ""
            grades = _grades(state, moved, vanished, [], told)
            return grades, {**known, **{key: rows[key] for key in new}}
    if accepted is None:
        return Grades(state="none", new=tuple(new), message=_none_accepted(terms)), None
    return _grades("moved" if moved else "new" if new else "same", moved, vanished, new, ""), None


def _none_accepted(terms: Terms) -> str:
    if terms.sharded:
        return "no grades are accepted yet, and a shard accepts none: run without --judge-shard"
    if not terms.complete:
        return "no grades are accepted yet, and a part of a cell is not accepted: run it as a whole"
    return "no grades are accepted yet: accept them with --snapshot-update"


def _grades(state: State, moved: list[Moved], vanished: list[str], new: list[str], told: str) -> Grades:
    lines = [
        *([told] if told else []),
        *(_moved_lines(moved) if moved else []),
        *([f"{_count(new, 'grade')} not accepted yet: {_some(new)}"] if new else []),
        *([f"{_count(vanished, 'accepted grade')} without a trial: {_some(vanished)}"] if vanished else []),
    ]
    return Grades(
        state=state, moved=tuple(moved), vanished=tuple(vanished), new=tuple(new), message="\n".join(lines)
    )


def _moved_lines(moved: list[Moved]) -> Iterable[str]:
    yield f"{_count(moved, 'grade')} moved: {_some([key for key, _, _ in moved])}"
    for key, before, now in moved[:SHOWN]:
        yield f"- {plain(key)}: {plain(before)}"
        yield f"+ {plain(key)}: {plain(now)}"
    if len(moved) > SHOWN:
        yield f"… and {len(moved) - SHOWN} more"
    yield "Accept them with --snapshot-update, on a run of the whole cell."


def _count(things: list[Moved] | list[str], word: str) -> str:
    return f"{len(things)} {word}" + ("" if len(things) == 1 else "s")


def _some(keys: list[str]) -> str:
    more = ", …" if len(keys) > 10 else ""
    return ", ".join(plain(key) for key in keys[:10]) + more


def plain(text: str) -> str:
    """Return text for a terminal: ASCII without control characters, at most 200 characters."""
    shown = text.encode("unicode_escape").decode("ascii")
    return shown if len(shown) <= 200 else shown[:199] + "…"
