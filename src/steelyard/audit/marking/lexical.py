"""The lexical marker: deterministic, offline, and an estimate (docs/scoring.md §2.1). It only compares words.

Each pair of a problem and a finding has a probability of ○, △ and × (`likeness`, `estimate`). One finding counts for
one problem: the assignment with the most points is taken, and of those the most probable one. Bonuses come from the
key's bonus table only, each entry once; findings clearly like an entry of the perspective's "out of scope" list are
penalties. Findings that copy the key or the document, list bare words, name a title alone or have no word order are
flagged and earn nothing; only a finding's own claims (`own_claims`) are compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from steelyard.audit.marking.claims import claimed, sentences
from steelyard.audit.marking.copies import without_copies
from steelyard.audit.marking.extras import bonuses, penalties
from steelyard.audit.marking.flags import ADDRESSES, addresses, barred
from steelyard.audit.marking.order import BRACKETS, RUN, disorder, disordered_brackets, shuffled
from steelyard.audit.match import representatives
from steelyard.audit.model import Claim, Finding, Key, Mark, Marks, Output, Probabilities, Ruling
from steelyard.audit.terms import is_general, is_spaceless, words
from steelyard.text import unmixed

if TYPE_CHECKING:  # numpy is slow to import, so only when marking
    from steelyard.audit.marking.estimate import Weights
    from steelyard.audit.marking.likeness import KeyText, Numbers

NAME = "lexical (advisory, an estimate: compares words, understands nothing)"

COPIED, COPIED_FROM = 0.8, 12
"""A finding with this share of a problem's words copies the key, if the problem has at least `COPIED_FROM` words."""
COPIED_LENGTH = 3.0
"""A finding longer than this, in lengths of the problem, may use nearly all its words by chance."""

SHUFFLED = "its words are in no order"
TITLE_ALONE = "names a problem of the key and says nothing about it"
TITLE_SHARE, TITLE_FURTHER = 0.8, 1
"""A finding with this share of a title's words, and at most so many others, is the title alone. Words that any finding
may use (`terms.is_general`) and the problem's category are not counted."""
_FIRST = 1000.0
"""Makes points outweigh any sum of probabilities."""
MIXED = "{count} words with letters of another script that look Latin"
MIXED_WORDS = 3
"""Fewer such words are symbols and units."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """The marker's opinion on one problem."""

    problem: str
    mark: Mark
    probabilities: Probabilities
    finding: int | None
    """The finding it rests on, or the likeliest one for a miss; None if there is none."""
    quote: str

    @property
    def certainty(self) -> float:
        """The probability of the mark."""
        return cast(float, getattr(self.probabilities, self.mark))


@dataclass(frozen=True, slots=True)
class _Reading:
    """A run as the marker reads it."""

    credible: list[Finding]
    """What is left of the findings."""
    barred_for: Mapping[int, str]
    """Why findings earn nothing, by index."""
    flags: tuple[str, ...]


def lexical_marks(key: Key, output: Output, perspective: str = "", document: str = "") -> Marks:
    """Marks for one run from its words alone, with their probabilities."""
    from steelyard.audit.marking.estimate import shipped_weights

    reading = _reading(key, output, document)
    weights = shipped_weights()
    chances = pair_chances(key, reading.credible, weights)
    proposed = _proposals(key, reading.credible, chances, weights)
    claims = tuple(
        Claim(proposal.problem, proposal.finding, proposal.mark, proposal.quote)
        for proposal in proposed
        if proposal.mark != "missed" and proposal.finding is not None
    )
    # What addresses a problem is neither bonus nor penalty, even where another finding was credited with it.
    addressing = {
        finding.index for column, finding in enumerate(reading.credible) if weights.points(chances[:, column]).any()
    }
    others = [finding for finding in reading.credible if finding.index not in addressing]
    rulings = bonuses(others, key.bonuses)
    rulings += [Ruling(index, "neither", reason) for index, reason in reading.barred_for.items() if reason]
    ruled = {ruling.finding for ruling in rulings}
    rulings += penalties([finding for finding in others if finding.index not in ruled], perspective)
    probabilities = {proposal.problem: proposal.probabilities for proposal in proposed}
    return Marks(
        claims,
        tuple(rulings),
        flags=reading.flags,
        probabilities=probabilities,
    )


def proposals(key: Key, output: Output, document: str = "") -> list[Proposal]:
    """The marker's opinion on every problem, the least certain first."""
    from steelyard.audit.marking.estimate import shipped_weights

    reading = _reading(key, output, document)
    weights = shipped_weights()
    proposed = _proposals(key, reading.credible, pair_chances(key, reading.credible, weights), weights)
    return sorted(proposed, key=lambda proposal: round(proposal.certainty, 6))


def candidates(key: Key, findings: Sequence[Finding]) -> Mapping[int, Mapping[str, float]]:
    """Finding → problem → probability that the finding addresses it, at least in part."""
    from steelyard.audit.marking.estimate import shipped_weights

    chances = pair_chances(key, findings, shipped_weights())
    return {
        finding.index: {problem.id: 1.0 - float(chances[row, column, 2]) for row, problem in enumerate(key.problems)}
        for column, finding in enumerate(findings)
    }


def pair_chances(key: Key, findings: Sequence[Finding], weights: Weights) -> Numbers:
    """Problem × finding × probability of (○, △, ×)."""
    import numpy as np

    if not findings or not key.problems:
        return np.zeros((len(key.problems), len(findings), 3))
    return weights.probabilities(key_text(key, findings).features(findings))


def key_text(key: Key, findings: Sequence[Finding]) -> KeyText:
    """The key, prepared for these findings."""
    from steelyard.audit.marking.likeness import KeyText

    return KeyText(key, " ".join(finding.text for finding in findings))


def credible_findings(key: Key, output: Output, document: str = "") -> list[Finding]:
    """The findings of a run that may earn something, each reduced to its own claims."""
    return _reading(key, output, document).credible


def assigned(chances: Numbers, weights: Weights) -> list[int | None]:
    """The finding of each problem, one to one: most points first, then the most probable; None without a finding."""
    import numpy as np
    from scipy import optimize  # slow to import

    worth = chances @ np.array([1.0, 0.5, 0.0]) + _FIRST * weights.points(chances)
    rows, columns = cast(Any, optimize).linear_sum_assignment(worth, maximize=True)
    chosen = dict(zip(rows.tolist(), columns.tolist(), strict=True))
    return [chosen.get(row) for row in range(len(chances))]


def cell_chances(chances: Numbers, own: int | None, contested: float) -> Numbers:
    """Probabilities of one cell from those of its pairs: its own finding, and the closest one even if taken."""
    import numpy as np

    nothing = np.array([0.0, 0.0, 1.0])
    closest = chances[int(np.argmin(chances[:, 2]))] if len(chances) else nothing
    return (1 - contested) * (nothing if own is None else chances[own]) + contested * closest


def _proposals(key: Key, findings: Sequence[Finding], chances: Numbers, weights: Weights) -> list[Proposal]:
    text = key_text(key, findings) if findings else None
    proposed: list[Proposal] = []
    for row, (problem, own) in enumerate(zip(key.problems, assigned(chances, weights), strict=True)):
        cell = cell_chances(chances[row], own, weights.contested)
        mark: Mark = "missed" if own is None else weights.mark(chances[row, own])
        finding = None if own is None else findings[own]
        quote = text.closest(row, sentences(finding.text)) if text and finding else ""
        index = None if finding is None else finding.index
        proposed.append(Proposal(problem.id, mark, Probabilities(*map(float, cell)), index, quote))
    return proposed


def _reading(key: Key, output: Output, document: str) -> _Reading:
    first = representatives(output.findings)
    # What is said again is no second finding that could serve another problem, and no second proof of disorder.
    stated = [finding for finding in output.findings if first[finding.index] == finding.index]
    plain = [(finding, *unmixed(finding.text)) for finding in stated]
    findings = [replace(finding, text=text) for finding, text, _ in plain]
    counts = [disorder(finding.text) for finding in findings]
    # All findings together show what each of them is too short for.
    whole = shuffled(sum(count[0] for count in counts), sum(count[1] for count in counts), RUN) or _moved(findings)
    barred_for = {
        finding.index: barred(finding, key, document)
        or (SHUFFLED if whole or shuffled(*count) else "")
        or _reuses(finding, key)
        or (TITLE_ALONE if _is_title(finding, key) else "")
        for finding, count in zip(findings, counts, strict=True)
    }
    open_ones = [finding for finding in findings if not barred_for[finding.index]]
    kept = [replace(finding, text=own_claims(finding.text, key, document)) for finding in open_ones]
    mixed = sum(count for _, _, count in plain)
    flags = [MIXED.format(count=mixed)] if mixed >= MIXED_WORDS else []
    flags += _flags(output, key, barred_for)
    return _Reading([finding for finding in kept if finding.text.strip()], barred_for, tuple(flags))


def own_claims(text: str, key: Key, document: str = "") -> str:
    """All of a finding that may earn something: what it claims in its own words; empty if nothing is left."""
    return claimed(without_copies(text, key, document))


def _moved(findings: Sequence[Finding]) -> bool:
    """Whether the clauses of a run in a script without spaces were moved about."""
    if not is_spaceless(" ".join(finding.text for finding in findings)):
        return False
    counts = [disordered_brackets(finding.text) for finding in findings]
    return shuffled(sum(count[0] for count in counts), sum(count[1] for count in counts), BRACKETS)


def _flags(output: Output, key: Key, barred_for: Mapping[int, str]) -> Iterable[str]:
    for finding in output.findings:
        reason = barred_for.get(finding.index) or (ADDRESSES if addresses(finding.text, key) else "")
        if reason:
            yield f"{finding.id} {reason}"


def _reuses(finding: Finding, key: Key) -> str:
    """Why a finding is a copy, or an empty string; an independent description does not reuse nearly all words."""
    used = words(finding.text)
    distinct = set(used)
    for problem in key.problems:
        core = set(words(f"{problem.title} {problem.description} {problem.criteria.detected}"))
        long = len(used) > COPIED_LENGTH * len(core) or is_spaceless(problem.description)
        if not long and len(core) >= COPIED_FROM and len(core & distinct) >= COPIED * len(core):
            return f"uses nearly all words of {problem.id} in the answer key"
    return ""


def _is_title(finding: Finding, key: Key) -> bool:
    used = {word for word in words(finding.text) if not is_general(word)}
    for problem in key.problems:
        title = set(words(problem.title))
        named = len(used & title) >= TITLE_SHARE * len({word for word in title if not is_general(word)}) > 0
        if named and len(used - title - set(words(problem.category))) <= TITLE_FURTHER:
            return True
    return False
