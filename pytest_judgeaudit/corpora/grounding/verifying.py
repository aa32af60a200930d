"""Each claim of an answer against the files of a corpus: what supports it, and where."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from pytest_judgeaudit.corpora.found import printable
from pytest_judgeaudit.corpora.grounding.searched import Place, SearchedCorpus, bare, stems
from pytest_judgeaudit.grade.extracting import claims_of
from pytest_judgeaudit.grade.paths import spelled
from pytest_judgeaudit.grade.shapes import shape_of, values_of
from pytest_judgeaudit.records.grounding import AnswerClaim, GroundedClaim, Grounding, GroundState

NEAR = 2
"""Lines between a number and a name at which they may still belong together."""

_ABSOLUTE = re.compile(r"[/\\]|[A-Za-z]:|~")
_PERCENT = re.compile(r"\s?(?:%|per\s?cent)\Z", re.IGNORECASE)
_ELISION = re.compile(r"\.\.\.|\u2026|\[\.\.\.\]")
_MOST_PARTS = 20
_CLIP = 160


def ground(text: str, corpus: SearchedCorpus) -> Grounding:
    """
    Extract the checkable claims of an answer, and verify each against a corpus (METHODS: Grounding).

    The agent's arm does not matter: grounding has access to the sources also where the agent had none.
    """
    found = claims_of(text)
    return Grounding(
        claims=tuple(verified(claim, corpus) for claim in found.claims),
        cut=found.cut,
        unsearched=corpus.unsearched,
    )


def verified(claim: AnswerClaim, corpus: SearchedCorpus) -> GroundedClaim:
    """
    Verify one claim.

    Nothing is called unsupported where a part of the corpus was not searched, nor less than supported where
    what is looked for stands in more places than were looked at.
    """
    grounded = _VERIFIERS[claim.sort](claim, corpus)
    if grounded.state in {"UNSUPPORTED", "PARTIALLY_SUPPORTED"} and any(
        map(corpus.is_cut, _sought(claim, corpus))
    ):
        return _without(claim, "UNABLE_TO_VERIFY", "stands in more places than were looked at")
    if grounded.state == "UNSUPPORTED" and corpus.unsearched and claim.sort != "path":
        return _without(claim, "UNABLE_TO_VERIFY", "not found, but not all files could be searched")
    return grounded


def _sought(claim: AnswerClaim, corpus: SearchedCorpus) -> Iterable[str]:
    """Return the words and numbers by whose places a claim is verified."""
    if claim.sort == "number":
        anchors = _anchors(claim, corpus)
        return anchors[:1] if anchors else _sought_values(claim)
    return claim.text.split(".") if claim.sort == "identifier" else ()


def _at(
    claim: AnswerClaim, corpus: SearchedCorpus, state: GroundState, place: Place, reason: str
) -> GroundedClaim:
    line = corpus.lines[place.file][place.line - 1]
    return GroundedClaim(
        claim=claim,
        state=state,
        reason=reason,
        file=place.file,
        line=place.line,
        snippet=printable(line.strip(), clip=_CLIP),
    )


def _without(claim: AnswerClaim, state: GroundState, reason: str, file: str = "") -> GroundedClaim:
    return GroundedClaim(claim=claim, state=state, reason=reason, file=file)


# Paths


def _path(claim: AnswerClaim, corpus: SearchedCorpus) -> GroundedClaim:
    if "://" in claim.text:
        return _without(claim, "UNABLE_TO_VERIFY", "lies outside of the corpus")
    shape = shape_of(claim.text)
    written = spelled(shape.text if shape else claim.text)
    files = _files(written, corpus)
    if files:
        return _cited(claim, corpus, files)
    last = written.rpartition("/")[2].lower()
    others = sorted(name for lowered, name in corpus.names.items() if lowered.rpartition("/")[2] == last)
    if _ABSOLUTE.match(written) and not others:
        return _without(claim, "UNABLE_TO_VERIFY", "lies outside of the corpus")
    if others:
        return _without(claim, "PARTIALLY_SUPPORTED", "the file lies in another folder", others[0])
    return _without(claim, "UNSUPPORTED", "there is no such file")


def _files(written: str, corpus: SearchedCorpus) -> list[str]:
    """Return the files that a path names, which may leave out folders in front."""
    wanted = spelled(written).lower()
    exact = corpus.names.get(wanted)
    if exact is not None:
        return [exact]
    return sorted(name for lowered, name in corpus.names.items() if lowered.endswith(f"/{wanted}"))


def _cited(claim: AnswerClaim, corpus: SearchedCorpus, files: Sequence[str]) -> GroundedClaim:
    if claim.line is None:
        return _without(claim, "SUPPORTED", "the file is there", files[0])
    searched = [file for file in files if file in corpus.lines]
    if not searched:
        return _without(claim, "UNABLE_TO_VERIFY", "the file is there, its lines cannot be read", files[0])
    for file in searched:
        count = len(corpus.lines[file]) - (corpus.lines[file][-1:] == ("",))
        # "Lines 90 and 12" are two lines, in no order.
        cited = (claim.line, claim.last or claim.line)
        if min(cited) >= 1 and max(cited) <= count:
            return _at(claim, corpus, "SUPPORTED", Place(file, claim.line, ""), "the line is there")
    return _without(claim, "PARTIALLY_SUPPORTED", "the file is there, the line is not", searched[0])


# Identifiers


def _identifier(claim: AnswerClaim, corpus: SearchedCorpus) -> GroundedClaim:
    if "." in claim.text:
        return _dotted(claim, corpus)
    return _named(claim, corpus, corpus.words(claim.text))


def _named(claim: AnswerClaim, corpus: SearchedCorpus, places: Sequence[Place]) -> GroundedClaim:
    if not places:
        return _without(claim, "UNSUPPORTED", "the name is nowhere in the corpus")
    files = {file for path in claim.paths for file in _files(path, corpus)}
    # The file that bears the name says more than one that mentions it.
    homes = corpus.stems.get(claim.text.lower(), ())
    right = [one for one in places if one.word == claim.text or corpus.caseless(one.file)]
    right.sort(key=lambda one: one.file not in homes)
    for place in right:
        if not files or place.file in files:
            return _at(claim, corpus, "SUPPORTED", place, "the name is there")
    if not right:
        return _at(claim, corpus, "PARTIALLY_SUPPORTED", places[0], "the name is there in another case")
    return _at(
        claim, corpus, "PARTIALLY_SUPPORTED", right[0], "the name is there, not in the file that is named"
    )


def _dotted(claim: AnswerClaim, corpus: SearchedCorpus) -> GroundedClaim:
    joined = [place for place, _ in corpus.find(claim.text)]
    if joined:
        return _named(claim, corpus, joined)
    *_, owner, last = claim.text.split(".")
    members = [place for place in corpus.words(last) if place.word == last]
    homes = {place.file for place in corpus.words(owner) if _defines(corpus, place)}
    homes.update(corpus.stems.get(owner.lower(), ()))
    owned = [place for place in members if place.file in homes]
    if owned:
        return _named(claim, corpus, [Place(one.file, one.line, claim.text) for one in owned])
    if members and corpus.words(owner):
        return _at(claim, corpus, "PARTIALLY_SUPPORTED", members[0], "both names are there, not together")
    return _without(claim, "UNSUPPORTED", "the name is nowhere in the corpus")


def _defines(corpus: SearchedCorpus, place: Place) -> bool:
    line = corpus.lines[place.file][place.line - 1]
    return re.search(rf"\b(?:class|interface|struct|type)\s+{re.escape(place.word)}\b", line) is not None


def _absence(claim: AnswerClaim, corpus: SearchedCorpus) -> GroundedClaim:
    found = (
        _path(claim, corpus) if claim.paths == () and _is_file(claim.text) else _identifier(claim, corpus)
    )
    if found.state == "UNSUPPORTED":
        if corpus.unsearched:
            return _without(claim, "UNABLE_TO_VERIFY", "not found, but not all files could be searched")
        return _without(claim, "SUPPORTED", f"not found in {len(corpus.lines)} files")
    return GroundedClaim(
        claim=claim,
        state="UNABLE_TO_VERIFY",
        reason="is named in the corpus; whether it is in use a search does not decide",
        file=found.file,
        line=found.line,
        snippet=found.snippet,
    )


def _is_file(text: str) -> bool:
    shape = shape_of(text)
    return shape is not None and shape.sort == "path"


# Numbers


def _number(claim: AnswerClaim, corpus: SearchedCorpus) -> GroundedClaim:
    anchors = _anchors(claim, corpus)
    if anchors:
        return _beside(claim, corpus, anchors[0])
    places = [place for value in sorted(_sought_values(claim)) for place in corpus.numbers(value)]
    return _in_words(claim, corpus, places, _context_files(claim, corpus))


def _sought_values(claim: AnswerClaim) -> frozenset[str]:
    percent = _PERCENT.search(claim.text)
    return values_of(claim.text[: percent.start()] if percent else claim.text, percent=percent is not None)


def _anchors(claim: AnswerClaim, corpus: SearchedCorpus) -> list[str]:
    """Return the last parts of the names beside a number, the nearest first, but for those of programs."""
    return [name.rpartition(".")[2] for name in claim.names if name.lower() not in corpus.stems]


def _context_files(claim: AnswerClaim, corpus: SearchedCorpus) -> list[str]:
    """Return the files that a clause speaks of, by their path or by the name of their program."""
    by_path = [file for path in claim.paths for file in _files(path, corpus)]
    by_name = [file for name in claim.names for file in corpus.stems.get(name.lower(), ())]
    return [file for file in dict.fromkeys([*by_path, *by_name]) if file in corpus.lines]


def _beside(claim: AnswerClaim, corpus: SearchedCorpus, name: str) -> GroundedClaim:
    """Verify a number by the nearest name of its clause: on the same line, or close to it."""
    anchors = corpus.words(name)
    lines = {(place.file, place.line) for place in anchors}
    places = _valued(corpus, lines, _sought_values(claim))
    if not anchors:
        return _without(
            claim, "UNSUPPORTED", f"the name beside it, {printable(name)}, is nowhere in the corpus"
        )
    for place in places:
        if (place.file, place.line) in lines:
            return _at(claim, corpus, "SUPPORTED", place, f"stands with {printable(name)}")
    for place in places:
        if any((place.file, place.line + step) in lines for step in range(-NEAR, NEAR + 1)):
            return _at(claim, corpus, "PARTIALLY_SUPPORTED", place, f"stands near {printable(name)}")
    return _at(claim, corpus, "UNSUPPORTED", anchors[0], f"does not stand with {printable(name)}")


def _valued(
    corpus: SearchedCorpus, lines: Collection[tuple[str, int]], values: frozenset[str]
) -> list[Place]:
    """Return where numbers stand: all places on or near the lines, and it may be others."""
    if not any(map(corpus.is_cut, values)):
        return [place for value in sorted(values) for place in corpus.numbers(value)]
    around = {(file, line + step) for file, line in lines for step in range(-NEAR, NEAR + 1)}
    return [
        Place(file, line, value)
        for file, line in sorted(around)
        for value in sorted(values & corpus.values_at(file, line))
    ]


def _in_words(
    claim: AnswerClaim, corpus: SearchedCorpus, places: Sequence[Place], files: Sequence[str]
) -> GroundedClaim:
    """Verify a number by the words of its clause, in the files that it speaks of or in all."""
    words = stems(_prose(claim))
    there = [place for place in places if not files or place.file in files]
    shared = {place: len(words & corpus.stems_at(place)) for place in there}
    best = max(there, key=lambda place: shared[place], default=None)
    if best is not None and shared[best] >= (1 if files else 2):
        return _at(claim, corpus, "SUPPORTED", best, "stands with the same words")
    other = _contradiction(words, corpus, files or corpus.lines)
    if other is not None:
        return _at(claim, corpus, "UNSUPPORTED", other, "the same words stand with another number")
    if best is not None and (files or shared[best]):
        return _at(claim, corpus, "PARTIALLY_SUPPORTED", best, "the number is there, with other words")
    return _without(claim, "UNABLE_TO_VERIFY", "nothing in the corpus speaks of it")


def _prose(claim: AnswerClaim) -> str:
    """Return a clause without the paths and the file's names in it, which say where and not what."""
    text = claim.context
    for name in (*claim.paths, *claim.names):
        text = text.replace(name, " ")
    return text


def _contradiction(words: frozenset[str], corpus: SearchedCorpus, files: Iterable[str]) -> Place | None:
    """Return a line with a number that shares two words."""
    allowed = set(files)
    shared = Counter(
        (place.file, place.line)
        for word in words
        for place in corpus.numbered(word)
        if place.file in allowed
    )
    found = min((place for place, count in shared.items() if count >= 2), default=None)
    return Place(*found, "") if found else None


# Quotes


def _quote(claim: AnswerClaim, corpus: SearchedCorpus) -> GroundedClaim:
    files = {file for path in claim.paths for file in _files(path, corpus)}
    places = list(corpus.find(claim.text))
    same = [place for place, is_same in places if is_same or corpus.caseless(place.file)]
    for place in same:
        if not files or place.file in files:
            return _at(claim, corpus, "SUPPORTED", place, "stands there as quoted")
    if same:
        return _at(
            claim, corpus, "PARTIALLY_SUPPORTED", same[0], "stands there, not in the file that is named"
        )
    if places:
        return _at(claim, corpus, "PARTIALLY_SUPPORTED", places[0][0], "stands there in another case")
    return _in_parts(claim, corpus)


def _in_parts(claim: AnswerClaim, corpus: SearchedCorpus) -> GroundedClaim:
    """Verify what was elided, or quoted only in part: half of its parts must stand in one file."""
    cut = (part for line in claim.text.splitlines() for part in _ELISION.split(line))
    parts = [part for part in cut if len("".join(bare(part).split())) > 5][:_MOST_PARTS]
    found: dict[str, list[Place]] = {}
    for part in parts if len(parts) > 1 else ():
        for place, _ in corpus.find(part):
            found.setdefault(place.file, []).append(place)
    best = max(found, key=lambda file: len(found[file]), default=None)
    if best is None or 2 * len(found[best]) < len(parts):
        return _without(claim, "UNSUPPORTED", "is nowhere in the corpus")
    reason = f"{len(found[best])} of its {len(parts)} parts stand there"
    return _at(claim, corpus, "PARTIALLY_SUPPORTED", found[best][0], reason)


_VERIFIERS: Mapping[str, Callable[[AnswerClaim, SearchedCorpus], GroundedClaim]] = {
    "path": _path,
    "identifier": _identifier,
    "number": _number,
    "quote": _quote,
    "absence": _absence,
}
