"""
How somebody else's log writes orders, verdicts and arms.

A word of the configuration equals a value of the log when both are of one type and equal, or when one is
a text and the other a number that is written so: ``1`` and ``"1"`` are equal; ``true`` and ``"true"`` are
not, nor are ``1`` and ``true``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from pytest_judgeaudit.corpora.found import found
from pytest_judgeaudit.records.errors import Refused, nearest
from pytest_judgeaudit.records.items import Kind, Order
from pytest_judgeaudit.records.verdicts import Ruling, Slot, Winner, winner_of

ORDERS: Mapping[Order, Any] = {"AB": "AB", "BA": "BA"}
VERDICTS: Mapping[str, Any] = {"first": "first", "second": "second", "tie": "tie"}
ARMS: Mapping[str, Any] = {arm: arm for arm in get_args(Kind)}
"""What holds where the configuration maps nothing: the log writes our own words."""

RULINGS: tuple[Ruling, ...] = ("accept", "reject")


def equal(word: Any, value: Any) -> bool:
    """
    Compare a word of the configuration with a value of the log (rule: see this module).

    >>> equal("1", 1), equal(1, 1.0), equal("true", True), equal(1, True), equal("a", "A")
    (True, True, False, False, False)
    """
    if isinstance(word, bool) or isinstance(value, bool):
        return word is value
    if isinstance(word, str) == isinstance(value, str):
        return bool(word == value)
    text, number = (word, value) if isinstance(word, str) else (value, word)
    return isinstance(number, int | float) and text == str(number)


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """
    Our word → the log's value.

    ``orders`` has ``AB`` and usually ``BA``; ``verdicts`` is by content (``first``, ``second``, ``tie``)
    or by slot (``A``, ``B``, ``tie``), without ``tie`` where the judge could not, and of single answers
    ``accept`` and ``reject``; ``arms`` has the kinds of pairs.
    """

    orders: Mapping[Any, Any]
    verdicts: Mapping[str, Any]
    arms: Mapping[str, Any]

    def order(self, value: Any) -> Order:
        """Return the order that a value stands for. Refused: any other value."""
        order: Order = _meant(self.orders, value, key="orders")
        return order

    def arm(self, value: Any) -> str:
        """Return the arm that a value stands for. Refused: any other value."""
        return str(_meant(self.arms, value, key="arms"))

    def ruling(self, value: Any) -> Ruling:
        """Return the ruling that a verdict on a single answer is; ``invalid`` when the value is none."""
        for word in RULINGS:
            if word in self.verdicts and equal(self.verdicts[word], value):
                return word
        return "invalid"

    def slot(self, value: Any, order: Order) -> Slot | None:
        """Return the slot that a verdict names in this order; None when the value is no verdict."""
        word = next((word for word, written in self.verdicts.items() if equal(written, value)), None)
        match word:
            case "A" | "B" | "tie":
                return word
            case "first" | "second":
                return slot_of(word, order)
            case _:
                return None


def checked_words(
    *, orders: Mapping[Any, Any] | None, verdicts: Mapping[str, Any] | None, arms: Mapping[str, Any] | None
) -> Words:
    """
    Return the words of a log, checked.

    Refused: a word that is none of ours, a missing one, two that are written alike.
    """
    words = Words(orders=orders or ORDERS, verdicts=verdicts or VERDICTS, arms=arms or ARMS)
    _check("orders", words.orders, (tuple(ORDERS),), needed=("AB",))
    by_slot = ("A", "B", "tie")
    rules = bool(set(words.verdicts) & set(RULINGS))
    needed = by_slot[:2] if set(words.verdicts) & {"A", "B"} else tuple(VERDICTS)[:2]
    sets = (tuple(VERDICTS), by_slot, RULINGS)
    _check("verdicts", words.verdicts, sets, needed=RULINGS if rules else needed)
    _check("arms", words.arms, (tuple(ARMS),), needed=())
    return words


def slot_of(winner: Winner, order: Order) -> Slot | None:
    """
    Map content back to the slot in which it was shown; None for an invalid verdict.

    >>> slot_of("first", "BA"), slot_of("tie", "AB"), slot_of("invalid", "AB")
    ('B', 'tie', None)
    """
    return next((slot for slot in _SLOTS if winner_of(slot, order) == winner), None)


_SLOTS: tuple[Slot, ...] = get_args(Slot)


def _meant(words: Mapping[Any, Any], value: Any, *, key: str) -> Any:
    for word, written in words.items():
        if equal(written, value):
            return word
    known = " or ".join(f"{found(written)} ({word})" for word, written in words.items())
    raise Refused(f"found {found(value)}, expected {known}; complete {key}, or narrow the rows with where")


def _check(
    key: str, words: Mapping[Any, Any], sets: Sequence[tuple[str, ...]], *, needed: Sequence[str]
) -> None:
    expected = " or ".join(", ".join(names) for names in sets)
    if not any(set(words) <= set(names) for names in sets):
        every = [name for names in sets for name in names]
        unknown = next((str(word) for word in words if word not in every), "")
        raise Refused(
            f"{key}: found {', '.join(map(str, words))}, expected {expected}.{nearest(unknown, every)}"
        )
    missing = next((name for name in needed if name not in words), None)
    if missing is not None:
        raise Refused(f"{key}: {missing} is missing; expected {expected}")
    written = list(words.items())
    for index, (word, value) in enumerate(written):
        twin = next((other for other, same in written[:index] if equal(same, value)), None)
        if twin is not None:
            raise Refused(f"{key}: {twin} and {word} are written alike; each needs a word of its own")
