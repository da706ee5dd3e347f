"""Running every attack against a panel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from steelyard.errors import InputError
from steelyard.judge.attack import scripted
from steelyard.judge.attack.result import AttackResult, Outcome, held, paired, shares
from steelyard.judge.attack.texts import Attack, attacks
from steelyard.judge.calibration.measure import TOLERANCE
from steelyard.judge.case import WEAK_SCORE, case, case_rubric
from steelyard.judge.decoys import entries
from steelyard.judge.grade import Judgement, NoVerdict, Progress, ask_all, grade, mean_verdict
from steelyard.judge.judgement import decoys, unusable
from steelyard.judge.panel import Panel
from steelyard.judge.parse import Verdict
from steelyard.judge.question import question
from steelyard.judge.rubric import Rubric
from steelyard.judge.text import clean


async def attack(
    panel: Panel, progress: Progress, rubric: Rubric | None = None, families: Sequence[str] = ()
) -> AttackResult:
    """Run every attack against the panel, or only those of some families."""
    rubric = rubric or case_rubric()
    hostile = _chosen(rubric, families)
    honest = {name: getattr(case(), name) for name in ("weak", "good", "prose", "bullets", "german")}
    # A scripted judge cannot read, so it is told what is true; a real one never sees this.
    scripted.TRUTH.set({" ".join(entry.about.split()): scripted.by_length for entry in entries(rubric)})
    scripted.UNPERSUASIVE.set(frozenset("".join(clean(text).text.split()) for text in honest.values()))
    texts = honest | {f"attack {attack.id}": attack.text for attack in hostile}
    asked = await ask_all([*texts.values()], lambda text: _ask(text, rubric, panel), progress)
    replies = dict(zip(texts, asked, strict=True))
    # Never from the cache: the question is whether the judge gives the same answer twice.
    again = await _ask(case().prose, rubric, replace(panel, cache=False))
    answers = {name: _answer(reply) for name, reply in replies.items()}
    ceiling, outcomes = _outcomes(hostile, answers)
    by_judge = {
        judge: _outcomes(hostile, {name: _answer(reply, judge) for name, reply in replies.items()})[1]
        for judge in panel.judges
    }
    if len(panel.judges) > 1:
        by_judge[panel.identity] = outcomes
    calls = [call for reply in (*replies.values(), again) for call in reply.calls]
    return AttackResult(
        judge=panel.identity,
        weak=answers["weak"].score,
        good=answers["good"].score,
        ceiling=ceiling,
        outcomes=outcomes,
        pairs=(
            paired("good-over-weak", answers["weak"], answers["good"], ordered=True),
            paired("bullets", answers["prose"], answers["bullets"]),
            paired("twice", answers["prose"], _answer(again)),
            paired("german", answers["prose"], answers["german"]),
        ),
        machinery=tuple([await _malformed(name, rubric) for name in scripted.MALFORMED]),
        shares=tuple(share for judge, rows in by_judge.items() for share in shares(judge, rows)),
        decoys=decoys(calls),
        unusable=unusable(reply.metadata() for reply in (*replies.values(), again)),
    )


def _outcomes(hostile: Sequence[Attack], answers: Mapping[str, Outcome]) -> tuple[float, tuple[Outcome, ...]]:
    """The yardstick, and how each attack ended by it."""
    weak = answers["weak"].score
    ceiling = weak if weak is not None else WEAK_SCORE
    # A judge that loves everything must not raise the yardstick for texts with nothing honest in them.
    bare = min(ceiling, WEAK_SCORE + TOLERANCE)
    return ceiling, tuple(
        held(each.id, each.family, answers[f"attack {each.id}"], ceiling if each.honest else bare) for each in hostile
    )


def _chosen(rubric: Rubric, families: Sequence[str]) -> list[Attack]:
    known = attacks(case(), rubric)
    chosen = [attack for attack in known if not families or attack.family in families]
    if not chosen:
        kinds = ", ".join(dict.fromkeys(attack.family for attack in known))
        raise InputError(f"there is no attack of the kind {', '.join(families)}", cure=f"choose from {kinds}")
    return chosen


async def _ask(text: str, rubric: Rubric, panel: Panel) -> Judgement[Verdict] | NoVerdict:
    return await grade(question(rubric, task=case().task, text=text), panel)


def _answer(reply: Judgement[Verdict] | NoVerdict, judge: str | None = None) -> Outcome:
    """What the panel says, or one of its judges: a grade counts as refused until `held` knows the yardstick."""
    calls = [call for call in reply.calls if judge in (None, call.judge)]
    protocol = "quoted" if any(call.protocol == "quoted" for call in calls) else "single"
    if not isinstance(reply, Judgement):
        why = next((call.error for call in calls if call.error), reply.reason)
        return Outcome("", "", "unscored", None, why, reply.flags, protocol)
    own = (one for one, call in zip(reply.verdicts, reply.calls, strict=True) if judge in (None, call.judge))
    why = next((why for call in calls for why in call.unusable), "")
    score = mean_verdict(replace(reply, verdicts=tuple(own))).score
    return Outcome("", "", "refused", score, why, reply.flags, protocol)


async def _malformed(name: str, rubric: Rubric) -> Outcome:
    """A judge that replies badly about a good answer: it earns nothing, or is unscored if nothing came."""
    answer = _answer(await _ask(case().good, rubric, Panel((f"scripted/{name}",), cache=False)))
    return held(f"reply-{name}", "malformed reply", answer, 0.0)
