"""File names of the page: safe on every file system, stable, and never two subjects under one."""

from __future__ import annotations

import re

from steelyard.bench.model import BoardRow
from steelyard.logs.identity import sha256_of


def subject_file(row: BoardRow) -> str:
    """`maker-model-1a2b3c4d.html`."""
    return f"{_stem(row.model)}.html"


def items_file(row: BoardRow, category: str) -> str:
    """`maker-model-1a2b3c4d-cdk_synth.html`."""
    return f"{_stem(row.model)}-{category}.html"


def item_anchor(item: str, epoch: int) -> str:
    """The place of one item on its page."""
    return f"i-{sha256_of(f'{item}/{epoch}')[:10]}"


def _stem(name: str) -> str:
    plain = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40].strip("-")
    return f"{plain or 'subject'}-{sha256_of(name)[:8]}"
