"""Running a foreign program: bounded in time and output, ended with all its children."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

MOST_OUTPUT = 32 * 2**20
"""Bytes of standard output after which a program is ended; of standard error, only the end is kept."""

_BLOCK = 2**16
_KEPT_ERRORS = 2**16
_LINGER_S = 2.0
"""For how long an ended program's children may still hold its output open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """
    A program that has ended, or was ended.

    ``code`` is its exit status (negative: the signal), ``overflow`` whether it wrote too much.
    """

    code: int
    output: bytes
    errors: bytes
    timed_out: bool = False
    overflow: bool = False


class Processes:
    """The programs that run at the moment, so that all of them can be ended. Safe for several threads."""

    def __init__(self) -> None:
        self._running: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()
        self._stopped = False

    def run(
        self, command: Sequence[str | bytes], *, folder: Path, env: Mapping[str, str], limit_s: float
    ) -> Finished:
        """
        Run a program in a folder with just this environment, no input, for at most ``limit_s`` seconds.

        OSError or ValueError where it cannot be started.
        """
        with self._started(command, folder, env) as process:
            output = _Collected(process.stdout, most=MOST_OUTPUT, overflow=lambda: end(process))
            errors = _Collected(process.stderr, most=_KEPT_ERRORS)
            timed_out = False
            try:
                process.wait(limit_s)
            except subprocess.TimeoutExpired:
                timed_out = True
            end(process)
            return Finished(
                code=process.wait(),
                output=output.content(),
                errors=errors.content(),
                timed_out=timed_out,
                overflow=output.overflowed,
            )

    def stop(self) -> None:
        """End all that run, and whatever would be started."""
        with self._lock:
            self._stopped = True
            for process in self._running:
                end(process)

    @contextmanager
    def _started(
        self, command: Sequence[str | bytes], folder: Path, env: Mapping[str, str]
    ) -> Iterator[subprocess.Popen[bytes]]:
        process = subprocess.Popen(  # noqa: S603 - the command that the user configured
            list(command),
            cwd=folder,
            env=dict(env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        with self._lock:
            self._running.add(process)
            if self._stopped:
                end(process)
        try:
            yield process
        finally:
            end(process)
            process.wait()
            with self._lock:
                self._running.discard(process)
            for stream in (process.stdout, process.stderr):
                if stream is not None:
                    with suppress(OSError):
                        stream.close()


def end(process: subprocess.Popen[bytes]) -> None:
    """End a program and its group; what has left the group is out of reach."""
    with suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


class _Collected:
    """A stream that a thread reads to its end; the first ``most`` bytes are kept, or the last."""

    def __init__(
        self, stream: IO[bytes] | None, *, most: int, overflow: Callable[[], None] | None = None
    ) -> None:
        self._stream = stream
        self._most = most
        self._overflow = overflow
        self._kept = bytearray()
        self.overflowed = False
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def content(self) -> bytes:
        self._thread.join(_LINGER_S)
        return bytes(self._kept)

    def _read(self) -> None:
        with suppress(OSError, ValueError):  # closed while reading
            while self._stream is not None and (block := os.read(self._stream.fileno(), _BLOCK)):
                self._kept += block
                if len(self._kept) > self._most:
                    self._cut()

    def _cut(self) -> None:
        if self._overflow is None:
            del self._kept[: len(self._kept) - self._most]
            return
        del self._kept[self._most :]
        if not self.overflowed:
            self.overflowed = True
            self._overflow()
