"""The decision rules that a judge is given: two of ours, worded for each material, and the user's own."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_judgeaudit.records.errors import Refused, nearest

_PROGRAMS = "Both candidates implement the same specification over the same finite set of valid inputs."
_NOT_COUNTED = (
    "Style, naming, length and efficiency do not count, nor does anything outside the valid inputs."
)

_PROGRAM = "The answer is to implement the specification over its finite set of valid inputs."

BUILT_IN: Mapping[str, Mapping[str, str]] = {
    "neutral": {
        "text": (
            "Choose the candidate that answers the task better. If the two are substantially equal in "
            "quality, the verdict is a tie."
        ),
        "finite-code": (
            f"{_PROGRAMS} Choose the one that returns the correct result on more of the valid inputs. If "
            f"both are correct on equally many, the verdict is a tie. {_NOT_COUNTED}"
        ),
    },
    "strict": {
        "text": (
            "Choose a candidate only if its advantage in answering the task is material: large enough to "
            "matter to somebody who relies on the answer. If the advantage is small, or you are in doubt "
            "whether there is one, the verdict is a tie."
        ),
        "finite-code": (
            f"{_PROGRAMS} Choose a candidate only if it has a material functional advantage: it returns "
            "the correct result on valid inputs on which the other does not, and the reverse does not "
            "outweigh them. If you are in doubt whether there is such an advantage, the verdict is a tie. "
            f"{_NOT_COUNTED}"
        ),
    },
}
"""Criterion → wording set → text. The rules are those of METHODS 1 and 3; the words are ours."""


POINTWISE: Mapping[str, Mapping[str, str]] = {
    "neutral": {
        "text": (
            "Accept the answer if it does what the task asks and is right in all that matters for it. "
            "Reject it if it is wrong, misses what was asked, or has no content."
        ),
        "finite-code": (
            f"{_PROGRAM} Accept it if it returns the correct result on every valid input; otherwise reject "
            f"it. {_NOT_COUNTED}"
        ),
    },
    "strict": {
        "text": (
            "Accept the answer only if somebody who relies on it would need no correction: it does all "
            "that the task asks, and you find no error in it. If you are in doubt whether it is right or "
            "complete, or it has no content, reject it."
        ),
        "finite-code": (
            f"{_PROGRAM} Accept it only if you are sure that it returns the correct result on every valid "
            f"input. If you are in doubt, reject it. {_NOT_COUNTED}"
        ),
    },
}
"""The same for judges that accept or reject one answer."""


def criterion_text(
    name: str,
    wording: str,
    own: Mapping[str, str],
    *,
    built_in: Mapping[str, Mapping[str, str]] = BUILT_IN,
) -> str:
    """
    Return the text of a criterion for one material.

    ``wording`` is the pair's wording set (``text`` or ``finite-code``); ``own`` maps the names of the
    configuration's ``[[criterion]]`` tables to their texts. A criterion of one's own holds for every
    wording and comes before a built-in one of the same name; ``built_in`` are those for pairs, or
    :data:`POINTWISE`. Refused: an unknown name or wording.
    """
    if name in own:
        return own[name]
    if name not in built_in:
        known = [*built_in, *own]
        raise Refused(
            f'no criterion is called "{name}"; there are {", ".join(known)}.{nearest(name, known)}'
        )
    wordings = built_in[name]
    if wording not in wordings:
        raise Refused(
            f'the criterion {name} has no wording for "{wording}"; there are {", ".join(wordings)}. '
            "Write a [[criterion]] of your own, which holds for every material"
        )
    return wordings[wording]
