"""How often paragraphs of somebody's documentation raise the score of an architecture answer; none should.

    python benchmarks/document_padding.py FOLDER [SEED]

The folder holds Markdown, such as a checkout of a service's user guide; none is part of this repository. Per labelled
weak and bad answer, by a seed: four paragraphs of any kind and four that name a component of the task, appended, put
first or put after every sentence.
"""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from falsehood import score
from padding import padded

from steelyard.bench.architecture_design.dataset import load, responses
from steelyard.bench.architecture_design.model import DesignItem

EACH = 4
"""Paragraphs of each kind for an answer."""
LEAST, MOST = 20, 110
"""Words of a paragraph."""
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_MARKUP = re.compile(r"<[^>]+>|\\|\*\*|`")
_OTHER = re.compile(r"[+#|{]|Note|\d+\.")
"""How lists, headings, tables and code begin."""


def paragraphs(folder: Path) -> list[str]:
    """The paragraphs of prose in a folder, sorted."""
    texts = (path.read_text(encoding="utf-8", errors="replace") for path in folder.rglob("*.md"))
    found = (" ".join(_MARKUP.sub("", _LINK.sub(r"\1", part)).split()) for text in texts for part in text.split("\n\n"))
    return sorted({text for text in found if LEAST <= len(text.split()) <= MOST and _is_prose(text)})


def _is_prose(text: str) -> bool:
    return text.endswith(".") and not _OTHER.match(text) and "|" not in text and "http" not in text


def paddings(item: DesignItem, texts: Sequence[str], rng: random.Random) -> Iterator[tuple[str, str]]:
    names = [component.name.lower() for component in item.expected.components]
    naming = [text for text in texts if any(name in text.lower() for name in names)]
    for kind, chosen in (("any", texts), ("naming a component", naming)):
        yield from ((kind, text) for text in rng.sample(chosen, min(EACH, len(chosen))))


def main() -> None:
    texts = paragraphs(Path(sys.argv[1]))
    seed = sys.argv[2] if len(sys.argv) > 2 else "1"
    print(f"{len(texts)} paragraphs")
    items = {item.id: item for item in load()}
    gains: dict[tuple[str, str], list[float]] = {}
    for row in responses():
        if row.tier == "good":
            continue
        item = items[row.id]
        before = score(item, row.response)
        rng = random.Random(f"{seed} {row.tier} {row.id}")
        for kind, text in paddings(item, texts, rng):
            gain = score(item, padded(row.response, text, rng.randrange(3))) - before
            gains.setdefault((row.tier, kind), []).append(gain)
    for (tier, kind), values in sorted(gains.items()):
        raised = sum(gain > 1e-9 for gain in values)
        print(f"{tier:5} {kind:20} {raised:3} of {len(values):3} raised, at most by {max(values):+.3f}")


if __name__ == "__main__":
    main()
