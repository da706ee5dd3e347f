"""The judge's questions about one run: which findings address which problem, then how to rule on the others.

Both go through the judge's protocol (docs/scoring.md §4): ids and order of the problems are drawn per call, with decoy
problems of other keys that a reply must call missed; rulings have drawn ids for the findings and, where the document is
known, a finding about another one that must not be a bonus. After two unusable replies the quoting protocol matches
findings: a first call names passages, a further call per problem sees the problem and its passages alone. Findings
about which no reply can be used are ruled `neither`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib import resources
from random import Random
from typing import Any, TypeVar

from steelyard.audit.marking.decoys import Drawn, decoy_finding, drawn_key
from steelyard.audit.marking.replies import (
    MARKS,
    MATCH,
    PARSER_VERSION,
    PASSAGES,
    RULINGS,
    STORED_CANDIDATES,
    STORED_RULINGS,
    Candidates,
    Rulings,
    candidates_in,
    listing,
    marks_in,
    passages_in,
    rulings_in,
    shown,
)
from steelyard.audit.model import Claim, Finding, Key, Problem, Ruling
from steelyard.judge.protocol import Form, Question, Quoting, Request, Rows, drawn_ids, fill, identity, request
from steelyard.judge.text import clean, numbered

R = TypeVar("R")

BATCH = 40
"""Findings that one question asks to rule on, so that the reply stays short enough."""

_NOT_GIVEN = "(not given; judge by the findings themselves)"
_DOCUMENT_LIMIT = 60_000
_NO_REPLY = "no usable reply"


@dataclass(frozen=True, slots=True)
class Brief:
    """What a judge needs to mark runs against a key."""

    key: Key
    perspective: str = ""
    document: str = ""
    others: tuple[Key, ...] = ()
    """Further keys of the user, from which decoys may be drawn."""

    @property
    def identity(self) -> str:
        """The hash of everything but judge and findings that affects a verdict: the rubric of a fingerprint."""
        problems = "\n\n".join(map(listed_problem, self.key.problems))
        prompts = [template(name) for name in ("match", "passages", "check", "findings")]
        return identity(problems, classify_prompt(self), *prompts, f"audit parser {PARSER_VERSION}")


def match_question(brief: Brief, findings: Sequence[Finding]) -> Question[Candidates]:
    """The question which findings address which planted problem."""
    texts = shown(findings)
    return Question(
        text=listing(texts),
        context=f"match {brief.perspective}",
        identity=brief.identity,
        single=partial(_match, brief, texts),
        nothing=Candidates((), {}),
        stored=STORED_CANDIDATES,
        quoting=Quoting(partial(_passages, brief, texts), partial(_check, brief), _quoted),
    )


def _match(brief: Brief, texts: Mapping[str, str], text: str, rng: Random) -> Request[Candidates]:
    drawn = drawn_key(brief.key, text, brief.others, rng)
    system = fill(template("match"), {"perspective": not_given(brief.perspective)})
    return _request(system, MATCH, drawn, partial(candidates_in, drawn.ids, texts), text, rng)


def _passages(brief: Brief, texts: Mapping[str, str], text: str, rng: Random) -> Request[Mapping[str, Any]]:
    drawn = drawn_key(brief.key, text, brief.others, rng)
    return _request(template("passages"), PASSAGES, drawn, partial(passages_in, drawn.ids, texts), text, rng)


def _check(brief: Brief, problem: str, passages: Sequence[Claim], rng: Random) -> Request[Sequence[Claim]]:
    text = numbered([claim.quote for claim in passages])
    drawn = drawn_key(brief.key, text, brief.others, rng, only=problem)
    use = partial(marks_in, drawn.ids, passages)
    return _request(template("check"), MARKS, drawn, use, text, rng, "The passages")


def _quoted(passages: Mapping[str, Any], answers: Mapping[str, Sequence[Claim]]) -> Candidates:
    return Candidates(tuple(claim for claims in answers.values() for claim in claims), {})


def _request(
    system: str,
    form: Form,
    drawn: Drawn,
    use: Callable[[Rows], R],
    text: str,
    rng: Random,
    what: str = "The findings, each after a line like [[F01]]",
) -> Request[R]:
    problems = {problem.id: listed_problem(problem) for problem in drawn.key.problems}
    task = f"The problems {', '.join(drawn.ids)}:"
    values = {"task": task, "problems": "\n\n".join(problems.values()), "what": what, "text": text}
    decoys = [problems[name] for name, real in drawn.ids.items() if real is None]
    frame = system, template("findings"), values
    return request(frame, form, drawn.ids, lambda rows, _: use(rows), text, rng, decoys)


def rulings_questions(
    brief: Brief, findings: Sequence[Finding], remaining: Sequence[Finding]
) -> list[Question[Rulings]]:
    """The questions how to rule on the remaining findings; all are shown, so that the judge can name repetitions."""
    texts = dict(shown(findings))
    # A judge is not asked about findings beyond those that it is shown.
    listed = [finding.id for finding in remaining if finding.id in texts]
    batches = [listed[start : start + BATCH] for start in range(0, len(listed), BATCH)]
    return [
        Question(
            text=listing(texts),
            context=f"classify {', '.join(batch)}",
            identity=brief.identity,
            single=partial(_rule, brief, texts, batch),
            nothing=tuple(Ruling(int(name[1:]), "neither", _NO_REPLY) for name in batch),
            stored=STORED_RULINGS,
        )
        for batch in batches
    ]


def _rule(brief: Brief, texts: dict[str, str], batch: Sequence[str], text: str, rng: Random) -> Request[Rulings]:
    # Without the document, nobody could tell that a finding is about another one.
    decoy = {"": decoy_finding(brief.key, text, brief.others, rng)} if brief.document.strip() else {}
    labels = drawn_ids([*texts, *decoy], text, rng)
    asked = [name for name, finding in labels.items() if finding in (*batch, *decoy)]
    values = {
        "task": f"Rule on exactly these findings: {', '.join(asked)}.",
        "problems": "",
        "what": "The findings",
        # Listed anew under the drawn labels, so each text must be cleaned here as well.
        "text": listing({name: clean((texts | decoy)[finding]).text for name, finding in labels.items()}),
    }

    def use(rows: Rows, _: str) -> Rulings:
        return rulings_in(labels, [*batch, *decoy], rows)

    frame = classify_prompt(brief), template("findings"), values
    return request(frame, RULINGS, asked, use, text, rng, decoy.values())


def classify_prompt(brief: Brief) -> str:
    """The system message of the second question."""
    problems = "\n".join(f"- {problem.title}. {problem.description}" for problem in brief.key.problems)
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
