"""Values of intrinsic functions: selections, mappings, address blocks, texts.

Pure and bounded; a function whose arguments are not known, or do not fit, has no value here (None). Intent keeps such a
call as it is written; a deployment on paper (`hard_cdk.deploy`) refuses it (`values`).
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable
from itertools import islice
from typing import Any

from steelyard.bench.cdk_synth.shape import is_list, listing, mapping

MAX_BLOCKS = 256
"""Address blocks that CloudFormation allows in one `Fn::Cidr`."""

MAX_TEXT = 400_000
"""Characters of the longest text; a longer one has no value."""

_SUBSTITUTED = re.compile(r"\$\{([^!{}][^{}]*)\}")

Resolve = Callable[[object], Any]
"""What a reference stands for: plain where it is known, unchanged where it is not."""


def evaluated(name: str, argument: object, mappings: object, resolve: Resolve) -> Any:
    """The value of a function whose arguments are settled, or None if it is not known."""
    parts = listing(argument)
    if name == "Fn::Select" and len(parts) == 2:
        return _selected(parts[0], parts[1])
    if name == "Fn::Split" and len(parts) == 2:
        separator, text = parts
        return text.split(separator) if isinstance(separator, str) and separator and isinstance(text, str) else None
    if name == "Fn::Cidr" and 2 <= len(parts) <= 3:
        # The block is often an attribute of the network.
        return _blocks(resolve(parts[0]), *parts[1:])
    if name == "Fn::FindInMap" and len(parts) >= 3:
        value: object = mappings
        for part in parts[:3]:
            value = mapping(value).get(str(part))
        return value
    if name == "Fn::Join" and len(parts) == 2:
        return _joined(parts[0], listing(parts[1]))
    if name == "Fn::Sub":
        return _substituted(parts, resolve)
    # Patterns read an object as the JSON text that it becomes.
    return argument if name == "Fn::ToJsonString" else None


def _joined(separator: object, pieces: list[Any]) -> Any:
    """The text of known pieces; the only piece, if it is not known yet."""
    texts = [text for piece in pieces if (text := plain_text(piece)) is not None]
    if len(texts) == len(pieces):
        length = sum(len(text) + len(str(separator)) for text in texts)
        return str(separator).join(texts) if length <= MAX_TEXT else None
    return pieces[0] if len(pieces) == 1 else None


def plain_text(value: object) -> str | None:
    """A text, a number or a boolean as CloudFormation writes it; None for anything else."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, str | int | float) else None


def _substituted(parts: list[Any], resolve: Resolve) -> Any:
    """A substitution as the join of its pieces, in which some may be known."""
    names = mapping(parts[1]) if len(parts) > 1 else {}
    split = _SUBSTITUTED.split(parts[0]) if parts and isinstance(parts[0], str) else []
    if not split or len(split) > 2 * MAX_BLOCKS:
        return None
    pieces = [
        # `${!x}` stands for a literal `${x}`.
        _piece(piece, names, resolve) if number % 2 else piece.replace("${!", "${")
        for number, piece in enumerate(split)
        if piece
    ]
    joined = _joined("", pieces)
    return joined if joined is not None else {"Fn::Join": ["", pieces]}


def _piece(written: str, names: dict[str, Any], resolve: Resolve) -> Any:
    name = written.strip()
    if name in names:
        return names[name]
    return resolve({"Fn::GetAtt": name.split(".", 1)} if "." in name else {"Ref": name})


def _selected(index: object, values: object) -> Any:
    # A digit for `isdigit` may be none for `int` (`²`), and of thousands `int` reads none.
    if not is_list(values) or not isinstance(index, str | int) or not re.fullmatch(r"[0-9]{1,9}", str(index)):
        return None
    rest = values[int(index) :]
    return rest[0] if rest else None


def _blocks(block: object, count: object, bits: object = None) -> list[str] | None:
    """`Fn::Cidr`: the first `count` blocks with `bits` bits for hosts (default 8)."""
    numbers = [str(number) for number in (count, 8 if bits is None else bits)]
    if not isinstance(block, str) or not all(number.isdigit() for number in numbers):
        return None
    try:
        network = ipaddress.ip_network(block, strict=False)
        prefix = network.max_prefixlen - int(numbers[1])
        if prefix < network.prefixlen:
            return None
        return [str(part) for part in islice(network.subnets(new_prefix=prefix), min(int(numbers[0]), MAX_BLOCKS))]
    except (ValueError, OverflowError):
        return None
