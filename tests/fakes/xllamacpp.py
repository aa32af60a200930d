"""
Stands for the package of that name in processes whose PYTHONPATH leads here: a server without a model.

It ties on copies and else prefers the longer candidate. What FAKE_LLAMA names is a file to which it writes
a line of JSON when it starts and one for each request; FAKE_LLAMA_S is how long a request takes.
"""

import json
import os
import re
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace

CANDIDATE = r"<candidate_{0}_(\w+)>\n(.*?)\n</candidate_{0}_\1>"


def note(**facts):
    """Write a line about this process."""
    with Path(os.environ["FAKE_LLAMA"]).open("a") as log:
        log.write(json.dumps({"pid": os.getpid(), **facts}) + "\n")


class CommonParams(SimpleNamespace):
    """Takes every setting."""

    def __init__(self):
        nested = {name: SimpleNamespace() for name in ("model", "cpuparams", "cpuparams_batch")}
        super().__init__(**nested)


class Server:
    """Listens on a free port, as long as the process lives; refuses a file that says so."""

    def __init__(self, chosen):
        os.write(1, b"llama.cpp prints what it likes\n")
        if b"broken" in Path(chosen.model.path).read_bytes():
            raise RuntimeError("Failed to init server")
        (self.alias,) = chosen.model_alias
        note(
            started=chosen.model.path,
            threads=[chosen.cpuparams.n_threads, chosen.cpuparams_batch.n_threads],
            slots=chosen.n_parallel,
            cache=[chosen.cache_prompt, chosen.cache_ram_mib],
        )
        server = ThreadingHTTPServer((chosen.hostnames[0], chosen.port), Handler)
        server.alias = self.alias
        self.listening_address = "http://{}:{}".format(*server.server_address)
        threading.Thread(target=server.serve_forever, daemon=True).start()


class Handler(BaseHTTPRequestHandler):
    """Answers chat completions."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        note(path=self.path, body=body)
        time.sleep(float(os.environ.get("FAKE_LLAMA_S", "0")))
        shown = body["messages"][-1]["content"]
        a, b = (re.search(CANDIDATE.format(slot), shown, re.DOTALL) for slot in "AB")
        a, b = (a[2], b[2]) if a and b else ("", "")
        verdict = "tie" if a == b else "A" if len(a) > len(b) else "B"
        reply = {
            "model": self.server.alias,
            "choices": [{"message": {"content": json.dumps({"winner": verdict})}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": len(shown), "completion_tokens": 8},
        }
        content = json.dumps(reply).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        """Say nothing."""
