"""From what a row says to the pair that a kind of audit shows (METHODS 1), and copies asked once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from pytest_judgeaudit.corpora.columns import Content
from pytest_judgeaudit.corpora.found import found, near, quoted
from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.records.items import Kind, Pair, Stratum, Target
from pytest_judgeaudit.records.plans import Finding

STRATA: tuple[Stratum, ...] = ("core", "empty", "whitespace")
"""The strata of copies."""

SHOWN = 10
"""The most findings of one sort that are worded; the rest is counted in one more."""


def stratum_of(text: str) -> Stratum:
    r"""
    Return the clone stratum of a text.

    >>> stratum_of("a"), stratum_of(""), stratum_of(" \n")
    ('core', 'empty', 'whitespace')
    """
    if not text:
        return "empty"
    return "whitespace" if text.isspace() else "core"


def as_clone(content: Content, place: str) -> Pair:
    """Make an exact copy: of the better answer where one is named, else of the first."""
    text = content.second if content.target == "second" and content.second is not None else content.first
    return _pair(content, place, texts=(text, text), kind="clone", target="tie", stratum=stratum_of(text))


def as_signal(content: Content, place: str) -> Pair:
    """Make a pair with a declared target; refused when the row says that neither is better."""
    if content.equivalent:
        raise Refused("equivalent: is set: not a signal pair; it belongs to equivalent_pairs")
    if content.second is None or content.target not in ("first", "second"):
        raise Refused(
            f"target: expected first or second, found {found(content.target)}: not a signal pair; "
            "a pair without a better answer belongs to equivalent_pairs, if it is certified"
        )
    if content.first == content.second:
        raise Refused(
            "both texts are equal: a mislabelled clone, not a signal pair; "
            "correct the row or move it to clone_pairs"
        )
    texts = (content.first, content.second)
    return _pair(content, place, texts=texts, kind="signal", target=content.target)


def as_equivalent(content: Content, place: str) -> Pair:
    """
    Make a pair of texts that are called equally good; refused where the row does not say so.

    A pair that nobody validated is of the stratum ``unvalidated``: shown, and in no risk (METHODS 2).
    """
    if not content.equivalent or content.second is None:
        raise Refused(
            "equivalent: expected true, found no certificate: texts count as equivalent only where that "
            "was validated; where it was, write equivalent = true into the row; to show the pair "
            'without that, write equivalent = "unvalidated"'
        )
    if content.first == content.second:
        raise Refused("both texts are equal: an exact copy, not an equivalent; it belongs to clone_pairs")
    stratum: Stratum = "core" if content.equivalent == "certified" else "unvalidated"
    texts = (content.first, content.second)
    return _pair(content, place, texts=texts, kind="equivalent", target="tie", stratum=stratum)


KINDS: Mapping[Kind, Callable[[Content, str], Pair]] = {
    "clone": as_clone,
    "signal": as_signal,
    "equivalent": as_equivalent,
}


def _pair(
    content: Content,
    place: str,
    *,
    texts: tuple[str, str],
    kind: Kind,
    target: Target,
    stratum: Stratum = "core",
) -> Pair:
    return Pair(
        id=content.id,
        prompt=content.prompt,
        first=texts[0],
        second=texts[1],
        target=target,
        kind=kind,
        stratum=stratum,
        subset=content.subset,
        family=content.family,
        wording=content.wording,
        source=place,
        metadata=content.metadata,
    )


def with_third(pair: Pair, name: str) -> Pair:
    """
    Return the pair with the text of its row's field ``name`` as the third candidate of a context audit.

    Refused: a field that is missing or no text with something in it, and a copy of one of the two.
    """
    text = pair.metadata.get(name)
    if not isinstance(text, str) or not text.strip():
        shown = "nothing" if name not in pair.metadata else found(text)
        hint = near(name, tuple(pair.metadata)) if name not in pair.metadata else ""
        raise Refused(f"{quoted(name)}: expected the text of a third candidate, found {shown}.{hint}")
    if text in (pair.first, pair.second):
        raise Refused(f"{quoted(name)}: is a copy of one of the two texts; expected a third candidate")
    return replace(pair, third=text)


def checked_strata(strata: object) -> tuple[Stratum, ...]:
    """Return the strata that a marker asks for; refused when one is unknown or none is given."""
    if isinstance(strata, str) or not isinstance(strata, Collection) or not strata:
        raise Refused(
            f'strata: expected some of {", ".join(STRATA)} as in ("core",), found {found(strata)}'
        )
    for stratum in strata:
        if stratum not in STRATA:
            hint = near(stratum, STRATA) if isinstance(stratum, str) else ""
            raise Refused(f"strata: expected some of {', '.join(STRATA)}, found {found(stratum)}.{hint}")
    return tuple(stratum for stratum in STRATA if stratum in strata)


def of_strata(
    pairs: Sequence[Pair], strata: Collection[Stratum], *, shown: str
) -> tuple[list[Pair], list[Finding]]:
    """Keep the clones of these strata; those left out are counted in a finding."""
    kept = [pair for pair in pairs if pair.stratum in strata]
    left = Counter(pair.stratum for pair in pairs if pair.stratum not in strata)
    if not left:
        return kept, []
    counted = ", ".join(f"{left[stratum]} {stratum}" for stratum in STRATA if left[stratum])
    if not kept:
        asked = ", ".join(strata)
        raise Refused(
            f"{shown}: has no row of stratum {asked}, only {counted}; add to strata on the marker"
        )
    finding = Finding(
        code="strata-left-out",
        where=shown,
        symptom=f"{sum(left.values())} of {len(pairs)} copies are left out: {counted}",
        check="edge inputs are a stratum of their own; add it to strata on the marker to count it apart",
    )
    return kept, [finding]


def one_per_prompt(pairs: Iterable[Pair], *, shown: str) -> tuple[list[Pair], list[Finding]]:
    """Merge clones that render the same prompt under several ids: asked once, as the first (RULES R4)."""
    kept: dict[tuple[str, str, str], Pair] = {}
    merged: list[tuple[Pair, Pair]] = []
    for pair in pairs:
        first = kept.setdefault((pair.wording, pair.prompt, pair.first), pair)
        if first is not pair:
            merged.append((first, pair))
    findings = [_merged(first, pair) for first, pair in merged[:SHOWN]]
    if len(merged) > SHOWN:
        symptom = (
            f"{len(merged) - SHOWN} more tasks render the prompt of an earlier one and are merged with it"
        )
        findings.append(Finding(code="merged-clones", where=shown, symptom=symptom, check=_MEANT))
    return list(kept.values()), findings


_MEANT = "one rendered prompt is one task; if two were meant, their prompts or texts must differ"


def _merged(first: Pair, pair: Pair) -> Finding:
    return Finding(
        code="merged-clones",
        where=pair.source,
        symptom=f"task {quoted(pair.id)} renders the prompt of {quoted(first.id)} ({first.source}): "
        "asked once",
        check=_MEANT,
    )


def repeated_prompts(pairs: Sequence[Pair], *, shown: str) -> list[Finding]:
    """Say so when tasks share a prompt and no family says it: they are not independent (METHODS 1)."""
    counts = Counter(pair.prompt for pair in pairs if pair.family is None)
    shared = [count for count in counts.values() if count > 1]
    if not shared:
        return []
    finding = Finding(
        code="repeated-prompts",
        where=shown,
        symptom=f"{sum(shared)} of {len(pairs)} tasks share {len(shared)} prompts between them",
        check="repeated prompts are no independent tasks; keep one of each, or name their family",
    )
    return [finding]
