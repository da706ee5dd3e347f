"""A folder to start from: `bench.yaml` and one file of example items per kind, which run as they are."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources
from pathlib import Path

from steelyard import artifact
from steelyard.bench.own.model import Kind
from steelyard.bench.own.read import FILE_NAME
from steelyard.errors import InputError

DEFAULT: tuple[Kind, ...] = ("exam", "text")
"""Kinds that run on every machine, without tools and without a judge."""

_FILES: dict[Kind, tuple[str, str]] = {
    "exam": ("exam.jsonl", "questions"),
    "text": ("text.yaml", "explanations"),
    "architecture": ("architecture.yaml", "architectures"),
    "cdk": ("cdk.yaml", "apps"),
}
"""Kind → file of its items, key of its category."""
# Written out, because the weights of a bench must sum to exactly 1.
_WEIGHTS = {1: ("1",), 2: ("0.5", "0.5"), 3: ("0.34", "0.33", "0.33"), 4: ("0.25",) * 4}
_HEAD = """\
# Items of your own. Run them with
#   steelyard bench run --items {folder} --model steelyard/ceiling --model steelyard/floor
# Fields: steelyard bench check --schema bench, or exam (text, architecture, cdk).
name: {name}
title: {title}
categories:
"""


def write_skeleton(folder: Path, kinds: Sequence[Kind] = DEFAULT) -> tuple[Path, ...]:
    """Write the example of each kind into `folder`; raises `InputError` before anything is written if a file exists."""
    chosen = tuple(dict.fromkeys(kinds)) or DEFAULT
    files = {FILE_NAME: _bench_file(folder, chosen), **{_FILES[kind][0]: _example(kind) for kind in chosen}}
    if existing := [name for name in files if (folder / name).exists() or (folder / name).is_symlink()]:
        raise InputError(f"{folder} already has {', '.join(existing)}", cure="choose a new folder")
    for name, text in files.items():
        artifact.write_text(folder / name, text)
    return tuple(folder / name for name in files)


def _bench_file(folder: Path, kinds: Sequence[Kind]) -> str:
    letters = "".join(character if character.isascii() and character.isalnum() else "-" for character in folder.name)
    name = letters.strip("-").lower()[:40] or "my-bench"
    text = _HEAD.format(folder=folder.name or "DIR", name=name, title=f"Bench {name}")
    for kind, weight in zip(kinds, _WEIGHTS[len(kinds)], strict=True):
        file, key = _FILES[kind]
        text += f"  {key}:\n    kind: {kind}\n    title: {key.title()}\n    items: {file}\n    weight: {weight}\n"
    return text


def _example(kind: Kind) -> str:
    return resources.files("steelyard.bench.own").joinpath("skeleton", _FILES[kind][0]).read_text("utf-8")
