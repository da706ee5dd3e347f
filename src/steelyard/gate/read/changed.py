"""What differs between the two configurations of a comparison, line by line, where their files are still at hand.

A log records the hash of a configuration and of each of its files, not their contents. They are read again from where
the log says, and shown only if they hash to what was run.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from steelyard.errors import SteelyardError
from steelyard.gate.checks.difference import unified
from steelyard.gate.config import NONE, Config, load_config
from steelyard.gate.model import Side, Weighed
from steelyard.secrets import redact

if TYPE_CHECKING:
    from steelyard.tree import Tree


def with_change(weighed: Weighed) -> Weighed:
    """The comparison with the diff of its configurations, if both can be read again."""
    before, after = (_again(side) for side in (weighed.baseline, weighed.candidate))
    if before is None or after is None:
        return weighed
    return dataclasses.replace(weighed, changed=config_diff(before.tree, after.tree))


def config_diff(before: Tree, after: Tree) -> str:
    """A unified diff of two configurations, without what looks like a secret."""
    return redact(unified(before, after))


def _again(side: Side) -> Config | None:
    """The configuration of a side as it was run; None if it cannot be read, or has become another."""
    if side.source == NONE and not side.artifacts:
        return Config(NONE, {}, NONE)
    if not side.source or side.config is None:
        return None
    try:
        found = load_config(side.source)
    except SteelyardError:
        return None
    return found if found.sha == side.config else None
