"""Parses a judge's reply into claims and rulings: pure and strict.

The whole reply must be one JSON object of the prescribed form, with nothing missing, unknown or repeated. Every problem
has an entry; each of its candidates, three at most, names a different existing finding, with a quote that occurs in
that finding, carries meaning, shares a content word with the problem and does not address its reader. Every finding in
question has exactly one ruling with a reason. Anything else raises `VerdictError`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple, TypeAlias, cast, get_args

from steelyard.audit.marking.glossary import in_english
from steelyard.audit.marking.terms import is_spaceless
from steelyard.audit.model import POINTS, Claim, Finding, Ruled, Ruling
from steelyard.judge.parse import VerdictError, expect_keys, mapping, read_object, refuse_echo, sentence
from steelyard.judge.quotes import GradedText

PARSER_VERSION = 6
"""1: first version. 2: an object copied from the graded text is recognised in any spelling. 3: a reply carries the code
of its call, a verdict that the findings hold is recognised by its meaning, quotes are about their problem. 4: verdicts
in more encodings; quotes in a language that the findings are not in. 5 and 6: as
versions 6 and 7 of the judge's parser."""

MAX_CANDIDATES = 3
"""Findings a judge may name per problem."""

MAX_LISTED = 400
"""Findings of one run that are shown to a judge; no serious review has more."""

_BUDGET = 180_000
_LONGEST, _SHORTEST = 3_000, 400
_LABEL = re.compile(r"\[\[")


@dataclass(frozen=True, slots=True)
class Candidates:
    """Which findings address which problem, in one judge's opinion."""

    claims: tuple[Claim, ...]
    notes: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Rulings:
    """Rulings on the remaining findings, in one judge's opinion."""

    rulings: tuple[Ruling, ...]


Shown: TypeAlias = Mapping[str, str]
"""Finding id → the text a judge is shown."""


def shown(findings: Sequence[Finding]) -> dict[str, str]:
    """The findings as a judge sees them: labels inside a finding are broken up, long findings are cut."""
    listed = findings[:MAX_LISTED]
    room = max(_SHORTEST, min(_LONGEST, _BUDGET // max(1, len(listed))))
    return {finding.id: _LABEL.sub("[ [", finding.text)[:room] for finding in listed}


def listing(texts: Shown) -> str:
    """The findings as one text, each under its label."""
    return "\n\n".join(f"[[{name}]]\n{text}" for name, text in texts.items())


def bilingual(text: str) -> str:
    """A text with the English of its Japanese terms, so that a key and a run in two languages can be compared."""
    return f"{text}\n{in_english(text)}" if is_spaceless(text) else text


Topics: TypeAlias = Mapping[str, str]
"""Problem → what the key says about it."""


def parse_candidates(problems: Topics, texts: Shown, reply: str, text: str, code: str | None = None) -> Candidates:
    """The candidates in a reply to `match_question`; `code` is what the reply has to carry."""
    verdict = read_object(reply, text, code)
    expect_keys(verdict, ("problems",), "the reply")
    return candidates_in(problems, texts, verdict["problems"])


def candidates_in(
    problems: Topics, texts: Shown, value: object, dropped: Callable[[str], bool] = lambda quote: False
) -> Candidates:
    """The candidates in the `problems` of a reply.

    A quote that is not evidence refuses the reply, unless the caller drops claims with such a quote anyway: `dropped`.
    """
    table = mapping(value, "problems")
    expect_keys(table, problems, "problems")
    around = tuple(sentence for finding in texts.values() for sentence in GradedText.of(finding).sentences())
    graded = {name: GradedText.of(finding, around) for name, finding in texts.items()}
    claims: list[Claim] = []
    notes: dict[str, str] = {}
    for problem, topic in problems.items():
        entry = mapping(table[problem], problem)
        expect_keys(entry, ("candidates", "note"), problem)
        notes[problem] = sentence(entry["note"], f"{problem}.note")
        claims += _candidates(_Problem(problem, topic, dropped), entry["candidates"], graded)
    refuse_echo("\n\n".join(texts.values()), {claim.problem: claim.mark for claim in reversed(claims)})
    return Candidates(tuple(claims), notes)


class _Problem(NamedTuple):
    """A problem of the key and what its evidence must be."""

    id: str
    topic: str
    dropped: Callable[[str], bool]


def _candidates(asked: _Problem, value: object, graded: Mapping[str, GradedText]) -> list[Claim]:
    problem = asked.id
    if not isinstance(value, list):
        raise VerdictError(f"{problem}.candidates must be a list")
    entries = cast(list[object], value)
    if len(entries) > MAX_CANDIDATES:
        raise VerdictError(f"{problem} has more than {MAX_CANDIDATES} candidates")
    claims = [_candidate(asked, mapping(entry, f"a candidate of {problem}"), graded) for entry in entries]
    if len({claim.finding for claim in claims}) != len(claims):
        raise VerdictError(f"{problem} names one finding twice")
    return claims


def _candidate(asked: _Problem, entry: Mapping[str, Any], graded: Mapping[str, GradedText]) -> Claim:
    problem = asked.id
    expect_keys(entry, ("finding", "mark", "quote"), f"a candidate of {problem}")
    name, mark, quote = entry["finding"], entry["mark"], entry["quote"]
    if not isinstance(name, str) or name not in graded:
        raise VerdictError(f"{problem} names an unknown finding")
    if mark not in ("detected", "partial"):
        raise VerdictError(f"{problem}: a mark must be detected or partial")
    if not isinstance(quote, str) or not graded[name].contains(quote):
        raise VerdictError(f"{problem}: the quote is not in {name}")
    if not (asked.dropped(quote) or graded[name].supports(quote, asked.topic, bilingual)):
        reason = "says nothing about the problem, or speaks to its reader"
        raise VerdictError(f"{problem}: the quote from {name} {reason}")
    return Claim(problem, int(name[1:]), mark, quote)


def parse_rulings(findings: Sequence[str], known: Shown, reply: str, text: str, code: str | None = None) -> Rulings:
    """The rulings on `findings` in a reply to one of `rulings_questions`; `known` are all findings of the run."""
    verdict = read_object(reply, text, code)
    expect_keys(verdict, ("findings",), "the reply")
    return rulings_in(findings, known, verdict["findings"])


def rulings_in(findings: Sequence[str], known: Shown, value: object) -> Rulings:
    """The rulings on `findings` in the `findings` of a reply."""
    table = mapping(value, "findings")
    expect_keys(table, findings, "findings")
    rulings = tuple(_ruling(name, mapping(table[name], name), known) for name in findings)
    refuse_echo("\n\n".join(known.values()), {f"F{ruling.finding:02d}": ruling.verdict for ruling in rulings})
    return Rulings(rulings)


def _ruling(name: str, entry: Mapping[str, Any], known: Shown) -> Ruling:
    expect_keys(entry, ("verdict", "reason", "repeats"), name)
    verdict, repeats = entry["verdict"], entry["repeats"]
    if verdict not in get_args(Ruled):
        raise VerdictError(f"{name}: a verdict must be bonus, penalty or neither")
    reason = sentence(entry["reason"], f"{name}.reason")
    if not reason:
        raise VerdictError(f"{name} has no reason")
    if repeats is None:
        return Ruling(int(name[1:]), cast(Ruled, verdict), reason)
    if not isinstance(repeats, str) or repeats not in known or repeats == name:
        raise VerdictError(f"{name} repeats an unknown finding")
    return Ruling(int(name[1:]), "neither", f"the same point as {repeats}: {reason}")


def joint_claims(verdicts: Sequence[Candidates]) -> Candidates:
    """Several verdicts as one: the lower median of the marks for each problem and finding."""
    if len(verdicts) == 1:
        return verdicts[0]
    pairs = dict.fromkeys((claim.problem, claim.finding) for verdict in verdicts for claim in verdict.claims)
    claims: list[Claim] = []
    for pair in pairs:
        same = [claim for verdict in verdicts for claim in verdict.claims if (claim.problem, claim.finding) == pair]
        ranked = sorted([POINTS[claim.mark] for claim in same] + [0.0] * (len(verdicts) - len(same)))
        median = ranked[(len(ranked) - 1) // 2]
        claims += [claim for claim in same if POINTS[claim.mark] == median][:1]
    return Candidates(tuple(claims), verdicts[0].notes)


def joint_rulings(verdicts: Sequence[Rulings]) -> Rulings:
    """Several verdicts as one: the majority's ruling on each finding, else neither."""
    if len(verdicts) == 1:
        return verdicts[0]
    rulings: list[Ruling] = []
    for column in zip(*(verdict.rulings for verdict in verdicts), strict=True):
        winner, votes = Counter(ruling.verdict for ruling in column).most_common(1)[0]
        clear = votes * 2 > len(column)
        reason = next(ruling.reason for ruling in column if ruling.verdict == winner) if clear else "the judges differ"
        rulings.append(Ruling(column[0].finding, winner if clear else "neither", reason))
    return Rulings(tuple(rulings))


def agreement(verdicts: Sequence[Candidates], problems: Sequence[str]) -> float | None:
    """The share of problems to which all verdicts give the same best mark; None for a single verdict."""
    rated = ratings(verdicts, problems)
    return sum(len(set(points)) == 1 for points in rated.values()) / len(rated) if rated else None


def ratings(verdicts: Sequence[Candidates], problems: Sequence[str]) -> dict[str, list[float]]:
    """Per problem the points of each verdict's best mark; empty for a single verdict."""
    return {problem: [_best(verdict, problem) for verdict in verdicts] for problem in problems if len(verdicts) > 1}


def _best(verdict: Candidates, problem: str) -> float:
    return max((POINTS[claim.mark] for claim in verdict.claims if claim.problem == problem), default=0.0)


def encode_candidates(verdict: Candidates) -> Any:
    """As the cache stores it."""
    return {"claims": [asdict(claim) for claim in verdict.claims], "notes": dict(verdict.notes)}


def decode_candidates(data: Any) -> Candidates:
    """From the cache; raises on damaged data."""
    claims = tuple(Claim(**claim) for claim in data["claims"])
    if any(claim.mark not in ("detected", "partial") for claim in claims):
        raise VerdictError("a cached mark is unknown")
    return Candidates(claims, {str(key): str(value) for key, value in data["notes"].items()})


def encode_rulings(verdict: Rulings) -> Any:
    """As the cache stores it."""
    return [asdict(ruling) for ruling in verdict.rulings]


def decode_rulings(data: Any) -> Rulings:
    """From the cache; raises on damaged data."""
    rulings = tuple(Ruling(**ruling) for ruling in data)
    if any(ruling.verdict not in get_args(Ruled) for ruling in rulings):
        raise VerdictError("a cached verdict is unknown")
    return Rulings(rulings)
