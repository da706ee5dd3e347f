"""File names of the page: safe on every file system, stable, and never two subjects under one."""

from __future__ import annotations

import re

from steelyard.bench.model import BoardRow
from steelyard.logs.identity import sha256_of


def subject_id(model: str) -> str:
    """`maker-model-1a2b3c4d`: the subject in the address of a comparison."""
    plain = re.sub(r"[^a-z0-9]+", "-", model.lower()).strip("-")[:40].strip("-")
    # The hash tells apart names whose plain forms are the same.
    return f"{plain or 'subject'}-{sha256_of(model)[:8]}"


def compare_link(first: str, second: str) -> str:
    """The address of the comparison of two subjects, relative to the first page."""
    return f"compare.html#a={subject_id(first)}&b={subject_id(second)}"


def subject_file(row: BoardRow) -> str:
    """`maker-model-1a2b3c4d.html`."""
    return f"{subject_id(row.model)}.html"


def items_file(row: BoardRow, category: str) -> str:
    """`maker-model-1a2b3c4d-cdk_synth.html`."""
    return f"{subject_id(row.model)}-{category}.html"


def item_anchor(item: str, epoch: int) -> str:
    """The place of one item on its page."""
    return f"i-{sha256_of(f'{item}/{epoch}')[:10]}"


def row_anchor(category: str, item: str) -> str:
    """The place of one item on the page of all items."""
    return f"r-{sha256_of(f'{category}/{item}')[:10]}"
