"""What a command-line agent prints: one JSON value per line."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from steelyard.artifact import listed, table
from steelyard.models.tokens import weighed
from steelyard.secrets import redact

JSON = dict[str, Any]
TRANSCRIPT = 20_000
"""Characters of output that are kept."""

_NOTHING = "(no content)"
"""What Inspect's bridge, and claude-code itself, put in the place of an empty message: the model did not write it."""


_INTERNAL = re.compile(r"\n?<?<content-internal>[\w+/=]*</content-internal>>?\n?")
"""What Inspect's bridge hides in the text for its own use where model and client speak different APIs."""


def said(answer: str) -> str:
    """A final answer as the model gave it; empty if it said nothing."""
    plain = _INTERNAL.sub("", answer)
    return "" if plain.strip() == _NOTHING else plain


def json_lines(text: str) -> Iterator[JSON]:
    """The JSON objects in what a command line printed: one per line, or one value over several lines."""
    try:
        whole: Any = json.loads(text)
        values = listed(whole) or [whole]
    except (ValueError, RecursionError):
        values = [_parsed(line) for line in text.splitlines()]
    yield from (table(value) for value in values if isinstance(value, dict))


def _parsed(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def transcript(lines: Sequence[JSON]) -> str:
    """The lines for a reader without secrets, long values cut."""
    # Redact before cutting: half a secret is no longer recognised.
    shown = redact("\n".join(json.dumps(line, ensure_ascii=False) for line in lines))
    return "\n".join(line[:2_000] for line in shown.split("\n"))[-TRANSCRIPT:]


def failure(program: str, error: object) -> str:
    """Why an attempt failed, in the words of its client, without secrets and cut."""
    return redact(f"{program}: {error}")[:500]


def number(value: Any) -> float | None:
    # An integer in JSON may be too large for a float.
    good = isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= sys.float_info.max
    return float(value) if good else None


def tokens(fields: JSON, names: Sequence[str], cached: str) -> float | None:
    """The sum of the fields that are numbers, weighed by the cache reads among them; None if none is a number."""
    values = [number(fields.get(name)) for name in names]
    known = [value for value in values if value is not None]
    # Read as a number again: a sum of huge ones is infinite.
    return number(weighed(sum(known), number(fields.get(cached)))) if known else None


def summed(amounts: Sequence[float | None]) -> float | None:
    """The sum; unknown if one of them is, because a partial sum would look cheap."""
    known = [amount for amount in amounts if amount is not None]
    # Read as a number again, as in `tokens`.
    return number(sum(known)) if len(known) == len(amounts) else None


def result_line(lines: Sequence[JSON]) -> JSON:
    """The last line of type `result`; empty if there is none."""
    return next((line for line in reversed(lines) if line.get("type") == "result"), JSON())


def result_error(result: JSON) -> str | None:
    """Why a `result` line is not a success; None if it is."""
    if result and not result.get("is_error") and result.get("subtype") == "success":
        return None
    return str(result.get("result") or result.get("subtype") or "no result")
