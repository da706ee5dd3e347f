"""Writing the page: whole or not at all, one log in memory at a time, nothing left from an older board.

Everything is written into a sibling folder first; only when the last file stands does the page take its place.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any, cast

from steelyard import artifact, toolchain
from steelyard.bench.model import Board, BoardRow
from steelyard.bench.read.answers import redacted
from steelyard.bench.read.store import AnswerStore
from steelyard.bench.report.data import csv_text, json_text
from steelyard.bench.report.page.compare import compare_page
from steelyard.bench.report.page.grid import grid_page
from steelyard.bench.report.page.index import index
from steelyard.bench.report.page.item_page import item_page
from steelyard.bench.report.page.names import items_file, subject_file
from steelyard.bench.report.page.subject_page import subject_page
from steelyard.bench.suite import Suite
from steelyard.errors import ArtifactError, InputError, LogError, boundary

CONTENTS = ".steelyard-page.json"
"""Names the files we wrote, so that a later board can take away what it no longer has."""


def write_site(board: Board, folder: Path, answers: AnswerStore | None = None, *, reveal: bool = False) -> Path:
    """Write the page of `board` into `folder`; gives back the file to open.

    `answers` are those of the board's logs, kept under the same `reveal`; without them the logs are opened here.
    """
    if answers is None:
        with AnswerStore(reveal=reveal) as fresh:
            return write_site(board, folder, fresh, reveal=reveal)
    before = check_site(folder)
    with _sibling(folder) as work:
        written, viewer = _fill(work, board, answers, reveal)
        _take_place(work, folder, written)
    for name in before - set(written):
        (folder / name).unlink(missing_ok=True)
    if before and not viewer:
        shutil.rmtree(folder / "viewer", ignore_errors=True)
    return folder / "index.html"


def check_site(folder: Path) -> set[str]:
    """What an earlier board of ours left in `folder`; raises, before any work, when no page could be written there."""
    toolchain.require("site", "altair", "vl_convert")
    return _before(folder)


def _fill(folder: Path, board: Board, answers: AnswerStore, reveal: bool) -> tuple[list[str], bool]:
    """Every file of the page, and whether Inspect's viewer is among them."""
    pages = {"items.html": grid_page(board), "compare.html": compare_page(board)}
    for name, text in pages.items():
        artifact.write_text(folder / name, text)
    written = ["index.html", "leaderboard.json", "leaderboard.csv", *pages]
    for row in board.rows:
        written += _subject(row, board.suite, folder, answers, reveal)
    viewer = reveal and _viewer(board, folder)
    artifact.write_text(folder / "leaderboard.json", json_text(board))
    artifact.write_text(folder / "leaderboard.csv", csv_text(board))
    artifact.write_text(folder / "index.html", index(board, viewer=viewer))
    artifact.write_json(folder / CONTENTS, {"schema_version": 1, "files": sorted(written)})
    return written, viewer


@contextmanager
def _sibling(folder: Path) -> Generator[Path]:
    """An empty folder beside `folder`, on the same disk, gone at the end."""
    with boundary(ArtifactError, f"cannot write beside {folder}"):
        folder.absolute().parent.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(prefix=f".{folder.name[:40]}.", suffix=".part", dir=folder.absolute().parent))
        work.chmod(0o777 & ~artifact.umask())
    try:
        yield work
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _take_place(work: Path, folder: Path, written: Sequence[str]) -> None:
    """In one step where nothing stands yet; else file by file, the front page after all it links to."""
    with boundary(ArtifactError, f"cannot write {folder}"):
        if not folder.exists():
            work.replace(folder)
            return
        if (work / "viewer").exists():
            shutil.rmtree(folder / "viewer", ignore_errors=True)
            (work / "viewer").replace(folder / "viewer")
        (folder / "models").mkdir(exist_ok=True)
        for name in (CONTENTS, *sorted(written, key="index.html".__eq__)):
            (work / name).replace(folder / name)


def _subject(row: BoardRow, suite: Suite, folder: Path, answers: AnswerStore, reveal: bool) -> list[str]:
    name = f"models/{subject_file(row)}"
    artifact.write_text(folder / name, subject_page(row, suite))
    written = [name]
    for key, result in row.results.items():
        scorer = result.scorer.partition("@")[0]
        kept = chain.from_iterable(answers.answers(path, scorer) for path in result.logs)
        shown = (redacted(answer, str(row.details.get("model")), reveal=reveal) for answer in kept)
        name = f"models/{items_file(row, key)}"
        artifact.write_text(folder / name, item_page(row, key, shown, suite, reveal=reveal))
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
