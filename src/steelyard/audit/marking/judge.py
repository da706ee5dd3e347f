"""Marks for one run by judge models: which findings match which problem, then a ruling on each remaining finding."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from steelyard.audit.marking.flags import credible_claims
from steelyard.audit.marking.questions import Brief, match_question, rulings_questions
from steelyard.audit.marking.replies import MAX_LISTED, agreement, joint_claims, joint_rulings, ratings
from steelyard.audit.match import representatives
from steelyard.audit.model import Claim, Finding, Marks, Output, Ruling
from steelyard.judge.grade import Judgement, NoVerdict, grade
from steelyard.judge.judgement import RATINGS, UNUSABLE
from steelyard.judge.panel import Panel
from steelyard.outcome import Unscored


async def judge_marks(brief: Brief, output: Output, panel: Panel) -> Marks | Unscored:
    """The panel's marks; `Unscored` when one verdict is missing. No failure of a judge raises."""
    problems = [problem.id for problem in brief.key.problems]
    if not output.findings:
        return Marks(notes=dict.fromkeys(problems, "nothing was reported"), record={"judge_calls": []})
    matched = await grade(match_question(brief, output.findings), panel)
    if isinstance(matched, NoVerdict):
        return _no_verdict("matching", matched)
    joint = joint_claims(matched.verdicts)
    candidates = replace(joint, claims=credible_claims(joint.claims, output, brief.key))
    rulings: list[Ruling] = []
    judgements: list[Judgement[Any]] = [matched]
    for question in rulings_questions(brief, output.findings, _unmatched(output, candidates.claims)):
        ruled = await grade(question, panel)
        if isinstance(ruled, NoVerdict):
            return _no_verdict("classification", ruled)
        judgements.append(ruled)
        rulings += joint_rulings(ruled.verdicts)
    shared = {"judge_agreement": agreement(matched.verdicts, problems), RATINGS: ratings(matched.verdicts, problems)}
    claims = tuple(replace(claim, note=candidates.notes.get(claim.problem, "")) for claim in candidates.claims)
    return Marks(claims, tuple(rulings), candidates.notes, _flags(output), record=_record(judgements) | shared)


def _unmatched(output: Output, claims: tuple[Claim, ...]) -> list[Finding]:
    """The findings that no claim rests on, without repetitions."""
    same = representatives(output.findings)
    matched = {same.get(claim.finding, claim.finding) for claim in claims}
    return [
        finding for finding in output.findings if finding.index not in matched and same[finding.index] == finding.index
    ]


def _flags(output: Output) -> tuple[str, ...]:
    if len(output.findings) <= MAX_LISTED:
        return ()
    return (f"{len(output.findings)} findings; the judge saw only the first {MAX_LISTED}",)


def _no_verdict(stage: str, answer: NoVerdict) -> Unscored:
    return NoVerdict("judge", f"{stage}: {answer.reason}", answer.calls, answer.flags)


def _record(judgements: list[Judgement[Any]]) -> dict[str, Any]:
    """Calls, tokens and cost over both questions; one unknown makes a sum unknown."""
    parts = [judgement.metadata() for judgement in judgements]
    tokens, costs = [part["judge_tokens"] for part in parts], [part["judge_cost_usd"] for part in parts]
    return {
        "judge_calls": [call for part in parts for call in part["judge_calls"]],
        "judge_flags": sorted({flag for part in parts for flag in part["judge_flags"]}),
        "judge_tokens": None if None in tokens else sum(tokens),
        "judge_cost_usd": None if None in costs else sum(costs),
        UNUSABLE: [sum(counts) for counts in zip(*(part[UNUSABLE] for part in parts), strict=True)],
    }
