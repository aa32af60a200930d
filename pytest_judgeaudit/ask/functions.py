"""A function of the user's that answers in the place of a service: how it is found, and how it fails."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pytest_judgeaudit.corpora.found import printable, quoted
from pytest_judgeaudit.records.errors import Refused, nearest


def load_function(path: str, *, who: str, root: Path) -> Callable[..., Any]:
    """
    Import ``module:function``; ``who`` is in front of what is wrong with it.

    The module is imported as pytest's own ``pythonpath`` would have it: ``root`` goes to the front of
    ``sys.path``, and nothing else does. Refused, in one line: another form, a module that is not there or
    fails, a name that it does not have or that cannot be called.
    """
    who = f"{who}: callable {quoted(path)}"
    module_name, colon, name = path.partition(":")
    if not (colon and name.isidentifier() and all(part.isidentifier() for part in module_name.split("."))):
        raise Refused(f'{who} is not of the form "module:function"')
    if str(root) not in sys.path:
        sys.path.insert(0, str(root))
    try:
        module = importlib.import_module(module_name)
    except KeyboardInterrupt:
        raise
    # A module of the user's may raise anything, pytest.skip and SystemExit among it.
    except BaseException as error:
        raise Refused(f"{who} cannot be imported from {root}: {worded(error)}") from error
    function = getattr(module, name, None)
    if not callable(function):
        there = [key for key, value in vars(module).items() if callable(value)]
        raise Refused(f"{who}: {module_name} has no function {name}.{nearest(name, there)}")
    return function  # type: ignore[no-any-return]


def worded(error: BaseException) -> str:
    """Return an exception's type and message, clipped and printable."""
    try:
        text = str(error)
    except Exception:  # noqa: BLE001 - the message itself may be broken
        text = "(its message cannot be shown)"
    return f"{type(error).__name__}: {printable(text, clip=300)}" if text else type(error).__name__
