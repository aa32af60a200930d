"""What an asker takes from the outside world beside the network; tests put their own in."""

from __future__ import annotations

import math
import os
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field

_LOAD_HOLDS_S = 1.0


class _Load:
    """The load average, read again after a second: the system moves it every five, and calls are many."""

    def __init__(self) -> None:
        self._read: tuple[float, float | None] = (-math.inf, None)

    def __call__(self) -> float | None:
        """Return the load average of the last minute over the number of processors; None where unknown."""
        at, load = self._read
        now = time.monotonic()
        if now - at >= _LOAD_HOLDS_S:
            load = _load_per_processor()
            self._read = now, load
        return load


def _load_per_processor() -> float | None:
    try:
        return round(os.getloadavg()[0] / (os.cpu_count() or 1), 2)
    except (AttributeError, OSError):  # Windows keeps no load average
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """
    Clocks, chance and sleep.

    ``clock`` gives seconds since the epoch, ``monotonic`` seconds that never jump, ``chance`` a number in
    [0, 1), ``load`` what the machine carries per processor. ``sleep`` waits for so many seconds; without
    one an asker waits until it is stopped, if that comes first.
    """

    clock: Callable[[], float] = time.time
    monotonic: Callable[[], float] = time.monotonic
    chance: Callable[[], float] = random.random
    load: Callable[[], float | None] = field(default_factory=_Load)
    sleep: Callable[[float], object] | None = None
