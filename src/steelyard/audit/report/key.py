"""An answer key as a document, for the person who wrote it."""

from __future__ import annotations

from steelyard.audit.key import key_hash
from steelyard.audit.model import SEVERITIES, Key
from steelyard.report.document import Block, Bullets, Column, Document, Heading, Paragraph, table
from steelyard.report.numbers import count


def key_document(key: Key, source: str) -> Document:
    """The contents of a key that passed its checks."""
    counts = {name: sum(problem.severity == name for problem in key.problems) for name in SEVERITIES}
    severities = ", ".join(f"{count(number)} {name.lower()}" for name, number in counts.items())
    problems = count(len(key.problems))
    blocks: list[Block] = [
        Paragraph(f"{problems} problems ({severities}), {count(len(key.bonuses))} bonus entries; {source}."),
        Paragraph(f"Key {key_hash(key)}: results with another key cannot be compared with this one's.", "muted"),
        table(
            ["Problem", "Severity", "Category", Column("Location", shrink=True)],
            [(f"{each.id}: {each.title}", each.severity, each.category, each.location) for each in key.problems],
        ),
    ]
    for each in key.problems:
        criteria = each.criteria
        blocks += [Heading(f"{each.id}: {each.title}", 3), Paragraph(each.description)] if each.description else []
        blocks.append(Bullets((f"○ {criteria.detected}", f"△ {criteria.partial}", f"× {criteria.missed}")))
    if key.bonuses:
        rows = [(each.id, each.category, each.content, each.condition) for each in key.bonuses]
        blocks += [Heading("Bonus"), table(["ID", "Category", "Content", "Condition"], rows)]
    return Document(key.title or "Answer key", tuple(blocks))
