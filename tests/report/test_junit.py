"""JUnit XML that every CI can read, whatever the names hold."""

import xml.etree.ElementTree as xml

from steelyard.report.junit import Case, render


def test_counts_and_problems() -> None:
    text = render("suite", [Case("a"), Case("b", failure="no\nbecause"), Case("c", error="cannot say", time_s=1.5)])
    suite = xml.fromstring(text)[0]
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("3", "1", "1")
    failure = suite.find("./testcase[@name='b']/failure")
    assert failure is not None and failure.get("message") == "no" and failure.text == "no\nbecause"
    assert suite.find("./testcase[@name='c']").get("time") == "1.500"  # type: ignore[union-attr]


def test_hostile_text_stays_text() -> None:
    nasty = "]]> <failure/> & \" ' \x00 \x1b[31m \ud800"
    case = xml.fromstring(render(nasty, [Case(nasty, output=nasty)]))[0][0]
    assert case.get("name") == "]]> <failure/> & \" ' \ufffd \ufffd[31m \ufffd"
    assert list(case) == [case.find("system-out")]


def test_what_hides_or_reorders_text_is_replaced() -> None:
    text = render("s", [Case("a\u202eb\u0085c\x9bd\u2066e\u200bf", failure="x\x85y\u061cz", output="\u200e")])
    assert not any(character in text for character in "\u202e\u0085\x9b\u2066\u200b\u061c\u200e")
    assert text.count("\ufffd") >= 8
