"""Results as JUnit XML, which CI systems can show. Text is escaped, and what hides or reorders text is replaced."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from steelyard.text import REPLACEMENT, visible

# XML 1.0 cannot represent these at all; a file that contains one is not well-formed.
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class Case:
    """One test case of the report."""

    name: str
    failure: str | None = None
    """Why the case failed."""
    error: str | None = None
    """Why the case has no result."""
    skipped: str | None = None
    """Why there was nothing to try."""
    output: str = ""
    time_s: float | None = None


def render(suite: str, cases: Sequence[Case]) -> str:
    """One test suite as XML text."""
    return render_suites({suite: cases})


def render_suites(suites: Mapping[str, Sequence[Case]]) -> str:
    """Test suites by name as XML text."""
    whole = _counts([case for cases in suites.values() for case in cases])
    body = "".join(_suite(name, cases) for name, cases in suites.items())
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites {whole}>\n{body}</testsuites>\n'


def _suite(name: str, cases: Sequence[Case]) -> str:
    body = "".join(_case(name, case) for case in cases)
    return f"<testsuite name={_attribute(name)} {_counts(cases)}>\n{body}</testsuite>\n"


def _counts(cases: Sequence[Case]) -> str:
    failures, errors = sum(case.failure is not None for case in cases), sum(case.error is not None for case in cases)
    skipped = sum(case.skipped is not None for case in cases)
    return f'tests="{len(cases)}" failures="{failures}" errors="{errors}"' + f' skipped="{skipped}"' * bool(skipped)


def _case(suite: str, case: Case) -> str:
    time = "" if case.time_s is None else f' time="{case.time_s:.3f}"'
    inner = _problem("failure", case.failure) + _problem("error", case.error) + _problem("skipped", case.skipped)
    inner += f"    <system-out>{_text(case.output)}</system-out>\n" if case.output else ""
    return f"  <testcase classname={_attribute(suite)} name={_attribute(case.name)}{time}>\n{inner}  </testcase>\n"


def _problem(tag: str, text: str | None) -> str:
    if text is None:
        return ""
    first = text.splitlines()[0] if text else ""
    return f"    <{tag} message={_attribute(first)}>{_text(text)}</{tag}>\n"


def _plain(text: str) -> str:
    return _FORBIDDEN.sub(REPLACEMENT, visible(text))


def _text(text: str) -> str:
    return escape(_plain(text))


def _attribute(text: str) -> str:
    return quoteattr(_plain(text))
