"""Reads what test runners of other languages print: JUnit XML, TAP, `go test -json` and the text of `cargo test`.

Each reader gives (name, state) per test, with the state `passed`, `failed` or `skipped`. A report that cannot be
complete (a TAP plan that does not match, XML that does not end) raises `ValueError`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, Literal
from xml.etree import ElementTree

Format = Literal["junit", "tap", "go", "cargo"]
"""What the output of a test command looks like."""
Outcomes = list[tuple[str, str]]
"""Name and state of every test."""

_TAP = re.compile(r"^(\s*)(not )?ok\b\s*\d*\s*-?\s*(.*?)(?:\s+#\s*(skip|todo)\b.*)?$", re.IGNORECASE)
_PLAN = re.compile(r"^1\.\.(\d+)")
_CARGO = re.compile(r"^test (.+?) \.\.\. (ok|FAILED|ignored)")
_CARGO_STATES = {"ok": "passed", "FAILED": "failed", "ignored": "skipped"}
_NOT_RUN = frozenset({"notrun", "disabled", "suppressed", "skipped"})
_GO_STATES = {"pass": "passed", "fail": "failed", "skip": "skipped"}


def read_report(text: str, format: Format) -> Outcomes:
    """The tests in a report."""
    return _READERS[format](text)


def _junit(text: str) -> Outcomes:
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise ValueError("the XML declares entities")
    try:
        root = ElementTree.fromstring(text[text.find("<") :].encode("utf-8", "replace"))
    except (ElementTree.ParseError, LookupError, ValueError) as error:  # the latter two: an encoding it does not know
        raise ValueError(f"the JUnit XML cannot be read: {error}") from error
    return [(_case_name(element), _state(element)) for element in root.iter() if _counts(element)]


def _counts(element: ElementTree.Element) -> bool:
    """Whether an element is a test, or a suite that failed as a whole."""
    return _local(element) == "testcase" or (_local(element).startswith("testsuite") and _state(element) == "failed")


def _case_name(case: ElementTree.Element) -> str:
    return f"{case.get('classname', '')} {case.get('name', '')}".strip()


def _state(case: ElementTree.Element) -> str:
    tags = {_local(child) for child in case}
    # GoogleTest and CTest name in attributes what was not run.
    skipped = "skipped" in tags or bool(_NOT_RUN & {case.get("status", ""), case.get("result", "")})
    return "failed" if tags & {"failure", "error"} else "skipped" if skipped else "passed"


def _local(element: ElementTree.Element) -> str:
    """The name of an element, whatever its namespace."""
    return element.tag.rpartition("}")[2]


def _tap(text: str) -> Outcomes:
    if re.search(r"^Bail out!", text, re.MULTILINE):
        raise ValueError("the test run bailed out")
    results = [match for line in text.splitlines() if (match := _TAP.match(line))]
    plans = [int(match.group(1)) for line in text.splitlines() if (match := _PLAN.match(line))]
    if plans != [sum(not match.group(1) for match in results)]:
        raise ValueError("the TAP plan does not match the tests that were reported")
    return [(match.group(3), _tap_state(match)) for match in results]


def _tap_state(match: re.Match[str]) -> str:
    if match.group(4):
        return "skipped"
    return "failed" if match.group(2) else "passed"


def _go(text: str) -> Outcomes:
    outcomes: Outcomes = []
    for line in text.splitlines():
        if line.startswith("{"):
            event = _event(line)
            if event.get("Test") and (state := _GO_STATES.get(str(event.get("Action")))):
                outcomes.append((f"{event.get('Package', '')} {event['Test']}".strip(), state))
    return outcomes


def _event(line: str) -> dict[str, Any]:
    try:
        return json.loads(line)
    except RecursionError as error:
        raise ValueError("an event is nested too deeply") from error


def _cargo(text: str) -> Outcomes:
    matches = (_CARGO.match(line) for line in text.splitlines())
    return [(match.group(1), _CARGO_STATES[match.group(2)]) for match in matches if match]


_READERS: dict[Format, Callable[[str], Outcomes]] = {"junit": _junit, "tap": _tap, "go": _go, "cargo": _cargo}
