"""Writing the renamed copy of a tree, and counting on both what the copy must keep."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from pytest_judgeaudit.corpora.found import quoted
from pytest_judgeaudit.corpora.renaming.maps import Renaming
from pytest_judgeaudit.corpora.renaming.words import RUN, lowered, names_in, sequences
from pytest_judgeaudit.corpora.trees import Source, read_tree
from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.records.renames import RenameReport


def rename_tree(tree: Path, into: Path, renaming: Renaming) -> RenameReport:
    """
    Write the renamed copy of ``tree`` into ``into``, an empty or new folder, and verify it.

    Encodings and line ends are kept byte for byte, binary files are copied, modes too. Refused: a folder
    that holds something or lies in the tree, and what :func:`read_tree` refuses.
    """
    if into.resolve().is_relative_to(tree.resolve()) or (into.exists() and any(into.iterdir())):
        raise Refused(
            f"rename: {quoted(str(into))} is no empty folder outside of the corpus. Choose another one."
        )
    into.mkdir(parents=True, exist_ok=True)
    for source in read_tree(tree):
        target = into / renaming.path(source.name)
        target.parent.mkdir(parents=True, exist_ok=True)
        text = source.text
        with target.open("xb") as file:
            file.write(source.data if text is None else source.encoded(renaming.text(text)))
        shutil.copymode(tree / source.name, target)
    return verified(tree, into, renaming)


def verified(tree: Path, copy: Path, renaming: Renaming) -> RenameReport:
    """Compare a renamed copy with its original, from the files of both."""
    before, after = read_tree(tree), read_tree(copy)
    names = {source.name for source in before}
    by_name = {source.name: source for source in after}
    binary = [source for source in before if source.text is None]
    words = _protected(before, renaming.protected), _protected(after, renaming.protected)
    return RenameReport(
        seed=renaming.seed,
        files=(len(before), len(after)),
        binary=(len(binary), sum(source.text is None for source in after)),
        lines=(sum(source.lines for source in before), sum(source.lines for source in after)),
        same_line_counts=_line_counts(before) == _line_counts(after),
        identifiers=len(renaming.words),
        changed_paths=len(by_name.keys() - names),
        left=_left(after, renaming.words.keys()),
        moved={
            word: (words[0][word], words[1][word])
            for word in sorted(renaming.protected)
            if words[0][word] != words[1][word]
        },
        altered=tuple(
            source.name
            for source in binary
            if getattr(by_name.get(renaming.path(source.name)), "data", None) != source.data
        ),
    )


def _line_counts(sources: Iterable[Source]) -> Counter[int]:
    return Counter(source.lines for source in sources)


def _left(sources: Iterable[Source], wanted: Collection[str]) -> Mapping[str, int]:
    """Count the files in which original identifiers are still to be read, in their path or their text."""
    found: Counter[str] = Counter()
    for source in sources:
        found.update(
            {name for text in (source.name, source.text or "") for name in names_in(text)} & set(wanted)
        )
    return dict(sorted(found.items()))


def _protected(sources: Iterable[Source], protected: Collection[str]) -> Counter[str]:
    """Count the files that hold each protected word, whole or as a part of a name."""
    found: Counter[str] = Counter()
    for source in sources:
        runs = {lowered(run) for run in RUN.findall(source.text or "")}
        found.update({word for run in runs for _, _, word in sequences(run, protected)})
    return found
