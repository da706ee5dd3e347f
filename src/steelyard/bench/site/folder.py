"""Writing the page: every file whole or not at all, one log in memory at a time, nothing left from an older board."""

from __future__ import annotations

import shutil
import tempfile
from itertools import chain
from pathlib import Path
from typing import Any, cast

from steelyard import artifact
from steelyard.bench.answers import read_answers, veiled
from steelyard.bench.leaderboard import csv_text, json_text
from steelyard.bench.model import Board, Row
from steelyard.bench.site.index import index
from steelyard.bench.site.item_page import item_page
from steelyard.bench.site.names import items_file, subject_file
from steelyard.bench.site.subject_page import subject_page
from steelyard.errors import ArtifactError, InputError, LogError, boundary

CONTENTS = ".steelyard-page.json"
"""Names the files we wrote, so that a later board can take away what it no longer has."""


def write_site(board: Board, folder: Path, *, reveal: bool = False) -> Path:
    """Write the page of `board` into `folder`; gives back the file to open."""
    before = _before(folder)
    written = ["index.html", "leaderboard.json", "leaderboard.csv"]
    for row in board.rows:
        written += _subject(row, folder, reveal)
    viewer = reveal and _viewer(board, folder)
    artifact.write_text(folder / "leaderboard.json", json_text(board))
    artifact.write_text(folder / "leaderboard.csv", csv_text(board))
    artifact.write_text(folder / "index.html", index(board, viewer=viewer))
    for name in before - set(written):
        (folder / name).unlink(missing_ok=True)
    if before and not viewer:
        shutil.rmtree(folder / "viewer", ignore_errors=True)
    artifact.write_json(folder / CONTENTS, {"schema_version": 1, "files": sorted(written)})
    return folder / "index.html"


def _subject(row: Row, folder: Path, reveal: bool) -> list[str]:
    name = f"models/{subject_file(row)}"
    artifact.write_text(folder / name, subject_page(row))
    written = [name]
    for key, result in row.results.items():
        scorer = result.scorer.partition("@")[0]
        told = chain.from_iterable(read_answers(path, scorer, reveal=reveal) for path in result.logs)
        answers = (veiled(each, str(row.details.get("model")), reveal=reveal) for each in told)
        name = f"models/{items_file(row, key)}"
        artifact.write_text(folder / name, item_page(row, key, answers, reveal=reveal))
        written.append(name)
    return written


def _before(folder: Path) -> set[str]:
    """What an earlier board of ours left here; a folder of somebody else's is not written into."""
    if not folder.exists():
        return set()
    if not (folder / CONTENTS).is_file():
        if any(folder.iterdir()):
            raise InputError(f"{folder} is not empty and holds no page of ours", cure="choose a new folder")
        return set()
    names = cast(list[Any], cast(dict[str, Any], artifact.read_json(folder / CONTENTS)).get("files") or [])
    # A name that leads out of the folder was not written by us.
    return {str(name) for name in names if ".." not in Path(str(name)).parts and not Path(str(name)).is_absolute()}


def _viewer(board: Board, folder: Path) -> bool:
    """Inspect's own log viewer over the logs that count; it shows references and works only when served."""
    from inspect_ai.log import bundle_log_dir

    paths = [path for row in board.rows for result in row.results.values() for path in result.logs]
    local = [Path(path) for path in paths if "://" not in path]
    if not local:
        return False
    with tempfile.TemporaryDirectory() as scratch, boundary(ArtifactError, "cannot bundle Inspect's log viewer"):
        for number, path in enumerate(local):
            if not path.is_file():
                raise LogError(f"{path} is gone")
            shutil.copyfile(path, Path(scratch) / f"{number:04d}_{path.name}")
        bundle_log_dir(log_dir=scratch, output_dir=str(folder / "viewer"), overwrite=True)
    return True
