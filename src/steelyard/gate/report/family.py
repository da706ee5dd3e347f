"""Several agents in one verdict, in every format that a single comparison has."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from steelyard import artifact
from steelyard.gate.family import ORDER, Family, Member
from steelyard.gate.model import Comparison
from steelyard.gate.report.ci import RULES, TOOL, github_commands, junit_cases, sarif_places
from steelyard.gate.report.data import as_json
from steelyard.gate.report.document import document, headline
from steelyard.gate.report.page import ReadViews, whole_page
from steelyard.report import markdown
from steelyard.report.document import Block, Column, Document, Heading, Paragraph, Tone, table
from steelyard.report.junit import render_suites
from steelyard.report.numbers import UNKNOWN, signed, things
from steelyard.report.sarif import Place
from steelyard.report.sarif import render as render_sarif

_TONES: dict[str, Tone] = {"fine": "good", "no": "bad"}


def family_document(family: Family) -> Document:
    """One table, then the report of each member."""
    blocks = _overview(family)
    for member in family.members:
        own = document(member.weighed)
        blocks += [Heading(f"{member.name}: {own.title}", 2), *own.blocks]
    return Document(_title(family), tuple(blocks))


def family_json(family: Family) -> dict[str, Any]:
    """The same as JSON: each member has the fields of a single comparison."""
    members = {member.name: as_json(member.weighed) for member in family.members}
    verdict = members[family.worst.name]["verdict"]
    return {
        "schema_version": 1,
        "state": family.state,
        "verdict": verdict,
        "alpha": family.alpha,
        "members": members,
    }


def family_github(family: Family) -> str:
    """Workflow commands for all members."""
    return "".join(github_commands(member.weighed, f"Gate, {member.name}") for member in family.members)


def _junit(family: Family) -> str:
    return render_suites({f"steelyard.gate.{member.name}": junit_cases(member.weighed) for member in family.members})


def _sarif(family: Family) -> str:
    return render_sarif(TOOL, RULES, [place for member in family.members for place in _places(member)])


def _places(member: Member) -> list[Place]:
    return [
        replace(
            place,
            message=f"{member.name}: {place.message}",
            where=f"{member.name}: {place.where}" if place.where else member.name,
        )
        for place in sarif_places(member.weighed)
    ]


def _html(family: Family, read_views: ReadViews) -> str:
    members = {member.name: member.weighed for member in family.members}
    return whole_page(_title(family), members, read_views, above=_overview(family))


FAMILY_FORMATS: dict[str, Callable[[Family, ReadViews], str]] = {
    "json": lambda family, _: artifact.json_text(family_json(family)),
    "markdown": lambda family, _: markdown.render(family_document(family)),
    "junit": lambda family, _: _junit(family),
    "sarif": lambda family, _: _sarif(family),
    "html": _html,
}
"""Name of the format → renderer, as `FORMATS` for one comparison."""


def _overview(family: Family) -> list[Block]:
    columns = ("Agent", "Verdict", Column("Net gain", "right"), "In one sentence")
    rows = [
        (member.name, _verdict(member), _gain(member), headline(member.weighed.outcome)) for member in family.members
    ]
    return [
        Paragraph(_summary(family), _TONES.get(family.state, "warn")),
        table(columns, rows),
        Paragraph(f"Each is compared at {family.alpha:g}/{len(family.members)}: errors are kept over all of them."),
    ]


def _title(family: Family) -> str:
    words = {"no": "not all may ship", "unanswered": "no verdict for some", "undecided": "undecided", "fine": "fine"}
    return f"Gate: {things(len(family.members), 'agent')}, {words[family.state]}"


def _summary(family: Family) -> str:
    counts = [sum(member.state == state for member in family.members) for state in ORDER]
    names = ("worse", "without a verdict", "undecided", "fine")
    return ", ".join(f"{number} {name}" for number, name in zip(counts, names, strict=True) if number) + "."


def _verdict(member: Member) -> str:
    outcome = member.weighed.outcome
    return outcome.verdict if isinstance(outcome, Comparison) else "unchanged" if outcome.unchanged else "no verdict"


def _gain(member: Member) -> str:
    outcome = member.weighed.outcome
    return signed(outcome.net_gain) if isinstance(outcome, Comparison) else UNKNOWN
