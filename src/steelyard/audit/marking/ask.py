"""Marks by any chat, without an API key: one text with all questions, and the reply read back.

It is the judge's protocol without a second call: the problems have drawn ids in a drawn order, with decoys of other
keys that the reply must call missed. What is drawn follows from the key and the findings, so that the reply can be read
back later; who wrote the findings has not seen the key. The reply goes through the parser of the judge (`replies`):
every problem, every finding that serves none, verbatim quotes, nothing unknown. What does not fit is an error that
names it, and nothing is scored. A chat may say something around its JSON object (`pasted`); a second object is refused.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from steelyard.audit.marking.decoys import Drawn, drawn_key
from steelyard.audit.marking.flags import credible_claims
from steelyard.audit.marking.lexical import proposals
from steelyard.audit.marking.pasted import object_in
from steelyard.audit.marking.questions import Brief, listed_bonuses, listed_problem, not_given, template
from steelyard.audit.marking.replies import (
    MATCH,
    MAX_LISTED,
    RULINGS,
    Ids,
    candidates_in,
    listing,
    rulings_in,
    shown,
)
from steelyard.audit.model import SYMBOLS, Marks, Output
from steelyard.errors import InputError
from steelyard.judge.parse import DecoyTaken, VerdictError, fitting, read_object, rows
from steelyard.judge.protocol import fill, list_of, schema_of
from steelyard.report.numbers import percent

UNKNOWN_MODEL = "unknown"
"""The model of a reply when nobody said which one answered."""

SURE = 0.75
"""Certainty from which on a missed problem is proposed without its closest finding."""

QUOTE_LENGTH = 200
"""Longest passage shown with a proposal, in characters."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a chat answered."""

    source: str
    """The file it was read from."""
    text: str
    model: str = ""
    """The model that answered; empty if nobody said."""


def ask_text(brief: Brief, outputs: Sequence[Output]) -> str:
    """All questions about these runs as one text."""
    _check_names(outputs)
    drawn = _drawn(brief, outputs)
    brief = replace(brief, key=drawn.key)
    findings = "\n\n".join(_findings(output) for output in outputs)
    # A hash of the findings, which they cannot contain themselves, so no finding can close its block.
    code = hashlib.sha256(findings.encode("utf-8", "replace")).hexdigest()[:12]
    values = {
        "proposals": "\n".join(line for output in outputs for line in _proposals(brief, output)),
        "perspective": not_given(brief.perspective),
        "problems": "\n\n".join(map(listed_problem, brief.key.problems)),
        "bonuses": listed_bonuses(brief.key),
        "document": not_given(brief.document),
        "code": code,
        "findings": f"=== {code}\n{findings}\n=== {code}",
        "schema": _schema(brief, outputs),
    }
    return fill(template("ask"), values) + "\n"


def reply_marks(brief: Brief, outputs: Sequence[Output], reply: Reply) -> list[Marks]:
    """The marks in a reply, one per run; `InputError` says what does not fit."""
    _check_names(outputs)
    try:
        run = schema_of(problems=list_of(MATCH.row), findings=list_of(RULINGS.row))
        schema = schema_of(runs=schema_of(**{output.name: run for output in outputs}))
        runs = fitting(read_object(object_in(reply.text)), schema)["runs"]
        ids = _drawn(brief, outputs).ids
        return [_marks(brief, output, ids, runs[output.name], reply.model) for output in outputs]
    except DecoyTaken as error:
        cure = "ask in a new chat, or ask a better model: this one finds what nobody reported"
        raise InputError(f"{reply.source} cannot be used: {error}", cure=cure) from error
    except VerdictError as error:
        cure = "ask the chat to correct exactly this, or write the questions anew: `steelyard audit mark --as chat`"
        raise InputError(f"{reply.source} is not a verdict on these runs: {error}", cure=cure) from error


def _drawn(brief: Brief, outputs: Sequence[Output]) -> Drawn:
    """The key as the chat sees it, the same whenever it is drawn."""
    findings = "\n\n".join(_findings(output) for output in outputs)
    problems = "\n\n".join(map(listed_problem, brief.key.problems))
    seed = hashlib.sha256(f"{problems}\n\n{findings}".encode("utf-8", "replace")).hexdigest()
    # Without the user's other keys: they may change before the reply is read.
    return drawn_key(brief.key, findings, (), Random(seed))


def _marks(brief: Brief, output: Output, ids: Ids, entry: Mapping[str, Any], model: str) -> Marks:
    texts = shown(output.findings)
    candidates = candidates_in(ids, texts, rows(entry["problems"], ids, "problems"))
    named = {f"F{claim.finding:02d}" for claim in candidates.claims}
    others = [name for name in texts if name not in named]
    ruled = rows(entry["findings"], others, "findings")
    rulings = rulings_in({name: name for name in texts}, others, ruled)
    claims = credible_claims(candidates.claims, output, brief.key)
    record = {"marked_by": "reply", "model": model or UNKNOWN_MODEL}
    return Marks(claims, rulings, candidates.notes, record=record)


def _findings(output: Output) -> str:
    more = len(output.findings) - MAX_LISTED
    cut = f"\n(the first {MAX_LISTED} findings; {more} more are not shown)" if more > 0 else ""
    return f"Run {output.name}{cut}\n\n{listing(shown(output.findings)) or '(no findings)'}"


def _proposals(brief: Brief, output: Output) -> list[str]:
    lines = [f"Run {output.name}"]
    for proposal in proposals(brief.key, output, brief.document):
        shown_finding = proposal.finding is not None and not (proposal.mark == "missed" and proposal.certainty >= SURE)
        finding = f" F{proposal.finding:02d}" if shown_finding else ""
        quote = f": “{' '.join(proposal.quote.split())[:QUOTE_LENGTH]}”" if shown_finding and proposal.quote else ""
        certainty = percent(proposal.certainty, 0)
        lines.append(f"- {proposal.problem} {SYMBOLS[proposal.mark]} ({certainty} certain){finding}{quote}")
    return lines


def _schema(brief: Brief, outputs: Sequence[Output]) -> str:
    candidate = {"finding": "F01", "mark": "detected", "quote": "…"}
    ids = [problem.id for problem in brief.key.problems]
    problems = [{"id": name, "candidates": [candidate], "note": "…"} for name in ids[:1]]
    findings = [{"id": "F02", "verdict": "bonus, penalty or neither", "reason": "…", "repeats": None}]
    entry = json.dumps({"problems": problems, "findings": findings}, ensure_ascii=False)
    names = ", ".join(json.dumps(output.name, ensure_ascii=False) for output in outputs)
    example = f'{{"runs": {{{json.dumps(outputs[0].name, ensure_ascii=False)}: {entry}}}}}'
    return f"{example}\nThe runs: {names}. The problems: {', '.join(ids)}."


def _check_names(outputs: Sequence[Output]) -> None:
    names = [output.name for output in outputs]
    if len(set(names)) != len(names):
        raise InputError("two runs have the same file name", cure="rename one, so that the reply can tell them apart")
