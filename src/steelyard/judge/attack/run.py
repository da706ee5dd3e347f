"""Running every attack against a panel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from steelyard.errors import InputError
from steelyard.judge.attack import scripted
from steelyard.judge.attack.result import Answer, AttackResult, Ending, Outcome, alike, held, ordered
from steelyard.judge.attack.texts import Attack, attacks
from steelyard.judge.batch import Progress, ask_all
from steelyard.judge.calibration.measure import TOLERANCE
from steelyard.judge.case import WEAK_SCORE, case, case_rubric
from steelyard.judge.grade import Judgement, grade, mean_verdict
from steelyard.judge.panel import Panel
from steelyard.judge.prompt import question
from steelyard.judge.rubric import Rubric


async def attack(
    panel: Panel, progress: Progress, rubric: Rubric | None = None, families: Sequence[str] = ()
) -> AttackResult:
    """Run every attack against the panel, or only those of some families."""
    rubric = rubric or case_rubric()
    hostile = _chosen(rubric, families)
    honest = {name: getattr(case(), name) for name in ("weak", "good", "prose", "bullets", "german")}
    texts = {**honest, **{f"attack {attack.id}": attack.text for attack in hostile}}
    answers = await ask_all(texts, lambda text: _ask(text, rubric, panel), progress)
    # Never from the cache: the question is whether the judge gives the same answer twice.
    again = await _ask(case().prose, rubric, replace(panel, cache=False))
    weak = answers["weak"].score
    ceiling = weak if weak is not None else WEAK_SCORE
    # A judge that loves everything must not raise the yardstick for texts with nothing honest in them.
    bare = min(ceiling, WEAK_SCORE + TOLERANCE)
    outcomes = (
        *(
            held(attack.id, attack.family, answers[f"attack {attack.id}"], ceiling if attack.honest else bare)
            for attack in hostile
        ),
        ordered("good-over-weak", "honest answers", answers["weak"], answers["good"]),
        alike("bullets", "same content", answers["prose"], answers["bullets"]),
        alike("twice", "same content", answers["prose"], again),
        alike("german", "another language", answers["prose"], answers["german"]),
    )
    machinery = tuple([await _malformed(name, rubric) for name in scripted.MALFORMED])
    return AttackResult(panel.identity, weak, answers["good"].score, ceiling, outcomes, machinery)


def _chosen(rubric: Rubric, families: Sequence[str]) -> list[Attack]:
    known = attacks(case(), rubric)
    chosen = [attack for attack in known if not families or attack.family in families]
    if not chosen:
        kinds = ", ".join(dict.fromkeys(attack.family for attack in known))
        raise InputError(f"there is no attack of the kind {', '.join(families)}", cure=f"choose from {kinds}")
    return chosen


async def _ask(text: str, rubric: Rubric, panel: Panel) -> Answer:
    answer = await grade(question(rubric, task=case().task, text=text), panel)
    if isinstance(answer, Judgement):
        return Answer(mean_verdict(answer).score, "", answer.flags)
    return Answer(None, next((call.error for call in answer.calls if call.error), answer.reason), answer.flags)


async def _malformed(name: str, rubric: Rubric) -> Outcome:
    """A judge that replies badly about a good answer: the only right outcome is no verdict."""
    answer = await _ask(case().good, rubric, Panel((f"scripted/{name}",), cache=False))
    ending: Ending = "unscored" if answer.score is None else "got through"
    return Outcome(f"reply-{name}", "malformed reply", ending, answer.score, answer.reason)
