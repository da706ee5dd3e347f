"""The answers of logs, kept on disk while the logs are read for a board, so that no log is opened a second time.

A board needs the numbers of all logs before it knows which of them count; a page and a diff need the texts of those.
One sample is in memory at a time, or one log if transcripts are kept. The folder is private and temporary.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from steelyard.artifact import scratch_folder
from steelyard.bench.read.answers import Answer, answer_of
from steelyard.bench.read.selection import category_of
from steelyard.bench.read.transcript import public_log, public_sample
from steelyard.errors import LogError
from steelyard.logs.identity import sha256_of
from steelyard.logs.read import OpenLog, open_log
from steelyard.logs.scores import numbers_of

if TYPE_CHECKING:
    from inspect_ai.log import EvalSample
    from pydantic import TypeAdapter


_NOBODY = "an official scorer"
"""In place of the scorer, where nothing in a log is scored."""


class AnswerStore:
    """Answers by log and scorer; leaving the block deletes them."""

    def __init__(self, *, reveal: bool = False, transcripts: bool = False, any_task: bool = False) -> None:
        self.reveal = reveal
        """Whether references are kept."""
        self.transcripts = transcripts or reveal
        """Whether a log that may be published is kept for each log."""
        self._any_task = any_task
        self._stack = ExitStack()
        self._numbers: dict[str, int] = {}
        self._broken: dict[str, str] = {}

    def __enter__(self) -> AnswerStore:
        self._folder = self._stack.enter_context(scratch_folder("steelyard-answers-"))
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._stack.close()

    def keep(self, log: OpenLog) -> None:
        """Keep the answers of an open log; a log of another task has none."""
        # Files are named by number, because a log's path may be long or a URL.
        self._numbers[log.row.path] = len(self._numbers)
        stamp = log.row.stamp
        ours = (stamp is not None and stamp.wing == "bench") or category_of(log.row) is not None
        if not ours and not self._any_task:
            return
        try:
            scores = [score for run in log.row.runs for score in run.scores.items()]
            named = {name for scorer, score in scores for name in numbers_of(scorer, score.value)}
            self._write(log, sorted(named) or [_NOBODY])
        except LogError as error:  # whether the log counts is not known yet: only then does it matter
            self._broken[log.row.path] = str(error)

    def answers(self, path: str, scorer: str) -> Iterator[Answer]:
        """The answers of a log in its order; a log that was not kept is opened now."""
        self._open(path)
        if path in self._broken:
            raise LogError(self._broken[path])
        file = self._file(path, scorer)
        with (file if file.exists() else self._file(path, _NOBODY)).open("rb") as lines:
            for line in lines:
                yield _adapter().validate_json(line)

    def transcript(self, path: str) -> Path:
        """The published form of a log; a log that was not kept is opened now."""
        self._open(path)
        return self._transcript(path)

    def answer(self, path: str, item: str, epoch: int, scorer: str) -> Answer:
        """One answer of a log."""
        for answer in self.answers(path, scorer):
            if (answer.id, answer.epoch) == (item, epoch):
                return answer
        raise LogError(f"{path} has no run {epoch} of {item}")

    def _open(self, path: str) -> None:
        if path not in self._numbers:
            with open_log(path) as log:
                self.keep(log)

    def _transcript(self, path: str) -> Path:
        return self._folder / f"{self._numbers[path]:04d}.eval"

    def _write(self, log: OpenLog, scorers: Iterable[str]) -> None:
        from inspect_ai.log import write_eval_log

        with ExitStack() as stack:
            files = {name: stack.enter_context(self._file(log.row.path, name).open("wb")) for name in scorers}
            published: list[EvalSample] = []
            for sample in log.samples():
                for name, file in files.items():
                    file.write(_adapter().dump_json(answer_of(sample, name, reveal=self.reveal)) + b"\n")
                if self.transcripts:
                    published.append(public_sample(sample, log.row.model, reveal=self.reveal))
        if self.transcripts:
            write_eval_log(public_log(log.row, published), str(self._transcript(log.row.path)))

    def _file(self, path: str, scorer: str) -> Path:
        # Hashed: the name of a scorer comes from the log.
        return self._folder / f"{self._numbers[path]}-{sha256_of(scorer)[:16]}.jsonl"


@cache
def _adapter() -> TypeAdapter[Answer]:
    from pydantic import TypeAdapter

    return TypeAdapter(Answer)
