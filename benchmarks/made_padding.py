"""How often padding made from the task itself raises the score of a weak or bad architecture answer; none should.

    python benchmarks/made_padding.py [SEED]

Per answer, by a seed: textbook sentences, general sentences with the names of the task's components, lists of services,
lists of the diagram's labels, the task restated as it is and with every fifth word left out, sentences of the answer
again, sentences of other tasks' references, and an opening and a closing with words of the task that say nothing.
"""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Iterator, Sequence
from functools import partial

from padding import HELD_OUT, TUNED
from padding_trials import padded, try_all

from steelyard.bench.architecture_design.dataset import diagram_text, references
from steelyard.bench.architecture_design.heuristic.corpus import general_words, rarity, stem, task_text
from steelyard.bench.architecture_design.heuristic.reading import words_of
from steelyard.bench.architecture_design.heuristic.services import vocabulary
from steelyard.bench.architecture_design.model import DesignItem

NAMING = (
    "{0} is a fully managed service that scales automatically and is highly available.",
    "Use {0} so that the system can handle spikes in traffic without losing data.",
    "{0} should be monitored with CloudWatch alarms and encrypted at rest with KMS.",
    "With {0} you pay only for what you use, and there are no servers to manage.",
    "{0} integrates with {1} and decouples producers from consumers.",
    "{0} stores the data durably, and {1} processes it asynchronously with retries.",
    "The {0} could become a bottleneck under load, so scaling it should be considered.",
    "{0} is a single point of failure and should be deployed in several availability zones.",
    "{0} receives the requests from users and forwards them to {1}.",
    "Access to {0} should follow least privilege with IAM roles and private subnets.",
    "In this architecture {0} is an important component that works together with {1}.",
    "The cost of {0} can be lowered with reserved capacity, lifecycle rules and right-sizing.",
)
"""Sentences that would fit under any task, for the names of two components."""
OPENINGS = (
    "This answer looks at the {0} and the {1} in detail.",
    "Let me walk you through the {0} and the {1} step by step.",
    "Thank you for the question about the {0} and the {1}.",
    "The {0} and the {1} are at the heart of this matter.",
    "Here is my view of the {0}, and of the {1} as well.",
)
CLOSINGS = (
    "In summary, the {0} and the {1} deserve careful attention.",
    "I hope this helps with the {0} and the {1}.",
    "All in all, the {0} and the {1} are in good hands.",
    "To conclude, everyone will be happy with the {0} and the {1}.",
    "That is all there is to say about the {0} and the {1}.",
)
LABELS, LISTED = 8, 12
"""Labels and services in a list."""
_LABEL_END = re.compile(r"[\n:;,.()\[\]]|->|→")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n")
_FENCE = re.compile(r"```.*?```", re.DOTALL)


def paddings(item: DesignItem, answer: str, rng: random.Random) -> Iterator[tuple[str, str]]:
    """Kinds of padding, and one text of the kind each."""
    names = [component.name for component in item.expected.components]
    services = sorted(vocabulary().services)
    diagram = diagram_text(item.metadata.diagram) if item.metadata.diagram else item.input
    labels = [label for label in _LABEL_END.split(diagram) if 2 < len(label.strip()) < 50]
    told = _sentences(task_text(item), 4)
    own = [sentence for sentence in _sentences(answer, 4) if "```" not in sentence]
    others = {other: text for other, text in references().items() if other != item.id}
    foreign = [
        sentence
        for text in others.values()
        for sentence in _sentences(text, 6)
        if "`" not in sentence and "-->" not in sentence
    ]

    def naming(sentence: str) -> str:
        return sentence.format(*(rng.sample(names, 2) if len(names) > 1 else names * 2))

    for _ in range(2):
        yield "a textbook sentence", rng.choice(TUNED)
    yield "textbook sentences", " ".join(rng.sample(TUNED, 5))
    yield "textbook sentences", " ".join(rng.sample(TUNED, 12))
    yield "textbook sentences", " ".join(rng.sample(HELD_OUT, 5))
    for _ in range(2):
        yield "a sentence with components", naming(rng.choice(NAMING))
    yield "sentences with components", " ".join(naming(sentence) for sentence in rng.sample(NAMING, 5))
    yield "services", ", ".join(rng.sample(services, LISTED)) + "."
    yield "services", f"The relevant services are {', '.join(names)} and {', '.join(rng.sample(services, 3))}."
    yield "labels", ", ".join(_sample(labels, LABELS, rng)) + "."
    yield "labels", "\n".join(f"- {label.strip()}" for label in _sample(labels, LABELS, rng))
    yield "the task restated", " ".join(_sample(told, 3, rng))
    words = " ".join(_sample(told, 4, rng)).split()
    yield "the task with gaps", " ".join(word for place, word in enumerate(words, start=1) if place % 5)
    yield "sentences again", " ".join(_sample(own, 2, rng))
    yield "other references", " ".join(rng.sample(foreign, 4))
    yield "other references", _FENCE.sub("", others[rng.choice(list(others))])


def _sentences(text: str, words: int) -> list[str]:
    return [sentence for sentence in _SENTENCE_END.split(text) if len(sentence.split()) >= words]


def _sample(texts: Sequence[str], number: int, rng: random.Random) -> list[str]:
    return rng.sample(texts, min(number, len(texts)))


def framed(item: DesignItem, answer: str, rng: random.Random) -> Iterator[tuple[str, str]]:
    """The answer with an opening, a closing, and both; they have two rare words of the task each and say nothing."""
    rare = [word for word in sorted(set(words_of(task_text(item)))) if len(word) > 3 and word.isalpha() and _rare(word)]
    opening, closing = (rng.choice(texts).format(*rng.sample(rare, 2)) for texts in (OPENINGS, CLOSINGS))
    yield "an opening", padded(answer, opening, 1)
    yield "a closing", padded(answer, closing, 0)
    yield "an opening and a closing", padded(padded(answer, opening, 1), closing, 0)


def _rare(word: str) -> bool:
    return rarity(stem(word)) > 0 and stem(word) not in general_words()


def variants(tier: str, item: DesignItem, answer: str, seed: str) -> Iterator[tuple[str, str]]:
    rng = random.Random(f"{seed} {tier} {item.id}")
    for kind, padding in paddings(item, answer, rng):
        yield kind, padded(answer, padding, rng.randrange(3))
    yield from framed(item, answer, rng)


if __name__ == "__main__":
    try_all(partial(variants, seed=sys.argv[1] if len(sys.argv) > 1 else "1"), ("bad", "weak"))
