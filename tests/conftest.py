"""What all tests need: pytester, the folder of shared data, and an environment without foreign settings."""

from __future__ import annotations

import signal
from contextlib import suppress
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

with suppress(ImportError):  # the evals of this checkout run without what the tests need
    from hypothesis import settings

    # A busy machine must not decide: how long an example takes is no property of what is tested. Nor must
    # chance: a commit passes or fails by the same examples everywhere, and `--hypothesis-profile explore`
    # looks for others.
    settings.register_profile("explore", deadline=None)
    settings.register_profile("patient", deadline=None, derandomize=True)
    settings.load_profile("patient")

# A shell that starts the tests in the background lets them ignore Ctrl-C, and whatever they start as well.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

SHARED = Path(__file__).parents[1] / ".." / "shared"

# A pytest that a test starts would take these for its own: the worker's name makes syrupy believe that it
# runs in a worker, the options are ours, the step summary is that of the surrounding CI job, and pytest
# writes longer lines where it believes to be in one.
FOREIGN = (
    "BUILD_NUMBER",
    "CI",
    "GITHUB_STEP_SUMMARY",
    "PYTEST_ADDOPTS",
    "PYTEST_XDIST_TESTRUNUID",
    "PYTEST_XDIST_WORKER",
    "PYTEST_XDIST_WORKER_COUNT",
)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder ``shared`` beside the repository; without it the test is skipped."""
    if not SHARED.is_dir():
        pytest.skip("there is no folder 'shared' beside the repository")
    return SHARED.resolve()


@pytest.fixture(autouse=True)
def no_foreign_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide the variables of the surrounding run from the processes that a test starts."""
    for name in FOREIGN:
        monkeypatch.delenv(name, raising=False)
