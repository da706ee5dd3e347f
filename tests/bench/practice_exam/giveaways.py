"""Measures how well the choices can be guessed without reading the question.

Every guesser picks one choice per single-answer question; its figure is the share it gets right, in [0, 1], and chance
is the mean of 1 / number of choices (0.25 with four). If several choices tie, the question counts as the share of
right ones among them. Law (docs/scoring.md §1.3): every figure is below `LIMIT`.

- longest, shortest: most or fewest characters.
- most specific: most AWS service names and numbers together.
- letter X: always that letter, in the order of the file.
- bag of words: multinomial naive Bayes (add-one smoothing) on the words of right and wrong choices of all *other*
  questions; trained once on every other question, and once on the other single-answer questions only.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from steelyard.bench.practice_exam.dataset import LETTERS, Question

LIMIT = 0.35
"""Every guesser must stay below this share."""

_WORD = re.compile(r"[a-z0-9]+(?:[-/@.][a-z0-9]+)*")
_NUMBER = re.compile(r"(?<![\w.])\d[\d,.]*(?![\w])")
_VENDOR = re.compile(r"^(?:Amazon|AWS) ")


@dataclass(frozen=True)
class Figures:
    """The share each guesser gets right on the single-answer questions."""

    questions: int
    chance: float
    longest: float
    shortest: float
    most_specific: float
    letters: dict[str, float]
    bag_of_words: float
    bag_of_words_singles: float

    def guessers(self) -> dict[str, float]:
        """Guesser's name to the share it gets right."""
        letters = {f"always {letter}": share for letter, share in self.letters.items()}
        return {
            "longest": self.longest,
            "shortest": self.shortest,
            "most specific": self.most_specific,
            **letters,
            "bag of words": self.bag_of_words,
            "bag of words, singles only": self.bag_of_words_singles,
        }


def figures(questions: Sequence[Question]) -> Figures:
    """All figures for a set of questions."""
    singles = [question for question in questions if not question.several]
    names = service_names(questions)
    return Figures(
        questions=len(singles),
        chance=float(np.mean([1 / len(question.choices) for question in singles])),
        longest=_share(singles, lambda _, text: len(text)),
        shortest=_share(singles, lambda _, text: -len(text)),
        most_specific=_share(singles, lambda _, text: specificity(text, names)),
        letters={letter: _letter(singles, letter) for letter in LETTERS[: max(len(q.choices) for q in singles)]},
        bag_of_words=bag_of_words(singles, questions),
        bag_of_words_singles=bag_of_words(singles, singles),
    )


def service_names(questions: Iterable[Question]) -> re.Pattern[str]:
    """Matches every AWS service that the questions list, with or without "Amazon" or "AWS"; longest names first."""
    full = {name for question in questions for name in question.metadata.aws_services}
    short = {_VENDOR.sub("", name) for name in full}
    ordered = sorted(short, key=lambda name: (-len(name), name))
    return re.compile(rf"(?<!\w)(?:(?:Amazon|AWS) )?(?:{'|'.join(map(re.escape, ordered))})(?!\w)")


def specificity(text: str, names: re.Pattern[str]) -> int:
    """The number of AWS service names and numbers in a choice."""
    without, services = names.subn(" ", text)
    return services + len(_NUMBER.findall(without))


def bag_of_words(tested: Sequence[Question], training: Sequence[Question]) -> float:
    """The share right of a naive Bayes guesser trained, for each tested question, on all others in `training`."""
    vocabulary = {word: i for i, word in enumerate(sorted({w for q in (*tested, *training) for w in _words(q)}))}
    counted = {q.id: _counts(q, vocabulary) for q in (*tested, *training)}
    known = {q.id for q in training}
    total = np.sum([counted[name] for name in known], axis=0)

    def odds(question: Question) -> np.ndarray:
        seen = total - counted[question.id] if question.id in known else total
        smooth = seen + 1.0
        return np.log(smooth[1] / smooth[1].sum()) - np.log(smooth[0] / smooth[0].sum())

    learned = {q.id: odds(q) for q in tested}
    return _share(tested, lambda q, text: round(float(_vector(text, vocabulary) @ learned[q.id]), 9))


def _share(questions: Sequence[Question], value: Callable[[Question, str], float]) -> float:
    return float(np.mean([_hit(q, [value(q, text) for text in q.choices]) for q in questions]))


def _hit(question: Question, values: list[float]) -> float:
    """The share of right choices among those with the highest value; 1 if only the right choice has it."""
    best = [text for text, value in zip(question.choices, values, strict=True) if value == max(values)]
    return sum(text in question.right for text in best) / len(best)


def _letter(questions: Sequence[Question], letter: str) -> float:
    return float(np.mean([question.target == letter for question in questions]))


def _words(question: Question) -> list[str]:
    return _WORD.findall(" ".join(question.choices).lower())


def _vector(text: str, vocabulary: dict[str, int]) -> np.ndarray:
    vector = np.zeros(len(vocabulary))
    for word, count in Counter(_WORD.findall(text.lower())).items():
        vector[vocabulary[word]] += count
    return vector


def _counts(question: Question, vocabulary: dict[str, int]) -> np.ndarray:
    """Word counts of one question: row 0 its wrong choices, row 1 its right ones."""
    counts = np.zeros((2, len(vocabulary)))
    for text in question.choices:
        counts[int(text in question.right)] += _vector(text, vocabulary)
    return counts
