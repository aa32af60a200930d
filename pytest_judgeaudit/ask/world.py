"""What an asker takes from the outside world beside the network; tests put their own in."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """
    Clocks, chance and sleep.

    ``clock`` gives seconds since the epoch, ``monotonic`` seconds that never jump, ``chance`` a number in
    [0, 1). ``sleep`` waits for so many seconds; without one an asker waits until it is stopped, if that
    comes first.
    """

    clock: Callable[[], float] = time.time
    monotonic: Callable[[], float] = time.monotonic
    chance: Callable[[], float] = random.random
    sleep: Callable[[float], object] | None = None
