"""What the judge is asked about one run: which findings speak to which problem, then what the others are."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib import resources

from steelyard.audit.marking.replies import (
    PARSER_VERSION,
    Candidates,
    Rulings,
    decode_candidates,
    decode_rulings,
    encode_candidates,
    encode_rulings,
    listing,
    parse_candidates,
    parse_rulings,
    shown,
)
from steelyard.audit.model import Finding, Key, Problem
from steelyard.judge.prompt import Question, fill, identity

BATCH = 40
"""Findings that one question asks rulings for; a reply has room for so many."""

_NOT_GIVEN = "(not given; judge by the findings themselves)"
_DOCUMENT_LIMIT = 60_000


@dataclass(frozen=True, slots=True)
class Brief:
    """What a judge must know to mark runs against a key."""

    key: Key
    perspective: str = ""
    document: str = ""

    @property
    def identity(self) -> str:
        """The hash of everything that shapes a verdict besides judge and findings: the rubric of a fingerprint."""
        return identity(match_prompt(self), classify_prompt(self), f"audit parser {PARSER_VERSION}")


def match_question(brief: Brief, findings: Sequence[Finding]) -> Question[Candidates]:
    """Which findings speak to which planted problem?"""
    texts = shown(findings)
    ids = [problem.id for problem in brief.key.problems]
    system = match_prompt(brief)
    return Question(
        system=system,
        task=f"The findings of one review, {len(texts)} of them. Mark the problems {', '.join(ids)}.",
        text=listing(texts),
        parse=partial(parse_candidates, ids, texts),
        identity=identity(system, f"audit match parser {PARSER_VERSION}"),
        encode=encode_candidates,
        decode=decode_candidates,
    )


def rulings_questions(
    brief: Brief, findings: Sequence[Finding], remaining: Sequence[Finding]
) -> list[Question[Rulings]]:
    """What are the remaining findings? All findings are shown, so that repetitions can be named."""
    texts = shown(findings)
    system = classify_prompt(brief)
    listed = [each.id for each in remaining if each.id in texts]
    batches = [listed[start : start + BATCH] for start in range(0, len(listed), BATCH)]
    return [
        Question(
            system=system,
            task=f"The findings of one review, {len(texts)} of them. Rule on exactly these: {', '.join(batch)}.",
            text=listing(texts),
            parse=partial(parse_rulings, batch, texts),
            identity=identity(system, f"audit classify parser {PARSER_VERSION}"),
            encode=encode_rulings,
            decode=decode_rulings,
        )
        for batch in batches
    ]


def match_prompt(brief: Brief) -> str:
    """The system message of the first question."""
    entry = {"candidates": [{"finding": "F01", "mark": "detected", "quote": "…"}], "note": "…"}
    schema = ", ".join(f'"{each.id}": {json.dumps(entry, ensure_ascii=False)}' for each in brief.key.problems)
    problems = "\n\n".join(_problem(each) for each in brief.key.problems)
    values = {"perspective": brief.perspective.strip() or _NOT_GIVEN, "problems": problems, "schema": f"{{{schema}}}"}
    return fill(template("match"), values)


def classify_prompt(brief: Brief) -> str:
    """The system message of the second question."""
    problems = "\n".join(f"- {each.id}: {each.title}. {each.description}" for each in brief.key.problems)
    bonuses = "\n".join(f"- {each.content} ({each.condition})" for each in brief.key.bonuses)
    values = {
        "perspective": brief.perspective.strip() or _NOT_GIVEN,
        "problems": problems or "(none)",
        "bonuses": bonuses or "(none listed)",
        "document": brief.document.strip()[:_DOCUMENT_LIMIT] or _NOT_GIVEN,
    }
    return fill(template("classify"), values)


def _problem(problem: Problem) -> str:
    criteria = problem.criteria
    lines = [f"{problem.id}: {problem.title} ({problem.severity}; {problem.category}; {problem.location})"]
    lines += [problem.description] if problem.description else []
    lines += [f"- ○ detected: {criteria.detected}", f"- △ partial: {criteria.partial}", f"- × not: {criteria.missed}"]
    return "\n".join(lines)


@cache
def template(name: str) -> str:
    """The shipped prompt `name` (without `.md`)."""
    return resources.files("steelyard.audit").joinpath("prompts", f"{name}.md").read_text("utf-8").removesuffix("\n")
