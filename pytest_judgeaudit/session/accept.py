"""
Accepted grades: what people review and accept, one syrupy snapshot a cell; the only door to syrupy.

PYTEST_DONT_REWRITE

The snapshots lie beside the answers, in ``SNAPSHOTS/<test module path>/<test>.ambr``. They are asserted on
the controller, when a cell's gate is emitted, on a stand-in for the item that syrupy wants. Syrupy counts
and writes them, but is shown none that it was not asked to assert: no selection of tests can make it report
or delete a cell. Without syrupy (``-p no:syrupy``), or with one that has changed too much, the same files
are read and written directly.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_judgeaudit.records.errors import JudgeAuditError, Refused
from pytest_judgeaudit.store.amber import read_amber, read_table, table_text, write_amber
from pytest_judgeaudit.store.files import remove_file, safe_module, safe_name, shown, writing
from pytest_judgeaudit.store.grades import Grades, State, Terms, decide

if TYPE_CHECKING:
    from syrupy.extensions.amber import AmberSnapshotExtension

__all__ = ["AcceptedGrades", "Grades", "refuse_shared_folder"]


class AcceptedGrades:
    """
    The accepted grades of a run, for the controller.

    ``snapshots`` is the folder of the answers. Refused if syrupy would look for snapshots of its own in it:
    it would delete the answers as unused.
    """

    def __init__(self, config: pytest.Config, snapshots: Path) -> None:
        refuse_shared_folder(config, snapshots)
        self._config = config
        self._folder = snapshots
        self._files: dict[Path, dict[str, str]] = {}
        self._checked: set[tuple[Path, str]] = set()
        self._asserted = False

    def check(  # noqa: PLR0913 - all by name; each is a fact of the cell that only the caller knows
        self,
        *,
        test_file: Path,
        module: str,
        test: str,
        cell: str,
        rows: Mapping[str, str],
        complete: bool,
        asked: Collection[str],
        live: bool,
        sharded: bool = False,
    ) -> Grades:
        """
        Compare a cell's rows with those accepted, and accept what may be accepted; never raises.

        ``rows`` maps TASK-ORDER[-REPLICATE] to "answer digest, verdict, grade". ``complete``: the cell has
        all its rows; ``asked`` are the keys that this run asked a model for.
        """
        item = _StandIn(self._folder, test_file=test_file, module=module, test=test, cell=cell)
        terms = Terms(
            complete=complete,
            live=live,
            asked=frozenset(asked),
            sharded=sharded,
            update=bool(self._config.getoption("update_snapshots", False)),
            update_new=bool(self._config.getoption("update_new_snapshots_only", False)),
        )
        self._checked.add((item.amber, item.snapshot))
        try:
            return self._compared(item, rows, terms)
        except JudgeAuditError as error:
            return Grades(state="moved", message=str(error))

    def unseen(self, module: str) -> tuple[str, ...]:
        """Name the accepted cells of a test module that were not checked: after a full run, those gone."""
        found: list[str] = []
        for path in sorted((self._folder / safe_module(module)).glob("*.ambr")):
            with suppress(Refused):
                found += [name for name in read_amber(path) if (path, name) not in self._checked]
        return tuple(found)

    def modules(self) -> tuple[str, ...]:
        """Name the test modules that have accepted cells, as their folders are called."""
        folders = {path.parent for path in self._folder.rglob("*.ambr")}
        return tuple(sorted(folder.relative_to(self._folder).as_posix() for folder in folders))

    def drop_unseen(self, module: str) -> None:
        """Remove what :meth:`unseen` names; a file that is left without a cell, too."""
        for path in sorted((self._folder / safe_module(module)).glob("*.ambr")):
            with suppress(Refused), writing(self._folder):
                found = read_amber(path)
                left = {name: text for name, text in found.items() if (path, name) in self._checked}
                if not left:
                    remove_file(self._folder, path)
                elif len(left) < len(found):
                    write_amber(self._folder, path, left)
                self._files.pop(path, None)

    def accepted(self, *, test_file: Path, module: str, test: str, cell: str) -> Mapping[str, str]:
        """Return the accepted rows of a cell, empty where there are none. Refused: a file that is torn."""
        item = _StandIn(self._folder, test_file=test_file, module=module, test=test, cell=cell)
        text = self._read(item.amber).get(item.snapshot)
        return {} if text is None else read_table(text)

    def _compared(self, item: _StandIn, rows: Mapping[str, str], terms: Terms) -> Grades:
        text = self._read(item.amber).get(item.snapshot)
        if text is not None and terms.complete and text == table_text(rows):
            self._assert(item, text)
            return Grades(state="same")
        accepted = None if text is None else _table(item, text, terms)
        grades, wanted = decide(rows, accepted, terms)
        if wanted is not None:
            return self._accept(item, table_text(wanted), grades)
        if text is not None and accepted is not None:
            moved = {key: now for key, _, now in grades.moved}
            self._assert(item, table_text({**accepted, **moved}) if moved else text)
        return grades

    def _accept(self, item: _StandIn, text: str, grades: Grades) -> Grades:
        """Write a snapshot, by way of syrupy where that works."""
        try:
            self._assert(item, text, update=True)
            if self._read(item.amber).get(item.snapshot) != text:
                self._write(item.amber, {item.snapshot: text})
        except JudgeAuditError as error:
            state: State = "moved" if grades.moved else "new"
            return replace(grades, state=state, message=f"{grades.message}\n{error}")
        return grades

    def _read(self, path: Path) -> dict[str, str]:
        if path not in self._files:
            self._files[path] = read_amber(path)
        return self._files[path]

    def _write(self, path: Path, snapshots: Mapping[str, str]) -> None:
        """Write snapshots into their file, beside those of other cells as they are on disk now."""
        with writing(self._folder):
            merged = {**read_amber(path), **snapshots}
            write_amber(self._folder, path, merged)
        self._files[path] = merged

    def _assert(self, item: _StandIn, text: str, *, update: bool = False) -> None:
        """Have syrupy compare and count a snapshot, and write it with ``update``; errors are left aside."""
        session = getattr(self._config, "_syrupy", None)
        if session is None:
            return
        try:
            from syrupy.assertion import SnapshotAssertion
            from syrupy.location import PyTestLocation

            if not self._asserted:
                self._asserted = True
                _keep_discovery(self._config, session)
            assertion = SnapshotAssertion(
                session=session,
                extension_class=self._extension,
                test_location=PyTestLocation(item),  # type: ignore[arg-type]
                update_snapshots=update,
            )
            _ = assertion(name="grades") == text
        except Exception:  # noqa: BLE001 - whatever a syrupy with other inner parts raises: it only counts
            return

    @cached_property
    def _extension(self) -> type[AmberSnapshotExtension]:
        return _extension(self._read, self._write)


class _StandIn:
    """What syrupy reads of an item, for one cell."""

    def __init__(self, folder: Path, *, test_file: Path, module: str, test: str, cell: str) -> None:
        test = test.replace("::", ".")
        # Syrupy splits names at "::" and reads a snapshot's name from one line.
        self.name = f"{test}[{cell}]".replace("::", ".").encode("unicode_escape").decode("ascii")
        self.nodeid = f"{module}::{self.name}"
        self.path = test_file
        self.obj = _Named(module=module, name=test)
        self.stash = pytest.Stash()
        self.snapshot = f"{self.name}[grades]"
        self.amber = folder / safe_module(module) / f"{safe_name(test)}.ambr"


class _Named:
    def __init__(self, *, module: str, name: str) -> None:
        self.__module__ = module
        self.__name__ = name


def _table(item: _StandIn, text: str, terms: Terms) -> dict[str, str]:
    try:
        return read_table(text)
    except Refused as error:
        if terms.update and terms.complete and not terms.sharded:
            return {}  # to be replaced as a whole
        raise Refused(
            f"{shown(item.amber)}: {item.snapshot}: {error}. Restore the file, or accept the grades anew "
            "with --snapshot-update, on a run of the whole cell."
        ) from None


class _OutOfReach:
    """The half of an extension that knows no syrupy: texts are ready-made, and nothing is ever deleted."""

    def serialize(self, data: Any, **_: Any) -> str:
        return str(data)

    def delete_snapshots(self, *_: Any, **__: Any) -> None:
        return None

    @classmethod
    def matches_test_location(cls, *, test_location: Any, **_: Any) -> bool:
        return isinstance(test_location.item, _StandIn)

    @classmethod
    def get_file_basename(cls, *, test_location: Any, **_: Any) -> str:
        return str(test_location.item.amber.stem)


def _extension(
    read: Callable[[Path], Mapping[str, str]], write: Callable[[Path, Mapping[str, str]], None]
) -> type[AmberSnapshotExtension]:
    """Return syrupy's amber extension over our files: it discovers nothing and deletes nothing."""
    from syrupy.data import SnapshotCollections
    from syrupy.extensions.amber import AmberSnapshotExtension

    class GradesExtension(_OutOfReach, AmberSnapshotExtension):
        write_immediately = True  # an error of the disk is then told with the cell

        def discover_snapshots(self, **_: Any) -> SnapshotCollections:
            return SnapshotCollections()

        def read_snapshot_data_from_location(
            self,
            snapshot_location: str,
            snapshot_name: str,
            session_id: str,  # noqa: ARG002
        ) -> str | None:
            return read(Path(snapshot_location)).get(snapshot_name)

        @classmethod
        def write_snapshot_collection(cls, *, snapshot_collection: Any, **_: Any) -> None:
            write(Path(snapshot_collection.location), {one.name: one.data for one in snapshot_collection})

        @classmethod
        def dirname(cls, *, test_location: Any) -> str:
            item = test_location.item
            own = isinstance(item, _StandIn)
            return str(item.amber.parent) if own else super().dirname(test_location=test_location)

    return GradesExtension


def _keep_discovery(config: pytest.Config, session: Any) -> None:
    """
    Keep syrupy looking for a user's own unused snapshots.

    It looks on behalf of its default extension only while nobody has asserted anything. Ours would end
    that; an assertion of the default extension that is never executed makes up for it.
    """
    from syrupy.assertion import SnapshotAssertion
    from syrupy.extensions import DEFAULT_EXTENSION
    from syrupy.location import PyTestLocation
    from syrupy.utils import import_module_member

    items = session._collected_items  # noqa: SLF001 - empty on an xdist controller, whose workers look
    if items and not session._assertions:  # noqa: SLF001
        member = config.getoption("default_extension", None)
        SnapshotAssertion(
            session=session,
            extension_class=import_module_member(member) if member else DEFAULT_EXTENSION,
            test_location=PyTestLocation(next(iter(items.values()))),
            update_snapshots=False,
        )


def refuse_shared_folder(config: pytest.Config, snapshots: Path) -> None:
    """
    Refuse a ``--snapshot-dirname`` that makes syrupy take the folder of the answers for its own.

    With ``--snapshot-update`` it would delete the answers, which nobody asserts through it.
    """
    name = config.getoption("snapshot_dirname", None)
    if name is None:
        return
    folder = snapshots.absolute()
    inside = folder.is_relative_to(config.rootpath)
    parts = folder.relative_to(config.rootpath).parts if inside else (folder.name,)
    if Path(name).name in parts:
        raise Refused(
            f"--snapshot-dirname: found {name!r}, which is in judge_audit_snapshots ({shown(snapshots)}): "
            "syrupy would delete recorded answers as unused snapshots. Give one of the two another name."
        )


def forget(config: pytest.Config) -> None:
    """Have syrupy let go of a run that is over: it keeps its latest in a variable of its module."""
    syrupy: Any = sys.modules.get("syrupy")
    if syrupy is not None and getattr(syrupy, "_syrupy", None) is getattr(config, "_syrupy", None):
        syrupy._syrupy = None  # noqa: SLF001 - it has no other way
