"""Writing the page: whole or not at all, one log in memory at a time, nothing left from an older board.

Everything is written into a sibling folder first; only when the last file stands does the page take its place.
"""

from __future__ import annotations

import shutil
from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from steelyard import artifact, toolchain
from steelyard.bench.category import Category
from steelyard.bench.model import Board, BoardRow
from steelyard.bench.read.answers import Answer, redacted
from steelyard.bench.read.store import AnswerStore
from steelyard.bench.report.data import csv_text, json_text
from steelyard.bench.report.page.compare import compare_page
from steelyard.bench.report.page.grid import grid_page
from steelyard.bench.report.page.index import index
from steelyard.bench.report.page.item_page import item_page
from steelyard.bench.report.page.names import items_file, subject_file
from steelyard.bench.report.page.subject_page import subject_page
from steelyard.bench.report.page.viewer import transcript_link, write_viewer
from steelyard.bench.suite import Suite
from steelyard.errors import ArtifactError, InputError, boundary
from steelyard.location import remote
from steelyard.outcome import Scored

if TYPE_CHECKING:
    from steelyard.location import Location

PRIVATE = "(private: the board shows the hash of the items, not the items)"
"""In place of a question of a private split, and of its answers."""

CONTENTS = ".steelyard-page.json"
"""Names the files we wrote, so that a later board can take away what it no longer has."""


def write_site(
    board: Board, folder: Location, answers: AnswerStore | None = None, *, reveal: bool = False, home: str = ""
) -> Location:
    """Write the page of `board` into `folder`; gives back the file to open.

    `answers` are those of the board's logs, and decide what the page shows: references, transcripts. Without them the
    logs are opened here. `home` is the page that leads to this one, if there is one.
    """
    if answers is None:
        with AnswerStore(reveal=reveal, any_task=board.suite.any_tasks) as fresh:
            return write_site(board, folder, fresh, home=home)
    if board.suite.private and answers.transcripts:
        raise InputError("the items of this board are private", cure="leave out --reveal and --transcripts")
    before = check_site(folder)
    if not isinstance(folder, Path):
        return _uploaded(board, folder, answers, before, home)
    with _sibling(folder) as work:
        written = _fill(work, board, answers, home)
        _take_place(work, folder, written)
    for name in before - set(written):
        (folder / name).unlink(missing_ok=True)
    # An older viewer would still show transcripts that are no longer to be published.
    if before and not answers.transcripts:
        shutil.rmtree(folder / "viewer", ignore_errors=True)
    return folder / "index.html"


def check_site(folder: Location) -> set[str]:
    """What an earlier board of ours left in `folder`; raises, before any work, when no page could be written there."""
    toolchain.require("site", "altair", "vl_convert")
    return _before(folder)


def _uploaded(board: Board, folder: Location, answers: AnswerStore, before: set[str], home: str) -> Location:
    """Write the page on this machine, then upload it: the front page after all it links to."""
    with artifact.scratch_folder("steelyard-page-") as work:
        written = _fill(work, board, answers, home)
        files = [str(path.relative_to(work)) for path in sorted(work.rglob("*")) if path.is_file()]
        # False sorts before True, so the front page comes last.
        for name in sorted(files, key="index.html".__eq__):
            artifact.write_bytes(folder / name, (work / name).read_bytes())
    with boundary(ArtifactError, f"cannot remove an earlier page from {folder}"):
        for name in before - set(written):
            (folder / name).unlink(missing_ok=True)
        storage, root = remote(folder)
        storage.invalidate_cache()
        # An older viewer would still show transcripts that are no longer to be published.
        for name in set(storage.find(f"{root}/viewer")) - {f"{root}/{name}" for name in files}:
            storage.rm_file(name)
    return folder / "index.html"


def _fill(folder: Path, board: Board, answers: AnswerStore, home: str = "") -> list[str]:
    """Write every file of the page; the names of all but Inspect's viewer."""
    pages = {"items.html": grid_page(board), "compare.html": compare_page(board)}
    for name, text in pages.items():
        artifact.write_text(folder / name, text)
    written = ["index.html", "leaderboard.json", "leaderboard.csv", *pages]
    for row in board.rows:
        written += _subject(row, board.suite, folder, answers)
    if answers.transcripts:
        write_viewer(board, folder, answers)
    artifact.write_text(folder / "leaderboard.json", json_text(board))
    artifact.write_text(folder / "leaderboard.csv", csv_text(board))
    artifact.write_text(folder / "index.html", index(board, viewer=answers.transcripts, home=home))
    artifact.write_json(folder / CONTENTS, {"schema_version": 1, "files": sorted(written)})
    return written


@contextmanager
def _sibling(folder: Path) -> Generator[Path]:
    """An empty folder beside `folder`, on the same disk, gone at the end."""
    with boundary(ArtifactError, f"cannot write beside {folder}"):
        folder.absolute().parent.mkdir(parents=True, exist_ok=True)
        stack = ExitStack()
        beside = folder.absolute().parent
        work = stack.enter_context(artifact.scratch_folder(f".{folder.name[:40]}.", suffix=".part", beside=beside))
        # A temporary folder is private, but others must be able to read the page.
        work.chmod(0o777 & ~artifact.umask())
    with stack:
        yield work


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


def _subject(row: BoardRow, suite: Suite, folder: Path, answers: AnswerStore) -> list[str]:
    name = f"models/{subject_file(row)}"
    artifact.write_text(folder / name, subject_page(row, suite))
    written = [name]
    for key in row.results:
        name = f"models/{items_file(row, key)}"
        shown = _answers(row, suite.categories[key], answers, private=suite.private)
        artifact.write_text(folder / name, item_page(row, key, shown, suite, reveal=answers.reveal))
        written.append(name)
    return written


def _answers(row: BoardRow, category: Category, answers: AnswerStore, *, private: bool) -> Iterator[Answer]:
    """The answers of a subject in a category as they may be shown, with links to their transcripts if there are any."""
    key = category.key
    result, model = row.results[key], str(row.details.get("model"))
    scorer = result.scorer.partition("@")[0]
    for place, path in enumerate(result.logs):
        for answer in answers.answers(path, scorer):
            shown = redacted(answer, model, reveal=answers.reveal)
            if private:
                shown = replace(shown, question=PRIVATE, choices=(), answer=PRIVATE, explanation="", reference=None)
            link = transcript_link(row, key, place, answer.id, answer.epoch) if answers.transcripts else ""
            outcome = shown.outcome
            scaled = Scored(category.scaled(outcome.value)) if isinstance(outcome, Scored) else outcome
            yield replace(shown, transcript=link, outcome=scaled)


def _before(folder: Location) -> set[str]:
    """What an earlier board of ours left here; a folder of somebody else's is not written into."""
    with boundary(ArtifactError, f"cannot open {folder}"):
        if not folder.exists():
            return set()
        if folder.is_file():
            raise InputError(f"{folder} is a file", cure="name a folder for the page")
    if not (folder / CONTENTS).is_file():
        if any(folder.iterdir()):
            raise InputError(f"{folder} is not empty and holds no page of ours", cure="choose a new folder")
        return set()
    names = cast(list[Any], cast(dict[str, Any], artifact.read_json(folder / CONTENTS)).get("files") or [])
    # A name that leads out of the folder was not written by us.
    return {str(name) for name in names if ".." not in Path(str(name)).parts and not Path(str(name)).is_absolute()}
