"""From a tree to its renaming: which names are the tree's own, and what each is called in the copy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path, PurePosixPath

from pytest_judgeaudit.corpora.renaming.identifiers import Found, identifiers
from pytest_judgeaudit.corpora.renaming.languages import SUFFIXES, Language
from pytest_judgeaudit.corpora.renaming.maps import Renaming
from pytest_judgeaudit.corpora.renaming.shaping import tokens
from pytest_judgeaudit.corpora.renaming.words import RUN, lowered, names_in, pieces
from pytest_judgeaudit.corpora.trees import Source, read_tree


def plan_renaming(
    tree: Path, *, seed: int, protected: Sequence[str], identifiers: Sequence[str] = ()
) -> Renaming:
    """
    Plan the renaming of a tree's own names (METHODS: Rename).

    Found are the names that its sources declare, those of its source files and of its Python packages, and
    ``identifiers``, which are taken whatever they are. Left alone: ``protected`` words, also as parts of a
    name between hyphens and underscores; keywords, builtins and names of the standard libraries of the
    languages in the tree; what is imported from elsewhere; names with no piece of three characters. Case
    does not count. The same tree, seed and lists give the same map. Refused as by
    :func:`~pytest_judgeaudit.corpora.trees.read_tree`.
    """
    sources = read_tree(tree)
    found, languages = _found(sources)
    vocabulary = frozenset().union(*(language.vocabulary for language in languages))
    own = (found.declared | set(_stems(sources))) - found.reserved - found.foreign - vocabulary
    own = {name for name in own if not (name.startswith("__") and name.endswith("__"))}
    own |= {lowered(name) for listed in identifiers for name in RUN.findall(listed)}
    shield = frozenset(lowered(word.strip()) for word in protected)
    words = tokens(
        own,
        seed=seed,
        # Between its hyphens a protected word may hold names that would be replaced there.
        protected=shield.union(*map(names_in, shield)),
        taken=_taken(sources) | vocabulary | found.reserved | found.foreign | shield | own,
        reserved=lru_cache(maxsize=None)(lambda word: any(one.reserves(word) for one in languages)),
    )
    return Renaming(seed=seed, words=words, protected=shield)


def _found(sources: Iterable[Source]) -> tuple[Found, tuple[Language, ...]]:
    sources = list(sources)
    local = frozenset(lowered(part) for source in sources for part in _places(source))
    found, languages = Found(), set()
    for source in sources:
        language = SUFFIXES.get(source.suffix)
        if language is not None and source.text is not None:
            languages.add(language)
            found.add(identifiers(source.text, language, local=local))
    return found, tuple(sorted(languages, key=lambda one: one.lexer))


def _places(source: Source) -> Iterator[str]:
    """Yield the names by which code can import a file: its folders, and its own without the suffix."""
    path = PurePosixPath(source.name)
    yield from path.parts[:-1]
    if source.suffix in SUFFIXES:
        yield path.stem


def _stems(sources: Iterable[Source]) -> Iterator[str]:
    for source in sources:
        path = PurePosixPath(source.name)
        if source.suffix in SUFFIXES and source.text is not None:
            yield from (lowered(name) for name in RUN.findall(path.stem))
            if path.name == "__init__.py" and len(path.parts) > 1:
                yield from (lowered(name) for name in RUN.findall(path.parts[-2]))


def _taken(sources: Iterable[Source]) -> frozenset[str]:
    """Return every word and every piece of a word of a tree and of its paths."""
    whole: set[str] = set()
    for source in sources:
        whole.update(names_in(source.name))
        if source.text is not None:
            whole.update(names_in(source.text))
    return frozenset(whole) | {word[start:end] for word in whole for start, end in pieces(word)}
