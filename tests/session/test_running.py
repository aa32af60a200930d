"""
Items that run without the hooks around their set-up and tear-down: whoever looks sees nothing of it.

Every comparison runs the same evals twice. In the second run a plug-in listens to one of those hooks, which
makes every item take pytest's own way.
"""

from __future__ import annotations

import json
import re
import shutil

import pytest

LOOKER = '''
"""Writes down everything that is told of items, in the order in which it is told."""
import json, os, sys
import pytest

EVENTS = []

def _quick():
    frame = sys._getframe()
    while frame is not None:
        if frame.f_globals.get("__name__") == "pytest_judgeaudit.session.running":
            return True
        frame = frame.f_back
    return False

def pytest_runtest_logstart(nodeid, location):
    EVENTS.append(["start", nodeid, list(location)])

def pytest_runtest_logfinish(nodeid, location):
    EVENTS.append(["finish", nodeid, list(location), os.environ.get("PYTEST_CURRENT_TEST")])

def pytest_runtest_logreport(report):
    assert report.duration >= 0 and 0 < report.start <= report.stop
    known = {name: value for name, value in vars(report).items() if not name.startswith("judgeaudit_")}
    for name in ("duration", "start", "stop", "_id", "item_index", "worker_id", "testrun_uid", "node"):
        known.pop(name, None)
    known["keywords"] = sorted(report.keywords)
    known["longrepr"] = str(report.longrepr)
    told = {name: repr(value) for name, value in known.items()}
    told["now"] = os.environ.get("PYTEST_CURRENT_TEST")
    EVENTS.append(["report", report.nodeid, report.when, told])
    QUICK.append(_quick())

QUICK = []

def pytest_warning_recorded(warning_message, when, nodeid):
    EVENTS.append(["warning", nodeid, when, str(warning_message.message).partition("\\n")[0]])

def pytest_exception_interact(node, call):
    EVENTS.append(["interact", node.nodeid, call.when, repr(call.excinfo.value)])

@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config):
    if not hasattr(config, "workerinput"):
        with open("events.json", "w") as file:
            json.dump({"events": EVENTS, "quick": sum(QUICK)}, file)
'''
LISTENER = """
def pytest_runtest_setup(item):
    pass
"""
EVALS = """
import logging, sys, threading, warnings
import looker
import pytest

ROWS = "corpora/rows.jsonl"

class Loud:
    def __del__(self):
        raise RuntimeError("told by nobody")

@pytest.fixture(scope="session")
def whole():
    looker.EVENTS.append("whole begins")
    yield "whole"
    looker.EVENTS.append("whole ends")

@pytest.fixture(scope="module", autouse=True)
def around(request):
    print("around begins")
    request.addfinalizer(lambda: looker.EVENTS.append("around ends"))
    return "around"

@pytest.fixture(scope="module", params=["one", "two"])
def several(request, around):
    looker.EVENTS.append(f"{request.param} begins")
    yield request.param
    looker.EVENTS.append(f"{request.param} ends")

@pytest.fixture(scope="class")
def narrow():
    looker.EVENTS.append("narrow begins")
    yield
    looker.EVENTS.append("narrow ends")

@pytest.fixture
def own(judge):
    looker.EVENTS.append("own begins")
    yield judge
    looker.EVENTS.append("own ends")

def number(pair):
    return int(pair.id[1:])

@pytest.mark.clone_pairs(ROWS)
@pytest.mark.parametrize("tone", ["calm", "angry"])
def test_many_ends(judge, pair, tone):
    print(f"out of {pair.id} {tone}")
    print("err", file=sys.stderr)
    logging.getLogger("evals").warning("logged %s", tone)
    if number(pair) == 4:
        raise ValueError("before it was asked")
    verdict = judge.compare(pair)
    if number(pair) == 2:
        warnings.warn("careful", UserWarning)
    if number(pair) == 3:
        assert verdict.winner == "first", "no tie"
    if number(pair) == 5:
        pytest.skip("not this one")
    if number(pair) == 6:
        raise ValueError("afterwards")
    if number(pair) == 7:
        return "a value"
    if number(pair) == 8:
        pytest.xfail("as expected")
    if number(pair) == 9:
        Loud()
    if number(pair) == 10:
        thread = threading.Thread(target=lambda: 1 / 0)
        thread.start()
        thread.join()
    if number(pair) == 11:
        raise ExceptionGroup("both", [AssertionError("one"), AssertionError("two")])

@pytest.mark.clone_pairs(ROWS)
def test_wider(judge, pair, whole, around):
    assert judge.compare(pair).tie and (whole, around) == ("whole", "around")

@pytest.mark.clone_pairs(ROWS)
def test_several(judge, pair, several):
    assert judge.compare(pair).tie and several in {"one", "two"}

@pytest.mark.clone_pairs(ROWS)
def test_narrow(judge, pair, narrow):
    assert judge.compare(pair).tie

@pytest.mark.clone_pairs(ROWS)
def test_own(judge, pair, own):
    assert judge.compare(pair).tie and own is judge

@pytest.mark.clone_pairs(ROWS)
@pytest.mark.filterwarnings("error:careful")
def test_filtered(judge, pair):
    if number(pair) == 2:
        warnings.warn("careful", UserWarning)
    assert judge.compare(pair).tie
"""
MARKS = """
import pytest

def pytest_collection_modifyitems(items):
    for item in items:
        if "c002" in item.name:
            item.add_marker(pytest.mark.skip(reason="by a conftest"))
        if "c003" in item.name:
            item.add_marker(pytest.mark.xfail(reason="by a conftest"))
"""


@pytest.fixture
def project(project):
    project.pairs(12)
    project.judges(
        longest={}, absent={"api": "python", "callable": "nowhere:ask", "model": "m", "family": "x"}
    )
    project.write("looker.py", LOOKER)
    project.write("listener.py", LISTENER)
    project.write("evals/test_e.py", EVALS)
    project.write("evals/test_f.py", EVALS.replace("test_", "test_more_"))
    return project


def told(project, *options, plugins=()):
    """What the looker wrote, and how many reports came from our own way."""
    ran = project.run(
        "--judge-audit",
        "--judge-report=report.json",
        *options,
        plugins=("judgeaudit", "xdist", "syrupy", "looker", *plugins),
        warn=True,
    )
    found = json.loads((project.root / "events.json").read_text("utf-8"))
    text = re.sub(r"0x[0-9a-f]+|\d+\.\d\ds|Thread-\d+", "…", json.dumps(found["events"]))
    return ran, json.loads(text), found["quick"]


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("-s", "-p", "no:logging"),
        ("-x", "-k", "test_many_ends and longest"),
        ("--maxfail=3",),
        ("-W", "error::pytest.PytestUnraisableExceptionWarning", "--tb=no", "-k", "many_ends"),
        ("--runxfail", "-p", "no:warnings", "-k", "many_ends or wider"),
        ("-p", "no:unraisableexception", "-p", "no:threadexception", "--log-cli-level=INFO", "-v"),
    ],
    ids=["plain", "shown", "first", "third", "unraisable", "unexpected", "live-log"],
)
def test_everybody_is_told_the_same(project, options):
    quick, events, count = told(project, *options)
    usual, expected, none = told(project, *options, plugins=("listener",))
    assert (count > 0, none) == (True, 0)
    assert events == expected
    assert quick.code == usual.code
    assert quick.report == usual.report


def test_most_reports_come_from_our_own_way(project):
    _, events, count = told(project, "-k", "test_wider and not gate")
    reports = [event for event in events if event[0] == "report"]
    # Two judges, twelve pairs; the first and the last item of the module take pytest's way.
    assert (len(reports), count) == (3 * 24, 3 * 22)


BETWEEN = """
class Loud:
    def __del__(self):
        raise RuntimeError("told by nobody")

def pytest_runtest_logreport(report):
    if report.when == "call" and "c00" in report.nodeid:
        Loud()
"""
SHOWS = """
def pytest_report_teststatus(report):
    if report.when == "setup" and report.passed:
        return "set up", "u", "SET UP"
"""
KEEPS = """
import pytest

@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    terminal = session.config.pluginmanager.get_plugin("terminalreporter")
    kept = [report.when for report in terminal.stats.get("", ())]
    with open("kept.txt", "w") as file:
        file.write(f"{kept.count('setup')}, {kept.count('teardown')}")
"""
ADDS = """
def pytest_runtest_call(item):
    item.add_report_section("teardown", "late", "seen afterwards")
"""
READS = """
def pytest_terminal_summary(terminalreporter):
    for report in terminalreporter.stats.get("", ()):
        terminalreporter.write_line(f"{report.nodeid} {report.when}")
"""
LOGS = """
import logging

def pytest_runtest_logreport(report):
    logging.getLogger("evals").warning("heard of %s", report.when)
"""
TIMES = ("-o", "console_output_style=times", "-v")
OTHERS = {"other/conftest.py": BETWEEN, "other/test_other.py": "def test_other(): pass"}


@pytest.mark.parametrize(
    ("options", "files", "kept"),
    [
        pytest.param((), {}, "2, 2", id="plain"),
        pytest.param(("-v",), {}, "2, 2", id="verbose"),
        pytest.param(("-rA", "-s"), {}, "2, 2", id="all"),
        pytest.param(("-o", "console_output_style=count"), {}, "2, 2", id="count"),
        pytest.param(("--durations=0", "-vv"), {}, "12, 12", id="durations"),
        pytest.param(TIMES, {}, "12, 12", id="times"),
        pytest.param((), {"evals/conftest.py": SHOWS}, "0, 12", id="shown"),
        pytest.param((), {"evals/conftest.py": READS}, "12, 12", id="read"),
        pytest.param(("-rP",), {"evals/conftest.py": ADDS}, "2, 12", id="added"),
        pytest.param(("--log-cli-level=INFO", "-p", "logs"), {"logs.py": LOGS}, "2, 2", id="logged"),
        pytest.param(("evals", "other"), OTHERS, "13, 13", id="conftest"),
    ],
)
def test_the_terminal_shows_the_same(project, options, files, kept):
    """It keeps no report of a set-up or tear-down that passed, unless it or somebody else shows it."""
    for path, text in {"keeps.py": KEEPS, **files}.items():
        project.write(path, text)
    found = []
    for plugins in ((), ("listener",)):
        ran = project.run(
            *("--judge-audit", "-k", "(test_wider and longest and not more) or other", *options),
            plugins=("judgeaudit", "xdist", "syrupy", "keeps", *plugins),
            warn=True,
        )
        shown = re.sub(r" *\d+(\.\d+)?[mu]?s", "…", ran.out).splitlines()
        # Sorted: items by how long they took.
        found.append((sorted(shown), (project.root / "kept.txt").read_text()))
    assert found[0][0] == found[1][0]
    assert found[0][1] == kept


MONITORS = """
def pytest_configure(config):
    config.pluginmanager.add_hookcall_monitoring(lambda *_: None, lambda *_: None)
"""
PROGRESS = """
import _pytest.terminal as terminal
import pytest

@pytest.hookimpl(trylast=True)
def pytest_configure(config):
    # As pytest does it where the output is a terminal; older ones have no such part.
    if hasattr(terminal, "TerminalProgressPlugin"):
        shown = config.pluginmanager.get_plugin("terminalreporter")
        part = terminal.TerminalProgressPlugin(shown)
        config.pluginmanager.register(part, "terminalprogress-plugin")
"""
COUNTS = """
import pytest

MADE = []
make = pytest.TestReport.__init__

def making(report, nodeid, location, keywords, outcome, longrepr, when, *args, **more):
    MADE.append(when)
    make(report, nodeid, location, keywords, outcome, longrepr, when, *args, **more)

def pytest_configure():
    pytest.TestReport.__init__ = making

@pytest.hookimpl(trylast=True)
def pytest_unconfigure():
    pytest.TestReport.__init__ = make
    with open("made.txt", "w") as file:
        file.write(", ".join(str(MADE.count(when)) for when in ("setup", "call", "teardown")))
"""


@pytest.mark.parametrize(
    ("options", "made"),
    [
        pytest.param((), "2, 12, 2", id="unheard"),
        pytest.param(("-p", "progress"), "2, 12, 2", id="terminal"),
        pytest.param(("-o", "log_cli=true"), "12, 12, 12", id="live log"),
        pytest.param(("--durations=0",), "12, 12, 12", id="durations"),
        pytest.param(("--junitxml=report.xml",), "12, 12, 12", id="junit"),
        pytest.param(("-p", "monitors"), "12, 12, 12", id="monitored"),
    ],
)
def test_reports_that_nobody_hears_are_not_made(project, options, made):
    project.write("counts.py", COUNTS)
    project.write("monitors.py", MONITORS)
    project.write("progress.py", PROGRESS)
    project.run(
        *("--judge-audit", "-k", "test_wider and longest and not more", *options),
        plugins=("judgeaudit", "xdist", "syrupy", "counts"),
    )
    assert (project.root / "made.txt").read_text() == made


COMES = """

@pytest.fixture(scope="module", autouse=True)
def _config(request):
    global CONFIG
    CONFIG = request.config

@pytest.mark.clone_pairs("corpora/rows.jsonl")
def test_late(judge, pair):
    if pair.id == "c003":
        CONFIG.pluginmanager.register(Comes())
    assert judge.compare(pair).tie
"""
HEARS = """
import pytest

class Comes:
    def __init__(self):
        self.heard = []

    def pytest_runtest_logreport(self, report):
        self.heard.append(f"{report.nodeid} {report.when}")

    def pytest_unconfigure(self):
        with open("heard.txt", "w") as file:
            file.write("\\n".join(self.heard))
"""


def test_who_listens_from_a_call_on_hears_the_tear_down_of_its_item(project):
    project.write("evals/test_e.py", HEARS + COMES)
    heard = []
    for plugins in ((), ("listener",)):
        project.run(
            *("--judge-audit", "-k", "test_late and longest"),
            plugins=("judgeaudit", "xdist", "syrupy", *plugins),
        )
        heard.append((project.root / "heard.txt").read_text().splitlines())
    assert heard[0] == heard[1]
    assert heard[0][1].endswith(" teardown")


ENVIRONMENT = """
import os
from unittest import mock

import pytest

SAVED = dict(os.environ)

@pytest.mark.clone_pairs("corpora/rows.jsonl")
@pytest.mark.clone_gate(upper=0.5)
def test_environment(judge, pair):
    {line}
    assert judge.compare(pair).tie
"""


@pytest.mark.parametrize(
    "line",
    [
        "os.environ.clear(); os.environ.update(SAVED)",
        "del os.environ['PYTEST_CURRENT_TEST']",
        "mock.patch.dict(os.environ, {'A': 'b'}, clear=True).start()",
    ],
)
def test_a_body_may_do_as_it_likes_with_the_environment(project, line):
    project.write("evals/test_e.py", ENVIRONMENT.replace("{line}", line))
    ran = project.run(
        "--judge-audit", "-k", "test_environment and longest", plugins=("judgeaudit", "xdist", "syrupy")
    )
    assert ran.code == 0, ran.out
    assert " error" not in ran.last


RENAMES = """
import pytest

@pytest.hookimpl(tryfirst=True)
def pytest_runtest_logreport(report):
    report.nodeid = report.nodeid.replace("longest-neutral", "L")
"""
NOTES = """
def pytest_runtest_call(item):
    item.add_marker("noted")
"""


@pytest.mark.parametrize("conftest", [RENAMES, NOTES], ids=["renamed", "noted"])
def test_what_a_conftest_does_to_items_and_reports_is_seen_alike(project, conftest):
    project.write("evals/conftest.py", conftest)
    quick, events, count = told(project, "-k", "test_wider")
    usual, expected, _ = told(project, "-k", "test_wider", plugins=("listener",))
    assert count > 0
    assert events == expected
    assert quick.report == usual.report


def test_marks_that_a_conftest_adds_are_heeded(project):
    project.write("conftest.py", MARKS)
    _, events, count = told(project)
    _, expected, _ = told(project, plugins=("listener",))
    assert count > 0
    assert events == expected
    assert "by a conftest" in json.dumps(events)


def test_junit_says_the_same(project):
    found = []
    for plugins in ((), ("listener",)):
        told(project, "--junit-xml=junit.xml", plugins=plugins)
        text = (project.root / "junit.xml").read_text("utf-8")
        found.append(re.sub(r'(time|timestamp)="[^"]*"|0x[0-9a-f]+|Thread-\d+', "", text))
    assert found[0] == found[1]


def test_workers_send_the_same(project):
    found = []
    for plugins in ((), ("listener",)):
        ran, events, _ = told(project, "-n", "2", "--dist", "loadfile", plugins=plugins)
        told_of = {}
        for event in events:
            if event[0] == "report":
                told_of.setdefault(event[1], []).append(event[2:])
        found.append((told_of, ran.code, ran.report["cells"]))
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("listens", "quick"),
    [
        ("def pytest_runtest_teardown(item): pass", False),
        ("def pytest_runtest_makereport(item, call): pass", False),
        ("def pytest_runtest_protocol(item): pass", False),
        ("def pytest_fixture_setup(fixturedef, request): pass", False),
        ("import pytest\n@pytest.fixture(autouse=True)\ndef every(): pass", False),
        ("def pytest_runtest_call(item): pass", True),
        ("def pytest_runtest_logreport(report): pass", True),
    ],
)
def test_a_conftest_that_takes_part_in_set_up_or_tear_down_sees_every_item(project, listens, quick):
    project.write("evals/conftest.py", listens)
    assert (told(project, "-k", "test_wider and longest")[2] > 0) is quick


def test_what_goes_wrong_after_a_call_is_told_in_the_tear_down_of_its_item(project):
    project.write("evals/conftest.py", BETWEEN)
    options = (
        *("-k", "test_wider and longest"),
        *("-W", "error::pytest.PytestUnraisableExceptionWarning", "--tb=no"),
    )
    _, events, _ = told(project, *options)
    _, expected, _ = told(project, *options, plugins=("listener",))
    assert events == expected
    assert sum(event[0] == "interact" and event[2] == "teardown" for event in events) == 9


LATE = """
import pytest

class Comes:
    def pytest_runtest_setup(self, item):
        item.add_report_section("setup", "late", item.name)
"""


def test_a_plug_in_that_comes_while_items_run_sees_those_that_follow(project):
    project.write("evals/test_e.py", LATE + COMES)
    _, events, count = told(project, "-k", "test_late and longest")
    _, expected, _ = told(project, "-k", "test_late and longest", plugins=("listener",))
    assert count > 0
    assert events == expected


ASKED = """
import re, zlib

def ask(messages):
    shown = re.search(r"Ask (\\d+)", messages[-1]["content"])[1]
    if shown == "7":
        raise OSError("nobody there")
    return {"text": '{"winner": "%s"}' % ("A" if shown == "3" else "tie"), "served": "m", "finish": "stop"}
"""


@pytest.mark.parametrize(
    ("in_flight", "options"),
    [
        (1, ()),
        (4, ("-k", "not many_ends")),
        (4, ("-k", "not many_ends", "-x")),
        (4, ("-n", "2", "-k", "not many_ends")),
    ],
    ids=["one", "four", "first", "workers"],
)
def test_a_live_run_tells_the_same(project, in_flight, options):
    """But when bodies that run ahead print, log and warn: that differs between any two runs."""
    project.write("asked.py", ASKED)
    own = {"api": "python", "callable": "asked:ask", "model": "m", "family": "x"}
    project.judges(own={**own, "limits": {"in_flight": in_flight, "attempts": 1}})
    found = []
    for plugins in ((), ("listener",)):
        shutil.rmtree(project.root / "snapshots", ignore_errors=True)
        ran, events, count = told(project, "--judge-live", *options, plugins=plugins)
        if "-n" in options:
            events = sorted([*event[:3], event[3]["outcome"]] for event in events if event[0] == "report")
        else:
            assert (count > 0) is (not plugins)
        found.append((events, ran.code, ran.report["cells"]))
    assert found[0] == found[1]


HITS = """
import pytest

HITS = []

@pytest.hookimpl(tryfirst=True)
def pytest_runtest_logreport(report):
    HITS.append(str(getattr(report, "judgeaudit_trial", "")).count('"answer": "hit"'))

def pytest_sessionfinish():
    with open("hits.txt", "w") as file:
        file.write(str(sum(HITS)))
"""


def test_reports_of_a_live_run_say_which_answers_were_stored(project):
    """What tells of its progress counts them: those calls are not made."""
    project.write("asked.py", ASKED)
    project.write("hits.py", HITS)
    project.judges(own={"api": "python", "callable": "asked:ask", "model": "m", "family": "x"})
    chosen = ("--judge-live", "-k", "test_wider and not more and not c007")
    for expected in ("0", "11"):
        told(project, *chosen, plugins=("hits",))
        assert (project.root / "hits.txt").read_text() == expected


def test_a_pytest_of_other_inner_parts_runs_items_as_ever(project):
    project.write(
        "other.py", "import _pytest.threadexception\ndel _pytest.threadexception.thread_exceptions\n"
    )
    ran, _, count = told(
        project, "-k", "test_wider and longest", "-p", "no:threadexception", plugins=("other",)
    )
    assert count == 0
    assert "12 passed" in ran.out
