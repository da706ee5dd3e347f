"""Which resource the clauses of an item mean by a name: the one with which most clauses that use it hold.

The first in the templates if several do. Names are bound one after the other, most used first, and once more when all
others are bound.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice

from steelyard.bench.cdk_synth.intent.requirement import (
    AllOfClause,
    AnyOfClause,
    Clause,
    RelationClause,
    ResourceClause,
)
from steelyard.bench.cdk_synth.intent.template import Address, Resource, Templates

MAX_CANDIDATES = 60
"""Resources that are tried for one name."""
ROUNDS = 2


@dataclass(frozen=True)
class Bound:
    """Names of resources, and the resource that each of them means."""

    names: Mapping[str, Address] = field(default_factory=dict[str, Address])

    def only(self, name: str, items: list[Resource]) -> list[Resource]:
        """Of these resources only the one that the name means; all of them if it means none."""
        return [item for item in items if item.address == self.names[name]] if name in self.names else items


Held = Callable[[Clause, Bound], bool]
"""Whether a clause holds under a binding."""


def bind(clauses: Sequence[Clause], templates: Templates, held: Held) -> Bound:
    """The resource of every name in the clauses that has a choice of them."""
    uses = [(clause, _named(clause)) for clause in clauses]
    types: dict[str, set[str]] = defaultdict(set)
    for _, named in uses:
        for name, kinds in named.items():
            types[name] |= kinds
    bound: dict[str, Address] = {}

    def number_held(name: str, address: Address) -> int:
        trial = Bound({**bound, name: address})
        return sum(held(clause, trial) for clause, named in uses if name in named)

    order = sorted(types, key=lambda name: (-sum(name in named for _, named in uses), name))
    # More than once: the first names are chosen while the later ones may still be any resource.
    for name in order * ROUNDS:
        options = [item.address for item in islice(templates.of(sorted(types[name])), MAX_CANDIDATES)]
        # A single candidate is what every clause finds without a name.
        if len(options) > 1:
            bound[name] = max(options, key=partial(number_held, name))
    return Bound(bound)


def _named(clause: Clause) -> dict[str, set[str]]:
    """Every name that a clause uses, and the types of resources it may mean."""
    named: dict[str, set[str]] = {}
    for name, kinds in _uses(clause):
        if name:
            named.setdefault(name, set()).update((kinds,) if isinstance(kinds, str) else kinds)
    return named


def _uses(clause: Clause) -> Iterator[tuple[str, str | tuple[str, ...]]]:
    match clause:
        case ResourceClause():
            yield clause.of, clause.resource
        case RelationClause():
            yield clause.of, clause.source
            yield clause.target_of, clause.target
        case AnyOfClause():
            for part in clause.any_of:
                yield from _uses(part)
        case AllOfClause():
            for part in clause.all_of:
                yield from _uses(part)
        case _:
            return
