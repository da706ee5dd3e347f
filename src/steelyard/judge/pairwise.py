"""Which of two results of one task is better, asked blind and in both orders (docs/scoring.md §4).

An order is won by the result with the greater weight of items. The score is that of the candidate: 1 for a win, 0.5 for
a tie, 0 for a loss; each item is counted alike. A judge whose replies about an order cannot be used, or that is asked
by quoting alone, grades each result by itself, and the higher grade wins: what a text makes unusable earns it nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from random import Random

from steelyard.judge.decoys import Entry, entries, met, unmet
from steelyard.judge.grade import Judgement, NoVerdict, ask_all, grade
from steelyard.judge.judgement import Call, Reply
from steelyard.judge.panel import QUOTED, Panel
from steelyard.judge.parse import PARSER_VERSION, SIDES, TIE, Verdict
from steelyard.judge.protocol import Form, Question, Request, drawn_ids, identity, template
from steelyard.judge.question import PLACES, STORED, Items, Said, question, verdict_of
from steelyard.judge.rubric import Rubric
from steelyard.judge.text import clean, numbered, sentences

_FORM = Form("choices", {**PLACES, "better": {"type": "string", "enum": [*SIDES]}}, rationale=True)


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


async def compare(pair: TwoResults, panel: Panel, *, seed: int | None = None) -> Reply:
    """The panel's verdicts on the candidate's result beside the baseline's, or the reason why there are none."""
    if (shown := clean(pair.candidate)).text == clean(pair.baseline).text:
        calls = tuple(Call(judge, repeat) for judge in panel.judges for repeat in range(panel.repeats))
        ties = {item.id: Said(TIE) for item in pair.rubric.items}
        even = verdict_of(pair.rubric, ties, "Both results are equal.")
        return Judgement((even,) * len(calls), calls, shown.flags)
    # Each judge by itself: one may have to grade each result alone while another compares them.
    alone = [replace(panel, judges=(judge,)) for judge in panel.judges]
    answers = await ask_all(alone, lambda one: _compared(pair, one, seed))
    calls = tuple(call for answer in answers for call in answer.calls)
    if reasons := dict.fromkeys(answer.reason for answer in answers if isinstance(answer, NoVerdict)):
        return NoVerdict("judge", "; ".join(reasons), calls, shown.flags)
    verdicts = (verdict for answer in answers if isinstance(answer, Judgement) for verdict in answer.verdicts)
    return Judgement(tuple(verdicts), calls, shown.flags)


async def _compared(pair: TwoResults, panel: Panel, seed: int | None) -> Reply:
    """One judge's verdicts."""
    orders = [] if panel.judges[0].startswith(QUOTED) else [_ordered(pair, swapped) for swapped in (False, True)]
    answers, joined = await _replies(orders, panel, seed), _agreed
    # Nothing is lost yet: without a usable reply, each result is graded by itself below.
    calls = [replace(call, protocol="pairwise", lost=False) for answer in answers for call in answer.calls]
    # A verdict without scores is the `nothing` of an order about which no reply could be used.
    if not orders or any(isinstance(each, Judgement) and not all(v.scores for v in each.verdicts) for each in answers):
        texts = pair.baseline, pair.candidate
        alone = [question(pair.rubric, task=pair.task, text=text, others=pair.others) for text in texts]
        answers, joined = await _replies(alone, panel, seed), _higher
        calls += (call for answer in answers for call in answer.calls)
    if (silent := next((each for each in answers if isinstance(each, NoVerdict)), None)) is not None:
        return replace(silent, calls=tuple(calls))
    verdicts = [answer.verdicts for answer in answers if isinstance(answer, Judgement)]
    return Judgement(tuple(map(joined, *verdicts)), tuple(calls))


async def _replies(questions: Iterable[Question[Verdict]], panel: Panel, seed: int | None) -> list[Reply]:
    """What a judge says to each question, up to the first to which it says nothing: every silence is waited for."""
    answers: list[Reply] = []
    for asked in questions:
        answers.append(await grade(asked, panel, seed=seed))
        if isinstance(answers[-1], NoVerdict):
            break
    return answers


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
    even = [decoy._replace(known=TIE) for decoy in unmet(pair.rubric, f"{whole}\n{pair.task}", pair.others, rng)]
    decoys = [*even, *_one_sided(pair.rubric, texts, rng)]
    items = Items(drawn_ids([*entries(pair.rubric), *decoys], whole, rng), (*first, *second), len(first))

    def use(said: Mapping[str, Said], rationale: str) -> Verdict:
        # The score is the candidate's, which stands first if they are swapped.
        won = {name: each._replace(value=abs(each.value - swapped)) for name, each in said.items()}
        return verdict_of(pair.rubric, won, rationale)

    values = {
        "about": f"Each result: {pair.rubric.about}\n\n",
        "task": pair.task.strip() or "(none)",
        "first": numbered(first),
        "second": numbered(second, len(first) + 1),
    }
    return items.call((template("pairwise"), template("pair"), values), _FORM, use, whole, rng)


def _one_sided(rubric: Rubric, texts: tuple[str, str], rng: Random) -> list[Entry]:
    """A decoy that one result meets and the other does not; none without such a word."""
    # In a drawn order: a decoy that always favoured one side would suit a judge that prefers this side.
    for side in rng.sample(range(2), 2):
        if decoy := met(rubric, texts[side], rng, lacking=texts[1 - side]):
            return [each._replace(known=float(side)) for each in decoy]
    return []
