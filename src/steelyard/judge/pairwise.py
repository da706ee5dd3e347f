"""Which of two results of one task is better, asked blind and in both orders (docs/scoring.md §4).

An order is won by the result with the greater weight of items. The score is that of the candidate: 1 for a win, 0.5 for
a tie, 0 for a loss; each item is counted alike. A judge whose replies about an order cannot be used, or that is asked
by quoting alone, grades each result by itself, and the higher grade wins: what a text makes unusable earns it nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from random import Random
from typing import Any

from steelyard.judge.decoys import Entry, entries, met, unmet
from steelyard.judge.grade import Judgement, NoVerdict, ask_all, grade
from steelyard.judge.judgement import Call
from steelyard.judge.panel import QUOTED, Panel
from steelyard.judge.parse import PARSER_VERSION, TIE, DecoyTaken, Verdict, VerdictError, numbers_in, sentence
from steelyard.judge.protocol import Form, Question, Request, Rows, drawn_ids, identity, listed, request, template
from steelyard.judge.question import MOST, PLACES, STORED, decoys_in, question, real, verdict_of
from steelyard.judge.rubric import Rubric
from steelyard.judge.text import clean, numbered, sentences

_SIDES = ("first", "second")
_EVEN = "even"
_FORM = Form("choices", {"sentences": PLACES, "better": {"type": "string", "enum": [*_SIDES, _EVEN]}}, rationale=True)


@dataclass(frozen=True, slots=True)
class TwoResults:
    """Two results of one task."""

    rubric: Rubric
    task: str
    baseline: str
    candidate: str
    others: tuple[Rubric, ...] = ()


def pair_identity(rubric: Rubric) -> str:
    """The hash of rubric, prompts and parser version: what a comparison goes by."""
    return identity(rubric.sha, f"parser {PARSER_VERSION}", template("pairwise"), template("pair"))


async def compare(pair: TwoResults, panel: Panel, *, seed: int | None = None) -> Judgement[Verdict] | NoVerdict:
    """The panel's verdicts on the candidate's result beside the baseline's, or the reason why there are none."""
    if (shown := clean(pair.candidate)).text == clean(pair.baseline).text:
        calls = tuple(Call(judge, repeat) for judge in panel.judges for repeat in range(panel.repeats))
        ties = {item.id: TIE for item in pair.rubric.items}
        even = Verdict(TIE, ties, dict.fromkeys(ties, ()), "Both results are equal.")
        return Judgement((even,) * len(calls), calls, shown.flags)
    # Each judge by itself: one may have to grade each result alone while another compares them.
    alone = [replace(panel, judges=(judge,)) for judge in panel.judges]
    answers = await ask_all(alone, lambda one: _compared(pair, one, seed))
    calls = tuple(call for answer in answers for call in answer.calls)
    if reasons := dict.fromkeys(answer.reason for answer in answers if isinstance(answer, NoVerdict)):
        return NoVerdict("judge", "; ".join(reasons), calls, shown.flags)
    verdicts = (verdict for answer in answers if isinstance(answer, Judgement) for verdict in answer.verdicts)
    return Judgement(tuple(verdicts), calls, shown.flags)


async def _compared(pair: TwoResults, panel: Panel, seed: int | None) -> Judgement[Verdict] | NoVerdict:
    """One judge's verdicts."""
    calls: list[Call] = []
    found: list[Sequence[Verdict]] = []
    asked = [] if panel.judges[0].startswith(QUOTED) else [_ordered(pair, swapped) for swapped in (False, True)]
    for place, order in enumerate(asked):
        answer = await grade(order, panel, seed=None if seed is None else seed + place)
        # Nothing is lost yet: without a usable reply, each result is graded by itself below.
        calls += (replace(call, protocol="pairwise", lost=False) for call in answer.calls)
        if isinstance(answer, NoVerdict):
            return replace(answer, calls=tuple(calls))
        found.append(answer.verdicts)
    # A verdict without scores is the `nothing` of an order about which no reply could be used.
    if found and all(verdict.scores for own in found for verdict in own):
        return Judgement(tuple(_agreed(*both) for both in zip(*found, strict=True)), tuple(calls))
    for text in (pair.baseline, pair.candidate):
        own = await grade(question(pair.rubric, task=pair.task, text=text, others=pair.others), panel, seed=seed)
        calls += own.calls
        if isinstance(own, NoVerdict):
            return replace(own, calls=tuple(calls))
        found.append(own.verdicts)
    return Judgement(tuple(_higher(*both) for both in zip(*found[-2:], strict=True)), tuple(calls))


def _agreed(one: Verdict, other: Verdict) -> Verdict:
    """What both orders say."""
    evidence = {name: tuple(dict.fromkeys((*one.evidence[name], *other.evidence[name]))) for name in one.evidence}
    scores = {name: _both(one.scores[name], other.scores[name]) for name in one.scores}
    return Verdict(_both(one.score, other.score), scores, evidence, f"{one.rationale} {other.rationale}".strip())


def _both(one: float, other: float) -> float:
    # A judge that prefers a place contradicts itself when the places are swapped: that is a tie.
    return _win(one - TIE) if _win(one - TIE) == _win(other - TIE) else TIE


def _higher(before: Verdict, after: Verdict) -> Verdict:
    """The comparison of two grades."""
    scores = {name: _win(after.scores[name] - before.scores[name]) for name in after.scores}
    better = {name: (after if score > TIE else before).evidence[name] for name, score in scores.items()}
    return Verdict(_win(after.score - before.score), scores, better, "Each result was graded by itself.")


def _win(lead: float) -> float:
    """1, 0.5 or 0 for a lead, none, or a deficit."""
    return TIE if not round(lead, 6) else float(lead > 0)


def _ordered(pair: TwoResults, swapped: bool) -> Question[Verdict]:
    """The question with the baseline's result first, or second if `swapped`."""
    return Question(
        text=pair.candidate,
        context=f"{'second' if swapped else 'first'}\n{pair.task}\n{pair.baseline}",
        identity=pair_identity(pair.rubric),
        single=partial(_call, pair, swapped),
        nothing=Verdict(TIE, {}, {}, "No reply could be used."),
        stored=STORED,
    )


def _call(pair: TwoResults, swapped: bool, candidate: str, rng: Random) -> Request[Verdict]:
    """The call about both results in one order."""
    texts = (candidate, clean(pair.baseline).text) if swapped else (clean(pair.baseline).text, candidate)
    whole, first, second = "\n".join(texts), *map(sentences, texts)
    even = unmet(pair.rubric, f"{whole}\n{pair.task}", pair.others, rng)
    decoys = {_EVEN: even, **_one_sided(pair.rubric, texts, rng)}
    items = drawn_ids([*entries(pair.rubric), *(entry for group in decoys.values() for entry in group)], whole, rng)
    points = {_EVEN: TIE, _SIDES[not swapped]: 1.0}

    def use(chosen: Rows, rationale: str) -> Verdict:
        shown = {name: _shown(row, name, first, second) for name, row in chosen.items()}
        for side, group in decoys.items():
            if any(chosen[name]["better"] != side for name, entry in items.items() if entry in group):
                raise DecoyTaken("the reply takes a decoy")
        scores = {name: points.get(row["better"], 0.0) for name, row in chosen.items()}
        return verdict_of(pair.rubric, real(items, scores), real(items, shown), sentence(rationale))

    values = {
        "about": f"Each result: {pair.rubric.about}\n\n",
        "task": pair.task.strip() or "(none)",
        "items": listed(items),
        "first": numbered(first),
        "second": numbered(second, len(first) + 1),
    }
    frame = template("pairwise"), template("pair"), values
    return request(frame, _FORM, items, use, whole, rng, decoys_in(items))


def _one_sided(rubric: Rubric, texts: tuple[str, str], rng: Random) -> dict[str, list[Entry]]:
    """A decoy that one result meets and the other does not, by the side that meets it; none without such a word."""
    # In a drawn order: a decoy that always favoured one side would suit a judge that prefers this side.
    for side in rng.sample(range(2), 2):
        if decoy := met(rubric, texts[side], rng, lacking=texts[1 - side]):
            return {_SIDES[side]: decoy}
    return {}


def _shown(row: Mapping[str, Any], name: str, first: Sequence[str], second: Sequence[str]) -> tuple[str, ...]:
    """The sentences that a choice rests on: of the better result, and at least one."""
    parts = (*first, *second)
    places = numbers_in(row["sentences"], len(parts), MOST, f"{name}.sentences")
    if row["better"] == _EVEN:
        return ()
    own = [place for place in places if (place <= len(first)) == (row["better"] == "first")]
    if not own:
        raise VerdictError(f"{name} is decided without a sentence of the better result")
    return tuple(parts[place - 1] for place in own)
