"""A project with questions, and a chat server on loopback that plays its agents and judges."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock
from typing import Any

import pytest

PLUGINS = ("judgeaudit", "xdist", "syrupy")

CORPUS = {
    "src/rates.py": "def daily_rate(loan):\n    return loan.yearly / 365\n",
    "src/store.py": "def write_loan(loan):\n    DISK.append(loan)\n",
}

CHECKED = """
import pytest

@pytest.mark.questions("questions.toml", corpus="code", arms=ARMS, replicates=REPLICATES)
@pytest.mark.rate_gate(lower=0.01)
def test_reads(agent, judges, question, sandbox):
    answer = agent.answer(question, sandbox)
    for judge in judges:
        judge.check(question, answer)
    assert answer.grade(question).score >= 0.8
"""
"""Every judge checks every answer."""

GRADED = """
import pytest

@pytest.mark.questions("questions.toml", corpus="code", arms=ARMS, replicates=REPLICATES)
@pytest.mark.rate_gate(lower=0.01)
def test_reads(agent, question, sandbox):
    assert agent.answer(question, sandbox).grade(question).score >= 0.8
"""
"""No judge at all."""

SCORED = """
import pytest

@pytest.mark.questions("questions.toml", corpus="code", arms=ARMS, replicates=REPLICATES)
@pytest.mark.blind_floor
def test_reads(agent, judges, question, sandbox):
    answer = agent.answer(question, sandbox)
    for judge in judges:
        judge.score(question, answer)
    assert answer.grade(question).score >= 0.8
"""
"""Every judge scores every answer on the rubric."""

Said = str | Mapping[str, Any]
Script = Said | list[Said] | Callable[[str], Said]


def checklist(score: float, **facts: bool) -> str:
    """What a judge of a checklist says."""
    return json.dumps({"per_fact": facts, "score": score})


class Chat(ThreadingHTTPServer):
    """
    Answers ``POST …/chat/completions`` by the first rule whose model and words are in a request.

    A rule says a text; a mapping with ``text``, ``served`` (None: not stated), ``usage``, ``status``,
    ``wait`` in seconds or ``tools``; a list of those, of which the last repeats; or a function of the text
    of all messages. ``calls`` notes model and text of every request.
    """

    daemon_threads = True
    block_on_close = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.rules: list[tuple[str, str, Script]] = []
        self.calls: list[tuple[str, str]] = []
        self._lock = Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def on(self, model: str, words: str, script: Script) -> None:
        """Put a rule before those that are there."""
        self.rules.insert(0, (model, words, script))

    def asked(self, *models: str) -> int:
        """Count the requests to some models, to all without a name."""
        return sum(not models or model in models for model, _ in self.calls)

    def says(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """Find what a request is answered."""
        text = "\n".join(str(message.get("content") or "") for message in body["messages"])
        with self._lock:
            self.calls.append((body["model"], text))
            for model, words, script in self.rules:
                if model == body["model"] and words in text:
                    return self._said(script, text)
        return {"status": 404}

    def _said(self, script: Script, text: str) -> Mapping[str, Any]:
        if isinstance(script, list):
            said = script.pop(0) if len(script) > 1 else script[0]
        else:
            said = script(text) if callable(script) else script
        return {"text": said} if isinstance(said, str) else said


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Chat

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        said = self.server.says(asked)
        time.sleep(said.get("wait", 0))
        status = said.get("status", 200)
        reply = json.dumps(_completion(asked, said) if status == 200 else {"error": {"message": "down"}})
        try:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(reply)))
            self.end_headers()
            self.wfile.write(reply.encode("ascii"))
        except OSError:
            self.close_connection = True  # who asked has given up

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def _completion(asked: Mapping[str, Any], said: Mapping[str, Any]) -> Mapping[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": said.get("text", "")}
    if said.get("tools") and asked["messages"][-1]["role"] != "tool":
        message["content"] = None
        message["tool_calls"] = [
            {"id": f"t{n}", "type": "function", "function": {"name": name, "arguments": json.dumps(rest)}}
            for n, (name, rest) in enumerate(said["tools"])
        ]
    found = {
        "object": "chat.completion",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": said.get("usage", {"prompt_tokens": 10, "completion_tokens": 5}),
    }
    served = said.get("served", asked["model"])
    return found if served is None else {**found, "model": served}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """One run: exit status, what it wrote, the report if there is one."""

    code: int
    out: str
    report: Mapping[str, Any]

    @property
    def words(self) -> str:
        """What it wrote, with its white space folded: sentences are wrapped."""
        return " ".join(self.out.split())

    def grades(self, **wanted: Any) -> list[Any]:
        """The entries of graded answers with these values."""
        return [
            one for one in self.report["grades"] if all(one[key] == told for key, told in wanted.items())
        ]

    def grade(self, question: str, **wanted: Any) -> Any:
        (found,) = self.grades(question=question, **wanted)
        return found

    def findings(self, code: str) -> list[Any]:
        return [one for one in self.report["findings"] if one["code"] == code]

    def gates(self) -> dict[str, str]:
        """The state of each gate by the last part of its id."""
        return {gate["id"].rpartition("::")[2]: gate["state"] for gate in self.report["gates"]}


@dataclass(frozen=True, slots=True, kw_only=True)
class Library:
    """A project with a corpus, one reader that is served by ``chat``, and questions to be written."""

    pytester: pytest.Pytester
    chat: Chat
    tables: dict[str, list[Mapping[str, Any]]] = field(default_factory=dict)

    @property
    def root(self) -> Path:
        return self.pytester.path

    def start(self) -> Library:
        """Write what every test needs."""
        self.write("pytest.ini", "[pytest]\n")
        for path, text in CORPUS.items():
            self.write(f"corpora/code/{path}", text)
        self.tables["corpus"] = [{"name": "code", "path": "corpora/code"}]
        self.tables["agent"] = [self.agent("reader")]
        return self

    def agent(self, name: str, **keys: Any) -> Mapping[str, Any]:
        """A table of an agent with tools, whose model has its name."""
        made = {"name": name, "kind": "tools", "tools": ["list", "read", "grep"], **self._served(name)}
        return {**made, **keys}

    def judge(self, name: str, **keys: Any) -> Mapping[str, Any]:
        """A table of a judge, whose model has its name."""
        return {"name": name, "family": name, **self._served(name), **keys}

    def _served(self, name: str) -> Mapping[str, Any]:
        return {
            "api": "openai",
            "model": name,
            "base_url": self.chat.url,
            "limits": {"attempts": 1, "timeout": 20},
        }

    def write(self, path: str, text: str) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8", errors="surrogatepass")

    def configure(self, *judges: Mapping[str, Any], more: str = "", **tables: Any) -> None:
        """Write the configuration: judges, and other tables than those of :meth:`start`."""
        self.tables.update(tables)
        every = {**self.tables, "judge": judges}
        lines = [line for name, rows in every.items() for row in rows for line in _table(name, row)]
        self.write("judgeaudit.toml", "\n".join([*lines, more]))

    def questions(self, *questions: Mapping[str, Any]) -> None:
        """Write the questions."""
        lines: list[str] = []
        for one in questions:
            plain = {key: value for key, value in one.items() if key not in ("fact", "forbidden")}
            lines += _table("question", {"class": "lookup", **plain})
            for kind in ("fact", "forbidden"):
                for name, how in one.get(kind, {}).items():
                    lines += _table(f"question.{kind}", {"id": name, **how})
        self.write("questions.toml", "\n".join(lines))

    def evals(
        self, text: str = CHECKED, *, arms: Sequence[str] = ("sighted",), replicates: int = 1
    ) -> None:
        """Write the eval."""
        text = text.replace("REPLICATES", str(replicates)).replace("ARMS", repr(tuple(arms)))
        self.write("evals/test_e.py", text)

    def audit(self, *options: str, apart: bool = False) -> Ran:
        """Run the audit, in this process unless ``apart``; it may show no traceback of ours."""
        report = self.root / "report.json"
        report.unlink(missing_ok=True)
        chosen = [word for name in PLUGINS for word in ("-p", name)]
        words = (*chosen, "-W", "error", "--judge-audit", "--judge-report=report.json", *options)
        run = self.pytester.runpytest_subprocess if apart else self.pytester.runpytest_inprocess
        done = run(*words)
        out = "\n".join([*done.outlines, *done.errlines])
        assert "INTERNALERROR" not in out, out
        assert "pytest_judgeaudit/" not in out, out
        found = json.loads(report.read_text("ascii")) if report.exists() else {}
        assert not found or found["exit"] == done.ret
        return Ran(code=int(done.ret), out=out, report=found)

    def live(self, *options: str, apart: bool = False) -> Ran:
        return self.audit("--judge-live", *options, apart=apart)

    def stored(self, owner: str = "reader") -> dict[str, str]:
        """The stored lines of an agent or a judge by name, as they are written."""
        found: dict[str, str] = {}
        for file in self.root.glob(f"snapshots/**/{owner}.jsonl"):
            for text in file.read_text("utf-8").splitlines()[1:]:
                found[json.loads(text)["name"]] = text
        return found

    def restore(self, owner: str, change: Callable[[dict[str, Any]], None]) -> None:
        """Change every stored line of an agent or a judge by hand."""
        for file in self.root.glob(f"snapshots/**/{owner}.jsonl"):
            head, *lines = file.read_text("utf-8").splitlines()
            rows = [json.loads(line) for line in lines]
            for row in rows:
                change(row)
            file.write_text("\n".join([head, *map(json.dumps, rows), ""]), "utf-8")

    def digests(self) -> dict[str, str]:
        """The digest of every file below the snapshots."""
        return {
            str(path.relative_to(self.root)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in self.root.glob("snapshots/**/*")
            if path.is_file()
        }


def lookup(name: str, prompt: str, *literals: str, **keys: Any) -> Mapping[str, Any]:
    """A question with one required literal a fact, ``f1``, ``f2`` and so on."""
    facts = {
        f"f{number}": {"must": True, "desc": f"says {value}", "match": {"type": "literal", "value": value}}
        for number, value in enumerate(literals, start=1)
    }
    return {"id": name, "prompt": prompt, "fact": facts, **keys}


def _table(name: str, row: Mapping[str, Any]) -> list[str]:
    return [f"[[{name}]]", *(f"{key} = {toml(value)}" for key, value in row.items()), ""]


def toml(value: Any) -> str:
    """A value as TOML writes it."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {toml(entry)}" for key, entry in value.items()) + " }"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(toml, value))}]"
    return json.dumps(value, ensure_ascii=False)
