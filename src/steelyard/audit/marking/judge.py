"""Marks for one run, by whoever marks: a judge, a sheet, or words. Controls need nobody.

A control document has no planted problem: every claim in it is a false alarm, ruled a penalty without asking anyone.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from steelyard.audit.marking.flags import echoes, suspicion
from steelyard.audit.marking.questions import Brief, match_question, rulings_questions
from steelyard.audit.marking.replies import MAX_LISTED, Candidates, agreement, joint_claims, joint_rulings, ratings
from steelyard.audit.match import representatives
from steelyard.audit.model import Marks, Output, Ruling
from steelyard.judge.grade import Judgement, NoVerdict, grade
from steelyard.judge.judgement import RATINGS
from steelyard.judge.panel import Panel
from steelyard.outcome import Unscored

FALSE_ALARM = "a clean document: every claim is a false alarm"


def control_marks(output: Output) -> Marks:
    """Marks for a run on a document without planted problems."""
    return Marks(rulings=tuple(Ruling(each.index, "penalty", FALSE_ALARM) for each in output.findings))


async def judge_marks(brief: Brief, output: Output, panel: Panel) -> Marks | Unscored:
    """The panel's marks; `Unscored` when one verdict is missing. Nothing a judge does raises."""
    problems = [problem.id for problem in brief.key.problems]
    if not output.findings:
        return Marks(notes=dict.fromkeys(problems, "nothing was reported"), record={"judge_calls": []})
    matched = await grade(match_question(brief, output.findings), panel)
    if isinstance(matched, NoVerdict):
        return _failed("matching", matched)
    first = _uncopied(joint_claims(matched.verdicts), brief, output)
    same = representatives(output.findings)
    taken = {same.get(claim.finding, claim.finding) for claim in first.claims}
    remaining = [each for each in output.findings if each.index not in taken and same[each.index] == each.index]
    rulings: list[Ruling] = []
    judgements: list[Judgement[Any]] = [matched]
    for question in rulings_questions(brief, output.findings, remaining):
        ruled = await grade(question, panel)
        if isinstance(ruled, NoVerdict):
            return _failed("classification", ruled)
        judgements.append(ruled)
        rulings += joint_rulings(ruled.verdicts).rulings
    said = {"judge_agreement": agreement(matched.verdicts, problems), RATINGS: ratings(matched.verdicts, problems)}
    record = _record(judgements) | said
    claims = tuple(replace(claim, note=first.notes.get(claim.problem, "")) for claim in first.claims)
    return Marks(claims, tuple(rulings), first.notes, flags_of(brief, output), record=record)


def _uncopied(found: Candidates, brief: Brief, output: Output) -> Candidates:
    """Candidates without findings that copy the key: it never reached the subject, so a copy is no discovery."""
    copies = {each.index for each in output.findings if echoes(each.text, brief.key)}
    return Candidates(tuple(claim for claim in found.claims if claim.finding not in copies), found.notes)


def flags_of(brief: Brief, output: Output) -> tuple[str, ...]:
    """What is suspicious about a run's findings; it is said, and changes no mark that a judge or a person gave."""
    found = [f"{each.id} {why}" for each in output.findings if (why := suspicion(each, brief.key, brief.document))]
    if len(output.findings) > MAX_LISTED:
        found.append(f"{len(output.findings)} findings; the first {MAX_LISTED} were shown to the judge")
    return tuple(found)


def _failed(stage: str, answer: NoVerdict) -> Unscored:
    return NoVerdict("judge", f"{stage}: {answer.reason}", answer.calls, answer.flags)


def _record(judgements: list[Judgement[Any]]) -> dict[str, Any]:
    """Calls, tokens and cost over both questions; one unknown makes a sum unknown."""
    parts = [each.metadata() for each in judgements]
    tokens, costs = [part["judge_tokens"] for part in parts], [part["judge_cost_usd"] for part in parts]
    return {
        "judge_calls": [call for part in parts for call in part["judge_calls"]],
        "judge_flags": sorted({flag for part in parts for flag in part["judge_flags"]}),
        "judge_tokens": None if None in tokens else sum(tokens),
        "judge_cost_usd": None if None in costs else sum(costs),
    }
