"""Parses a judge's reply into claims and rulings: pure and strict.

The whole reply must be one JSON object of the prescribed form (`judge.protocol.Form`). Of each problem, the candidates,
three at most, name different existing findings, with a quote that occurs in that finding and is more than a word of it.
Every finding in question has exactly one ruling with a reason. A decoy that is found, or called a bonus, is
`DecoyTaken`; anything else that does not fit is a `VerdictError`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from pydantic import TypeAdapter

from steelyard.audit.model import POINTS, Claim, Finding, Ruling
from steelyard.judge.parse import DecoyTaken, VerdictError, numbers_in, sentence
from steelyard.judge.protocol import TEXT, Form, Rows, list_of, schema_of
from steelyard.judge.text import fold

PARSER_VERSION = 7
"""Raised whenever the same findings could be marked differently. 1 to 6 compared what findings say with lists of words.
7: ids and order drawn per call, decoys."""

MIN_QUOTE = 8
"""Letters and digits a quote needs (a wide character counts double), unless it is the whole finding."""

MAX_CANDIDATES = 3
"""Findings a judge may name per problem."""

MAX_LISTED = 400
"""Findings of one run that are shown to a judge; no serious review has more."""

_BUDGET = 180_000
_LONGEST, _SHORTEST = 3_000, 400


@dataclass(frozen=True, slots=True)
class Candidates:
    """Which findings address which problem, in one judge's opinion."""

    claims: tuple[Claim, ...]
    notes: Mapping[str, str]


STORED_CANDIDATES = TypeAdapter(Candidates)
"""Writes and reads what the cache holds of a matching verdict."""
Rulings: TypeAlias = tuple[Ruling, ...]
"""Rulings on the remaining findings, in one judge's opinion."""
STORED_RULINGS: TypeAdapter[Rulings] = TypeAdapter(Rulings)
"""Writes and reads what the cache holds of rulings."""
Shown: TypeAlias = Mapping[str, str]
"""Finding id → the text a judge is shown."""


def shown(findings: Sequence[Finding]) -> dict[str, str]:
    """The findings as a judge sees them: labels inside a finding are broken up, long findings are cut."""
    listed = findings[:MAX_LISTED]
    room = max(_SHORTEST, min(_LONGEST, _BUDGET // max(1, len(listed))))
    return {finding.id: finding.text.replace("[[", "[ [")[:room] for finding in listed}


def listing(texts: Shown) -> str:
    """The findings as one text, each under its label."""
    return "\n\n".join(f"[[{name}]]\n{text}" for name, text in texts.items())


Ids: TypeAlias = Mapping[str, str | None]
"""Drawn id of a problem → its id in the key; None for a decoy."""


def candidates_in(ids: Ids, texts: Shown, rows: Rows) -> Candidates:
    """The claims in a reply by problem; `DecoyTaken` if it finds a decoy."""
    claims: list[Claim] = []
    notes: dict[str, str] = {}
    for name, row in rows.items():
        found = _listed(row["candidates"], texts, name)
        if (problem := _real(ids[name], found)) is not None:
            notes[problem] = sentence(row["note"])
            claims += [_claim(problem, entry, entry["mark"]) for entry in found]
    return Candidates(tuple(claims), notes)


def passages_in(ids: Ids, texts: Shown, rows: Rows) -> dict[str, tuple[Claim, ...]]:
    """The passages that a reply names per problem, as claims without a mark; decoys are left out."""
    found = {ids[name]: _listed(row["candidates"], texts, name) for name, row in rows.items()}
    return {
        problem: tuple(_claim(problem, entry, "partial") for entry in named)
        for problem, named in found.items()
        if named and problem is not None
    }


def marks_in(ids: Ids, passages: Sequence[Claim], rows: Rows) -> tuple[Claim, ...]:
    """The marks for passages in a reply about one problem; `DecoyTaken` if it finds a decoy in them."""
    claims: list[Claim] = []
    for name, row in rows.items():
        found = _few(row["marks"], name)
        places = numbers_in([entry["passage"] for entry in found], len(passages), MAX_CANDIDATES, f"{name}.marks")
        if len(places) != len(found):
            raise VerdictError(f"{name} marks one passage twice")
        if _real(ids[name], found) is not None:
            marked = zip(places, found, strict=True)
            claims += [replace(passages[place - 1], mark=entry["mark"]) for place, entry in marked]
    return tuple(claims)


def _claim(problem: str, entry: Mapping[str, Any], mark: Literal["detected", "partial"]) -> Claim:
    return Claim(problem, int(entry["finding"][1:]), mark, entry["quote"])


def _real(problem: str | None, found: Sequence[object]) -> str | None:
    """The id of a real problem; `DecoyTaken` if something was found for a decoy."""
    if problem is None and found:
        raise DecoyTaken("the reply finds a problem that is not in the key")
    return problem


def _listed(entries: list[Mapping[str, Any]], texts: Shown, problem: str) -> list[Mapping[str, Any]]:
    """The candidates of a problem: different findings, each with a quote that occurs in it."""
    for entry in _few(entries, problem):
        if (name := entry["finding"]) not in texts:
            raise VerdictError(f"{problem} names an unknown finding")
        if not quoted(entry["quote"], texts[name]):
            raise VerdictError(f"{problem}: the quote is not in {name}")
    if len({entry["finding"] for entry in entries}) != len(entries):
        raise VerdictError(f"{problem} names one finding twice")
    return entries


def _few(entries: list[Mapping[str, Any]], problem: str) -> list[Mapping[str, Any]]:
    if len(entries) > MAX_CANDIDATES:
        raise VerdictError(f"{problem} must have a list of at most {MAX_CANDIDATES}")
    return entries


def quoted(quote: str, text: str) -> bool:
    """Whether `quote` occurs in `text`, typography and spaces apart, and is more than a word of it."""
    folded, whole = fold(quote), fold(text)
    letters = sum(2 if ord(letter) > 0x2E7F else 1 for letter in folded if letter.isalnum())
    return bool(letters) and folded in whole and (letters >= MIN_QUOTE or folded == whole)


def rulings_in(labels: Mapping[str, str], asked: Sequence[str], rows: Rows) -> Rulings:
    """The rulings in a reply by finding.

    Args:
        labels: Shown id → the finding's own, empty for a decoy.
        asked: The findings that are ruled on, the decoy included.
        rows: What the reply says.
    """
    found = {labels[name]: _ruling(name, row, labels) for name, row in rows.items()}
    decoy = found.pop("", None)
    if decoy is not None and decoy.verdict == "bonus":
        raise DecoyTaken("the reply calls a finding about another document a bonus")
    return tuple(found[finding] for finding in asked if finding)


def _ruling(name: str, entry: Mapping[str, Any], labels: Mapping[str, str]) -> Ruling:
    reason, repeats = sentence(entry["reason"]), entry["repeats"]
    if not reason:
        raise VerdictError(f"{name} has no reason")
    # The decoy has no id of its own.
    index = int(labels[name][1:] or 0)
    if repeats is None:
        return Ruling(index, entry["verdict"], reason)
    if repeats not in labels or repeats == name:
        raise VerdictError(f"{name} repeats an unknown finding")
    return Ruling(index, "neither", f"the same point as {labels[repeats]}: {reason}")


_MARK = {"type": "string", "enum": ["detected", "partial"]}
_VERDICT = {"type": "string", "enum": ["bonus", "penalty", "neither"]}
_CANDIDATES = list_of(schema_of(finding=TEXT, mark=_MARK, quote=TEXT))
MATCH = Form("problems", {"candidates": _CANDIDATES, "note": TEXT})
"""The form of a matching reply."""
PASSAGES = Form("passages", {"candidates": list_of(schema_of(finding=TEXT, quote=TEXT))})
"""The form of the reply that names passages."""
MARKS = Form("problems", {"marks": list_of(schema_of(passage={"type": "integer"}, mark=_MARK))})
"""The form of the reply about one problem and its passages."""
RULINGS = Form("findings", {"verdict": _VERDICT, "reason": TEXT, "repeats": {"type": ["string", "null"]}})
"""The form of a ruling reply."""


def joint_claims(verdicts: Sequence[Candidates]) -> Candidates:
    """Several verdicts as one: the lower median of the marks for each problem and finding."""
    if len(verdicts) == 1:
        return verdicts[0]
    pairs = dict.fromkeys((claim.problem, claim.finding) for verdict in verdicts for claim in verdict.claims)
    claims: list[Claim] = []
    for pair in pairs:
        same = [claim for verdict in verdicts for claim in verdict.claims if (claim.problem, claim.finding) == pair]
        ranked = sorted([POINTS[claim.mark] for claim in same] + [0.0] * (len(verdicts) - len(same)))
        # The lower one: of two judges, both must find it.
        median = ranked[(len(ranked) - 1) // 2]
        claims += [claim for claim in same if POINTS[claim.mark] == median][:1]
    return Candidates(tuple(claims), verdicts[0].notes)


def joint_rulings(verdicts: Sequence[Rulings]) -> Rulings:
    """Several verdicts as one: the majority's ruling on each finding, else neither."""
    if len(verdicts) == 1:
        return verdicts[0]
    rulings: list[Ruling] = []
    for column in zip(*verdicts, strict=True):
        winner, votes = Counter(ruling.verdict for ruling in column).most_common(1)[0]
        clear = votes * 2 > len(column)
        reason = next(ruling.reason for ruling in column if ruling.verdict == winner) if clear else "the judges differ"
        rulings.append(Ruling(column[0].finding, winner if clear else "neither", reason))
    return tuple(rulings)


def agreement(verdicts: Sequence[Candidates], problems: Sequence[str]) -> float | None:
    """The share of problems to which all verdicts give the same best mark; None for a single verdict."""
    rated = ratings(verdicts, problems)
    return sum(len(set(points)) == 1 for points in rated.values()) / len(rated) if rated else None


def ratings(verdicts: Sequence[Candidates], problems: Sequence[str]) -> dict[str, list[float]]:
    """Per problem the points of each verdict's best mark; empty for a single verdict."""
    return {problem: [_best(verdict, problem) for verdict in verdicts] for problem in problems if len(verdicts) > 1}


def _best(verdict: Candidates, problem: str) -> float:
    return max((POINTS[claim.mark] for claim in verdict.claims if claim.problem == problem), default=0.0)
