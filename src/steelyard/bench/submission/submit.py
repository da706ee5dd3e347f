"""Makes a submission: the logs that count, the board they give, and the versions they were made with."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from steelyard.bench.board import make_board
from steelyard.bench.model import Board, Spec
from steelyard.bench.report.data import json_text
from steelyard.bench.submission.bundle import pack
from steelyard.errors import InputError
from steelyard.location import local
from steelyard.logs.identity import environment
from steelyard.logs.read import read_samples
from steelyard.secrets import redact

if TYPE_CHECKING:
    from steelyard.location import Location


class Submitted(NamedTuple):
    """A submission that was written."""

    path: Location
    board: Board
    warnings: tuple[str, ...]
    """What the submitter should look at before anybody else does."""


def submit(where: Sequence[str | Location], target: Location, spec: Spec) -> Submitted:
    """Write the submission of these logs."""
    if spec.suite.private:
        raise InputError("the items of this board are private, and its logs hold them", cure="publish the board alone")
    if target.exists():
        raise InputError(f"{target} exists already", cure="choose another name")
    board = make_board(where, spec)
    paths = [path for row in board.rows for result in row.results.values() for path in result.logs]
    logs = [local(path, "a submission is made of logs that") for path in dict.fromkeys(paths)]
    # The board of these logs alone: what does not count here must not be missed there.
    alone = make_board(logs, spec)
    about = {
        "suite": spec.suite.name,
        "scorer": spec.scorer,
        "diagrams": spec.diagrams,
        "versions": environment(),
    }
    pack(target, json_text(alone), logs, about)
    return Submitted(target, alone, (*_incomplete(alone), *_secrets(logs)))


def _incomplete(board: Board) -> list[str]:
    return [f"{row.model} is not complete and takes no rank" for row in board.rows if not row.complete]


def _secrets(logs: Sequence[Path]) -> list[str]:
    suspect = [log for log in logs if any(_holds_secret(sample.model_dump_json()) for sample in read_samples(log))]
    return [f"{log} holds something that looks like a key: look at it before you publish it" for log in suspect]


def _holds_secret(text: str) -> bool:
    return redact(text) != text
