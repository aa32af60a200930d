"""Audits with a plug-in: what its versions move, and what a fault of its voids. Nothing stored is lost."""

from __future__ import annotations

import json
import sys

import pytest

from tests.serving import Judge, longer, serving

PLUGIN = """
import re
import pytest

FAULT, VERSIONS = {fault!r}, {versions!r}

def faulty(name, function):
    def call(*arguments):
        if FAULT == name:
            raise RuntimeError("broken " + name)
        if FAULT == name + " ends":
            raise SystemExit(0)
        return function(*arguments)
    return call

def version(name):
    return VERSIONS.get(name, "1")

@pytest.hookimpl
def pytest_judgeaudit_providers():
    if FAULT == "hook":
        raise RuntimeError("broken hook")
    from pytest_judgeaudit.hookspecs import Reply, Wire, WireCall

    def build(request, url, extra):
        said = ["", request.messages[-1].content]
        messages = [{{"role": "user", "content": one}} for one in said]
        return WireCall(path="/chat/completions", headers={{}}, body={{"model": "m", "messages": messages}})

    def read(body):
        return Reply(text=body["choices"][0]["message"]["content"], served=body["model"], finish="stop")

    own = Wire(build=faulty("build", build), read=faulty("body", read), version=version("house"))
    return {{"house": own}}

@pytest.hookimpl
def pytest_judgeaudit_parsers():
    from pytest_judgeaudit.hookspecs import Reading, VerdictParser

    def read(text, finish):
        if version("word") == "2":
            return Reading("A")
        return Reading(re.search(r'"(A|B|tie)"', text)[1])

    return {{"word": VerdictParser(read=faulty("parser", read), version=version("word"))}}

@pytest.hookimpl
def pytest_judgeaudit_matchers():
    from pytest_judgeaudit.hookspecs import FactMatcher

    def compile(values):
        def find(text):
            at = text.find(values[0] if version("says") == "1" else "never said")
            return None if at < 0 else (at, at + 1)
        return faulty("matcher", find)

    return {{"says": FactMatcher(compile=compile, version=version("says"))}}

@pytest.hookimpl
def pytest_judgeaudit_trace_formats():
    from pytest_judgeaudit.hookspecs import Stream, TraceFormat

    def read(output):
        return Stream(text=output.strip())

    return {{"log": TraceFormat(read=faulty("trace", read), version=version("log"))}}

@pytest.hookimpl
def pytest_judgeaudit_report_writers():
    def write(report):
        report["gates"].clear()
        return "written"

    return {{".txt": faulty("writer", write)}}
"""

QUESTIONS = """
import pytest

@pytest.mark.questions("corpora/questions.toml", arms=("blind",))
@pytest.mark.rate_gate(lower=0.5)
def test_reads(agent, question, sandbox):
    assert agent.answer(question, sandbox).grade(question).score >= 0.8
"""


ALONE_AND_SHARED = pytest.mark.parametrize(
    "workers", [(), pytest.param(("-n", "2"), marks=pytest.mark.slow)], ids=["alone", "n2"]
)


class House:
    """A project with a judge or an agent of the plug-in in its conftest."""

    def __init__(self, project, server):
        self.project, self.server = project, server
        self.plug_in()

    def plug_in(self, fault="", **versions):
        self.project.write("conftest.py", PLUGIN.format(fault=fault, versions=versions))

    def judged(self, **keys):
        self.project.evals()
        base = {"api": "house", "model": "m", "base_url": f"http://{self.server.host}", "parser": "word"}
        self.project.judges(q={**base, "limits": {"attempts": 1}, **keys})
        return self

    def answered(self, **keys):
        table = {"name": "a", "kind": "command", "trace": "log", **keys}
        command = [sys.executable, "-c", "print('it is so')", "{prompt}"]
        lines = [f"{key} = {json.dumps(value)}\n" for key, value in {**table, "command": command}.items()]
        self.project.write("judgeaudit.toml", "[[agent]]\n" + "".join(lines))
        questions = (
            f'[[question]]\nid = "q{n}"\nclass = "lookup"\nprompt = "Is it {n}?"\n'
            f'[[question.fact]]\nid = "f"\nmatch = {{ type = "says", value = "so" }}\n'
            for n in range(5)
        )
        self.project.write("corpora/questions.toml", "".join(questions))
        self.project.write("evals/test_e.py", QUESTIONS)
        return self

    def live(self, *options):
        return self.project.audit("--judge-live", *options)

    def stored(self):
        root = self.project.root / "snapshots"
        files = sorted(path for path in root.rglob("*.jsonl") if ".journal" not in path.parts)
        return [path.read_text("utf-8") for path in files]


@pytest.fixture
def house(project):
    with serving(longer, Judge) as server:
        yield House(project, server)


def answers(ran):
    found = ran.report["answers"]
    return {key: found[key] for key in ("hit", "stale", "missing", "asked") if found[key]}


def test_a_changed_parser_reads_stored_answers_again_and_asks_nothing(house):
    first = house.judged().live()
    assert (first.code, answers(first)) == (0, {"asked": 60})
    house.plug_in(word="2")
    again = house.project.audit()
    assert (again.code, answers(again), house.server.calls) == (1, {"hit": 60}, 60)
    assert again.gate()["state"] == "MISS"
    instruments = {json.loads(line)["instrument"] for line in house.stored()[0].splitlines()[1:]}
    house.plug_in()
    house.project.audit("--judge-live-all")
    assert instruments == {json.loads(line)["instrument"] for line in house.stored()[0].splitlines()[1:]}
    house.plug_in(word="3")
    house.project.audit("--judge-live-all")
    assert not instruments & {json.loads(line)["instrument"] for line in house.stored()[0].splitlines()[1:]}


def test_a_changed_provider_makes_stored_answers_stale(house):
    house.judged().live()
    before = house.stored()
    house.plug_in(house="2")
    stale = house.project.audit("-rE")
    assert (stale.code, answers(stale), house.server.calls) == (1, {"stale": 60}, 60)
    assert "endpoint moved" in " ".join(stale.out.split())
    assert house.stored() == before
    again = house.live()
    assert (again.code, answers(again), house.server.calls) == (0, {"asked": 60}, 120)


@ALONE_AND_SHARED
def test_a_parser_that_fails_holds_the_gate_and_keeps_the_answers(house, workers):
    house.judged().plug_in(fault="parser")
    ran = house.live(*workers)
    assert (ran.code, ran.gate()["state"]) == (1, "HOLD")
    told = " ".join(ran.out.split())
    assert 'plug-in "conftest.py": parser "word": read failed: RuntimeError: broken parser.' in told
    house.plug_in()
    again = house.project.audit(*workers)
    assert (again.code, answers(again), house.server.calls) == (0, {"hit": 60}, 60)


def test_the_display_of_a_task_tells_what_a_parser_failed_at(house):
    house.judged().live()
    house.plug_in(fault="parser")
    shown = house.project.run("--judge-audit", "--judge-show=c001")
    assert "RuntimeError: broken parser" in " ".join(shown.out.split())


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ("build", 'plug-in "conftest.py": provider "house": build failed: RuntimeError: broken build.'),
        ("body", 'plug-in "conftest.py": provider "house": read failed: RuntimeError: broken body'),
    ],
)
def test_a_provider_that_fails_holds_the_gate(house, fault, told):
    house.judged().plug_in(fault=fault)
    ran = house.live()
    assert (ran.code, ran.gate()["state"]) == (1, "HOLD")
    assert told in " ".join(ran.out.split())


def test_a_template_of_no_plug_in_is_refused_before_anything_is_asked(house):
    ran = house.judged(template="house/1").live()
    assert (ran.code, house.server.calls) == (4, 0)
    assert 'template "house/1" is no built-in one (pairwise/1)' in ran.err


def test_a_verdict_pattern_beside_a_parser_of_a_plug_in_is_refused(house):
    ran = house.judged(verdict="[[A]]").live()
    assert (ran.code, house.server.calls) == (4, 0)
    assert 'verdict: means nothing with parser = "word", which reads in its own way.' in ran.err


@ALONE_AND_SHARED
def test_a_hook_that_fails_is_a_usage_error(house, workers):
    house.judged().plug_in(fault="hook")
    ran = house.live(*workers)
    assert (ran.code, house.server.calls) == (4, 0)
    (line,) = ran.errors
    assert line == (
        'plug-in "conftest.py": pytest_judgeaudit_providers failed: RuntimeError: broken hook. '
        "Mend the plug-in, or do without what it registers."
    )


def test_a_report_writer_that_fails_leaves_no_green_run_and_the_other_reports(house):
    house.judged().live()
    house.plug_in(fault="writer")
    ran = house.project.run("--judge-audit", "--judge-report=a.txt", "--judge-report=b.json")
    assert ran.code == 4
    told = 'plug-in "conftest.py": report writer ".txt" failed: RuntimeError: broken writer.'
    assert told in " ".join((ran.out + ran.err).split())
    assert not (house.project.root / "a.txt").exists()
    assert json.loads((house.project.root / "b.json").read_text())["state"] == "pass"


def test_a_report_writer_that_ends_the_process_makes_no_run_green(house):
    house.judged().live()
    house.plug_in(fault="writer ends")
    ran = house.project.run("--judge-audit", "--judge-report=a.txt")
    assert ran.code == 4
    assert 'report writer ".txt" failed: SystemExit: 0.' in " ".join((ran.out + ran.err).split())


def test_what_a_report_writer_does_with_the_report_reaches_no_other(house):
    house.judged().live()
    ran = house.project.run("--judge-audit", "--judge-report=a.txt", "--judge-report=b.json")
    assert ran.code == 0
    assert (house.project.root / "a.txt").read_text() == "written"
    assert json.loads((house.project.root / "b.json").read_text())["gates"]


def test_a_suffix_of_no_plug_in_is_refused_with_those_that_are(house):
    ran = house.judged().project.run("--judge-audit", "--judge-report=a.csv")
    assert ran.errors == [
        "--judge-report a.csv: unknown suffix. Expected a name ending in .json, .html, .md, .txt."
    ]


@ALONE_AND_SHARED
def test_a_changed_matcher_grades_stored_answers_again(house, workers):
    first = house.answered().live(*workers)
    assert (first.code, answers(first)) == (0, {"asked": 5})
    house.plug_in(says="2")
    again = house.project.audit(*workers)
    assert (again.code, answers(again)) == (1, {"hit": 5})


@ALONE_AND_SHARED
def test_a_matcher_that_fails_holds_the_gate_and_keeps_the_answers(house, workers):
    house.answered().plug_in(fault="matcher")
    ran = house.live(*workers)
    assert (ran.code, ran.gate("rate_gate")["state"]) == (1, "HOLD")
    assert 'plug-in "conftest.py": matcher "says": find failed: RuntimeError' in " ".join(ran.out.split())
    house.plug_in()
    again = house.project.audit(*workers)
    assert (again.code, answers(again)) == (0, {"hit": 5})


def test_a_matcher_of_no_plug_in_is_refused_with_its_place(house):
    house.answered().live()
    house.project.write("conftest.py", "")
    house.answered(trace="none")
    ran = house.project.audit()
    assert ran.code == 4
    assert (
        'corpora/questions.toml:1: question "q0", fact "f": unknown matcher \'says\'; there are' in ran.err
    )


def test_a_changed_trace_format_makes_stored_answers_stale(house):
    house.answered().live()
    before = house.stored()
    house.plug_in(log="2")
    stale = house.project.audit("-rE")
    assert (stale.code, answers(stale)) == (1, {"stale": 5})
    assert "command moved" in " ".join(stale.out.split())
    assert house.stored() == before


def test_a_trace_format_that_fails_holds_the_gate_and_is_asked_again(house):
    house.answered().plug_in(fault="trace")
    ran = house.live("-rE")
    assert (ran.code, ran.gate("rate_gate")["state"]) == (1, "HOLD")
    told = 'plug-in "conftest.py": trace format "log": read failed: RuntimeError: broken trace'
    assert told in " ".join(ran.out.split())
    house.plug_in()
    again = house.live()
    assert (again.code, answers(again)) == (0, {"asked": 5})


@pytest.mark.parametrize("moved", ["house", "word"])
def test_a_frozen_protocol_covers_the_versions_of_plug_ins(house, moved):
    house.judged().project.run("--judge-audit", "--judge-freeze")
    house.plug_in(**{moved: "2"})
    ran = house.live()
    assert (ran.code, house.server.calls) == (4, 0)
    (line,) = ran.errors
    assert line.startswith("the protocol changed since it was frozen: judge q. ")


def test_a_probe_reaches_a_provider(house):
    house.judged().plug_in(fault="build")
    ran = house.project.run("--judge-audit", "--judge-probe=2", columns=200)
    assert ran.code == 1
    assert 'plug-in "conftest.py": provider "house": build failed: RuntimeError: broken build.' in ran.out


@ALONE_AND_SHARED
def test_a_hook_below_the_evals_comes_too_late(house, workers):
    late = (house.project.root / "conftest.py").read_text()
    house.judged(api="openai", parser="strict").project.write("conftest.py", "")
    house.project.write("evals/conftest.py", late)
    ran = house.project.audit(*workers)
    assert ran.code == 4
    assert (
        'plug-in "evals/conftest.py": pytest_judgeaudit_parsers was found too late' in ran.err
        or "worker gw0: its plug-ins register providers house/1, parsers word/1, matchers says/1" in ran.err
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "told"),
    [
        (
            'VERSIONS["word"] = os.environ.get("PYTEST_XDIST_WORKER", "1")',
            "worker gw0: its plug-ins register providers house/1, parsers word/gw0, ",
        ),
        (
            'VERSIONS["word"] = "2" if os.environ.get("PYTEST_XDIST_WORKER") == "gw1" else "1"',
            "worker gw1: its plug-ins register providers house/1, parsers word/2, ",
        ),
        (
            'FAULT = "hook" if os.environ.get("PYTEST_XDIST_WORKER") else ""',
            'plug-in "conftest.py": pytest_judgeaudit_providers failed: RuntimeError: broken hook.',
        ),
        (
            'FAULT = "hook" if os.environ.get("PYTEST_XDIST_WORKER") == "gw1" else ""',
            'plug-in "conftest.py": pytest_judgeaudit_providers failed: RuntimeError: broken hook.',
        ),
    ],
    ids=["all-differ", "one-differs", "all-fail", "one-fails"],
)
def test_a_worker_whose_plug_ins_differ_or_fail_is_refused(house, change, told):
    text = (house.judged().project.root / "conftest.py").read_text()
    differ = f"import os\n{change}\n\ndef faulty"
    house.project.write("conftest.py", text.replace("def faulty", differ, 1))
    ran = house.live("-n", "2")
    assert (ran.code, house.server.calls) == (4, 0)
    assert told in ran.err
