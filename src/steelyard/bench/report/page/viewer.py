"""Inspect's log viewer beside the page, over logs that may be published: the transcript of every run.

The viewer is Inspect's own program with its own content security policy. It reads its logs over HTTP, so it works when
the folder is served (`steelyard view`), not from disk.
"""

from __future__ import annotations

import io
import shutil
import tempfile
from contextlib import redirect_stdout
from pathlib import Path
from urllib.parse import quote

from steelyard.bench.model import Board, BoardRow
from steelyard.bench.read.store import AnswerStore
from steelyard.bench.report.page.names import subject_id
from steelyard.errors import ArtifactError, boundary

FOLDER = "viewer"
"""Folder of the viewer, below the folder of the page."""


def write_viewer(board: Board, folder: Path, answers: AnswerStore) -> None:
    """Bundle the viewer with the logs that count; `answers` must have kept their transcripts."""
    from inspect_ai.log import bundle_log_dir

    with tempfile.TemporaryDirectory() as scratch, boundary(ArtifactError, "cannot bundle Inspect's log viewer"):
        for row in board.rows:
            for key, result in row.results.items():
                for place, path in enumerate(result.logs):
                    shutil.copyfile(answers.transcript(path), Path(scratch) / log_name(row, key, place))
        with redirect_stdout(io.StringIO()):  # Inspect says what it does, and stdout belongs to the board
            bundle_log_dir(log_dir=scratch, output_dir=str(folder / FOLDER), overwrite=True)
        _without_path(folder / FOLDER / "index.html", scratch)


def log_name(row: BoardRow, category: str, place: int) -> str:
    """The file of one log in the viewer; `place` counts the logs of one subject and category."""
    return f"{subject_id(row.model)}-{category}-{place}.eval"


def transcript_link(row: BoardRow, category: str, place: int, item: str, epoch: int) -> str:
    """The address of one run in the viewer, relative to the pages of the subjects."""
    file = quote(log_name(row, category, place), safe="")
    return f"../{FOLDER}/index.html#/logs/{file}/samples/sample/{quote(item, safe='')}/{epoch}/messages"


def _without_path(index: Path, scratch: str) -> None:
    """The bundle names the folder that it was made from, which is nobody's business and gone."""
    index.write_text(index.read_text("utf-8").replace(scratch, "logs"), "utf-8")
