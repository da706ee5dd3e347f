"""What the marking page shows, as JSON; all text in it that is markup was escaped by `report.markup`."""

from __future__ import annotations

from typing import Any

from steelyard.audit.marking.lexical import Proposal
from steelyard.audit.marking.sheet import SheetRun
from steelyard.audit.marking_page.session import OpenRun, Session
from steelyard.audit.model import Finding, Problem
from steelyard.audit.report.findings import lines
from steelyard.audit.report.grid import criteria
from steelyard.audit.report.passages import Segment, segments
from steelyard.audit.text import contains
from steelyard.report.html import escape
from steelyard.report.markup import markup

_SIGNS = " \t\n>*+#-"
"""Signs of a list or heading before a passage."""


def overview_data(session: Session, notice: str = "") -> dict[str, Any]:
    """All runs with their progress."""
    runs = [
        {"name": run.output.name, "document": run.document, **_progress(session, place)}
        for place, run in enumerate(session.runs)
    ]
    whole = session.progress()
    return {"sheet": str(session.sheet), "runs": runs, "done": whole.done, "total": whole.total, "notice": notice}


def run_data(session: Session, place: int, sheet_run: SheetRun, *, whole: bool = True) -> dict[str, Any]:
    """One run: a cell per problem, the least certain proposal first; with `whole` its text, findings outlined.

    A blind session has the key's order, and a proposal only for the cells that are marked: nothing that the page could
    show by mistake is sent.
    """
    run = session.runs[place]
    problems = {problem.id: problem for problem in run.brief.key.problems}
    proposed = {proposal.problem: proposal for proposal in session.proposals(place)}
    order = problems if session.blind else proposed
    cells = [_cell(problems[name], proposed[name], sheet_run, blind=session.blind) for name in order]
    findings = {ruling.finding: ruling for ruling in sheet_run.rulings}
    return {
        "run": place,
        "name": run.output.name,
        "document": run.document,
        "blind": session.blind,
        "cells": cells,
        "findings": [
            {
                "index": finding.index,
                "id": finding.id,
                "title": finding.title,
                "verdict": findings[finding.index].verdict if finding.index in findings else "neither",
                "reason": findings[finding.index].reason if finding.index in findings else "",
            }
            for finding in sheet_run.output.findings
        ],
        **(_texts(run, sheet_run) if whole else {}),
    }


def _progress(session: Session, place: int) -> dict[str, int]:
    part = session.run_progress(place)
    return {"done": part.done, "total": part.total}


def _texts(run: OpenRun, sheet_run: SheetRun) -> dict[str, str]:
    """The run itself, and what a person may want to look up."""
    bonuses = "\n".join(f"- {entry.content} ({entry.condition})" for entry in run.brief.key.bonuses)
    texts = {"perspective": run.brief.perspective, "bonuses": bonuses, "source": run.brief.document}
    shown = {name: markup(text) if text.strip() else "" for name, text in texts.items()}
    return {"text": "\n".join(_segment(segment) for segment in segments(sheet_run.output)), **shown}


def _cell(problem: Problem, proposal: Proposal, run: SheetRun, *, blind: bool) -> dict[str, Any]:
    saved = run.cells.get(problem.id)
    # Marks that are to judge the marker must not be led by what it proposes.
    unseen = blind and (saved is None or saved.mark is None)
    where = " · ".join(part for part in (problem.severity, problem.category, problem.location) if part)
    return {
        "problem": problem.id,
        "title": problem.title,
        "where": where,
        "about": (markup(problem.description) if problem.description else "") + criteria(problem),
        "mark": saved.mark if saved else None,
        "finding": saved.finding if saved and not unseen else None,
        "quote": saved.quote if saved and not unseen else "",
        "note": saved.note if saved else "",
        "proposal": None if unseen else _proposal(proposal, run),
    }


def _proposal(proposal: Proposal, run: SheetRun) -> dict[str, Any]:
    return {
        "mark": proposal.mark,
        "certainty": round(proposal.certainty, 3),
        "finding": proposal.finding,
        "quote": proposal.quote.lstrip(_SIGNS) if _is_verbatim(proposal, run) else "",
    }


def _is_verbatim(proposal: Proposal, run: SheetRun) -> bool:
    """Whether the proposed passage is in the run as it is: the marker reads look-alike letters as Latin ones."""
    finding = next((finding for finding in run.output.findings if finding.index == proposal.finding), None)
    return finding is not None and contains(finding.text, proposal.quote)


def _segment(segment: Segment) -> str:
    if segment.finding is not None:
        return _finding(segment.finding, segment.text)
    reasons = "; ".join(dict.fromkeys(part.reason for part in segment.left_out))
    why = f"<p class=why>left out: {escape(reasons)}</p>" if reasons else ""
    return f'<div class="gap">{why}{markup(segment.text)}</div>'


def _finding(finding: Finding, text: str) -> str:
    return (
        f'<section class="finding" data-finding="{finding.index}" tabindex="-1" aria-label="finding {finding.id}">'
        f"<p class=tag><b>{finding.id}</b><span class=uses></span>"
        f"<span class=lines>line {lines(finding.line, finding.end)}</span></p>{markup(text)}</section>"
    )
