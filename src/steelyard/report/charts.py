"""Charts as static SVG: Altair describes them, vl-convert draws them, and the SVG is then safe to embed in a page.

Colours are placeholders that become CSS variables of the page (`assets/page.css`), so a chart follows dark mode and
print. The finished SVG is parsed and rebuilt from an allow-list of elements and attributes: names in a chart are
untrusted text, and no style attribute, link or handler survives.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree

from steelyard.errors import ToolchainError, boundary
from steelyard.report import numbers
from steelyard.report.labels import place, steps
from steelyard.report.names import shortened
from steelyard.text import visible

NAME_LENGTH, NARROW_NAME_LENGTH = 36, 20
"""Characters of a name beside an axis, and of one on a phone."""

_LABEL = 26
"""Characters of a name beside a dot."""

CURE = "pip install 'steelyard[site]'"
"""How to install the chart libraries."""

_COLOURS = {
    "#000001": "var(--ink)",
    "#000002": "var(--soft)",
    "#000003": "var(--line)",
    "#000004": "var(--brass)",
    "#000005": "var(--card)",
    "#000006": "rgb(var(--heat))",
    "#000011": "var(--series-1)",
    "#000012": "var(--series-2)",
    "#000013": "var(--series-3)",
    "#000014": "var(--series-4)",
    "#000015": "var(--series-5)",
}
INK, SOFT, LINE, BRASS, CARD, HEAT, *SERIES = _COLOURS
"""Placeholders for the page's colours."""

_ELEMENTS = frozenset({"svg", "g", "path", "rect", "text", "tspan", "line", "circle"})
_ATTRIBUTES = frozenset(
    {
        *("viewBox", "width", "height", "x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "r", "d", "dx", "dy"),
        *("transform", "opacity", "font-size", "font-weight", "font-style", "text-anchor"),
        *("fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linecap"),
        *("stroke-linejoin", "stroke-miterlimit"),
    }
)
_SVG = "http://www.w3.org/2000/svg"


@dataclass(frozen=True, slots=True)
class Mark:
    """One subject in a chart."""

    name: str
    value: float
    low: float | None = None
    high: float | None = None
    x: float | None = None
    """Position on the other axis, if the chart has one."""
    muted: bool = False
    """A baseline or an incomplete row: drawn in grey."""
    number: int | None = None
    """Its label where names find no place; counted from 1 if absent."""


def standings(marks: Sequence[Mark], *, title: str = "Overall score", narrow: bool = False) -> str:
    """A dot per subject with its interval as a whisker, best first; `narrow` draws it for a phone."""
    alt = _altair()
    names = _names([mark.name for mark in marks], narrow=narrow)
    rows = [{**_row(mark), "name": name} for mark, name in zip(marks, names, strict=True)]
    axis = alt.Axis(labelLimit=400, labelPadding=9, ticks=False, domain=False)
    place = alt.Y("name:N", sort=names, title=None, axis=axis)
    scale = alt.Scale(domain=[0, 1])
    chart = alt.Chart(alt.Data(values=rows))
    whisker = chart.mark_rule(color=SERIES[0], strokeWidth=3, opacity=0.45, strokeCap="round").encode(
        x=alt.X("low:Q", scale=scale), x2="high:Q", y=place
    )
    dot = chart.mark_circle(size=90, opacity=1).encode(
        x=alt.X("value:Q", scale=scale, title=title, axis=_percent(alt, narrow=narrow, grid=True)),
        y=place,
        color=alt.condition("datum.muted", alt.value(SOFT), alt.value(SERIES[0])),
    )
    return _svg((whisker + dot).properties(width=160 if narrow else 640, height=max(60, 30 * len(rows))), narrow=narrow)


def heat_map(
    rows: Sequence[str],
    columns: Sequence[str],
    values: Mapping[tuple[str, str], float | None],
    *,
    narrow: bool = False,
) -> str:
    """Rows × columns; a cell is darker the higher its share, and shows its number, or `not run`."""
    alt = _altair()
    names = _names(rows, narrow=narrow)
    cells = [
        {**_heat(column, values.get((row, column))), "row": name}
        for row, name in zip(rows, names, strict=True)
        for column in columns
    ]
    x = alt.X("column:N", sort=list(columns), title=None, axis=_flat(alt, orient="top"))
    y = alt.Y("row:N", sort=names, title=None, axis=_flat(alt, labelLimit=400))
    chart = alt.Chart(alt.Data(values=cells))
    shade = alt.Opacity("shade:Q", scale=alt.Scale(domain=[0, 1], range=[0.04, 0.62]), legend=None)
    rect = chart.mark_rect(color=HEAT, stroke=CARD, strokeWidth=3, cornerRadius=4).encode(x=x, y=y, opacity=shade)
    text = chart.mark_text(color=INK, fontSize=12).encode(x=x, y=y, text="text:N")
    width = 58 * len(columns) if narrow else max(260, 190 * len(columns))
    return _svg((rect + text).properties(width=width, height=max(40, 34 * len(rows))), narrow=narrow)


def frontier(
    marks: Sequence[Mark],
    *,
    x_title: str,
    narrow: bool = False,
) -> str:
    """Score against a cost; the line joins the subjects that no other beats on both.

    Each dot has a label that covers no other dot and no other label: the name where all names find a place, else the
    number of the mark.
    """
    alt = _altair()
    rows = [_row(mark) for mark in marks if mark.x is not None]
    # A free model costs 0, which a logarithmic axis cannot show.
    log = all(row["x"] > 0 for row in rows)
    size = (250, 260) if narrow else (760, 360)
    domain = _domain([row["x"] for row in rows], log=log)
    x = alt.X(
        "x:Q",
        title=x_title,
        # nice=False, because the labels are placed for exactly this domain.
        scale=alt.Scale(type="log" if log else "linear", domain=domain, nice=False),
        axis=alt.Axis(tickCount=3 if narrow else 5, grid=False, format="~s", labelOverlap=True),
    )
    y = alt.Y("value:Q", title="Overall score", scale=alt.Scale(domain=[0, 1]), axis=_percent(alt, narrow=False))
    edge = alt.Chart(alt.Data(values=_edge(rows))).mark_line(
        color=BRASS, strokeWidth=2, strokeDash=[5, 4], interpolate="step-after"
    )
    dots = (
        alt.Chart(alt.Data(values=rows))
        .mark_circle(size=90, opacity=1)
        .encode(x=x, y=y, color=alt.condition("datum.muted", alt.value(SOFT), alt.value(SERIES[0])))
    )
    texts = alt.Chart(alt.Data(values=_labelled(rows, size, domain, log=log)))
    texts = texts.mark_text(align="left", baseline="middle", color=INK, fontSize=11).encode(x=x, y=y, text="label:N")
    return _svg((edge.encode(x=x, y=y) + dots + texts).properties(width=size[0], height=size[1]), narrow=narrow)


def lines(series: Mapping[str, Sequence[tuple[float, float]]], *, x_title: str, y_title: str) -> str:
    """One line per name, over rounds or time."""
    alt = _altair()
    names = _names(list(series))
    rows = [
        {"name": name, "x": x, "y": y} for name, points in zip(names, series.values(), strict=True) for x, y in points
    ]
    palette = [SERIES[place % len(SERIES)] for place in range(len(names))]
    colour = alt.Color(
        "name:N", scale=alt.Scale(domain=names, range=palette), legend=alt.Legend(title=None, orient="top")
    )
    chart = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X("x:Q", title=x_title, axis=alt.Axis(tickMinStep=1)),
        y=alt.Y("y:Q", title=y_title, scale=alt.Scale(zero=False)),
        color=colour,
    )
    return _svg(
        (chart.mark_line(strokeWidth=2) + chart.mark_circle(size=50, opacity=1)).properties(width=620, height=280)
    )


def agreement(points: Sequence[tuple[float, float]], *, tolerance: float, x_title: str, y_title: str) -> str:
    """Judge against label: the diagonal is full agreement, the dashed lines are the tolerance."""
    alt = _altair()
    scale = alt.Scale(domain=[0, 1])
    x, y = alt.X("x:Q", title=x_title, scale=scale), alt.Y("y:Q", title=y_title, scale=scale)

    def diagonal(shift: float, dash: list[int]) -> Any:
        ends = [{"x": max(0, -shift), "y": max(0, shift)}, {"x": min(1, 1 - shift), "y": min(1, 1 + shift)}]
        return alt.Chart(alt.Data(values=ends)).mark_line(color=SOFT, strokeWidth=1, strokeDash=dash).encode(x=x, y=y)

    rows = [{"x": x_value, "y": y_value} for x_value, y_value in points]
    dots = alt.Chart(alt.Data(values=rows)).mark_circle(size=45, color=SERIES[0], opacity=0.6).encode(x=x, y=y)
    drawn = diagonal(0, [1, 0]) + diagonal(tolerance, [4, 4]) + diagonal(-tolerance, [4, 4]) + dots
    return _svg(drawn.properties(width=340, height=340))


def _row(mark: Mark) -> dict[str, Any]:
    low = mark.value if mark.low is None else mark.low
    high = mark.value if mark.high is None else mark.high
    row = {"name": _clean(mark.name), "value": mark.value, "low": low, "high": high, "x": mark.x, "muted": mark.muted}
    return {**row, "number": mark.number}


def _heat(column: str, value: float | None) -> dict[str, Any]:
    text = "not run" if value is None else numbers.percent(value, 0)
    return {"column": column, "shade": value or 0.0, "text": text}


def _domain(values: Sequence[float], *, log: bool) -> list[float]:
    """The ends of an axis, with room for the dots at both."""
    low, high = (min(values), max(values)) if values else (1.0, 10.0)
    if log:
        ratio = max(high / low, 1.5) ** 0.12
        return [low / ratio, high * ratio]
    room = 0.08 * (high - low or 1.0)
    return [min(0.0, low), high + room]


def _labelled(
    rows: Sequence[dict[str, Any]], size: tuple[int, int], domain: Sequence[float], *, log: bool
) -> list[dict[str, Any]]:
    """The labels of the dots with the places where their text begins, in units of the axes."""
    bend, unbend = (math.log, math.exp) if log else (float, float)
    low, span = bend(domain[0]), bend(domain[1]) - bend(domain[0])

    def pixels(row: dict[str, Any]) -> tuple[float, float]:
        return (bend(row["x"]) - low) / span * size[0], (1 - row["value"]) * size[1]

    dots, line = [pixels(row) for row in rows], steps([pixels(row) for row in _edge(rows)])
    numbered = [str(row["number"] or order) for order, row in enumerate(rows, 1)]
    texts = shortened([row["name"] for row in rows], _LABEL)
    names = [texts[row["name"]] for row in rows]
    placed = place(dots, names, size, line)
    labels = names if placed.free else numbered
    boxes = (placed if placed.free else place(dots, numbered, size, line)).boxes
    return [
        {
            "label": label,
            "x": unbend(low + box.left / size[0] * span),
            "value": 1 - (box.top + box.bottom) / 2 / size[1],
        }
        for label, box in zip(labels, boxes, strict=True)
    ]


def _edge(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    best, kept = float("-inf"), list[dict[str, Any]]()
    # At equal cost the better one comes first, so that the other does not become a step of the line.
    for row in sorted(rows, key=lambda row: (row["x"], -row["value"])):
        if row["value"] > best and not row["muted"]:
            best = row["value"]
            kept.append(row)
    return kept


def _flat(alt: Any, **options: Any) -> Any:
    return alt.Axis(ticks=False, domain=False, labelAngle=0, **options)


def _percent(alt: Any, *, narrow: bool, grid: bool = True) -> Any:
    return alt.Axis(format="%", tickCount=2 if narrow else 5, grid=grid)


def _clean(name: str) -> str:
    return visible(" ".join(name.split()))


def _names(names: Sequence[str], *, narrow: bool = False) -> list[str]:
    """Names as shown, made unique: two rows must not merge because their shortened names are equal."""
    short = shortened([_clean(name) for name in names], NARROW_NAME_LENGTH if narrow else NAME_LENGTH)
    shown: list[str] = []
    for name in (short[_clean(name)] for name in names):
        repeats = sum(other == name or other.startswith(f"{name} (") for other in shown)
        shown.append(f"{name} ({repeats + 1})" if repeats else name)
    return shown


def _altair() -> Any:
    try:
        importlib.import_module("vl_convert")
        return importlib.import_module("altair")
    except ImportError as error:
        raise ToolchainError(f"charts need {error.name}", cure=CURE) from error


def _svg(chart: Any, *, narrow: bool = False) -> str:
    import vl_convert

    left, right = (18, 8) if narrow else (28, 28)
    axis = {"labelColor": SOFT, "titleColor": SOFT, "gridColor": LINE, "domainColor": LINE, "tickColor": LINE}
    config = {
        "background": "transparent",
        # The page's font is wider than the one vl-convert measures with.
        "padding": {"left": left, "right": right, "top": 8, "bottom": 4},
        "font": "sans-serif",
        "axis": {**axis, "labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal"},
        "legend": {"labelColor": INK, "titleColor": SOFT, "labelFontSize": 12},
        "view": {"stroke": None},
    }
    with boundary(ToolchainError, "cannot draw a chart"):
        drawn = vl_convert.vegalite_to_svg({**chart.to_dict(), "config": config})
        return tidy(drawn)


def tidy(svg: str) -> str:
    """The SVG rebuilt from the allow-list, with the page's colours."""
    root = ElementTree.fromstring(svg)
    _strip(root)
    # Text takes the page's font through CSS; without a fixed size, the view box lets the chart scale.
    root.attrib["role"] = "presentation"
    ElementTree.register_namespace("", _SVG)
    return ElementTree.tostring(root, encoding="unicode")


def _strip(element: ElementTree.Element) -> None:
    element.attrib = {
        name: _COLOURS.get(value, value)
        for name, value in element.attrib.items()
        if name in _ATTRIBUTES and _is_internal(value)
    }
    for child in list(element):
        if child.tag.removeprefix(f"{{{_SVG}}}") in _ELEMENTS:
            _strip(child)
        else:
            element.remove(child)


def _is_internal(value: str) -> bool:
    """Whether the value refers to nothing outside the chart."""
    return "url(" not in value or value.startswith("url(#")
