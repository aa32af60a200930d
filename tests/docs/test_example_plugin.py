"""The example plug-in is built, installed and used: one audit with everything that it registers."""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.serving import Judge, environment, longer, serving

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "docs" / "example-plugin"

pytestmark = pytest.mark.slow

EVALS = """
import pytest

@pytest.mark.clone_pairs("corpora/pairs.jsonl")
@pytest.mark.clone_gate(upper=0.05)
def test_copies_tie(judge, pair):
    assert judge.compare(pair).tie

@pytest.mark.questions("corpora/questions.toml", corpus="code", arms=("sighted",))
@pytest.mark.rate_gate(lower=0.5)
def test_reads(agent, question, sandbox):
    answer = agent.answer(question, sandbox)
    assert answer.tool_calls == {"read": 1}
    assert answer.grade(question).score >= 0.8
"""

READER = """
import sys
print("tool read src/rates.py")
print("answer")
print("At most", sys.argv[1].split()[0][0] + ",250 a year.")
"""
"""A program that writes the log which the example reads: question ``3 …`` is answered ``3,250``."""

CONFIGURATION = """
[[judge]]
name = "worded"
family = "example"
api = "example-text"
model = "m"
base_url = "{url}"
api_key_env = "EXAMPLE_KEY"
template = "example-brief/1"
parser = "example-word"
limits = {{ in_flight = 4 }}

[[agent]]
name = "program"
kind = "command"
command = ["{python}", "{program}", "{{prompt}}"]
trace = "example-log"

[[corpus]]
name = "code"
path = "corpora/code"
"""

QUESTION = """
[[question]]
id = "q{n}"
class = "lookup"
prompt = "{n} is the rate's first digit. What is the rate?"
[[question.fact]]
id = "rate"
match = {{ type = "example-number", value = "{n}250" }}
"""


class Service(Judge):
    """Answers ``POST …/complete`` in words, as the example's wire format has it."""

    path = "/complete"

    def reply(self, body: Mapping) -> Mapping:
        chat = super().reply({"model": body["model"], "messages": [_message(""), _message(body["prompt"])]})
        winner = json.loads(chat["choices"][0]["message"]["content"])["winner"]
        assert "Reply with one word and nothing else" in body["prompt"]
        return {
            "completion": winner.upper(),
            "model": body["model"],
            "stopped": "end",
            "tokens": {"in": 100, "out": 1},
        }


def _message(text: str) -> Mapping[str, str]:
    return {"role": "user", "content": text}


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """A project whose audit needs the plug-in for everything."""

    root: Path
    site: Path

    def write(self, path: str, text: str) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def fill(self, url: str) -> None:
        self.write("pytest.ini", "[pytest]\n")
        self.write("evals/test_e.py", EVALS)
        self.write("corpora/code/src/rates.py", "RATE = 1250\n")
        self.write("corpora/questions.toml", "".join(QUESTION.format(n=n) for n in range(1, 6)))
        self.write("reader.py", READER)
        pairs = (
            {"id": f"p{n}", "prompt": f"Ask {n}", "chosen": f"good {n} and more", "rejected": f"bad {n}"}
            for n in range(60)
        )
        self.write("corpora/pairs.jsonl", "".join(json.dumps(pair) + "\n" for pair in pairs))
        self.write(
            "judgeaudit.toml",
            CONFIGURATION.format(url=url, python=sys.executable, program=self.root / "reader.py"),
        )

    def audit(self, *options: str, installed: bool = True) -> subprocess.CompletedProcess[str]:
        """Run the audit, with the example installed or not."""
        path = {"PYTHONPATH": str(self.site)} if installed else {}
        return subprocess.run(
            [sys.executable, "-m", "pytest", "--judge-audit", "--judge-report=audit.json", *options],
            cwd=self.root,
            env={**environment(), **path, "EXAMPLE_KEY": "example-key-4711"},
            capture_output=True,
            encoding="utf-8",
            timeout=600,
            check=False,
        )

    @property
    def report(self) -> Mapping[str, Any]:
        return json.loads((self.root / "audit.json").read_text("ascii"))

    def csv(self) -> Sequence[Mapping[str, str]]:
        with (self.root / "gates.csv").open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def stored(self) -> dict[str, bytes]:
        return {
            str(p.relative_to(self.root)): p.read_bytes() for p in self.root.rglob("snapshots/**/*.jsonl")
        }


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which the example is installed, from a copy: building writes beside the source."""
    folder = tmp_path_factory.mktemp("example")
    source = shutil.copytree(SOURCE, folder / "source", ignore=shutil.ignore_patterns("__pycache__"))
    pip = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
        "--no-index",
    ]
    done = subprocess.run(
        [*pip, "--disable-pip-version-check", "--target", str(folder / "site"), str(source)],
        env={name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")},
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder / "site"


@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["alone", "n2"])
def test_an_audit_uses_everything_that_the_example_registers(tmp_path, site, workers):
    project = Project(root=tmp_path, site=site)
    with serving(longer, Service) as server:
        project.fill(f"http://{server.host}")
        live = project.audit("--judge-live", "--judge-report=gates.csv", *workers)
        assert live.returncode == 0, live.stdout + live.stderr
        assert server.calls == 60
    report, gates = project.report, project.csv()
    assert report["answers"]["asked"] == 65
    assert {gate["kind"]: gate["state"] for gate in report["gates"]} == {
        "clone_gate": "PASS",
        "rate_gate": "PASS",
    }
    assert [(row["gate"], row["state"]) for row in gates] == [
        (gate["id"], gate["state"]) for gate in report["gates"]
    ]
    assert {grade["score"] for grade in report["grades"]} == {1.0}
    (judge,) = report["configurations"]
    assert (judge["served"], judge["usage"]["prompt"]) == ({"m": 60}, 6000)

    stored = project.stored()
    assert not any(b"example-key-4711" in text for text in stored.values())
    replay = project.audit(*workers)
    assert replay.returncode == 0, replay.stdout + replay.stderr
    assert project.report["answers"]["hit"] == 65

    gone = project.audit(*workers, installed=False)
    assert gone.returncode == 4
    assert "Traceback" not in gone.stdout + gone.stderr
    assert 'api: found "example-text", expected one of openai' in gone.stderr
    assert 'parser: no parser is called "example-word"' in gone.stderr
    assert 'trace: no trace format is called "example-log"' in gone.stderr
    assert gone.stderr.count("If a plug-in registers it, that plug-in is not loaded, or ") == 3
    assert project.stored() == stored


def test_without_the_audit_the_example_loads_none_of_our_modules(tmp_path, site):
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "test_plain.py").write_text(
        "import sys\n\ndef test_plain():\n"
        "    assert 'judgeaudit_example' in sys.modules\n"
        "    assert not {'pytest_judgeaudit.session.registering', 'numpy', 'pydantic'} & set(sys.modules)\n"
    )
    plugins = ["-p", "judgeaudit", "-p", "judgeaudit-example"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *plugins],
        cwd=tmp_path,
        env={**environment(), "PYTHONPATH": str(site), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_pytest_starts_with_the_example_where_ours_is_switched_off(tmp_path, site):
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "test_plain.py").write_text("def test_plain():\n    pass\n")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:judgeaudit"],
        cwd=tmp_path,
        env={**environment(), "PYTHONPATH": str(site)},
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
