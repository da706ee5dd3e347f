"""The code that a request asks its reply to carry, for judges whose replies a test writes beforehand."""

from __future__ import annotations

import re

_CODE = re.compile(r'Its `code` is "(\w+)"\.')
_OPENING = re.compile(r"\{(\s*)([\"}])")


def code_in(request: str) -> str:
    """The code of a request: the last one named, since a graded text may name others; empty without one."""
    return (_CODE.findall(request) or [""])[-1]


def with_code(reply: str, request: str) -> str:
    """`reply` with the code of the request in its first object, as a judge that reads its instructions writes it."""
    code = code_in(request)
    first = _OPENING.search(reply)
    if not code or first is None or '"code"' in reply:
        return reply
    comma = ", " if first[2] == '"' else ""
    return f'{reply[: first.start()]}{{{first[1]}"code": "{code}"{comma}{reply[first.end() - 1 :]}'
