"""The files a person provides: each is read once, and one that cannot be used is refused with one line."""

from __future__ import annotations

import codecs
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from steelyard.artifact import read_bytes
from steelyard.audit.agreement.people import Opinion, opinion_of_scoring, opinion_of_sheet
from steelyard.audit.findings import TEXT_LIMIT, read_output
from steelyard.audit.findings.structured import is_scan, json_findings
from steelyard.audit.key import parse_key
from steelyard.audit.marking.ask import Reply
from steelyard.audit.marking.pasted import model_in
from steelyard.audit.marking.questions import Brief
from steelyard.audit.marking.sheet import Sheet, parse_sheet
from steelyard.audit.model import EMPTY_KEY, Key, Output, Source
from steelyard.audit.scorings import read_scoring
from steelyard.errors import InputError, boundary

BYTE_LIMIT = TEXT_LIMIT
"""Bytes of the largest file that is read."""

BROKEN_SHARE = 0.05
"""Share of undecodable characters above which a file is not text; a stray byte in an agent's output is accepted."""


class NotText(InputError):
    """A file that holds no text, or too much of it."""


def read_text(path: Path, what: str, *, strict: bool = True) -> str:
    """The text of a file: UTF-8, or UTF-16 with a byte order mark.

    Anything else is refused, or replaced when an agent wrote it (`strict` off).
    """
    with boundary(InputError, f"cannot read the {what} {path}"):
        if path.is_dir():
            raise InputError(f"the {what} {path} is a directory")
        # The size first, so that a huge file is never read whole.
        if path.stat().st_size > BYTE_LIMIT:
            raise NotText(f"the {what} {path} is larger than {BYTE_LIMIT // 1_000_000} MB")
        data = read_bytes(path, BYTE_LIMIT)
        lenient = _decoded(data, strict=False)
        # At least 40, so that one or two stray bytes do not make a short file binary.
        if "\0" in lenient or lenient.count("\ufffd") > BROKEN_SHARE * max(len(lenient), 40):
            raise NotText(f"the {what} {path} is not text")
        return _decoded(data, strict=True) if strict else lenient


def _decoded(data: bytes, *, strict: bool) -> str:
    """Bytes as text; a byte order mark says that they are UTF-16."""
    errors = "strict" if strict else "replace"
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", errors)
    return data.decode("utf-8-sig", errors)


def read_key(path: Path) -> Key:
    """The answer key in a file; `FILE#PART` is one of several keys in it."""
    # A file may have a `#` in its own name.
    name, _, pick = (str(path), "", "") if path.exists() else str(path).partition("#")
    return parse_key(read_text(Path(name), "answer key"), name, pick=pick)


def read_brief(unit: Mapping[str, str | None], perspective: str | None) -> Brief:
    """Key, perspective and document of one unit, from their paths; no key means a clean control document."""
    key, document = unit.get("key"), unit.get("document")
    return Brief(
        key=read_key(Path(key)) if key else EMPTY_KEY,
        perspective=read_text(Path(perspective), "perspective") if perspective else "",
        document=read_text(Path(document), "document") if document else "",
    )


def other_keys(units: Mapping[str, Mapping[str, str | None]], name: str) -> tuple[Key, ...]:
    """The keys of the other documents, as far as they can be read: decoys may be drawn from them."""
    paths = dict.fromkeys(unit.get("key") for other, unit in units.items() if other != name)
    found: list[Key] = []
    for path in paths:
        # Two documents may have one key.
        if path and path != units[name].get("key"):
            with suppress(InputError):
                found.append(read_key(Path(path)))
    return tuple(found)


def read_source(path: Path) -> Source:
    """The audited document in a file."""
    return source_of(path, read_text(path, "document"))


def source_of(path: Path, text: str) -> Source:
    """A document that has been read, with the path that reports show."""
    full, here = path.resolve(), Path.cwd()
    shown = full.relative_to(here) if full.is_relative_to(here) else full
    return Source(shown.as_posix(), text)


def read_run(path: Path) -> Output:
    """The output of one run in a file; one that is not text, or too large, holds no findings and a warning says so."""
    try:
        text = read_text(path, "run", strict=False)
        output = read_output(text, path.name)
        # The report of a scanner that is cut off must not end as one long finding in prose.
        if _is_broken(path.suffix, text):
            fault = f"it is cut off, or no {path.suffix[1:].upper()}: it counts as an empty run"
            output = replace(output, findings=(), flags=(*output.flags, fault))
        return output
    except NotText as error:
        return Output(path.name, "", (), (f"{error}: it counts as an empty run",))


def _is_broken(suffix: str, text: str) -> bool:
    """Whether a file is not what its name says; prose in a file for JSON is read as prose."""
    if suffix == ".sarif":
        return not is_scan(text)
    return suffix == ".json" and text.lstrip().startswith(("{", "[")) and json_findings(text) is None


def read_reply(path: Path, model: str = "") -> Reply:
    """The reply of a chat in a file; `model` is who answered, unless the reply itself names it."""
    text = read_text(path, "reply")
    return Reply(str(path), text, model.strip() or model_in(text))


def read_sheet(path: Path) -> Sheet:
    """The filled sheet in a file."""
    return parse_sheet(read_text(path, "sheet"), str(path))


def read_opinion(path: Path) -> Opinion:
    """What one person marked: a sheet, or a scoring file if it is Markdown."""
    if path.suffix == ".md":
        return opinion_of_scoring(read_scoring(read_text(path, "scoring file"), path.name))
    return opinion_of_sheet(read_sheet(path))


def agent_prompt(text: str) -> tuple[str, str]:
    """An agent definition as (name, system prompt): YAML between `---` lines at the top is its header."""
    if not text.startswith("---"):
        return "", text.strip()
    head, closed, body = text[3:].partition("\n---")
    if not closed:
        return "", text.strip()
    name = next((line.partition(":")[2].strip() for line in head.splitlines() if line.startswith("name:")), "")
    return name.strip("\"'"), body.partition("\n")[2].strip()
