"""What `make run` shows: the three wings at work on embedded subjects, offline.

The full bench for the ceiling and the floor, SmolLM2 on the whole exam and on a marked slice of the rest, one audit of
recorded runs, one gate. Everything is read back from logs in `out/logs`, so a demo that was killed continues where it
was, and a second one only weighs and draws again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from steelyard import artifact
from steelyard.report import html, markdown
from steelyard.report.document import Code, Document, Heading, Link, Paragraph
from steelyard.toolchain import ExtraMissing

if TYPE_CHECKING:
    from steelyard.audit.model import Result
    from steelyard.bench.model import Board
    from steelyard.bench.run.plan import RunSpec
    from steelyard.gate.example import Shown as Gated

BASELINES = ("steelyard/ceiling", "steelyard/floor")
LIVE = "steelyard/smollm2"
SLICE = 4
"""Items of architecture and CDK that SmolLM2 answers; its row says that it is partial."""

_EVERYTHING = "pip install 'steelyard[all]', then `steelyard setup`"

Progress = Callable[[str, int, int], None]
"""Told (what runs, how much of it is done, out of how much)."""


@dataclass(frozen=True, slots=True)
class Demo:
    """Everything there is to show."""

    board: Board
    audit: Result
    gate: Gated
    problems: tuple[str, ...]
    """Why something is not finished; empty when all is well."""
    page: Path
    """The file to open."""


def demo(out: Path, progress: Progress, say: Callable[[str], None]) -> Demo:
    """Run what is not done yet, weigh everything, write the folder."""
    from steelyard.audit.example import showcase
    from steelyard.bench.board import make_board
    from steelyard.bench.model import Spec
    from steelyard.bench.report.page import check_site
    from steelyard.bench.run import ready, run
    from steelyard.gate.example import run_example

    logs = out / "logs"
    planned = bench_runs(logs / "bench")
    try:
        check_site(out / "board")
        for spec in planned:
            ready(spec)
    except ExtraMissing as error:
        raise ExtraMissing(str(error.args[0]), cure=_EVERYTHING) from error
    problems = [problem for spec in planned for problem in run(spec, progress).problems]
    say("bench: weighing")
    board = make_board([logs / "bench"], Spec())
    say("audit: scoring two recorded runs against their key")
    audit = showcase()
    say("gate: running five tasks under two configurations")
    gate = run_example(logs / "gate", tell=say)
    page = _write(out, board, audit, gate)
    return Demo(board, audit, gate, tuple(problems), page)


def bench_runs(log_dir: Path) -> tuple[RunSpec, ...]:
    """The plan of the bench: what to run, in which order."""
    from steelyard.bench.run.plan import RunSpec

    return (
        RunSpec(models=BASELINES, log_dir=log_dir),
        RunSpec(models=(LIVE,), categories=("practice_exam",), log_dir=log_dir),
        RunSpec(models=(LIVE,), categories=("architecture_design", "cdk_synth"), log_dir=log_dir, limit=SLICE),
    )


def _write(out: Path, board: Board, audit: Result, gate: Gated) -> Path:
    from steelyard.audit.report.page import result_page
    from steelyard.audit.report.scoring_file import scoring_file
    from steelyard.bench.report import data as leaderboard
    from steelyard.bench.report.page import write_site
    from steelyard.gate.read.views import read_views
    from steelyard.gate.report import page as gate_page

    write_site(board, out / "board", reveal=False)
    artifact.write_text(out / "leaderboard.json", leaderboard.json_text(board))
    artifact.write_text(out / "audit.md", scoring_file(audit))
    artifact.write_text(out / "audit.html", result_page(audit))
    artifact.write_text(out / "gate.md", markdown.render(gate.document))
    artifact.write_text(out / "gate.html", gate_page.page(gate.weighed, read_views))
    target = out / "index.html"
    artifact.write_text(target, html.render(overview(board, audit, gate)))
    return target


def overview(board: Board, audit: Result, gate: Gated) -> Document:
    """The front page: three results, and where each is told in full."""
    from steelyard.audit.report.scoring_file import block
    from steelyard.bench.report.document import document as board_document

    return Document(
        "Steelyard: what one command weighed",
        (
            Paragraph("Everything here ran offline on this machine, without a key."),
            Heading("Who is best?"),
            *board_document(board).blocks,
            Link("The leaderboard, down to each item", "board/index.html"),
            Heading("Did it find what we know is there?"),
            Paragraph(f"{audit.name}: two recorded runs against an answer key of planted problems."),
            Code(block(audit)),
            Link("The audit, problem by problem", "audit.html"),
            Heading("May this change ship?"),
            *gate.document.blocks,
            Link("The gate, both transcripts side by side", "gate.html"),
        ),
    )
