"""
The program of the server process: llama.cpp behind an OpenAI-compatible address on loopback.

Run by its path, with the weights' file, the name to declare as served, and the context's size. It writes
one line of JSON, ``{"url": …}`` or ``{"error": …}``, and ends when its standard input does: when whoever
started it closes it, ends, or is killed. It imports nothing of ours.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from typing import Any


def serve(weights: str, name: str, context: int) -> Any:
    """
    Start a server and return it, listening on a free port of 127.0.0.1.

    One thread, one slot and no prompt cache: so temperature 0 says the same in every run.
    """
    import xllamacpp  # noqa: PLC0415 - loading it takes a moment, in which standard input may end

    chosen = xllamacpp.CommonParams()
    chosen.model.path = weights
    chosen.model_alias = {name}
    chosen.hostnames, chosen.port = ["127.0.0.1"], 0
    chosen.n_parallel, chosen.n_ctx = 1, context
    chosen.cpuparams.n_threads = chosen.cpuparams_batch.n_threads = 1
    chosen.cache_prompt, chosen.cache_ram_mib = False, 0
    # What else differs between machines: room for the context, and what a graphics card computes.
    chosen.fit_params, chosen.n_gpu_layers = False, 0
    chosen.ui = chosen.endpoint_slots = False
    chosen.offline, chosen.verbosity = True, 0
    return xllamacpp.Server(chosen)


def end_with_input() -> None:
    """End the process when standard input ends, whatever else it is doing."""
    while sys.stdin.buffer.read(4096):
        pass
    # Threads of the server are still running: nothing here needs to be tidied up.
    os._exit(0)


def main(weights: str, name: str, context: str) -> None:
    """Serve until standard input ends."""
    # Ctrl-C reaches the whole group; what is in flight is still wanted then.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Whatever a library prints must not be taken for our line.
    said = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(2, 1)
    watcher = threading.Thread(target=end_with_input)
    watcher.start()
    try:
        server = serve(weights, name, int(context))
        line = {"url": server.listening_address}
    except Exception as error:  # noqa: BLE001 - whatever it is, it travels as a line
        line = {"error": f"{type(error).__name__}: {error}"}
    said.write(json.dumps(line) + "\n")
    said.flush()
    if "error" in line:
        os._exit(1)
    watcher.join()


if __name__ == "__main__":
    main(*sys.argv[1:])
