"""What a rename of a tree kept, counted on the files that were written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class RenameReport:
    """
    A renamed copy beside its original.

    ``files``, ``lines`` (line feeds) and ``binary`` (files left as they are) are pairs: of the original and
    of the copy. ``same_line_counts`` says that the multiset of lines a file is the same; ``identifiers``
    counts the names of the map, ``changed_paths`` the files that have another path. ``left`` maps original
    identifiers that are still in the copy to the number of its files that hold them, ``moved`` protected
    words to the numbers of files before and after where these differ; ``altered`` names binary files whose
    bytes differ.
    """

    seed: int
    files: tuple[int, int]
    binary: tuple[int, int]
    lines: tuple[int, int]
    same_line_counts: bool
    identifiers: int
    changed_paths: int
    left: Mapping[str, int] = field(default_factory=dict)
    moved: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    altered: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether the copy keeps everything that a rename must keep."""
        return not any(self.faults())

    def faults(self) -> Iterator[str]:
        """Yield, each in one line, what the copy does not keep."""
        for name, (before, after) in (
            ("files", self.files),
            ("lines", self.lines),
            ("binary files", self.binary),
        ):
            if before != after:
                yield f"{name}: expected {before}, found {after}"
        if not self.same_line_counts:
            yield "the lines a file are others"
        for word, count in self.left.items():
            yield f"the identifier {word[:60]!a} is still in {count} files"
        for word, (before, after) in self.moved.items():
            yield f"the protected word {word[:60]!a} was in {before} files and is in {after}"
        for name in self.altered:
            yield f"the binary file {name[:200]!a} has other bytes"

    def __str__(self) -> str:
        found = "; ".join(self.faults())
        return (
            f"rename {self.seed}: {self.files[1]} files ({self.binary[1]} binary), {self.lines[1]} lines, "
            f"{self.identifiers} identifiers, {self.changed_paths} paths changed; {found or 'all kept'}"
        )
