"""
The audit hook behind which ``python`` agents run: what Python reports of a function while it runs.

https://docs.python.org/3/library/audit_events.html. This is no boundary. It sees what the interpreter
is asked for in the agent's own threads: opening, listing, starting, connecting. It does not see what
extension modules do by themselves, ``os.stat`` and ``os.environ``, or the memory of the process.
"""

from __future__ import annotations

import _thread
import os
import sys
import sysconfig
import threading
import tokenize
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

from pytest_judgeaudit.corpora.found import printable
from pytest_judgeaudit.records.traces import PolicyCode, PolicyEvent

MOST = 1000
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_IMPORTED = (".py", ".pyc", ".pyi", ".so", ".pyd", ".dll", ".dylib")
_IMPORTERS = ("<frozen importlib._bootstrap_external>", tokenize.__file__)
_DEVICES = frozenset({"/dev/null", "/dev/urandom", "/dev/random"})
_LIBRARIES = tuple(
    {
        os.path.realpath(path)
        for name, path in sysconfig.get_paths().items()
        if name in ("stdlib", "platstdlib", "purelib", "platlib")
    }
)

_PROCESS = (
    "subprocess.Popen",
    "os.system",
    "os.exec",
    "os.posix_spawn",
    "os.spawn",
    "os.fork",
    "os.forkpty",
)
_OTHERS: Mapping[str, PolicyCode] = {
    **dict.fromkeys((*_PROCESS, "pty.spawn", "os.startfile", "os.kill", "os.killpg"), "process"),
    **dict.fromkeys(
        (
            "socket.connect",
            "socket.bind",
            "socket.sendto",
            "socket.sendmsg",
            "socket.getaddrinfo",
            "socket.gethostbyname",
            "socket.gethostbyaddr",
            "socket.getnameinfo",
        ),
        "network",
    ),
    **dict.fromkeys(("gc.get_objects", "gc.get_referrers", "gc.get_referents"), "introspection"),
    **dict.fromkeys(("sys._current_frames", "sys._current_exceptions"), "introspection"),
    **dict.fromkeys(("sys.addaudithook", "code.__new__"), "introspection"),
    **dict.fromkeys(("os.putenv", "os.unsetenv"), "write"),
}
_NATIVE = ("ctypes.",)
_LISTING = ("os.listdir", "os.scandir")
_CHANGING = (
    "os.chmod",
    "os.chown",
    "os.link",
    "os.mkdir",
    "os.remove",
    "os.rename",
    "os.rmdir",
    "os.symlink",
    "os.truncate",
    "os.utime",
    "os.setxattr",
    "os.removexattr",
    "sqlite3.connect",
)
_THREADS = ("_thread.start_new_thread", "_thread.start_joinable_thread")


class Outside(PermissionError):  # noqa: N818 - reads as what it is
    """What a guarded function meets where it is not allowed something."""


class Guard:
    """
    What one call of a function may do: read below ``root`` and what Python itself is made of.

    ``hidden`` may not even be imported from; ``network`` opens the network. Everything that is denied is
    in ``events``, whether the function hides the exception or not.
    """

    def __init__(self, root: Path, *, hidden: Sequence[Path] = (), network: bool = False) -> None:
        self._root = os.path.realpath(root)
        self._hidden = tuple(os.path.realpath(path) for path in hidden)
        self._network = network
        self.events: list[PolicyEvent] = []
        self.closed = False

    def see(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Judge an event of this call's threads; raises :class:`Outside` for what is denied."""
        if self.closed:
            if event in _RELEVANT or event.startswith(_NATIVE):
                self._deny("late-action", event)
            return
        if event == "open":
            self._open(*arguments[:3])
        elif event in _LISTING:
            self._list(event, arguments)
        elif event in _CHANGING:
            self._change(event, arguments)
        elif event == "os.chdir":
            self._enter(arguments[0])
        elif event in _THREADS:
            self._thread(arguments)
        elif event.startswith(_NATIVE):
            self._deny("native-code", event)
        elif (code := _OTHERS.get(event)) is not None and not (code == "network" and self._network):
            self._deny(code, f"{event} {_named(arguments)}")

    def _open(self, path: Any, mode: Any, flags: Any) -> None:
        if isinstance(path, int):  # a descriptor that is open already
            return
        real = _real(path)
        if (real.endswith(_IMPORTED) or ".pyc." in real) and _is_import() and not self._is_hidden(real):
            return
        if isinstance(flags, int) and flags & _WRITING and real not in _DEVICES:
            self._deny("write", f"open {real}")
        if mode is None and Path(real).is_dir():
            # What is opened relative to a folder's descriptor is not told apart afterwards.
            self._deny("descriptor", f"open {real}")
        if not self._may_read(real):
            self._deny("outside-open", f"open {real}")

    def _list(self, event: str, arguments: tuple[Any, ...]) -> None:
        path = arguments[0] if arguments else "."
        if isinstance(path, int):
            self._deny("descriptor", f"{event} of a descriptor")
        real = _real("." if path is None else path)
        if not (self._may_read(real) or (_is_import() and not self._is_hidden(real))):
            self._deny("outside-list", f"{event} {real}")

    def _change(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Deny every change but that of Python's own compiled files."""
        paths = [_real(one) for one in arguments if isinstance(one, str | bytes | os.PathLike)]
        compiled = bool(paths) and all(
            "__pycache__" in path and not self._is_hidden(path) for path in paths
        )
        if not (compiled and _is_import()):
            self._deny("write", f"{event} {_named(arguments)}")

    def _enter(self, path: Any) -> None:
        if isinstance(path, int) or not _within(_real(path), self._root):
            self._deny("outside-list", f"os.chdir {_named((path,))}")

    def _thread(self, arguments: tuple[Any, ...]) -> None:
        """Let a thread of the usual kind start, guarded like its parent; deny any other."""
        function = arguments[0] if arguments else None
        thread = getattr(function, "__self__", None)
        if isinstance(thread, threading.Thread) and getattr(function, "__func__", None) is _BOOTSTRAP:
            _CHILDREN[thread] = self
            if _NO_THREAD_EVENTS:
                thread.run = partial(_watched, thread.run)  # type: ignore[method-assign]
        else:
            self._deny("thread", "a thread that is no threading.Thread")

    def _may_read(self, real: str) -> bool:
        if _within(real, self._root) or real in _DEVICES:
            return True
        return not self._is_hidden(real) and any(_within(real, library) for library in _LIBRARIES)

    def _is_hidden(self, real: str) -> bool:
        return any(_within(real, hidden) for hidden in self._hidden) and not _within(real, self._root)

    def _deny(self, code: PolicyCode, what: str) -> None:
        if len(self.events) < MOST:
            self.events.append(PolicyEvent(code=code, detail=printable(what, clip=300)))
        raise Outside(f"pytest-judgeaudit: {printable(what, clip=200)}: not allowed in the sandbox")


# An audit hook can be neither removed nor handed arguments, so what it consults stands here: the guards of
# the threads that run an agent's function at this moment, and of the threads that these have started.
_GUARDS: dict[int, Guard] = {}
_CHILDREN: dict[threading.Thread, Guard] = {}
_BOOTSTRAP = threading.Thread._bootstrap  # type: ignore[attr-defined]  # noqa: SLF001 - how threads begin
_OURS = threading.local()
_INSTALLED = threading.Lock()
_NO_THREAD_EVENTS = sys.version_info < (3, 12)
_RELEVANT = frozenset({"open", "os.chdir", *_OTHERS, *_LISTING, *_CHANGING, *_THREADS})


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if not (_GUARDS or _CHILDREN):
        return
    guard = _current()
    if guard is None or getattr(_OURS, "acting", False):
        return
    with ours():
        if _NO_THREAD_EVENTS and event != "sys.setprofile" and sys.getprofile() is None:
            sys.setprofile(_watch)
        guard.see(event, arguments)


def _current() -> Guard | None:
    here = threading.get_ident()
    if here in _GUARDS or not _CHILDREN:
        return _GUARDS.get(here)
    # The system gives the number of a thread that has ended to another one.
    of_children = (
        one for thread, one in tuple(_CHILDREN.items()) if thread.ident == here and thread.is_alive()
    )
    return next(of_children, None)


def _watch(frame: FrameType, event: str, argument: object) -> None:
    """
    See threads begin where Python 3.11 reports no event of it: a call, made by the frame of a start.

    Python takes a profiler away that raises. By then the denial has been noted, and the next event of
    another kind puts it back.
    """
    guard = _current()
    if guard is not None and event == "c_call" and argument is _thread.start_new_thread:
        started = frame.f_locals.get("self")
        usual = frame.f_code is threading.Thread.start.__code__
        with ours():
            guard.see(_THREADS[0], (getattr(started, "_bootstrap", None) if usual else None,))


def _watched(run: Callable[[], None]) -> None:
    sys.setprofile(_watch)
    run()


@contextmanager
def ours() -> Iterator[None]:
    """Do something of ours inside a guarded call: nothing that happens here is the agent's doing."""
    before = getattr(_OURS, "acting", False)
    _OURS.acting = True
    try:
        yield
    finally:
        _OURS.acting = before


@contextmanager
def guarded(guard: Guard) -> Iterator[None]:
    """
    Guard what this thread does inside, and the threads that it starts; afterwards these may do nothing.

    The hook is added to the process once; it costs a look at an empty table while no agent runs.
    """
    if _INSTALLED.acquire(blocking=False):
        sys.addaudithook(_hook)
    here = threading.get_ident()
    profile = sys.getprofile()
    try:
        if _NO_THREAD_EVENTS:
            sys.setprofile(_watch)
        _GUARDS[here] = guard
        yield
    finally:
        _GUARDS.pop(here, None)
        if _NO_THREAD_EVENTS:
            sys.setprofile(profile)
        guard.closed = True
        for thread in tuple(_CHILDREN):
            if not thread.is_alive():
                _CHILDREN.pop(thread, None)


def _real(path: Any) -> str:
    return os.path.realpath(os.fsdecode(os.fspath(path)))


def _within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _is_import() -> bool:
    """Whether Python's own import system asks, or what shows source lines, as far as the frames tell."""
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 - the only way to see who asks
    while frame is not None and (frame.f_globals.get("__name__") in (__name__, "contextlib")):
        frame = frame.f_back
    return frame is not None and frame.f_code.co_filename in _IMPORTERS


def _named(arguments: tuple[Any, ...]) -> str:
    told = (str(one) if isinstance(one, str | int) else ascii(one)[:80] for one in arguments[:3])
    return " ".join(told)
