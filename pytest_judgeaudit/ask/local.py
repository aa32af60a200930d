"""A local model's server: the process that serves it, owned by whoever started it."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

from pytest_judgeaudit.ask.weights import Weights
from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.settings.showing import escaped

CONTEXT = 8192
"""Tokens of prompt and answer together. A longer prompt is refused by the server."""

PROGRAM = (sys.executable, "-P", str(Path(__file__).with_name("llama.py")))
"""The command that serves: it is given the weights' file, the name to declare, and the context's size."""

START_S = 300.0
"""Seconds in which weights have to be loaded."""

_END_S = 5.0
_LONGEST = 300


class LocalServer:
    """
    One server process on loopback, from :meth:`start` to :meth:`stop`.

    It ends when the pipe to its standard input closes, so also when this process is killed. It stands in
    a session of its own: a signal to our group does not cut off the answers that are in flight.
    """

    def __init__(self, weights: Weights, *, command: Sequence[str] = PROGRAM) -> None:
        self._weights = weights
        self._command = command
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, *, within_s: float = START_S) -> str:
        """Load the weights and return the address. Refused, in one line: a server that does not come up."""
        arguments = [str(self._weights.file), self._weights.served, str(CONTEXT)]
        self._process = subprocess.Popen(  # noqa: S603 - our own program, or a test's
            [*self._command, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        killer = threading.Timer(within_s, self._process.kill)
        killer.daemon = True
        killer.start()
        line = self._process.stdout.readline() if self._process.stdout else b""
        killer.cancel()
        said = _said(line)
        url = said.get("url")
        if not isinstance(url, str):
            self.stop()
            raise Refused(self._trouble(said.get("error"), within_s))
        return url

    def _trouble(self, error: object, within_s: float) -> str:
        name = self._weights.file.name
        if isinstance(error, str):
            return (
                f"{name} could not be served: {escaped(error, longest=_LONGEST)}. Check the weights' file."
            )
        return f"{name} could not be served: the server ended, or was not up within {within_s:g} s."

    def stop(self) -> None:
        """End the process, if it runs; by force where it does not end by itself."""
        process, self._process = self._process, None
        if process is None:
            return
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()
        try:
            process.wait(_END_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _said(line: bytes) -> Mapping[str, object]:
    try:
        said = json.loads(line)
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}
