"""What falsehood costs an architecture answer under the heuristic, on references that a seeded script makes false.

    python benchmarks/falsehood.py [--tune]

Mutations of every reference: 20 negations inserted, all numbers replaced, every sentence made false. The rules of
`heuristic.truth` were tuned on one set of phrasings and seeds (`--tune`); the figures come from the others, and from
the mutations of `untruths`.
"""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Callable, Sequence
from statistics import fmean
from typing import NamedTuple

import untruths
from figures import record

from steelyard.bench.architecture_design.dataset import load, references, responses
from steelyard.bench.architecture_design.diagram import judged
from steelyard.bench.architecture_design.heuristic.dimensions import heuristic
from steelyard.bench.architecture_design.heuristic.services import vocabulary
from steelyard.bench.architecture_design.model import DesignItem
from steelyard.bench.architecture_design.score import adjusted

NEGATIONS = 20
"""Negations inserted into a reference."""


class Phrasing(NamedTuple):
    """How a set of mutations words its falsehoods."""

    seeds: tuple[int, ...]
    negated: Callable[[str], str]
    """A verb, negated."""
    denials: tuple[str, ...]
    """Put before a whole sentence, which is then false."""


_AUXILIARY = {"is", "are", "can", "should", "must", "will", "was", "has", "have", "does", "do", "could", "would", "may"}
_VERB = re.compile(
    r"\b(?:is|are|can|should|must|will|was|has|have|does|do|could|would|may|uses?|reads?|writes?|sends?|stores?|keeps?"
    r"|needs?|gets?|runs?|goes|calls?|puts?|takes?|makes?|handles?|serves?|adds?|turns?|moves?|costs?|grows?|holds?"
    r"|scales?|triggers?|delivers?|publishes|returns?|invokes?|receives?|routes?|fails?|lets?|gives?|means?|sets?)\b"
)
_NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)*")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z*`])")
_FENCE = re.compile(r"(^```.*?^```)", re.DOTALL | re.MULTILINE)


def _plain(verb: str) -> str:
    return f"{verb} not" if verb in _AUXILIARY else f"does not {verb}"


def _short(verb: str) -> str:
    short = {"can": "can't", "will": "won't", "must": "mustn't", "may": "may never"}
    if verb in short:
        return short[verb]
    return f"{verb}n't" if verb in _AUXILIARY else f"never {verb}"


TUNED = Phrasing((1, 2, 3), _plain, ("It is not true that", "In no case is it so that", "Nobody should think that"))
HELD_OUT = Phrasing((101, 102, 103), _short, ("It is false that", "Contrary to what one might expect, it is wrong that",
                                              "It is a myth that"))  # fmt: skip


def negated(text: str, phrasing: Phrasing, rng: random.Random, number: int = NEGATIONS) -> str:
    """The text with negations inserted at random verbs."""
    verbs = [match for part in _prose(text) for match in [(part, verb.span()) for verb in _VERB.finditer(part[1])]]
    chosen = rng.sample(verbs, min(number, len(verbs)))
    parts = {part[0]: part[1] for part in _prose(text)}
    for (place, _), (start, end) in sorted(chosen, key=lambda entry: -entry[1][0]):
        body = parts[place]
        parts[place] = body[:start] + phrasing.negated(body[start:end]) + body[end:]
    return _joined(text, parts)


def misnumbered(text: str, phrasing: Phrasing, rng: random.Random) -> str:
    """The text with every number replaced by another one of about the same size."""

    def other(match: re.Match[str]) -> str:
        old = match.group()
        new = old
        while new == old:
            new = "".join(rng.choice("0123456789") if sign.isdigit() else sign for sign in old)
            new = rng.choice("123456789") + new[1:]
        return new

    parts = {place: _NUMBER.sub(other, body) for place, body in _prose(text)}
    return _joined(text, parts)


def all_false(text: str, phrasing: Phrasing, rng: random.Random) -> str:
    """The text with every sentence made false: denied as a whole, its verb negated, or its services exchanged."""
    names = list(dict.fromkeys(match for match in _services(text)))

    def false(sentence: str) -> str:
        way = rng.randrange(3)
        if way == 0 and _VERB.search(sentence):
            return _VERB.sub(lambda verb: phrasing.negated(verb.group()), sentence, count=1)
        if way == 1 and len(names) > 2:
            swapped = dict(zip(names, names[1:] + names[:1], strict=True))
            found = [name for name in names if name in sentence]
            if len(found) >= 2:
                pattern = re.compile("|".join(re.escape(name) for name in sorted(names, key=len, reverse=True)))
                return pattern.sub(lambda name: swapped[name.group()], sentence)
        return f"{rng.choice(phrasing.denials)} {sentence[:1].lower()}{sentence[1:]}"

    parts: dict[int, str] = {}
    for place, body in _prose(misnumbered(text, phrasing, rng)):
        lines = body.split("\n")
        parts[place] = "\n".join(
            " ".join(false(sentence) for sentence in _SENTENCE.split(line)) if len(line.split()) > 3 else line
            for line in lines
        )
    return _joined(text, parts)


def _services(text: str) -> Sequence[str]:
    return [text[mention.start : mention.end] for mention in vocabulary().mentions(text.lower())]


def _prose(text: str) -> list[tuple[int, str]]:
    return [(place, part) for place, part in enumerate(_FENCE.split(text)) if not part.startswith("```")]


def _joined(text: str, parts: dict[int, str]) -> str:
    return "".join(parts.get(place, part) for place, part in enumerate(_FENCE.split(text)))


def score(item: DesignItem, answer: str) -> float:
    """The score of an answer; Mermaid is taken as valid, because no mutation touches diagrams."""
    read = heuristic(item, answer)
    wanted = item.metadata.output_format
    diagram = judged(answer, wanted, item.metadata.expected_components, lambda text: None) if wanted else None
    return adjusted(read.raw, read.reading, diagram).score


def ratios(mutate: Callable[[str, Phrasing, random.Random], str], phrasing: Phrasing) -> tuple[float, float]:
    """The mean score of the mutated references, and its mean ratio to the score of the originals."""
    scores: list[float] = []
    shares: list[float] = []
    for item in load():
        text = references()[item.id]
        before = score(item, text)
        for seed in phrasing.seeds:
            scores.append(score(item, mutate(text, phrasing, random.Random(f"{seed} {item.id}"))))
            shares.append(scores[-1] / before)
    return fmean(scores), fmean(shares)


def main() -> None:
    phrasing = TUNED if "--tune" in sys.argv else HELD_OUT
    honest = [score(item, references()[item.id]) for item in load()]
    by_id = {item.id: item for item in load()}
    good = [score(by_id[row.id], row.response) for row in responses() if row.tier == "good"]
    figures = {"references": fmean(honest), "lowest_reference": min(honest), "good": fmean(good)}
    for name, mutate in (("negated", negated), ("numbers", misnumbered), ("all_false", all_false)):
        figures[name], figures[f"{name}_ratio"] = ratios(mutate, phrasing)
    if phrasing is HELD_OUT:
        for name in ("negated", "denied", "misnumbered", "all_denied", "opposites", "exchanged"):
            change = getattr(untruths, name)
            _, figures[f"untruths_{name}_ratio"] = ratios(
                lambda text, _, rng, change=change: change(text, rng), phrasing
            )
    for name, value in figures.items():
        print(f"{name:28} {value:.3f}")
    if phrasing is HELD_OUT:
        record("falsehood", {name: round(value, 3) for name, value in figures.items()})


if __name__ == "__main__":
    main()
