"""What `make run` shows: the three wings at work on embedded subjects, offline.

The gate and the audit come first, because they take seconds. The bench follows: the embedded subjects run here, and
SmolLM2 answers its slice in a process beside it. Every result is read back from logs in `out/logs`, so a demo that was
killed continues where it stopped, and a second one only weighs and draws again. What this machine lacks, a sandbox or a
library of the embedded model, is left out and said.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from steelyard import artifact
from steelyard.demo.background import Background
from steelyard.demo.plan import embedded_run, smollm2_runs
from steelyard.errors import ToolchainError
from steelyard.report import markdown
from steelyard.report.document import Code, Document, Paragraph
from steelyard.toolchain import ExtraMissing, model_library

if TYPE_CHECKING:
    from steelyard.audit.model import Result
    from steelyard.bench.model import Board
    from steelyard.bench.run import Progress
    from steelyard.bench.run.plan import RunSpec
    from steelyard.gate.example import ExampleResult

_EVERYTHING = "pip install '.[all]' in a checkout, then `steelyard setup`"


@dataclass(frozen=True, slots=True)
class Watcher:
    """Who is told about the demo while it runs."""

    progress: Progress = lambda what, done, total: None
    note: Callable[[str], None] = lambda text: None
    """A line about what happens next."""
    show: Callable[[Document], None] = lambda document: None
    """A result, as soon as it exists."""


@dataclass(frozen=True, slots=True)
class Demo:
    """Everything there is to show."""

    board: Board
    audit: Result
    gate: ExampleResult | None
    """None without a sandbox."""
    left_out: tuple[str, ...]
    """What this machine cannot run, why, and the cure."""
    problems: tuple[str, ...]
    """Why something is not finished; empty when all is well."""
    page: Path
    """The file to open."""


def demo(out: Path, watcher: Watcher) -> Demo:
    """Run what is not done yet, weigh everything, write the folder."""
    from steelyard.audit.example import showcase
    from steelyard.bench.board import make_board
    from steelyard.bench.model import Spec
    from steelyard.bench.read.store import AnswerStore
    from steelyard.bench.report.document import document
    from steelyard.bench.report.page import write_site
    from steelyard.bench.run import complete, run
    from steelyard.gate.example import run_example

    logs = (out / "logs").absolute()  # the process beside this one works elsewhere
    no_sandbox, no_model = without_sandbox(), without_model()
    left_out = tuple(line for line in (no_sandbox, no_model) if line is not None)
    sandbox = no_sandbox is None
    embedded = embedded_run(logs / "bench" / "embedded", sandbox=sandbox)
    slices = smollm2_runs(logs / "bench" / "smollm2", sandbox=sandbox) if no_model is None else ()
    _check(out, (embedded, *slices))
    beside_them = ", SmolLM2 on a few items beside them" if slices else ""
    with Background(tuple(each for each in slices if not complete(each)), watcher.progress) as beside:
        gate = None
        if sandbox:
            watcher.note("gate: running five tasks under two configurations, in sandboxes")
            gate = run_example(logs / "gate", tell=watcher.note)
            watcher.show(gate.document)
        audit = showcase()
        watcher.show(audit_summary(audit))
        page = _write_first(out, audit, gate)
        watcher.note(f"bench: {len(embedded.models)} embedded subjects here{beside_them}")
        problems = [*run(embedded, watcher.progress).problems, *beside.problems()]
    watcher.note("board: weighing and drawing")
    with AnswerStore() as answers:
        board = make_board([logs / "bench"], Spec(), answers.keep)
        write_site(board, out / "board", answers, home="../index.html")
    _write_board(out, board, audit, gate)
    watcher.show(document(board))
    return Demo(board, audit, gate, left_out, tuple(problems), page)


def without_sandbox() -> str | None:
    """Why no sandbox can be started here, if so."""
    from steelyard.sandbox.choose import try_bubblewrap

    trial = try_bubblewrap()
    if trial.works:
        return None
    return f"the gate, architecture design and CDK synthesis, which need a sandbox: {trial.detail} ({trial.cure})"


def without_model() -> str | None:
    """Why the embedded language model cannot run here, if so; a missing extra is named with the others, later."""
    try:
        model_library()
    except ExtraMissing:
        return None
    except ToolchainError as error:
        return f"SmolLM2: {error}"
    return None


def audit_summary(audit: Result) -> Document:
    """The audit as the terminal shows it: what was weighed, and the agreed block of figures."""
    from steelyard.audit.report.scoring_file import block

    weighed = f"{len(audit.runs)} recorded runs against an answer key of {len(audit.problems)} planted problems."
    return Document(f"Audit: {audit.name}", (Paragraph(weighed), Code(block(audit).rstrip())))


def _check(out: Path, planned: tuple[RunSpec, ...]) -> None:
    """Raise with one cure for all extras if one is missing: then the others usually are missing too."""
    from steelyard.bench.report.page import check_site
    from steelyard.bench.run import ready

    try:
        check_site(out / "board")
        for spec in planned:
            ready(spec)
    except ExtraMissing as error:
        raise ExtraMissing(str(error.args[0]), cure=_EVERYTHING) from error


def _write_first(out: Path, audit: Result, gate: ExampleResult | None) -> Path:
    """What is known before the bench has run; the front page says that the board is still to come."""
    from steelyard.audit.report.page import result_page
    from steelyard.audit.report.scoring_file import scoring_file
    from steelyard.demo.page import front_page
    from steelyard.gate.read.views import read_views
    from steelyard.gate.report import page as gate_page

    artifact.write_text(out / "audit.md", scoring_file(audit))
    artifact.write_text(out / "audit.html", result_page(audit, home="index.html"))
    if gate is not None:
        artifact.write_text(out / "gate.md", markdown.render(gate.document))
        artifact.write_text(out / "gate.html", gate_page.page(gate.weighed, read_views, home="index.html"))
    target = out / "index.html"
    # Keep the complete page of an earlier demo until there is a new board.
    if not target.exists():
        artifact.write_text(target, front_page(None, audit, None if gate is None else gate.weighed))
    return target


def _write_board(out: Path, board: Board, audit: Result, gate: ExampleResult | None) -> None:
    from steelyard.bench.report import data
    from steelyard.demo.page import front_page

    artifact.write_text(out / "leaderboard.json", data.json_text(board))
    artifact.write_text(out / "index.html", front_page(board, audit, None if gate is None else gate.weighed))
