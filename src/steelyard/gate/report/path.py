"""The e-path as a picture: how strongly the rounds speak for each answer after each of them, in words.

The scale is logarithmic. Below 1 the rounds speak against an answer, between 1 and the level that decides they are not
enough yet, above it the answer is shown; a loss needs twice as much, because two tests pay for it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from steelyard.gate.evidence.policy import Policy
from steelyard.gate.evidence.result import Look
from steelyard.report.document import Figure

_HEIGHT, _TOP, _BOTTOM, _LEFT = 270, 14, 40, 12
_LOWEST, _HIGHEST = -2.0, 3.0
"""The scale in powers of ten; a value beyond it is drawn at the edge."""

_LINES = (
    ("e_improve", "gain", "var(--good)"),
    ("e_regress", "loss", "var(--bad)"),
    ("e_safe", "no worse", "var(--series-1)"),
)


@dataclass(frozen=True, slots=True)
class _Frame:
    """Where things go in a picture of this width."""

    width: int
    right: int
    """Room for the names at the ends of the lines."""
    last: int
    """The last round on the axis."""

    @property
    def edge(self) -> int:
        return self.width - self.right

    def x(self, number: float) -> float:
        return _LEFT + (number - 1) / (self.last - 1) * (self.edge - _LEFT)


def e_value(value: float) -> str:
    """An e-value, short."""
    return f"{value:.2g}" if value < 10 else f"{value:.0f}" if value < 10_000 else f"{value:.0e}"


def path_figure(path: Sequence[Look], policy: Policy) -> Figure:
    """The picture of an e-path of at least one look."""
    last = max(path[-1].round, policy.max_rounds if policy.adaptive else 0, 3)
    needed = 1 / policy.alpha
    wide, narrow = (_drawn(path, needed, _Frame(width, right, last)) for width, right in ((640, 100), (330, 74)))
    states = [f"{name} {_state(getattr(path[-1], field), needed, name)}" for field, name, _ in _LINES]
    caption = (
        "How strongly the rounds speak for a gain, for a loss, and for “no worse than the margin”. A line that reaches "
        f"“shown” decides; a loss must reach the upper one. After round {path[-1].round}: {', '.join(states)}. "
        f"The height is the e-value on a logarithmic scale: {needed:g} is shown, {2 * needed:g} for a loss."
    )
    values = ", ".join(f"{name} {getattr(path[-1], field):.3g}" for field, name, _ in _LINES)
    return Figure(wide, f"E-values after round {path[-1].round}: {values}", caption, narrow)


def _state(value: float, needed: float, name: str) -> str:
    """What a value means, in words."""
    enough = 2 * needed if name == "loss" else needed
    return "is shown" if value >= enough else "is not shown yet" if value > 1 else "is not what the rounds say"


def _drawn(path: Sequence[Look], needed: float, frame: _Frame) -> str:
    parts = [*_zones(needed, frame), *_axis(frame)]
    for (field, name, colour), label in zip(_LINES, _label_places(path), strict=True):
        parts.append(_line([(look.round, getattr(look, field)) for look in path], frame, name, colour, label))
    return f'<svg viewBox="0 0 {frame.width} {_HEIGHT}" width="{frame.width}" font-size="12">{"".join(parts)}</svg>'


def _zones(needed: float, frame: _Frame) -> list[str]:
    """What each height means, and the lines between."""
    zones = (
        (2 * needed, "a loss is shown", True, -3),
        (needed, "a gain, or “no worse”, is shown", True, 12),
        (1.0, "not enough yet", False, -3),
        (10**_LOWEST, "speaks against it", False, -3),
    )
    parts: list[str] = []
    for level, words, decides, shift in zones:
        y = _y(level)
        dash = ' stroke-dasharray="5 4"' if decides else ""
        stroke = "var(--ink)" if decides else "var(--line)"
        ends = f'x1="{_LEFT}" x2="{frame.edge}" y1="{y:.1f}" y2="{y:.1f}"'
        parts.append(f'<line {ends} stroke="{stroke}"{dash}/>' + _text(_LEFT + 4, y + shift, words, "start"))
    return parts


def _axis(frame: _Frame) -> list[str]:
    step = max(1, math.ceil(frame.last / (frame.width // 60)))
    numbers = [
        _text(frame.x(number), _HEIGHT - _BOTTOM + 18, str(number), "middle")
        for number in range(step, frame.last + 1, step)
    ]
    return [*numbers, _text((_LEFT + frame.edge) / 2, _HEIGHT - 4, "round", "middle")]


def _y(value: float) -> float:
    power = math.log10(max(value, 10**_LOWEST))
    share = (min(power, _HIGHEST) - _LOWEST) / (_HIGHEST - _LOWEST)
    return _HEIGHT - _BOTTOM - share * (_HEIGHT - _TOP - _BOTTOM)


def _label_places(path: Sequence[Look]) -> list[float]:
    """Where the names of the lines go: at their ends, moved apart where they would overlap."""
    ends = [_y(getattr(path[-1], field)) for field, _, _ in _LINES]
    places = list(ends)
    below = -math.inf
    for place in sorted(range(len(ends)), key=lambda number: ends[number]):
        places[place] = max(ends[place], below + 15)
        below = places[place]
    return places


def _line(points: Sequence[tuple[int, float]], frame: _Frame, name: str, colour: str, label: float) -> str:
    spots = [(frame.x(number), _y(value)) for number, value in points]
    steps = " ".join(f"{'L' if place else 'M'}{x:.1f} {y:.1f}" for place, (x, y) in enumerate(spots))
    dots = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in spots)
    text = f'<text x="{spots[-1][0] + 8:.1f}" y="{label + 4:.1f}" fill="{colour}">{name}</text>'
    return f'<path d="{steps}" fill="none" stroke="{colour}" stroke-width="2"/>{dots}{text}'


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="var(--soft)">{text}</text>'
