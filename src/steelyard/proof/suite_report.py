"""Reads what test runners of other languages print: JUnit XML, TAP, `go test -json` and the text of `cargo test`.

Each reader gives (name, state) per test, with the state `passed`, `failed` or `skipped`. A report that cannot be
complete (a TAP plan that does not match, XML that does not end), or whose totals are not those of its tests, raises
`ValueError`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, Literal
from xml.etree import ElementTree

Format = Literal["junit", "tap", "go", "cargo"]
"""What the output of a test command looks like."""
COMMANDS: dict[str, tuple[tuple[str, ...], Format]] = {
    "node": (("node", "--test", "--test-reporter=tap"), "tap"),
    "go": (("go", "test", "-json", "./..."), "go"),
    "cargo": (("cargo", "test", "--offline", "--no-fail-fast"), "cargo"),
}
"""Runner → its command, and what that prints."""
Outcomes = list[tuple[str, str]]
"""Name and state of every test."""

_TAP = re.compile(r"^(\s*)(not )?ok\b\s*(\d*)\s*-?\s*(.*?)(?:\s+#\s*(skip|todo)\b.*)?$", re.IGNORECASE)
_CARGO_STATES = {"ok": "passed", "FAILED": "failed", "ignored": "skipped"}
_NOT_RUN = frozenset({"notrun", "disabled", "suppressed", "skipped"})
_WRONG = frozenset({"failed", "failure", "fail", "error"})
_GO_STATES = {"pass": "passed", "fail": "failed", "skip": "skipped"}


def read_report(text: str, format: Format) -> Outcomes:
    """The tests in a report."""
    return _READERS[format](text)


class _Plain(ElementTree.TreeBuilder):
    """A tree without a document type: only that can declare entities, which expand to any size."""

    def doctype(self, name: str, pubid: str | None, system: str | None) -> None:
        raise ValueError("it declares a document type")


def junit_root(xml: str | bytes) -> ElementTree.Element:
    """The root of a JUnit report; `ValueError` if it is not plain XML. Of bytes it says itself how they are encoded."""
    try:
        return ElementTree.fromstring(xml, ElementTree.XMLParser(target=_Plain()))
    except (ElementTree.ParseError, LookupError, ValueError) as error:  # LookupError: an encoding it does not know
        raise ValueError(f"the JUnit XML cannot be read: {error}") from error


def _junit(text: str) -> Outcomes:
    root = junit_root(text[text.find("<") :].encode("utf-8", "replace"))
    for suite in (element for element in root.iter() if _local(element).startswith("testsuite")):
        _refuse_other_totals(suite)
    return [(_case_name(element), _state(element)) for element in root.iter() if _counts(element)]


def _counts(element: ElementTree.Element) -> bool:
    """Whether an element is a test, or a suite that failed as a whole."""
    return _local(element) == "testcase" or (_local(element).startswith("testsuite") and _state(element) == "failed")


def _refuse_other_totals(suite: ElementTree.Element) -> None:
    """Raise if a suite declares more tests that failed, were skipped or ran than are in it."""
    states = [_state(element) for element in suite.iter() if _counts(element)]
    failed, skipped = _total(suite, "failures", "errors"), _total(suite, "skipped", "disabled")
    listed = sum(_local(element) == "testcase" for element in suite.iter())
    # Some runners count the tests they skipped and do not list them.
    if (failed > 0 and "failed" not in states) or _total(suite, "tests") > listed + skipped:
        raise ValueError("the JUnit XML declares other totals than the tests in it have")


def _total(suite: ElementTree.Element, *names: str) -> int:
    return sum(int(value) for name in names if (value := suite.get(name, "")).isdecimal())


def _case_name(case: ElementTree.Element) -> str:
    return f"{case.get('classname', '')} {case.get('name', '')}".strip()


def _state(case: ElementTree.Element) -> str:
    tags = {_local(child).lower() for child in case}
    # GoogleTest and CTest name in attributes what was not run.
    said = {case.get("status", "").lower(), case.get("result", "").lower()}
    skipped = "skipped" in tags or bool(_NOT_RUN & said)
    return "failed" if tags & {"failure", "error"} or said & _WRONG else "skipped" if skipped else "passed"


def _local(element: ElementTree.Element) -> str:
    """The name of an element, whatever its namespace."""
    return element.tag.rpartition("}")[2]


def _tap(text: str) -> Outcomes:
    if re.search(r"^\s*Bail out!", text, re.MULTILINE | re.IGNORECASE):
        raise ValueError("the test run bailed out")
    results = [match for line in text.splitlines() if (match := _TAP.match(line))]
    ends = [(line[3:].split() or [""])[0] for line in text.splitlines() if line.startswith("1..")]
    plans = [int(end) for end in ends if end.isdecimal()]
    outermost = [match for match in results if not match.group(1)]
    numbers = [int(match.group(3)) for match in outermost if match.group(3)]
    if plans != [len(outermost)] or len({*numbers}) < len(numbers) or any(number > plans[0] for number in numbers):
        raise ValueError("the TAP plan does not match the tests that were reported")
    return [(match.group(4), _tap_state(match)) for match in results]


def _tap_state(match: re.Match[str]) -> str:
    if match.group(5):
        return "skipped"
    return "failed" if match.group(2) else "passed"


def _go(text: str) -> Outcomes:
    outcomes: Outcomes = []
    begun: dict[str, None] = {}
    red: set[str] = set()  # packages with a test that failed: that they failed says nothing more
    for line in text.splitlines():
        event = _event(line) if line.startswith("{") else {}
        package, action = str(event.get("Package", "")), str(event.get("Action"))
        name = f"{package} {event.get('Test', '')}".strip()
        if event.get("Test") and action == "run":
            begun[name] = None
        elif (state := _GO_STATES.get(action)) and (event.get("Test") or (state == "failed" and package not in red)):
            outcomes.append((name, state))
            red |= {package} if state == "failed" else set()
            begun.pop(name, None)
    return outcomes + [(name, "failed") for name in begun]  # the process was over before they were


def _event(line: str) -> dict[str, Any]:
    try:
        return json.loads(line)
    except RecursionError as error:
        raise ValueError("an event is nested too deeply") from error


def _cargo(text: str) -> Outcomes:
    lines = text.splitlines()
    tests = [line.removeprefix("test ").partition(" ... ") for line in lines if line.startswith("test ")]
    running = [line.split() for line in lines if line.startswith("running ")]
    announced = [int(words[1]) for words in running if words[2:] in (["test"], ["tests"]) and words[1].isdecimal()]
    # A state may have words after it: `ignored, needs a network`, `ok <0.5s>`.
    states = [(name, _CARGO_STATES.get(said.replace(",", " ").partition(" ")[0])) for name, _, said in tests]
    outcomes = [(name, state) for name, state in states if state]
    # A test that ends its process leaves fewer results than were announced.
    if announced and sum(announced) > len(outcomes):
        raise ValueError(f"{sum(announced)} tests were begun, {len(outcomes)} were reported")
    if any(line.startswith("test result: FAILED") for line in lines) and not any(
        state == "failed" for _, state in outcomes
    ):
        raise ValueError("the tests failed as a whole")
    return outcomes


_READERS: dict[Format, Callable[[str], Outcomes]] = {"junit": _junit, "tap": _tap, "go": _go, "cargo": _cargo}
