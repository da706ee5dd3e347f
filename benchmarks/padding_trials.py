"""Padding tried on architecture answers: the loop and the table that the programs about padding share."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from falsehood import score

from steelyard.bench.architecture_design.dataset import load, references, responses
from steelyard.bench.architecture_design.model import DesignItem

TIERS = ("bad", "weak", "good", "reference")
_FENCE = re.compile(r"(^```.*?^```)", re.DOTALL | re.MULTILINE)
_SENTENCE = re.compile(r"(?<=[.!?]) +")

Variants = Callable[[str, DesignItem, str], Iterable[tuple[str, str]]]
"""Given a tier, a task and an answer: kinds of padding, and the answer padded in this way."""


def padded(answer: str, padding: str, way: int) -> str:
    """The answer with padding appended (0), put first (1), or put between its sentences (2)."""
    if way == 0:
        return f"{answer}\n\n{padding}"
    if way == 1:
        return f"{padding}\n\n{answer}"
    pieces = _FENCE.split(answer)
    pieces[::2] = [f" {padding} ".join(_SENTENCE.split(piece)) for piece in pieces[::2]]
    return "".join(pieces)


def try_all(variants: Variants, tiers: Sequence[str] = TIERS, *, told: bool = False) -> None:
    """Print how often each kind of padding raised a score, and by how much; `told` prints each such answer, too."""
    items = {item.id: item for item in load()}
    answers = [(row.tier, row.id, row.response) for row in responses()]
    answers += [("reference", item_id, text) for item_id, text in references().items()]
    gains: dict[tuple[str, str], list[float]] = {}
    for tier, item_id, answer in answers:
        if tier not in tiers:
            continue
        before = score(items[item_id], answer)
        for kind, text in variants(tier, items[item_id], answer):
            gain = score(items[item_id], text) - before
            gains.setdefault((tier, kind), []).append(gain)
            if told and gain > 1e-9:
                print(f"{tier} {item_id} {kind}: {before:.4f} {gain:+.4f}", flush=True)
    for (tier, kind), values in sorted(gains.items()):
        raised = sum(gain > 1e-9 for gain in values)
        print(f"{tier:10} {kind:28} {raised:3} of {len(values):3} raised, at most by {max(values):+.3f}")
