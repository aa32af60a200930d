"""Refusals: a usage error where pytest can show it, a message to the controller where it cannot."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from pytest_judgeaudit.records.errors import Refused
from pytest_judgeaudit.session.refusing import Warnings, doubts_of, faults_of, refuse, told


def test_an_error_of_ours_becomes_a_usage_error_of_as_many_lines():
    with pytest.raises(pytest.UsageError) as caught, told():
        raise Refused("a.jsonl:1: no id\na.jsonl:2: no id")
    assert caught.value.args == ("a.jsonl:1: no id", "a.jsonl:2: no id")
    assert caught.value.__suppress_context__


def test_any_other_error_stays_what_it_is():
    with pytest.raises(OSError, match="gone"), told():
        raise OSError("gone")


def test_a_process_that_can_show_it_raises_each_fault_once():
    items = ["an item"]
    with pytest.raises(pytest.UsageError) as caught:
        refuse(SimpleNamespace(), items, ["one", "two", "one"])
    assert caught.value.args == ("one", "two")


def test_a_worker_keeps_its_faults_for_the_controller_and_runs_nothing():
    worker, items = SimpleNamespace(workeroutput={}), ["an item"]
    refuse(worker, items, ["half a pair: \ud800", "two", "two"])
    assert items == []
    assert all(value.isascii() for value in worker.workeroutput.values())
    assert faults_of(worker) == ["half a pair: \ud800", "two"]


@pytest.mark.parametrize(
    "node", [SimpleNamespace(), SimpleNamespace(workeroutput=None), SimpleNamespace(workeroutput={})]
)
def test_a_worker_that_crashed_or_refused_nothing_has_no_faults(node):
    assert faults_of(node) == []


def test_a_worker_keeps_its_warnings_apart_from_its_faults():
    worker = SimpleNamespace(workeroutput={})
    refuse(worker, [], ["a fault"], doubts=["half a pair: \ud800", "two", "two"])
    assert (faults_of(worker), doubts_of(worker)) == (["a fault"], ["half a pair: \ud800", "two"])


class Manager:
    """A plug-in manager, as far as warnings need one."""

    def __init__(self):
        self.registered = {}

    def has_plugin(self, name):
        return name in self.registered

    def register(self, plugin, name):
        self.registered[name] = plugin


def test_warnings_of_several_workers_are_shown_once_and_as_warnings():
    manager, lines = Manager(), []
    config = SimpleNamespace(pluginmanager=manager)
    for _ in range(2):
        with pytest.raises(pytest.UsageError) as caught:
            refuse(config, [], ["a fault"], doubts=["a doubt \x1b[2J"])
        assert caught.value.args == ("a fault",)
    reporter = SimpleNamespace(
        write_sep=lambda _, title, **__: lines.append(title),
        write_line=lambda text, **__: lines.append(text),
    )
    manager.registered[Warnings.NAME].pytest_terminal_summary(reporter)
    assert lines == ["judge audit: warnings", "warning: a doubt \\x1b[2J"]


def test_without_warnings_there_is_no_section():
    manager = Manager()
    with pytest.raises(pytest.UsageError):
        refuse(SimpleNamespace(pluginmanager=manager), [], ["a fault"])
    assert manager.registered == {}
