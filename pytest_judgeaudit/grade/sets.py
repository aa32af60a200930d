"""Older graders: a set of paths by F1, one path, and shares of literals and patterns."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from pytest_judgeaudit.grade.matching import hit
from pytest_judgeaudit.grade.normalise import plain
from pytest_judgeaudit.grade.paths import asserting_clauses, asserts, denied, spelled
from pytest_judgeaudit.records.grades import Grade
from pytest_judgeaudit.records.questions import Match

_TOKEN = re.compile(r"[\w.@~+/\\-]+")
_SUFFIX = re.compile(r"\.([A-Za-z][A-Za-z0-9]{0,9})\Z")
_ADDRESS = re.compile(r"\b[a-z][a-z0-9+]{1,9}://\S+", re.IGNORECASE)
_KNOWN_SUFFIXES = """
    ada asm bas bat c cbl cc cfg clj cob conf cpp cpy cs css csv cxx dart env erl ex exs f90 fs go
    gql gradle graphql groovy h hpp hrl hs htm html ini ipynb jar java jcl jl js json jsonl jsx kt
    kts less lisp lock log lua m md mjs cjs mk ml mm nix pas patch php pl plist pm png proto ps1 py
    pyi pyx r rb rs rst sass scala scss sh sol sql svelte svg swift tf tfvars toml ts tsv tsx txt v
    vb vhd vue xml yaml yml zig
"""
_SUFFIXES = frozenset(_KNOWN_SUFFIXES.split())


def mentioned_paths(text: str) -> tuple[str, ...]:
    """
    Return the distinct paths that an answer lists, in order; denied ones are not listed.

    A token is a path with a folder in it and a suffix, or with a suffix that files have: versions,
    abbreviations and calls are none.

    >>> mentioned_paths("On Python 3.11 it is ./src/a.py:12, i.e. the loader; not src/z.py.")
    ('src/a.py',)
    """
    found = dict.fromkeys(path for path in _listed(plain(text)))
    # A short spelling of a path that is also spelled out is the same mention.
    return tuple(path for path in found if not any(longer.endswith(f"/{path}") for longer in found))


def _listed(bare: str) -> Iterator[str]:
    for clause in asserting_clauses(_ADDRESS.sub(lambda address: " " * len(address[0]), bare)):
        for token in _TOKEN.finditer(clause.text):
            written = token[0].rstrip(".-")
            if is_path(written) and not denied(clause, token.start(), token.start() + len(written)):
                yield spelled(written)


def is_path(token: str) -> bool:
    """Whether a token is a file's path: a suffix with a folder in front, or a suffix that files have."""
    suffix = _SUFFIX.search(token)
    return suffix is not None and ("/" in token or "\\" in token or suffix[1].lower() in _SUFFIXES)


def path_set(text: str, gt: Sequence[str]) -> Grade:
    """
    Grade a list of files by F1: recall over the ground truth, precision over all paths that are listed.

    >>> path_set("a/x.py, a/y.py", ["a/x.py", "a/z.py"]).score
    0.5
    """
    wanted = {spelled(path): path for path in gt}
    bare = plain(text)
    hits = {path: asserts(path, bare) for path in wanted}
    listed = mentioned_paths(text)
    extra = [path for path in listed if not any(_is_spelling(path, one) for one in wanted)]
    right = sum(hits.values())
    recall, precision = right / len(wanted), right / (right + len(extra)) if right else 0.0
    missing = tuple(written for path, written in wanted.items() if not hits[path])
    return Grade(
        score=2 * recall * precision / (recall + precision) if right else 0.0, base=recall, missing=missing
    )


def _is_spelling(path: str, wanted: str) -> bool:
    path, wanted = path.lower(), wanted.lower()
    return path == wanted or path.endswith(f"/{wanted}")


def one_path(text: str, gt: Sequence[str]) -> Grade:
    """Grade the naming of one file: 1 for the file, 0.5 for its name in another folder, else 0."""
    wanted = spelled(gt[0])
    listed = mentioned_paths(text)
    if asserts(wanted, plain(text)):
        return Grade(score=1.0)
    name = wanted.rpartition("/")[2].lower()
    near = any(path.lower().rpartition("/")[2] == name for path in listed)
    return Grade(score=0.5 if near else 0.0, missing=(gt[0],))


def _share(kind: str) -> Callable[[str, Sequence[str]], Grade]:
    def grade(text: str, gt: Sequence[str]) -> Grade:
        matches = {one: Match(type="regex" if kind == "regex" else "literal", values=(one,)) for one in gt}
        found = {one: hit(text, match) for one, match in matches.items()}
        score = sum(found.values()) / len(found)
        return Grade(score=score, base=score, missing=tuple(one for one in found if not found[one]))

    return grade


OLDER: Mapping[str, Callable[[str, Sequence[str]], Grade]] = {
    "set": path_set,
    "path": one_path,
    "contains": _share("contains"),
    "regex": _share("regex"),
}
"""Graders with a ground truth, by name: from an answer and the ground truth to a grade."""


def by_ground_truth(text: str, kind: str, *, gt: Sequence[str]) -> Grade:
    """
    Grade with one of the older graders.

    ``llm`` is for a judge alone, an unknown name or an empty ground truth for nobody: no score, never 0.
    """
    if kind == "llm":
        return Grade(score=None, state="judge only", reason="is graded by a judge alone")
    if kind not in OLDER or not gt:
        why = f"there is no grader {kind[:40]!a}" if kind not in OLDER else "the ground truth is empty"
        return Grade(score=None, state="judge only", reason=why)
    return OLDER[kind](text, gt)
