"""Sums over a deployment (for each resource the product of its factors, over resources and terms), address blocks."""

from __future__ import annotations

import ipaddress
import math
from collections.abc import Sequence
from itertools import pairwise

from steelyard.bench.cdk_synth.intent.pattern import numeric, picked, reached
from steelyard.bench.cdk_synth.intent.template import Resource, Templates
from steelyard.bench.cdk_synth.shape import listing
from steelyard.bench.hard_cdk.assertion.clause import Factor, Term


class Unmeasurable(Exception):
    """A resource lacks a value that the measure needs; the message says which."""


def total(terms: tuple[Term, ...], templates: Templates) -> float:
    """The sum of the terms; raises `Unmeasurable`."""
    # fsum rounds once, so that the order of the resources does not matter.
    return math.fsum(
        math.prod(_factor(part, item, templates) if isinstance(part, Factor) else part for part in term.of)
        for term in terms
        for item in picked(term.each, term.where, templates)
    )


def _factor(factor: Factor, item: Resource, templates: Templates) -> float:
    values = reached(item.properties, factor.path, item.address.stack, templates)
    if not values:
        if factor.default is None:
            raise Unmeasurable(f"{item.address.logical_id} has no {factor.path}")
        return factor.default
    return math.fsum(_number(factor, value, item) for value in values)


def _number(factor: Factor, value: object, item: Resource) -> float:
    if factor.elements:
        number = float(len(listing(value)))
    elif factor.table is not None:
        number = factor.table.get(str(value))
    elif factor.addresses:
        networks = blocks([value])
        number = None if networks is None else float(networks[0].num_addresses)
    else:
        number = numeric(value)
    if number is None:
        raise Unmeasurable(f"{item.address.logical_id}: {factor.path} is {str(value)[:60]!r}")
    return number


def blocks(texts: Sequence[object]) -> list[ipaddress.IPv4Network] | None:
    """The address blocks; None if one is not one."""
    try:
        return [ipaddress.IPv4Network(str(text)) for text in texts]
    except ValueError:
        return None


def overlap(networks: Sequence[ipaddress.IPv4Network]) -> tuple[str, str] | None:
    """Two of them that overlap; None if there are none."""
    ordered = sorted(networks)
    # Comparing neighbours is enough: in this order, two of them overlap if any two blocks do.
    return next(((str(a), str(b)) for a, b in pairwise(ordered) if a.overlaps(b)), None)
