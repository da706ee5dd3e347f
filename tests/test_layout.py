"""The shape of the source tree: small folders, unique names, plain English."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "steelyard"
WINGS = ("bench", "audit", "gate", "judge", "cli")
MOST_MODULES = 20


def own_modules(folder: Path) -> list[Path]:
    """The modules below a folder that we wrote as code; references and examples are data."""
    return [
        path
        for path in sorted(folder.rglob("*.py"))
        if not {"references", "examples"} & set(path.relative_to(SOURCE).parts)
    ]


def test_no_folder_holds_more_modules_than_a_reader_can_scan() -> None:
    sizes = Counter(path.parent for path in own_modules(SOURCE) if path.name != "__init__.py")
    assert {str(folder): count for folder, count in sizes.items() if count > MOST_MODULES} == {}


@pytest.mark.parametrize("wing", WINGS)
def test_no_class_name_occurs_twice_in_a_wing(wing: str) -> None:
    names = Counter(
        node.name
        for path in own_modules(SOURCE / wing)
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ClassDef)
    )
    assert [name for name, count in names.items() if count > 1] == []


def test_the_three_wings_have_the_same_rooms() -> None:
    shared = {"model", "score", "read", "weigh", "report", "run", "rescore"}
    for wing in ("bench", "audit", "gate"):
        present = {path.stem for path in (SOURCE / wing).iterdir() if path.suffix in ("", ".py")}
        assert shared - present == set(), wing


OPAQUE_NAMES = ("butler", "wish", "glimpse", "shelf", "telling", "outlook", "discreet", "workshop")
"""Names of things that only their author understood."""


def test_no_opaque_name_is_back() -> None:
    pattern = re.compile(rf"(?<![a-z])(?:{'|'.join(OPAQUE_NAMES)})(?![a-z])", re.IGNORECASE)
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in own_modules(SOURCE)
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if pattern.search(re.sub(r"""(['"]).*?\1""", "", line)) or pattern.search(path.stem)
    ]
    assert found == []


TRANSLATED = [
    r"(?<!there )\bis no (folder|file|number|list|mapping|log|text|proportion|key|directory|model)\b",
    r"\bare no (folders|files|numbers|logs)\b",
    r"\bstands? (twice|in no|in the log|beside|nowhere|there as)\b",
    r"\bnobody is believed\b",
    r"\bkept theirs to themselves\b",
    r"\bsaid aloud\b",
    r"\bsays so aloud\b",
    r"\bis asked for\b.*\bwhat\b",
    r"\bname no keys\b",
    r"\bnot one of them\b",
    r"\bbelongs to nobody\b",
    r"\bwhat is no\b",
]
"""Turns of phrase that read as translated; each was in a message or a page once."""


def prose() -> list[Path]:
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "design").glob("*.md")]
    return [*own_modules(SOURCE), *sorted(pages)]


def test_messages_and_pages_are_plain_english() -> None:
    pattern = re.compile("|".join(TRANSLATED), re.IGNORECASE)
    found = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in prose()
        for match in pattern.finditer(path.read_text("utf-8"))
    ]
    assert found == []
