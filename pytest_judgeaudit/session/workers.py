"""What is known of xdist inside its workers; it has no public way to ask."""

from __future__ import annotations

from typing import Any

import pytest


def interactor_of(config: pytest.Config) -> Any:
    """Return the object through which an xdist worker talks to its controller; None in other processes."""
    plugins = config.pluginmanager.get_plugins()
    return next((one for one in plugins if type(one).__name__ == "WorkerInteractor"), None)
