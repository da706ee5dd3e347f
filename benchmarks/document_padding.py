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
from functools import partial
from pathlib import Path

from padding_trials import padded, try_all

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


def variants(tier: str, item: DesignItem, answer: str, texts: Sequence[str], seed: str) -> Iterator[tuple[str, str]]:
    rng = random.Random(f"{seed} {tier} {item.id}")
    names = [component.name.lower() for component in item.expected.components]
    naming = [text for text in texts if any(name in text.lower() for name in names)]
    for kind, chosen in (("any", texts), ("naming a component", naming)):
        for text in rng.sample(chosen, min(EACH, len(chosen))):
            yield kind, padded(answer, text, rng.randrange(3))


if __name__ == "__main__":
    texts = paragraphs(Path(sys.argv[1]))
    print(f"{len(texts)} paragraphs")
    try_all(partial(variants, texts=texts, seed=sys.argv[2] if len(sys.argv) > 2 else "1"), ("bad", "weak"))
