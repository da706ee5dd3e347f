"""Values of intrinsic functions that are known before the deployment: selections, splits, mappings and address blocks.

Pure and bounded; a function whose arguments are not known has no value here (None).
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable
from typing import Any

from steelyard.bench.cdk_synth.intent.shape import is_list, listing, mapping

FUNCTIONS = ("Fn::Select", "Fn::Split", "Fn::Cidr", "Fn::FindInMap")
"""The functions that `evaluated` knows."""
MAX_BLOCKS = 256
"""Address blocks that CloudFormation allows in one `Fn::Cidr`."""

Resolve = Callable[[object], Any]
"""The value of an argument: plain where it is known, unchanged where it is not."""


def evaluated(name: str, argument: object, mappings: object, resolve: Resolve) -> Any:
    """The value of a function, or None if it is not known."""
    parts = listing(argument)
    if name == "Fn::Select" and len(parts) == 2:
        return _selected(resolve(parts[0]), resolve(parts[1]))
    if name == "Fn::Split" and len(parts) == 2:
        separator, text = parts[0], resolve(parts[1])
        return text.split(separator) if isinstance(separator, str) and separator and isinstance(text, str) else None
    if name == "Fn::Cidr" and 2 <= len(parts) <= 3:
        return _blocks(resolve(parts[0]), resolve(parts[1]), resolve(parts[2]) if len(parts) == 3 else None)
    if name == "Fn::FindInMap" and len(parts) >= 3:
        value: object = mappings
        for part in parts[:3]:
            value = mapping(value).get(str(resolve(part)))
        return value
    return None


def _selected(index: object, values: object) -> Any:
    if not is_list(values) or not isinstance(index, str | int) or not str(index).isdigit():
        return None
    rest = values[int(index) :]
    return rest[0] if rest else None


def _blocks(block: object, count: object, bits: object) -> list[str] | None:
    """`Fn::Cidr`: the first `count` blocks with `bits` bits for hosts (default 8)."""
    numbers = [str(number) for number in (count, 8 if bits is None else bits)]
    if not isinstance(block, str) or not all(number.isdigit() for number in numbers):
        return None
    try:
        network = ipaddress.ip_network(block, strict=False)
        prefix = network.max_prefixlen - int(numbers[1])
        wanted = min(int(numbers[0]), MAX_BLOCKS)
        if prefix < network.prefixlen:
            return None
        step = 1 << int(numbers[1])
        first = int(network.network_address)
        fits = min(wanted, network.num_addresses // step)
        return [f"{ipaddress.ip_address(first + number * step)}/{prefix}" for number in range(fits)]
    except (ValueError, OverflowError):
        return None
