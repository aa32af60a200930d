"""
One drawing area, and the SVG that a page can hold: themed by CSS, named for screen readers, reproducible.

Matplotlib writes colours and fonts into style attributes, which a strict content policy refuses and a dark
page cannot change. So everything is drawn in stand-in colours, one a role, and each becomes a class.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

from matplotlib import rc_context
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from pytest_judgeaudit.report.text import fitted, safe

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROLES = (
    *("ink", "muted", "grid", "paper", "good", "bad", "hold"),
    *("correct", "tie", "wrong", "invalid", "stable", "position", "one_sided"),
    *("c1", "c2", "c3", "c4", "c5", "c6"),
)
"""What a colour may stand for; the page's style gives each its colour, light and dark."""

COLOURS: Mapping[str, str] = {
    role: f"#{index:02x}{index:02x}{index:02x}" for index, role in enumerate(ROLES, 1)
}
SERIES = ("c1", "c2", "c3", "c4", "c5", "c6")
MARKERS = ("o", "s", "D", "^", "v", "P")
"""Series differ in shape too: colour alone tells not everybody."""

LABEL = 31
"""The most columns of a label; the numbers beside the picture hold the whole name."""

MOST = 16
"""The most rows of one picture; the numbers beside it hold all."""

WIDTH = 560
_SVG = "http://www.w3.org/2000/svg"
_HREF = "{http://www.w3.org/1999/xlink}href"
_SETTINGS: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "judgeaudit",
    "text.parse_math": False,
    "font.size": 12,
    "axes.titlesize": 12,
    "axes.labelsize": 12,
    "xtick.labelsize": 11,
    "ytick.labelsize": 11,
    "legend.fontsize": 11,
    "text.color": COLOURS["ink"],
    "axes.labelcolor": COLOURS["muted"],
    "axes.edgecolor": COLOURS["grid"],
    "axes.facecolor": "none",
    "figure.facecolor": "none",
    "xtick.color": COLOURS["grid"],
    "ytick.color": COLOURS["grid"],
    "xtick.labelcolor": COLOURS["muted"],
    "ytick.labelcolor": COLOURS["ink"],
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.color": COLOURS["grid"],
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "lines.linewidth": 2,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A picture with how it is read, and its numbers as texts in a table."""

    id: str
    title: str
    says: str
    svg: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]


class Canvas:
    """
    One pair of axes, ``width`` × ``height`` units, and the names of what is drawn on it.

    ``left``, ``right``, ``top`` and ``bottom`` are margins in the same units.
    """

    def __init__(
        self,
        height: int,
        *,
        left: int = 60,
        right: int = 18,
        top: int = 12,
        bottom: int = 48,
        width: int = WIDTH,
    ) -> None:
        self._titles: dict[str, str] = {}
        with rc_context(_SETTINGS):
            self._figure = Figure(figsize=(width / 72, height / 72))
            FigureCanvasSVG(self._figure)
            self.axes: Axes = self._figure.add_axes(
                (
                    left / width,
                    bottom / height,
                    (width - left - right) / width,
                    (height - top - bottom) / height,
                )
            )

    def name(self, artist: Any, title: str) -> None:
        """Give something drawn a name: a tooltip, and what a screen reader says."""
        key = f"mark-{len(self._titles)}"
        artist.set_gid(key)
        self._titles[key] = safe(title)

    def rows(self, labels: Sequence[str]) -> None:
        """Label the rows of a chart, the first one on top."""
        self.axes.set_yticks(range(len(labels)), [label(text) for text in labels])
        self.axes.set_ylim(len(labels) - 0.4, -0.6)
        self.axes.tick_params(axis="y", length=0)

    def shares(self, axis: str = "x", *, upper: float = 1.0) -> None:
        """Scale an axis from 0 to ``upper`` in percent."""
        ticks = [upper * part / 4 for part in range(5)]
        texts = [f"{100 * tick:.3g} %" for tick in ticks]
        if axis == "x":
            self.axes.set_xlim(0, upper)
            self.axes.set_xticks(ticks, texts)
        else:
            self.axes.set_ylim(0, upper)
            self.axes.set_yticks(ticks, texts)
        self.axes.grid(axis=axis)  # type: ignore[arg-type]
        self.axes.set_axisbelow(True)

    def legend(self, handles: Mapping[str, Any], *, columns: int = 5) -> None:
        """Explain the series above the axes."""
        with rc_context(_SETTINGS):
            self.axes.legend(
                list(handles.values()),
                [label(text) for text in handles],
                loc="lower left",
                bbox_to_anchor=(0, 1.0),
                ncols=columns,
                borderaxespad=0.2,
                borderpad=0,
                handlelength=1.2,
                handletextpad=0.5,
                columnspacing=1.2,
            )

    def picture(
        self, key: str, title: str, says: str, *, header: Sequence[str], rows: Sequence[Sequence[str]]
    ) -> Picture:
        """Return the drawing with its numbers."""
        return Picture(
            id=key, title=title, says=says, svg=self.svg(key, title, says), header=header, rows=rows
        )

    def limit(self, value: float, name: str, *, axis: str = "x") -> None:
        """Draw a named limit across the axes."""
        draw = self.axes.axvline if axis == "x" else self.axes.axhline
        self.name(draw(value, color=COLOURS["muted"], linewidth=1.2, linestyle=(0, (5, 4))), name)

    def svg(self, key: str, title: str, description: str) -> str:
        """Return the drawing as an SVG element; its ids begin with ``key``."""
        written = io.StringIO()
        with warnings.catch_warnings(), rc_context(_SETTINGS):
            # A letter that the measuring font lacks: the reader's own font shows it.
            warnings.simplefilter("ignore", UserWarning)
            self._figure.savefig(written, format="svg", metadata={"Date": None}, transparent=True)
        root = ET.fromstring(written.getvalue())  # noqa: S314 - written in the line above
        _prune(root)
        _theme(root)
        _rename(root, key)
        self._entitle(root)
        _head(root, key, title, description)
        return ET.tostring(root, encoding="unicode").replace("\n", " ")

    def _entitle(self, root: ET.Element) -> None:
        for element in root.iter():
            text = self._titles.get(element.get("data-mark", ""))
            if text is not None:
                title = ET.Element("title")
                title.text = text
                element.insert(0, title)
                del element.attrib["data-mark"]


def label(text: str) -> str:
    """Make a foreign text a label: safe, and short."""
    return fitted(safe(text), LABEL)


def _prune(root: ET.Element) -> None:
    for element in root.iter():
        element.tag = element.tag.removeprefix(f"{{{_SVG}}}")
        for child in list(element):
            tag = child.tag.removeprefix(f"{{{_SVG}}}")
            if tag in {"metadata", "style"}:
                element.remove(child)


def _theme(root: ET.Element) -> None:
    """Turn style attributes into presentation attributes, and stand-in colours into classes."""
    roles = {colour: role for role, colour in COLOURS.items()}
    for element in root.iter():
        found = dict(_declarations(element.attrib.pop("style", "")))
        classes: list[str] = []
        for name, value in found.items():
            role = roles.get(value)
            if name in {"fill", "stroke"} and role is not None:
                classes.append(f"{name[0]}-{role}")
            elif name == "font":
                size = re.search(r"[\d.]+px", value)
                element.set("font-size", size[0] if size else "11px")
            elif name != "font-family":
                element.set(name, value)
        if element.tag == "text" and "fill" not in found:
            classes.append("f-ink")
        if classes:
            element.set("class", " ".join(classes))


def _declarations(style: str) -> list[tuple[str, str]]:
    parts = (part.partition(":") for part in style.split(";"))
    return [(name.strip(), value.strip()) for name, _, value in parts if name.strip()]


def _rename(root: ET.Element, key: str) -> None:
    """Keep only the ids that something refers to, and make them this picture's own."""
    text = " ".join(value for element in root.iter() for value in element.attrib.values())
    used = set(re.findall(r"#([\w-]+)", text))
    for element in root.iter():
        name = element.attrib.pop("id", None)
        if name is not None and name in used:
            element.set("id", f"{key}-{name}")
        elif name is not None and name.startswith("mark-"):
            element.set("data-mark", name)
        link = element.attrib.pop(_HREF, None)
        if link is not None:
            element.set("href", f"#{key}-{link.removeprefix('#')}")
        clip = element.get("clip-path")
        if clip is not None:
            element.set("clip-path", clip.replace("url(#", f"url(#{key}-"))


def _head(root: ET.Element, key: str, title: str, description: str) -> None:
    box = root.get("viewBox", "")
    root.attrib.clear()
    root.attrib.update(
        {
            "viewBox": box,
            "role": "img",
            "aria-labelledby": f"{key}-title {key}-desc",
            "class": "plot",
        }
    )
    for place, (tag, text) in enumerate((("title", title), ("desc", description))):
        element = ET.Element(tag, {"id": f"{key}-{tag}"})
        element.text = safe(text, shown=2000)
        root.insert(place, element)
