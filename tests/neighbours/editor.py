"""
A plug-in that looks at a session as that of VS Code's Python extension does (``vscode_pytest``).

Discovery builds a tree from ``session.items``; a run tells the outcome of each id once: from the status of
a report of the call, from an exception that pytest interacts with, or from a marker that skips. What it
would send to the editor goes into the file ``EDITOR_FILE``, as JSON lines. Of its hooks, the kinds and the
order are kept, because another plug-in meets nothing else: two old-style wrappers that come last, a
``pytest_sessionfinish`` that knows only the statuses of pytest itself.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

STATUSES = {2: "collection failed", 3: "interrupted", 4: "internal error", 5: "no tests"}
"""As there: any other status but 0 and 1 would be a KeyError."""

discovering = False
places: dict[str, Path] = {}
told: set[str] = set()
errors: list[str] = []


def send(message):
    with Path(os.environ["EDITOR_FILE"]).open("a", encoding="utf-8") as file:
        file.write(json.dumps(message) + "\n")


def absolute(nodeid, path):
    return "::".join([str(path), *nodeid.split("::")[1:]])


def tell(test, outcome, message=None):
    if test not in told:
        told.add(test)
        send({"test": test, "outcome": outcome, "message": message})


def pytest_load_initial_conftests(early_config, parser, args):
    global discovering  # noqa: PLW0603 - as there
    discovering = "--collect-only" in args


def pytest_internalerror(excrepr, excinfo):
    errors.append(excinfo.exconly())


def pytest_keyboard_interrupt(excinfo):
    errors.append(excinfo.exconly())


def pytest_exception_interact(node, call, report):
    if discovering:
        errors.append(call.excinfo.exconly())
    else:
        # Fails where the exception was taken away and the hook is called all the same.
        asserted = call.excinfo.typename == "AssertionError"
        tell(absolute(node.nodeid, node.path), "failure" if asserted else "error", report.longreprtext)


@pytest.hookimpl(hookwrapper=True, trylast=True)
def pytest_report_teststatus(report, config):
    if report.when == "call" or (report.when == "setup" and report.skipped):
        outcome = "success" if report.passed else "failure" if report.failed else "skipped"
        message = report.longreprtext if report.failed else None
        tell(absolute(report.nodeid, places.get(report.nodeid, Path.cwd())), outcome, message)
    yield


@pytest.hookimpl(hookwrapper=True, trylast=True)
def pytest_runtest_protocol(item, nextitem):
    places[item.nodeid] = item.path
    if any(mark.name == "skip" for mark in item.own_markers):
        tell(absolute(item.nodeid, item.path), "skipped")
    yield


def pytest_sessionfinish(session, exitstatus):
    if not discovering:
        if exitstatus not in {0, 1}:
            errors.append(STATUSES[exitstatus])
        send({"end": exitstatus, "errors": errors})
        return
    ids: list[str] = []
    for item in session.items:
        if hasattr(item, "callspec"):
            # As there: a parametrised test has a bracket in its name, a name without it, and ".py" before.
            parent, _ = item.name.split("[", 1)
            assert item.originalname == parent
            assert item.nodeid.rsplit("::", 1)[0].rsplit(".py", 1)[1] in {"", "::TestMethods"}
        assert item.location[1] is not None
        ids.append(absolute(item.nodeid, item.path))
    send({"ids": ids, "errors": errors})
