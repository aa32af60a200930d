"""
Prompt templates: text files with named placeholders, filled in one pass.

A template file holds its messages one after another, each below a line that names its role::

    === system ===
    You compare two answers. {criterion}
    === user ===
    {prompt}
    <candidate_A_{fence}>
    {candidate_A}
    </candidate_A_{fence}>
    <candidate_B_{fence}>
    {candidate_B}
    </candidate_B_{fence}>
    {reply}

Without such a line the whole file is one user message. Roles are ``system`` (first only), ``user`` and
``assistant``; the last message is the user's. White space around a message is dropped.

``{criterion}``, ``{prompt}``, ``{candidate_A}``, ``{candidate_B}`` and ``{fence}`` must occur;
``{reply}``, what to reply in the form that the judge's parser reads, may. ``{{word}}`` stands for the text
``{word}``; any other brace is text. Each candidate stands once, in the last message, on a line of its own
between tags that begin their lines and contain the candidate's name and the fence.

A template of a judge of single answers has ``{criterion}``, ``{prompt}``, ``{answer}`` and ``{fence}``, and
may have ``{reply}``; the answer stands between such tags.

A template of a rubric has ``{prompt}``, ``{key}``, ``{answer}``, ``{grounding}`` and ``{fence}`` instead;
answer and grounding report stand between such tags.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, NamedTuple

from pytest_judgeaudit.records.errors import Refused, nearest
from pytest_judgeaudit.records.requests import Message

_TEXTS = Path(__file__).with_name("texts")


class Form(NamedTuple):
    """
    A kind of template: its released versions, and the placeholders that one must and may have.

    ``built_in`` maps name and version to a file; a version never changes once released, a better one gets
    the next number. What is ``fenced`` stands once, between tags of its own that carry the fence.
    """

    built_in: Mapping[str, Path]
    required: tuple[str, ...]
    optional: tuple[str, ...]
    fenced: tuple[str, ...]

    @property
    def placeholders(self) -> tuple[str, ...]:
        """All placeholders that a template of this form may have."""
        return (*self.required, *self.optional)


PAIRWISE = Form(
    built_in={"pairwise/1": _TEXTS / "pairwise-1.txt"},
    required=("criterion", "prompt", "candidate_A", "candidate_B", "fence"),
    optional=("reply",),
    fenced=("candidate_A", "candidate_B"),
)
"""What a judge that compares is shown."""

POINTWISE = Form(
    built_in={"pointwise/1": _TEXTS / "pointwise-1.txt"},
    required=("criterion", "prompt", "answer", "fence"),
    optional=("reply",),
    fenced=("answer",),
)
"""What a judge that accepts or rejects one answer is shown."""

RUBRIC = Form(
    built_in={
        "rubric/1": _TEXTS / "rubric-1.txt",
        "rubric-legacy/1": _TEXTS / "rubric-legacy-1.txt",
    },
    required=("prompt", "key", "answer", "grounding", "fence"),
    optional=("reply",),
    fenced=("answer", "grounding"),
)
"""What a judge that scores one answer is shown."""

FORMS: Mapping[str, Form] = {"pairwise": PAIRWISE, "rubric": RUBRIC}
"""The forms by name, as a plug-in declares them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptTemplate:
    """A template that another plug-in registers: its text, and one of :data:`FORMS`."""

    text: str
    form: Literal["pairwise", "rubric"] = "pairwise"


BUILT_IN = PAIRWISE.built_in
ROLES = ("system", "user", "assistant")

_HEADER = re.compile(r"=== (\S+) ===")
_HOLE = re.compile(r"\{\{([A-Za-z_]\w*)\}\}|\{([A-Za-z_]\w*)\}")
_BLOCK = (
    r"^(?P<open>[<\[])(?P<tag>[^<>\[\]/\n]*@[^<>\[\]\n]*\{fence\}[^<>\[\]\n]*)(?P<close>[>\]])\n"
    r"\{@\}\n(?P=open)/(?P=tag)(?P=close)[ \t]*$"
)


class Section(NamedTuple):
    """One message: its pieces in order, and which of them are placeholders (index, name)."""

    role: str
    pieces: tuple[str, ...]
    holes: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """A template, checked. ``name`` is what the configuration calls it, ``text`` the whole file's text."""

    name: str
    text: str
    sections: tuple[Section, ...]

    @property
    def holes(self) -> frozenset[str]:
        """The placeholders that are left."""
        return frozenset(name for section in self.sections for _, name in section.holes)

    def filled(self, values: Mapping[str, str]) -> Template:
        """Return the template with these placeholders replaced for good; the others stay."""
        return replace(self, sections=tuple(_filled(section, values) for section in self.sections))

    def render(self, values: Mapping[str, str]) -> tuple[Message, ...]:
        """
        Replace the placeholders that are left, each once.

        A value is never searched: a candidate that contains ``{prompt}`` shows just these characters.
        """
        messages = []
        for role, pieces, holes in self.sections:
            parts = list(pieces)
            for index, name in holes:
                parts[index] = values[name]
            messages.append(Message(role=role, content="".join(parts)))
        return tuple(messages)


def _filled(section: Section, values: Mapping[str, str]) -> Section:
    parts = list(section.pieces)
    for index, name in section.holes:
        parts[index] = values.get(name, parts[index])
    left = tuple(hole for hole in section.holes if hole[1] not in values)
    return section._replace(pieces=tuple(parts), holes=left)


def load_template(
    name: str,
    *,
    folder: Path,
    form: Form = PAIRWISE,
    contributed: Mapping[str, PromptTemplate] | None = None,
) -> Template:
    """
    Return a built-in template by its name, or one of another plug-in, or that of a file of one's own.

    ``folder`` is the configuration file's: a relative path starts there. Refused: a name that is neither,
    a file that is not UTF-8 text, and what :func:`parse_template` refuses.
    """
    others = {key: one.text for key, one in (contributed or {}).items() if FORMS[one.form] is form}
    if name in others:
        return parse_template(others[name], name=name, form=form)
    path = form.built_in.get(name, folder / name)
    try:
        if not path.is_file():
            raise FileNotFoundError(name)
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        # ValueError: bytes that are not UTF-8, or a path with a null character
        reason = "not UTF-8 text" if isinstance(error, ValueError) else "not there, or not readable"
        known = (*form.built_in, *others)
        raise Refused(
            f'template "{name}" is no built-in one ({", ".join(known)}), and as a file it is {reason}.'
            f"{nearest(name, known)}"
        ) from None
    return parse_template(text, name=name, form=form)


class _Block(NamedTuple):
    """One message as written: the line of its role, the line on which its text starts, the text."""

    role: str
    head: int
    line: int
    body: str


def parse_template(text: str, *, name: str, form: Form = PAIRWISE) -> Template:
    """
    Read and check the text of a template (form: see this module).

    Refused with ``name:line``: unknown or missing placeholders, unknown roles, a candidate that is not
    fenced.
    """
    blocks = list(_blocks(text.split("\n"), name=name))
    _check_roles(blocks, name=name)
    sections = tuple(_section(block, form.placeholders, name=name) for block in blocks)
    present = {hole for section in sections for _, hole in section.holes}
    missing = next((hole for hole in form.required if hole not in present), None)
    if missing is not None:
        raise Refused(
            f"{name}:{blocks[-1].line}: the template has no {{{missing}}}; "
            f"it needs {', '.join(f'{{{hole}}}' for hole in form.required)}"
        )
    _check_fenced(blocks[-1], sections, form.fenced, name=name)
    return Template(name=name, text=text, sections=sections)


def _blocks(lines: list[str], *, name: str) -> Iterator[_Block]:
    heads = [(number, found[1]) for number, line in enumerate(lines) if (found := _HEADER.fullmatch(line))]
    if not heads:
        heads = [(-1, "user")]
    if any(line.strip() for line in lines[: max(heads[0][0], 0)]):
        raise Refused(
            f"{name}:1: text before the first role line; write === system === or === user === first"
        )
    ends = [number for number, _ in heads[1:]] + [len(lines)]
    for (number, role), end in zip(heads, ends, strict=True):
        body = lines[number + 1 : end]
        blank = next((index for index, line in enumerate(body) if line.strip()), 0)
        yield _Block(role, max(number + 1, 1), number + 2 + blank, "\n".join(body).strip())


def _check_roles(blocks: list[_Block], *, name: str) -> None:
    for index, block in enumerate(blocks):
        if block.role not in ROLES:
            hint = nearest(block.role, ROLES)
            raise Refused(
                f'{name}:{block.head}: unknown role "{block.role}"; there are {", ".join(ROLES)}.{hint}'
            )
        if block.role == "system" and index:
            raise Refused(f"{name}:{block.head}: a system message stands first or not at all")
        if not block.body:
            raise Refused(f"{name}:{block.head}: the {block.role} message is empty")
    if blocks[-1].role != "user":
        raise Refused(f"{name}:{blocks[-1].head}: the last message is the user's, found {blocks[-1].role}")


def _section(block: _Block, placeholders: tuple[str, ...], *, name: str) -> Section:
    pieces: list[str] = []
    holes: list[tuple[int, str]] = []
    end = 0
    for found in _HOLE.finditer(block.body):
        pieces.append(block.body[end : found.start()])
        end = found.end()
        literal, hole = found.groups()
        if hole is not None and hole not in placeholders:
            number = block.line + block.body.count("\n", 0, found.start())
            raise Refused(
                f"{name}:{number}: unknown placeholder {{{hole}}}; there are {', '.join(placeholders)}. "
                f"Write {{{{{hole}}}}} for the text {{{hole}}}.{nearest(hole, placeholders)}"
            )
        if hole is not None:
            holes.append((len(pieces), hole))
        pieces.append("" if literal is None else f"{{{literal}}}")
    return Section(block.role, (*pieces, block.body[end:]), tuple(holes))


def _check_fenced(
    block: _Block, sections: tuple[Section, ...], fenced: tuple[str, ...], *, name: str
) -> None:
    for candidate in fenced:
        times = sum(hole == candidate for section in sections for _, hole in section.holes)
        stands = re.search(_BLOCK.replace("@", candidate), block.body, re.MULTILINE)
        if times != 1 or stands is None:
            raise Refused(
                f"{name}:{block.line}: {{{candidate}}} must stand once, in the last message, as the three "
                f"lines <{candidate}_{{fence}}>, {{{candidate}}}, </{candidate}_{{fence}}>"
            )
