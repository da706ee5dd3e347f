"""The e-path as a picture: the evidence after each round on a logarithmic scale, and the lines at which it decides."""

from __future__ import annotations

import math
from collections.abc import Sequence

from steelyard.gate.evidence.policy import Policy
from steelyard.gate.evidence.result import Look
from steelyard.report.document import Figure

_WIDTH, _HEIGHT = 640, 270
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 116, 14, 40
_LOWEST, _HIGHEST = -2.0, 3.0
"""The scale in powers of ten; a value beyond it is drawn at the edge."""

_LINES = (
    ("e_improve", "gain", "var(--series-1)"),
    ("e_regress", "loss", "var(--series-2)"),
    ("e_safe", "no worse", "var(--series-3)"),
)


def e_value(value: float) -> str:
    """An e-value, short."""
    return f"{value:.2g}" if value < 10 else f"{value:.0f}" if value < 10_000 else f"{value:.0e}"


def path_figure(path: Sequence[Look], policy: Policy) -> Figure:
    """The picture of an e-path of at least one look."""
    last = max(path[-1].round, policy.max_rounds if policy.adaptive else 0, 3)
    needed = 1 / policy.alpha
    parts = [*_axes(last), _level(needed, "decides", 13), _level(2 * needed, "decides a loss", -4)]
    for (field, name, colour), label in zip(_LINES, _label_places(path), strict=True):
        parts.append(_line([(look.round, getattr(look, field)) for look in path], last, name, colour, label))
    svg = f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" width="100%" font-size="12">{"".join(parts)}</svg>'
    caption = f"Evidence after each round, on a logarithmic scale; {needed:g} decides, {2 * needed:g} for a loss."
    values = ", ".join(f"{name} {getattr(path[-1], field):.3g}" for field, name, _ in _LINES)
    return Figure(svg, f"E-values after round {path[-1].round}: {values}", caption)


def _x(number: float, last: int) -> float:
    return _LEFT + (number - 1) / (last - 1) * (_WIDTH - _LEFT - _RIGHT)


def _y(value: float) -> float:
    power = math.log10(max(value, 10**_LOWEST))
    share = (min(power, _HIGHEST) - _LOWEST) / (_HIGHEST - _LOWEST)
    return _HEIGHT - _BOTTOM - share * (_HEIGHT - _TOP - _BOTTOM)


def _axes(last: int) -> list[str]:
    parts: list[str] = []
    for power in range(int(_LOWEST), int(_HIGHEST) + 1):
        y = _y(10.0**power)
        parts.append(f'<line x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="var(--line)"/>')
        parts.append(_text(_LEFT - 8, y + 4, f"{10.0**power:g}", "end"))
    step = max(1, math.ceil(last / 10))
    for number in range(step, last + 1, step):
        parts.append(_text(_x(number, last), _HEIGHT - _BOTTOM + 18, str(number), "middle"))
    return [*parts, _text((_LEFT + _WIDTH - _RIGHT) / 2, _HEIGHT - 4, "round", "middle")]


def _level(value: float, name: str, shift: int) -> str:
    y = _y(value)
    rule = f'<line x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="var(--ink)"'
    return f'{rule} stroke-dasharray="5 4"/>' + _text(_LEFT + 6, y + shift, name, "start")


def _label_places(path: Sequence[Look]) -> list[float]:
    """Where the names of the lines go: at their ends, moved apart where they would overlap."""
    ends = [_y(getattr(path[-1], field)) for field, _, _ in _LINES]
    places = list(ends)
    below = -math.inf
    for place in sorted(range(len(ends)), key=lambda number: ends[number]):
        places[place] = max(ends[place], below + 15)
        below = places[place]
    return places


def _line(points: Sequence[tuple[int, float]], last: int, name: str, colour: str, label: float) -> str:
    spots = [(_x(number, last), _y(value)) for number, value in points]
    steps = " ".join(f"{'L' if place else 'M'}{x:.1f} {y:.1f}" for place, (x, y) in enumerate(spots))
    dots = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in spots)
    end = f"{name} {e_value(points[-1][1])}"
    text = f'<text x="{spots[-1][0] + 8:.1f}" y="{label + 4:.1f}" fill="{colour}">{end}</text>'
    return f'<path d="{steps}" fill="none" stroke="{colour}" stroke-width="2"/>{dots}{text}'


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="var(--soft)">{text}</text>'
