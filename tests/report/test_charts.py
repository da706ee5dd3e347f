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
        charts.standings(MARKS, narrow=True),
        charts.heat_map([EVIL, "b"], ["1", "2"], {(EVIL, "1"): 0.8}, narrow=True),
        charts.frontier(MARKS, x_title="Tokens", narrow=True),
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


def test_pictures_for_a_phone_are_narrow() -> None:
    marks = [Mark(f"openrouter/maker/a-model-with-a-long-name-{n}", n / 12, x=10.0 + n) for n in range(12)]
    categories = {(mark.name, column): 0.5 for mark in marks for column in ("Exam", "Arch", "CDK")}
    for drawn in (
        charts.standings(marks, narrow=True),
        charts.heat_map([mark.name for mark in marks], ["Exam", "Arch", "CDK"], categories, narrow=True),
        charts.frontier(marks, x_title="Tokens", narrow=True),
    ):
        width = float(ElementTree.fromstring(drawn).attrib["viewBox"].split()[2])
        assert width <= 390


def test_dots_without_room_for_names_have_numbers() -> None:
    far = [Mark("one", 0.2, x=1.0, number=7), Mark("two", 0.9, x=1000.0, number=8)]
    assert {"one", "two"} <= set(texts(charts.frontier(far, x_title="Tokens")))
    near = [Mark(f"a model with a long name {n}", 0.5 + n / 1000, x=100.0 + n, number=20 + n) for n in range(20)]
    shown = set(texts(charts.frontier(near, x_title="Tokens")))
    assert {str(20 + n) for n in range(20)} <= shown and not any("model" in text for text in shown)


def texts(picture: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(picture).iter() if element.tag.endswith("text")]


def test_two_names_cut_alike_keep_two_lines() -> None:
    long = "maker/" + "x" * 80
    drawn = charts.standings([Mark(long, 0.5), Mark(long + "x", 0.6)])
    assert "(2)" in drawn


def test_a_missing_extra_names_its_cure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(ToolchainError, match=r"steelyard\[site\]"):
        charts.standings(MARKS)
