"""
The entry point: registers the options, the markers and the parts of a session, nothing else.

PYTEST_DONT_REWRITE
"""

from __future__ import annotations

import pytest

from pytest_judgeaudit.session import fixtures, marking, options

pytest_plugins: list[str] = []

judge = fixtures.judge
judges = fixtures.judges
agent = fixtures.agent
sandbox = fixtures.sandbox
question = fixtures.question
arm = fixtures.arm
replicate = fixtures.replicate


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Declare the hooks for other plug-ins; they are called when an audit starts, and only then."""
    from pytest_judgeaudit import hookspecs

    pluginmanager.add_hookspecs(hookspecs)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options and ini values of the table in ``session/options.py``."""
    options.add(parser)


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> pytest.ExitCode | None:
    """Write the first files, or run the self-check, instead of a session, where that is asked for."""
    if config.getoption("help") or config.getoption("version"):
        return None
    if config.getoption("judge_init"):
        from pytest_judgeaudit.session.initial import begin

        return begin(config)
    if config.getoption("judge_selfcheck"):
        from pytest_judgeaudit.session.selfcheck import check

        return check()
    return None


def pytest_configure(config: pytest.Config) -> None:
    """Register the markers and, with ``--judge-audit``, the parts that run an audit."""
    marking.register(config)
    if not options.asked_for_audit(config):
        from pytest_judgeaudit.session.unused import SkippedEvals

        config.pluginmanager.register(SkippedEvals(), "judgeaudit-skipped")
        return
    from pytest_judgeaudit.session.start import start

    start(config)
