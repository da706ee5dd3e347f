"""Words that deny.

Negated verbs (`not`, `never`, `…n't`), things said to be missing (`no`, `without`, `lacks`), phrases that deny a whole
statement (`it is false that`), and phrases that call a remedy done or needless (`already`, `no need`).
"""

from __future__ import annotations

import re

VERBAL = frozenset({"not", "never", "cannot", "neither", "nor", "hardly", "scarcely", "barely", "rarely", "seldom"})
"""Words that negate a verb; besides these, every word that ends in `n't`."""
_NOMINAL = """
    no none nothing nobody nowhere without lack lacks lacking lacked fail fails failed failing unable refuse refuses
    missing absent impossible
"""
NOMINAL = frozenset(_NOMINAL.split())
"""Words that say that something is missing or does not work."""
DENIAL = re.compile(
    r"(?<!\w)(?:(?:not true|untrue|not the case|not correct|not right|not so) (?:that|to)"
    r"|(?:false|wrong|incorrect|mistaken|nonsense|inaccurate|misleading) (?:that|to (?:say|think|assume|believe|claim))"
    r"|(?:myth|misconception|fallacy|lie|error|mistake)(?: that| to (?:say|think|assume|believe|claim))|contrary to"
    r"|in no case|by no means|on no account|far from|no(?:body| one) should|under no circumstances|no truth in)(?!\w)"
)
"""Phrases that deny the statement they are part of."""
NEEDLESS = re.compile(
    r"(?<!\w)(?:already|no need|not needed|needn't|unnecessary|needless|superfluous|not necessary|not required"
    r"|no reason to|no (?:problem|issue|risk|concern|danger)|not an? (?:\w+ )?(?:problem|issue|risk|concern)"
    r"|nothing to (?:fix|change|improve)|pointless|redundant here|do(?:es)? not (?:need|require))(?!\w)"
)
"""Phrases that call a remedy done or needless."""


def negates_verb(word: str) -> bool:
    """Whether a word negates a verb."""
    return word in VERBAL or word.endswith("n't")


def negates(word: str) -> bool:
    """Whether a word denies anything."""
    return negates_verb(word) or word in NOMINAL
