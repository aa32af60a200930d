"""
The process boundary of ``command`` agents: bubblewrap's arguments, as a pure function of what may be seen.

https://github.com/containers/bubblewrap. Inside there are the sandbox, read-only, as ``/workspace``; the
system's programs and libraries, read-only; what the command itself is made of, read-only; an empty home and
an empty ``/tmp``. Everything else does not exist there.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_judgeaudit.corpora.found import quoted
from pytest_judgeaudit.records.errors import Refused

WORKSPACE = "/workspace"
HOME = "/home/agent"

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store")
_SETTINGS = (
    "/etc/alternatives",
    "/etc/ca-certificates",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/localtime",
    "/etc/pki",
    "/etc/ssl/certs",
)
_NETWORK = ("/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/gai.conf")
_TOO_WIDE = frozenset(
    map(
        "/".__add__,
        ("", "home", "root", "etc", "var", "tmp", "proc", "sys", "dev", "run", "mnt", "opt", "srv"),
    )
)
_PYTHON = re.compile(r"python[0-9.]*(?:\.exe)?")
_BEFORE_PATH = re.compile(r"--?[A-Za-z0-9_-]+=(/.*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """
    What a command may see and use.

    ``binds`` are absolute paths shown read-only where they are; ``hidden`` and ``keep_out`` are covered
    up wherever something that is shown contains them.
    """

    sandbox: Path
    binds: tuple[Path, ...] = ()
    hidden: tuple[Path, ...] = ()
    keep_out: tuple[Path, ...] = ()
    network: bool = False
    env: Mapping[str, str]

    def arguments(self, program: str, command: Sequence[str]) -> list[str]:
        """Return the whole command line; ``program`` is bubblewrap's."""
        return [
            program,
            "--unshare-all",
            *(["--share-net"] if self.network else []),
            *("--die-with-parent", "--new-session", "--hostname", "workspace", "--cap-drop", "ALL"),
            *("--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"),  # noqa: S108 - inside
            *self._mounts(),
            *("--dir", HOME, "--ro-bind", str(self.sandbox), WORKSPACE, "--chdir", WORKSPACE, "--clearenv"),
            *(part for name, value in self.env.items() for part in ("--setenv", name, value)),
            "--",
            *command,
        ]

    def _mounts(self) -> Iterator[str]:
        """Yield what is shown and what is covered up, so that the more special always comes later."""
        shown = [*map(Path, _SYSTEM), *map(Path, _SETTINGS), *(map(Path, _NETWORK) if self.network else ())]
        mounts = [(path, 0, _system(path)) for path in shown if path.exists()]
        mounts += [
            (path, 2, ["--ro-bind", str(path), str(path)]) for path in self.binds if not self._shown(path)
        ]
        roots = [path for path, _, _ in mounts]
        for path in (*self.hidden, *self.keep_out):
            if any(root in path.parents or root == path for root in roots):
                mounts.append((path, 1, _covered(path)))
        for _, _, arguments in sorted(mounts, key=lambda one: (len(one[0].parts), one[1])):
            yield from arguments

    def _shown(self, path: Path) -> bool:
        """Whether a folder that is shown brings this path along: nothing can be mounted in there."""
        for folder in path.parents:
            if folder in self.binds:
                return True
            if folder in (*self.hidden, *self.keep_out):
                return False
        return False


def _system(path: Path) -> list[str]:
    if path.is_symlink() and str(path) in _SYSTEM:
        return ["--symlink", str(path.readlink()), str(path)]
    return ["--ro-bind", str(path.resolve()), str(path)]


def _covered(path: Path) -> list[str]:
    return ["--tmpfs", str(path)] if path.is_dir() else ["--ro-bind", os.devnull, str(path)]


def parts_of(command: Sequence[str], *, path: str) -> list[Path]:
    """
    Return the absolute paths that a command is made of: its program and the files among its arguments.

    A program is looked up in ``path``, and every link on the way to it is one of them; a Python brings the
    environment and the installation it belongs to. Folders among the arguments are not shown: whatever
    else a command needs stands under ``binds``.
    """
    program = shutil.which(command[0], path=path)
    if program is None:
        raise Refused(f"command: there is no program {quoted(command[0])}. Install it, or write its path.")
    found = [*_links(Path(program).absolute())]
    for link in list(found):
        if _PYTHON.fullmatch(link.name):
            found += _installation(link)
    for argument in command[1:]:
        said = _BEFORE_PATH.fullmatch(argument)
        file = Path(said[1] if said else argument)
        if file.is_absolute() and file.is_file():
            found += _links(file)
    return list(dict.fromkeys(path for path in found if not _is_system(path)))


def _links(path: Path) -> Iterator[Path]:
    """Yield a file and what it is a link to, to the end."""
    for _ in range(40):
        yield path
        if not path.is_symlink():
            break
        path = Path(os.path.normpath(path.parent / path.readlink()))
    yield path.resolve()


def _installation(python: Path) -> Iterator[Path]:
    """Yield the folders that a Python reads: its virtual environment, or its prefix's library."""
    prefix = python.parent.parent
    if (prefix / "pyvenv.cfg").is_file():
        yield prefix
    elif str(prefix) not in _TOO_WIDE:
        yield from prefix.glob("lib/python3*")
        yield from prefix.glob("lib/libpython3*")


def _is_system(path: Path) -> bool:
    return any(str(path) == root or str(path).startswith(f"{root}/") for root in _SYSTEM)


def checked_binds(binds: Iterable[str], *, hidden: Iterable[Path]) -> list[Path]:
    """Return the configured paths; Refused: one that is missing, shows too much, or shows a hidden file."""
    found = []
    for bind in binds:
        path = Path(os.path.normpath(bind))
        if not path.exists():
            raise Refused(f"binds: there is no {quoted(bind)}. Correct it, or remove it.")
        if str(path.resolve()) in _TOO_WIDE or str(path) in _TOO_WIDE or path.resolve() == Path.home():
            raise Refused(
                f"binds: {quoted(bind)} would show the whole machine. Name what the command needs."
            )
        found.append(path)
    refuse_hidden(found, hidden=hidden)
    return found


def refuse_hidden(paths: Iterable[Path], *, hidden: Iterable[Path]) -> None:
    """Refuse to show a command what no agent may see."""
    secret = list(hidden)
    for path in paths:
        real = path.resolve()
        if any(real == one or one in real.parents for one in secret):
            raise Refused(
                f"command: {quoted(str(path))} is, or lies in, what agents must not see. Move it elsewhere."
            )
