"""What an asker takes from the outside world beside the network; tests put their own in."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable
from dataclasses import dataclass


def load_per_processor() -> float | None:
    """Return the load average of the last minute over the number of processors; None where unknown."""
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
    load: Callable[[], float | None] = load_per_processor
    sleep: Callable[[float], object] | None = None
