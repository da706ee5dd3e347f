"""Japanese terms of software and of review as English words, so that a key and a run in two languages can be compared.

A term is replaced by its English words, longest term first; everything else in a spaceless script is dropped.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import resources

from steelyard.audit.marking.terms import SPACELESS

_UNTRANSLATED = re.compile(f"[{SPACELESS}]+")


def in_english(text: str) -> str:
    """The Latin words of a text, and the English of the terms that the glossary knows."""
    glosses, pattern = _glossary()
    return _UNTRANSLATED.sub(" ", pattern.sub(lambda match: f" {glosses[match.group()]} ", text))


@cache
def _glossary() -> tuple[dict[str, str], re.Pattern[str]]:
    listed = resources.files("steelyard.audit.marking").joinpath("glossary.tsv").read_text("utf-8")
    glosses = dict(line.split("\t") for line in listed.splitlines() if line)
    longest_first = sorted(glosses, key=lambda term: (-len(term), term))
    return glosses, re.compile("|".join(map(re.escape, longest_first)))
