"""`json_value`: one value of a JSON file, found by a JSON pointer, equals the expected one."""

from __future__ import annotations

import json
import math
from decimal import Decimal
from typing import Annotated, Any, Literal, cast, final

from jsonpointer import JsonPointer, JsonPointerException
from pydantic import StringConstraints

from steelyard.gate.checks.check import Assessment, CheckInput, CheckModel, Inside
from steelyard.gate.checks.files import content


@final
class JsonValue(CheckModel):
    kind: Literal["json_value"]
    path: Inside
    pointer: Annotated[str, StringConstraints(pattern=r"^(/.*)?$")]
    """RFC 6901, such as `/servers/0/port`."""
    equals: Any

    def evaluate(self, work: CheckInput) -> Assessment:
        data = content(self.path, work.tree)
        if isinstance(data, Assessment):
            return data
        try:
            # Editors on Windows write a byte order mark, which JSON itself does not allow.
            value: Any = JsonPointer(self.pointer).resolve(json.loads(data.decode("utf-8-sig")))
        except (ValueError, JsonPointerException, RecursionError) as error:
            return Assessment(False, f"{self.path}{self.pointer}: {type(error).__name__}: {str(error)[:100]}")
        return Assessment(same_json(value, self.equals), f"{self.path}{self.pointer} is {str(value)[:80]!r}")


def same_json(one: Any, other: Any) -> bool:
    """Equality as JSON means it: true is not 1, 1 is 1.0, NaN equals nothing."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, (int, float, Decimal)) and isinstance(other, (int, float, Decimal)):
        # JSON's fractions are floats here, so the exact decimal of a task is rounded to one to meet them. Whole numbers
        # never are: their last digit counts, and they may be too large for a float.
        left = float(one) if isinstance(one, Decimal) and isinstance(other, float) else one
        right = float(other) if isinstance(other, Decimal) and isinstance(one, float) else other
        return left == right and left not in (math.inf, -math.inf)
    if isinstance(one, dict) and isinstance(other, dict):
        left, right = cast(dict[str, Any], one), cast(dict[str, Any], other)
        return left.keys() == right.keys() and all(same_json(left[key], right[key]) for key in left)
    if isinstance(one, list) and isinstance(other, list):
        first, second = cast(list[Any], one), cast(list[Any], other)
        return len(first) == len(second) and all(map(same_json, first, second))
    return type(cast(object, one)) is type(cast(object, other)) and one == other
