"""What was read from one output: its findings, and what belongs to none with the reason."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from steelyard.audit.model import Finding, Output
from steelyard.report.document import Block, Bullets, Column, Document, Heading, Paragraph, table
from steelyard.report.numbers import count


def findings_document(output: Output) -> Document:
    """Findings and what is left out, as tables."""
    left = sum(part.end - part.line + 1 for part in output.left_out)
    blocks: list[Block] = [
        Paragraph(f"{count(len(output.findings))} findings; {count(left)} lines belong to none of them."),
        *([Bullets(output.flags)] if output.flags else []),
    ]
    if output.findings:
        heads = ["Id", Column("Lines", align="right"), Column("Finding", shrink=True), "Places", "Under"]
        blocks.append(table(heads, [_row(finding) for finding in output.findings]))
    if output.left_out:
        rows = [(lines(part.line, part.end), part.reason, part.text) for part in output.left_out]
        heads = [Column("Lines", align="right"), "Why", Column("Begins with", shrink=True)]
        blocks += [Heading("Left out"), table(heads, rows)]
    return Document(f"Findings in {output.name}", tuple(blocks))


def findings_data(output: Output) -> dict[str, Any]:
    """The output as `audit-findings.schema.json` describes it."""
    return {
        "schema_version": 1,
        "kind": "audit-findings",
        "name": output.name,
        "findings": [_data(finding) for finding in output.findings],
        "left_out": [{"lines": [part.line, part.end], **_text(part.reason, part.text)} for part in output.left_out],
        "flags": list(output.flags),
    }


def lines(first: int, last: int) -> str:
    """`3` or `3-7`."""
    return str(first) if first == last else f"{first}-{last}"


def _row(finding: Finding) -> tuple[str, ...]:
    places = ", ".join(map(str, finding.locations[:3])) + (" …" if len(finding.locations) > 3 else "")
    group = finding.group.rpartition(" > ")[2]
    return finding.id, lines(finding.line, finding.end), finding.title, places, group


def _text(reason: str, text: str) -> dict[str, str]:
    return {"reason": reason, "text": text}


def _data(finding: Finding) -> dict[str, Any]:
    return {
        "id": finding.id,
        "title": finding.title,
        "lines": [finding.line, finding.end],
        "text": finding.text,
        "group": finding.group,
        "locations": [asdict(place) for place in finding.locations],
    }
