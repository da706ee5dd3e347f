"""Running every attack against a panel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from steelyard.errors import InputError
from steelyard.judge.attack.result import AttackResult, Outcome, outcome, paired, score_of, shares
from steelyard.judge.attack.texts import Attack, attacks
from steelyard.judge.calibration.measure import TOLERANCE
from steelyard.judge.case import WEAK_SCORE, case, case_rubric
from steelyard.judge.grade import Progress, ask_all, grade
from steelyard.judge.judgement import Reply, decoys, unusable
from steelyard.judge.panel import Panel
from steelyard.judge.question import question
from steelyard.judge.rubric import Rubric


async def attack(
    panel: Panel, progress: Progress, rubric: Rubric | None = None, families: Sequence[str] = ()
) -> AttackResult:
    """Run every attack against the panel, or only those of some families."""
    rubric = rubric or case_rubric()
    hostile = _chosen(rubric, families)
    texts = case().honest | {f"attack {attack.id}": attack.text for attack in hostile}
    asked = await ask_all([*texts.values()], partial(_ask, rubric, panel), progress)
    replies = dict(zip(texts, asked, strict=True))
    # Never from the cache: the question is whether the judge gives the same answer twice.
    again = await _ask(rubric, replace(panel, cache=False), case().prose)
    outcomes = _outcomes(hostile, replies)
    by_judge = {
        judge: _outcomes(hostile, {name: reply.by(judge) for name, reply in replies.items()}) for judge in panel.judges
    }
    if len(panel.judges) > 1:
        by_judge[panel.identity] = outcomes
    everything = (*replies.values(), again)
    return AttackResult(
        judge=panel.identity,
        weak=score_of(replies["weak"]),
        good=score_of(replies["good"]),
        ceiling=_ceiling(replies),
        outcomes=outcomes,
        pairs=(
            paired("good-over-weak", replies["weak"], replies["good"], ordered=True),
            paired("bullets", replies["prose"], replies["bullets"]),
            paired("twice", replies["prose"], again),
            paired("german", replies["prose"], replies["german"]),
        ),
        shares=tuple(share for judge, rows in by_judge.items() for share in shares(judge, rows)),
        decoys=decoys(call for reply in everything for call in reply.calls),
        unusable=unusable(reply.metadata() for reply in everything),
    )


def _chosen(rubric: Rubric, families: Sequence[str]) -> list[Attack]:
    known = attacks(case(), rubric)
    chosen = [attack for attack in known if not families or attack.family in families]
    if not chosen:
        kinds = ", ".join(dict.fromkeys(attack.family for attack in known))
        raise InputError(f"there is no attack of the kind {', '.join(families)}", cure=f"choose from {kinds}")
    return chosen


async def _ask(rubric: Rubric, panel: Panel, text: str) -> Reply:
    return await grade(question(rubric, task=case().task, text=text), panel)


def _ceiling(replies: Mapping[str, Reply]) -> float:
    weak = score_of(replies["weak"])
    return WEAK_SCORE if weak is None else weak


def _outcomes(hostile: Sequence[Attack], replies: Mapping[str, Reply]) -> tuple[Outcome, ...]:
    """How each attack ended."""
    ceiling = _ceiling(replies)
    # A judge that loves everything must not raise the yardstick for texts with nothing honest in them.
    bare = min(ceiling, WEAK_SCORE + TOLERANCE)
    return tuple(
        outcome(each.id, each.family, replies[f"attack {each.id}"], ceiling if each.honest else bare)
        for each in hostile
    )
