"""Pictures are ours: foreign names stay text, colours follow the page, nothing points outside."""

from __future__ import annotations

import sys
from xml.etree import ElementTree

import pytest

from steelyard.errors import ToolchainError
from steelyard.report import charts
from steelyard.report.charts import Mark

EVIL = "</text><script>alert(1)</script>\u202e"
MARKS = [
    Mark(EVIL, 0.8, 0.7, 0.9, 1000.0),
    Mark("b", 0.5, None, None, 10.0),
    Mark("base", 0.1, 0.0, 0.2, 5.0, muted=True),
]


@pytest.fixture(scope="module")
def pictures() -> list[str]:
    return [
        charts.standings(MARKS),
        charts.heat_map([EVIL, "b"], ["One", "Two"], {(EVIL, "One"): 0.8, ("b", "Two"): None}),
        charts.frontier(MARKS, x_title="Tokens"),
        charts.lines({EVIL: [(1, 0.2), (2, 0.3)]}, x_title="Round", y_title="Score"),
        charts.agreement([(0.1, 0.2)], tolerance=0.15, x_title="Label", y_title="Judge"),
    ]


def test_names_stay_text_and_nothing_leaves(pictures: list[str]) -> None:
    for picture in pictures:
        for element in ElementTree.fromstring(picture).iter():
            assert element.tag.rsplit("}", 1)[-1] in {"svg", "g", "path", "rect", "text", "tspan", "line", "circle"}
            assert not {"style", "href", "onload", "class"} & set(element.attrib)
        assert "\u202e" not in picture


def test_colours_are_the_pages(pictures: list[str]) -> None:
    for picture in pictures:
        assert "var(--" in picture and "#0000" not in picture


def test_a_picture_shows_what_it_was_given(pictures: list[str]) -> None:
    assert "80%" in pictures[1] and "not run" in pictures[1]
    assert "Tokens" in pictures[2]


def test_two_names_cut_alike_keep_two_lines() -> None:
    long = "maker/" + "x" * 80
    drawn = charts.standings([Mark(long, 0.5), Mark(long + "x", 0.6)])
    assert "(2)" in drawn


def test_a_missing_extra_names_its_cure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(ToolchainError, match=r"steelyard\[site\]"):
        charts.standings(MARKS)
