"""
What a prediction expects, read: a small grammar, so that nobody decides afterwards what was meant.

``[the] [blind|sighted] SUBJECT [on the renamed corpus] VERB``, where VERB is one of ``falls``, ``rises``
and ``moves``, each alone or with ``by at least N`` or ``by at most N``; ``stays within N`` or ``within
noise``; ``does not move``; ``is at least N``, ``is at most N`` or ``is within noise``. N is in points, or
of a share in per cent. Which subjects and verbs there are depends on the contrast.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

from pytest_judgeaudit.records.errors import Refused, nearest
from pytest_judgeaudit.records.floors import TOTAL, Expectation, Prediction
from pytest_judgeaudit.records.scores import DIMENSIONS
from pytest_judgeaudit.settings.checking import Known, none_called
from pytest_judgeaudit.settings.faults import Fault
from pytest_judgeaudit.settings.models import Configuration
from pytest_judgeaudit.settings.showing import quoted
from pytest_judgeaudit.settings.studies import PredictionSettings


class Contrast(NamedTuple):
    """What can be said of a contrast: its subjects, the views it has, and whether it is a share of 1."""

    subjects: tuple[str, ...]
    views: tuple[str, ...] = ()
    share: bool = False


_SCORES = ("score", *DIMENSIONS)
CONTRASTS: Mapping[str, Contrast] = {
    "rename": Contrast(_SCORES, ("blind", "sighted")),
    "genre": Contrast(_SCORES, ("blind",)),
    "corpus": Contrast(("gap",)),
    "corpus x genre": Contrast(("interaction",)),
    "corpus x rename": Contrast(("differential",)),
    "premium removed": Contrast(("share",), share=True),
    "gap closed": Contrast(("share",), share=True),
    "gap closed against sighted": Contrast(("share",), share=True),
}
"""The contrasts that a prediction can be about, as the report names them; × may be written x."""

ARMS = ("sighted", "blind", "renamed-sighted", "renamed-blind")
_ARM = re.compile(r"renamed-(?:sighted|blind)(?:@[1-9]\d{0,3})?|sighted|blind")

FORM = (
    '"blind score on the renamed corpus falls by at least 3", "blind accuracy stays within noise", '
    '"interaction is at least 3"'
)

_AMOUNT = r"(?P<amount>\d{1,6}(?:\.\d{1,6})?)(?P<unit> ?%| points?)?"
_SENTENCE = re.compile(
    r"(?:the )?(?:(?P<arm>blind|sighted) )?(?P<subject>[a-z]+)(?: on the renamed corpus)? "
    rf"(?:(?P<verb>falls|rises|moves)(?: by (?P<bound>at least|at most) {_AMOUNT})?"
    rf"|(?P<stays>stays) within (?:(?P<noise>noise)|{_AMOUNT.replace('<', '<stays_')})"
    r"|(?P<still>does not move)"
    rf"|(?P<is>is) (?:(?P<is_noise>within noise)"
    rf"|(?P<is_bound>at least|at most) {_AMOUNT.replace('<', '<is_')})"
    r")\.?"
)


def contrast_of(name: str) -> str:
    """Return a contrast's name as it is listed: in lower case, with x for ×. Refused: an unknown one."""
    found = " ".join(name.lower().replace("×", " x ").split())
    if found not in CONTRASTS:
        raise Refused(
            f"no contrast is called {quoted(name)}; there are {', '.join(CONTRASTS)}."
            f"{nearest(found, CONTRASTS)}"
        )
    return found


def expectation_of(text: str, *, contrast: str) -> Expectation:
    """
    Read what a prediction expects of a contrast, listed in :data:`CONTRASTS`.

    Refused, in one line: a text that the grammar of this module does not cover, and a subject, view or unit
    that the contrast does not have.

    >>> found = expectation_of("blind score on the renamed corpus falls by at least 3", contrast="rename")
    >>> found.arm, found.dimension, found.verb, found.bound, found.amount
    ('blind', 'total', 'falls', 'at least', 3.0)
    """
    read = _SENTENCE.fullmatch(" ".join(text.lower().split()))
    if read is None:
        raise Refused(f"found {quoted(text)}, which cannot be decided. Write it like {FORM}.")
    about = CONTRASTS[contrast]
    said = {name: value for name, value in read.groupdict().items() if value is not None}
    subject, arm = said["subject"], said.get("arm", "")
    if subject not in about.subjects:
        raise Refused(
            f"{quoted(contrast)} has no {quoted(subject)}; it has {', '.join(about.subjects)}."
            f"{nearest(subject, about.subjects)}"
        )
    if arm and arm not in about.views:
        known = f"it has {' and '.join(about.views)} scores" if about.views else "it is one number"
        raise Refused(f"{quoted(contrast)} is not told apart by {quoted(arm)}: {known}.")
    verb, bound, amount, unit = _verb(said)
    if verb != "is" and not about.views and bound != "within noise":
        raise Refused(f"{quoted(contrast)} is one number: write that it is at least or at most so much.")
    if about.share != (unit == "%") and (about.share or amount is not None):
        raise Refused(
            f"{quoted(contrast)} is in {'per cent of a gap' if about.share else 'points'}, found "
            f"{quoted(text)}. Write {'50 %' if about.share else '3 points'}, say."
        )
    return Expectation(
        arm=arm or (about.views[0] if about.views else ""),
        dimension=subject if subject in DIMENSIONS else TOTAL,
        verb=verb,
        bound=bound,
        amount=amount / 100 if about.share and amount is not None else amount,
    )


Verb = Literal["falls", "rises", "moves", "is"]
Bound = Literal["at least", "at most", "within noise", ""]


def _verb(said: Mapping[str, str]) -> tuple[Verb, Bound, float | None, str]:
    """Return what becomes of the subject: verb, bound, amount and unit."""
    prefix = "stays_" if "stays" in said else "is_" if "is" in said else ""
    amount = said.get(f"{prefix}amount")
    number = None if amount is None else float(amount)
    unit = said.get(f"{prefix}unit", "").strip()
    if "still" in said or "noise" in said:
        return "moves", "within noise", None, ""
    if "is_noise" in said:
        return "is", "within noise", None, ""
    if "stays" in said:
        return "moves", "at most", number, unit
    bounds: Mapping[str, Bound] = {"at least": "at least", "at most": "at most"}
    bound = bounds.get(said.get(f"{prefix}bound", ""), "")
    verbs: Mapping[str, Verb] = {"falls": "falls", "rises": "rises", "moves": "moves"}
    return verbs.get(said.get("verb", ""), "is"), bound, number, unit


def prediction_of(settings: PredictionSettings) -> Prediction:
    """Read one ``[[prediction]]``. Refused as :func:`contrast_of` and :func:`expectation_of` say."""
    contrast = contrast_of(settings.contrast)
    return Prediction(
        id=settings.id,
        contrast=contrast,
        text=settings.expects,
        expects=expectation_of(settings.expects, contrast=contrast),
        corpus=settings.corpus,
        agent=settings.agent,
        arms=settings.arms,
    )


def prediction_faults(settings: PredictionSettings, known: Known) -> Iterator[Fault]:
    """Find what is wrong with a prediction whose single fields are right."""
    for name, kind, names in (("corpus", "corpus", known.corpora), ("agent", "agent", known.agents)):
        value = getattr(settings, name)
        if value is not None and value not in names:
            yield Fault((name,), none_called(kind, value, names))
    for index, arm in enumerate(settings.arms):
        if not _ARM.fullmatch(arm):
            yield Fault(("arms", index), none_called("arm", arm, ARMS))
    try:
        contrast = contrast_of(settings.contrast)
    except Refused as error:
        yield Fault(("contrast",), str(error))
        return
    try:
        expectation_of(settings.expects, contrast=contrast)
    except Refused as error:
        yield Fault(("expects",), str(error))


def predictions_of(configuration: Configuration) -> tuple[Prediction, ...]:
    """Read the predictions of a configuration, which were checked when it was read."""
    return tuple(map(prediction_of, configuration.predictions))
