"""The judge's questions about one run: which findings address which problem, then how to rule on the others."""

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
    bilingual,
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
"""Findings that one question asks to rule on, so that the reply stays short enough."""

_NOT_GIVEN = "(not given; judge by the findings themselves)"
_DOCUMENT_LIMIT = 60_000


@dataclass(frozen=True, slots=True)
class Brief:
    """What a judge needs to mark runs against a key."""

    key: Key
    perspective: str = ""
    document: str = ""

    @property
    def identity(self) -> str:
        """The hash of everything but judge and findings that affects a verdict: the rubric of a fingerprint."""
        return identity(match_prompt(self), classify_prompt(self), f"audit parser {PARSER_VERSION}")


def match_question(brief: Brief, findings: Sequence[Finding]) -> Question[Candidates]:
    """The question which findings address which planted problem."""
    texts = shown(findings)
    ids = [problem.id for problem in brief.key.problems]
    system = match_prompt(brief)
    return Question(
        system=system,
        task=f"The findings of one review, {len(texts)} of them. Mark the problems {', '.join(ids)}.",
        text=listing(texts),
        parse=partial(parse_candidates, topics(brief.key), texts),
        identity=identity(system, f"audit match parser {PARSER_VERSION}"),
        encode=encode_candidates,
        decode=decode_candidates,
    )


def rulings_questions(
    brief: Brief, findings: Sequence[Finding], remaining: Sequence[Finding]
) -> list[Question[Rulings]]:
    """The questions how to rule on the remaining findings; all are shown, so that the judge can name repetitions."""
    texts = shown(findings)
    system = classify_prompt(brief)
    listed = [finding.id for finding in remaining if finding.id in texts]
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


def topics(key: Key) -> dict[str, str]:
    """What the key says about each problem: a quote is evidence only if it is about that."""
    return {problem.id: _topic(problem) for problem in key.problems}


def _topic(problem: Problem) -> str:
    criteria = problem.criteria
    stated = (problem.title, problem.category, problem.location, problem.description)
    return bilingual("\n".join((*stated, criteria.detected, criteria.partial)))


def match_prompt(brief: Brief) -> str:
    """The system message of the first question."""
    entry = {"candidates": [{"finding": "F01", "mark": "detected", "quote": "…"}], "note": "…"}
    template_entry = json.dumps(entry, ensure_ascii=False)
    schema = ", ".join(f'"{problem.id}": {template_entry}' for problem in brief.key.problems)
    problems = "\n\n".join(listed_problem(problem) for problem in brief.key.problems)
    values = {"perspective": not_given(brief.perspective), "problems": problems, "schema": f"{{{schema}}}"}
    return fill(template("match"), values)


def classify_prompt(brief: Brief) -> str:
    """The system message of the second question."""
    problems = "\n".join(f"- {problem.id}: {problem.title}. {problem.description}" for problem in brief.key.problems)
    values = {
        "perspective": not_given(brief.perspective),
        "problems": problems or "(none)",
        "bonuses": listed_bonuses(brief.key),
        "document": not_given(brief.document),
    }
    return fill(template("classify"), values)


def not_given(text: str) -> str:
    """A text as a prompt shows it, or that it was not given."""
    return text.strip()[:_DOCUMENT_LIMIT] or _NOT_GIVEN


def listed_bonuses(key: Key) -> str:
    """The bonuses that the key accepts, as a prompt lists them."""
    return "\n".join(f"- {bonus.content} ({bonus.condition})" for bonus in key.bonuses) or "(none listed)"


def listed_problem(problem: Problem) -> str:
    """A problem with its criteria, as a prompt lists it."""
    criteria = problem.criteria
    lines = [f"{problem.id}: {problem.title} ({problem.severity}; {problem.category}; {problem.location})"]
    lines += [problem.description] if problem.description else []
    lines += [f"- ○ detected: {criteria.detected}", f"- △ partial: {criteria.partial}", f"- × not: {criteria.missed}"]
    return "\n".join(lines)


@cache
def template(name: str) -> str:
    """The shipped prompt `name` (without `.md`)."""
    return resources.files("steelyard.audit").joinpath("prompts", f"{name}.md").read_text("utf-8").removesuffix("\n")
