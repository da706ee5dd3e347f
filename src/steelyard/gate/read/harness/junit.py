"""JUnit XML, as pytest, Maven, Jest, Go and many others write it: a task per test case.

How long a test took is not what the subject costs, so it is not read.
"""

from __future__ import annotations

from xml.etree import ElementTree

from steelyard.errors import InputError, boundary
from steelyard.gate.model import UNKNOWN_COST, Gap, Run
from steelyard.gate.read.harness.values import name, run_of
from steelyard.proof.suite_report import junit_root

_FAILED = ("failure", "error")


def runs(text: str, source: str) -> list[Run | Gap]:
    """The runs in a report; one that declares a document type is refused, because its entities can grow without end."""
    with boundary(InputError, f"{source} is not a JUnit report"):
        root = junit_root(text)
    cases = [case for case in root.findall(".//{*}testcase") if case.find("{*}skipped") is None]
    return [_run(case, source) for case in cases]


def _run(case: ElementTree.Element, source: str) -> Run:
    owner = case.get("classname") or case.get("file") or ""
    task = "::".join(part for part in (owner, name(case.get("name"), source)) if part)
    failed = any(case.find(f"{{*}}{kind}") is not None for kind in _FAILED)
    return run_of(task, (), not failed, UNKNOWN_COST)
