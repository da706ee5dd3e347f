"""Replies of judges that a test writes beforehand, put into the form that a request asks for."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from steelyard.judge.attack.scripted import seen_in

_CODE = re.compile(r'`code` is "(\w+)"\.')
_OPENING = re.compile(r"\{(\s*)([\"}])")


def grades(values: Mapping[str, float]) -> str:
    """What a judge thinks, to be put into form by `with_code`: an item of the rubric, as it is worded, to its grade."""
    return json.dumps({"values": dict(values)})


def code_in(request: str) -> str:
    """The code of a request: the last one named, since a graded text may name others; empty without one."""
    return (_CODE.findall(request) or [""])[-1]


def with_code(reply: str, request: str, system: str = "") -> str:
    """`reply` as a judge that reads its instructions writes it.

    `grades` become a reply to this request, with the right answers for decoys; anything else gets the code of the
    request in its first object.
    """
    if reply.startswith('{"values":'):
        seen, values = seen_in(system, request), json.loads(reply)["values"]
        return seen.reply({name: values.get(about, seen.true_value(name)) for name, about in seen.items.items()})
    code = code_in(request)
    first = _OPENING.search(reply)
    if not code or first is None or '"code"' in reply:
        return reply
    comma = ", " if first[2] == '"' else ""
    return f'{reply[: first.start()]}{{{first[1]}"code": "{code}"{comma}{reply[first.end() - 1 :]}'
