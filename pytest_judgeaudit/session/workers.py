"""What is known of xdist's workers, and how they die; it has no public way to ask."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest


def interactor_of(config: pytest.Config) -> Any:
    """Return the object through which an xdist worker talks to its controller; None in other processes."""
    plugins = config.pluginmanager.get_plugins()
    return next((one for one in plugins if type(one).__name__ == "WorkerInteractor"), None)


REPLACING = ("load", "worksteal", "each")
"""Ways to distribute whose schedulers hand on what a dead worker had item by item, not by scopes."""


class Undelivered:
    """
    Lets a worker of xdist die between two messages.

    A worker that dies while its last report is read is sent its next items all the same. xdist then ends
    the whole run with an internal error (its issue 204), where a moment later it would have replaced the
    worker, reported the item that was running, and given the others to somebody else: it notes items as
    given before it sends them, and it hears of the death from the channel's end. Of :data:`REPLACING` only:
    where scopes are handed out, the worker in place of the dead one may wait for ever.
    """

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Take from sending the error that the channel's end tells as well."""
        if node.config.getoption("dist") not in REPLACING:
            return
        send = node.sendcommand

        def sendcommand(name: str, **arguments: object) -> None:
            with suppress(OSError):
                send(name, **arguments)

        node.sendcommand = sendcommand
