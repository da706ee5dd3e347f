"""The text of a chat's reply as people paste it: the one JSON object in it, and the line that names the model.

    model: some-model-7            optional, on a line of its own outside the object
    Here is my verdict:            anything a chat says around the object is ignored
    ```json
    {"runs": …}
    ```

Exactly one object is accepted: of several, nobody could say which one is meant.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from steelyard.judge.parse import REPLY_LIMIT, VerdictError

MOST_OPENINGS = 200
"""Brackets outside the object that are tried as the beginning of another one."""

_MODEL = re.compile(
    r"^[ \t>*_-]*model[*_]*[ \t]*[:=][*_ \t]*(?P<name>[^\s\"'{}][^\n\"'{}]{0,79}?)[*_ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
_DECODER = json.JSONDecoder()


def object_in(reply: str) -> str:
    """The one JSON object in a reply as text; the reply itself if it has none, for the parser to refuse."""
    objects = list(_objects(reply))
    if len(objects) > 1:
        raise VerdictError(f"the reply holds {len(objects)} JSON objects; keep the one that is meant")
    return reply[slice(*objects[0])] if objects else reply


def model_in(reply: str) -> str:
    """The name in a line `model: NAME` outside the object; empty if there is none."""
    if len(reply) > REPLY_LIMIT:
        return ""
    around, last = "", 0
    for start, end in _objects(reply):
        around, last = around + reply[last:start] + "\n", end
    named = _MODEL.search(around + reply[last:])
    return named["name"].strip() if named else ""


def _objects(reply: str) -> Iterator[tuple[int, int]]:
    """(start, end) of the outermost JSON objects."""
    if len(reply) > REPLY_LIMIT:
        return
    place = 0
    # A limit, because each opening may be parsed to the end of the reply in vain.
    for _ in range(MOST_OPENINGS):
        start = reply.find("{", place)
        if start < 0:
            return
        try:
            _, place = _DECODER.raw_decode(reply, start)
        except (ValueError, RecursionError):
            place = start + 1
        else:
            yield start, place
