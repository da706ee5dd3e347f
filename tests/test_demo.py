"""The demo on a small slice: what it shows and when, what it writes, and that a second start repeats nothing."""

from __future__ import annotations

import importlib.util
import os
import pickle
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from steelyard import demo
from steelyard.bench.architecture_design.diagram.mermaid import parser
from steelyard.bench.run import ready
from steelyard.bench.run.plan import RunSpec
from steelyard.cli.machine import demo as command
from steelyard.cli.main import main
from steelyard.demo import Watcher, plan
from steelyard.demo.background import Background
from steelyard.errors import SandboxError
from steelyard.report.document import Code, Document, Heading, Table
from steelyard.sandbox.choose import try_bubblewrap
from steelyard.toolchain import ExtraMissing
from tests.waiting import HANG_S, gone

EXAM = ("practice_exam",)


def test_the_plan_is_the_whole_bench_for_embedded_subjects_and_a_slice_for_the_language_model() -> None:
    whole = plan.embedded_run(Path("logs"), sandbox=True)
    assert whole.limit is None and len(whole.categories) == 3
    assert whole.models[0] == "steelyard/ceiling" and whole.models[-1] == "steelyard/floor"
    assert all(name.startswith("steelyard/partial-") for name in whole.models[1:-1])
    slices = plan.smollm2_runs(Path("logs"), sandbox=True)
    assert {run.models for run in slices} == {("steelyard/smollm2",)}
    # about half a minute on one core, at 7 to 8 s for an exam question and 13 to 19 s for a longer answer
    assert [(run.categories, run.limit) for run in slices] == [(("practice_exam",), 1), (("architecture_design",), 1)]


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for a demo that takes seconds: four answers here and one beside."""

    def embedded(log_dir: Path, sandbox: bool) -> RunSpec:
        return RunSpec(models=("steelyard/ceiling", "steelyard/partial-50"), categories=EXAM, log_dir=log_dir, limit=2)

    def beside(log_dir: Path, sandbox: bool) -> tuple[RunSpec, ...]:
        return (RunSpec(models=("steelyard/floor",), categories=EXAM, log_dir=log_dir, limit=1),)

    monkeypatch.setattr(demo, "embedded_run", embedded)
    monkeypatch.setattr(demo, "smollm2_runs", beside)
    return tmp_path


@pytest.mark.usefixtures("sandboxed")
def test_verdicts_come_before_the_board_and_a_second_start_repeats_nothing(
    small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[Document] = []
    early_pages: list[str] = []
    parts: set[str] = set()

    def note(line: str) -> None:
        if line.startswith("bench:"):  # the front page exists before the bench has run
            early_pages.append((small / "index.html").read_text("utf-8"))

    watcher = Watcher(lambda what, done, total: parts.add(what), note, shown.append)
    first = demo.demo(small, watcher)
    assert ["The bench is still running" in page for page in early_pages] == [True]
    assert [document.title.split(":")[0] for document in shown] == ["Gate", "Audit", "SA Bench"]
    assert first.problems == first.left_out == () and first.page == small / "index.html"
    assert "steelyard/floor · Practice Exam" in parts and "steelyard/partial-50 · Practice Exam" in parts
    made = sorted(path.name for path in (small / "logs").rglob("*.eval"))
    with monkeypatch.context() as patch:  # nothing is left, so no process is started for it
        patch.setattr("steelyard.demo.background.MODULE", "nothing_is_run_beside")
        second = demo.demo(small, Watcher())
    assert sorted(path.name for path in (small / "logs").rglob("*.eval")) == made
    assert second.board.rows == first.board.rows

    assert_the_readme_shows(shown)

    text = first.page.read_text("utf-8")
    links = re.findall(r'href="([^"#]+)"', text)
    assert {"board/index.html", "audit.html", "gate.html"} <= set(links)
    assert all((small / link).exists() for link in links)
    assert (small / "leaderboard.json").exists()
    # The pictures: one cell per mark, one bar per task, signs as well as colours, and no dot for an unfinished row.
    assert text.count('class="mark ') == 10 * 2 and text.count('<svg class="bars"') == 5
    assert "○ detected 5" in text and "▲ improved" in text and "▲ +0.500" in text
    assert "grey may be chance" in text
    assert "embedded, not a language model" in text and "2 of 50 Practice Exam" in text
    assert "<pre" not in text


@contextmanager
def no_bubblewrap() -> Iterator[None]:
    """A machine without it, where no sandbox has been started before.

    No fixture: a failure on a machine that lacks it is none (`tests/lacking.py`), and a fixture ends after the verdict.
    """
    which = shutil.which
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(shutil, "which", lambda name, *rest: None if name == "bwrap" else which(name, *rest))
            try_bubblewrap.cache_clear()
            parser().close()
            yield
    finally:
        try_bubblewrap.cache_clear()


def test_what_is_planned_without_a_sandbox_needs_none(tmp_path: Path) -> None:
    with no_bubblewrap():
        for spec in (plan.embedded_run(tmp_path, sandbox=False), *plan.smollm2_runs(tmp_path, sandbox=False)):
            assert "practice_exam" in spec.categories
            ready(spec)  # tries every tool
        with pytest.raises(SandboxError, match="bubblewrap is not installed"):
            ready(plan.embedded_run(tmp_path, sandbox=True))


def test_what_the_machine_lacks_is_left_out_and_said(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load = importlib.import_module

    def loaded(name: str, *rest: str) -> object:
        if name == "xllamacpp":
            raise ImportError("libgomp.so.1: cannot open shared object file")
        return load(name, *rest)

    monkeypatch.setattr(importlib, "import_module", loaded)
    with no_bubblewrap():
        done = CliRunner().invoke(main, ["demo", "--out", str(small)])
    lines = [line for line in done.stderr.splitlines() if line.startswith("left out: ")]
    assert done.exit_code == 0 and len(lines) == 2, done.output
    assert "bubblewrap is not installed (apt-get install bubblewrap" in lines[0] and "libgomp1" in lines[1]
    page = (small / "index.html").read_text("utf-8")
    assert "this machine has no sandbox" in page and "gate.html" not in page
    assert all((small / link).exists() for link in re.findall(r'href="([^"#]+)"', page))


def assert_the_readme_shows(documents: list[Document]) -> None:
    """Headings and table heads of the result blocks, and all of the audit; `scripts/showcase` writes them anew."""
    text = (Path(__file__).parent.parent / "README.md").read_text("utf-8")
    blocks = dict(re.findall(r"<!-- (\w+) -->\n```text\n(.*?)\n```", text, re.DOTALL))
    gate, audit, board = documents
    assert [block.text.rstrip() for block in audit.blocks if isinstance(block, Code)] == [blocks["audit"]]
    for name, document in (("gate", gate), ("board", board)):
        lines = blocks[name].splitlines()
        # Notes say what a machine lacks, such as control groups; another has none.
        headings = (block.text for block in document.blocks if isinstance(block, Heading))
        shared = {text for text in headings if text != "Notes"}
        assert shared <= set(lines), f"{name}: run scripts/showcase"
        for table in (block for block in document.blocks if isinstance(block, Table)):
            columns = {column.name for column in table.columns if not column.spare}
            assert any(columns <= set(re.split(r"\s{2,}", line)) for line in lines), f"{name}: {columns}"


def test_a_process_beside_that_dies_is_a_problem_and_not_an_endless_wait(tmp_path: Path) -> None:
    runs = (RunSpec(models=("steelyard/smollm2",), categories=EXAM, log_dir=tmp_path, limit=50),)
    with Background(runs, lambda *_: None) as beside:
        child = beside.pid
        assert child is not None
        os.kill(child, signal.SIGKILL)
        assert beside.problems() == ("the process beside the demo ended with -9; start the demo again",)


def test_the_process_beside_ends_with_its_parent(tmp_path: Path) -> None:
    """Otherwise a demo that was killed and started again would find somebody else writing into its logs."""
    code = """
import os, signal, sys, time
from steelyard.demo.background import Background

endless = map(exec, [f"import time; open({sys.argv[1]!r}, 'w').close(); time.sleep(3600)"])  # once the child iterates
with Background(endless, print) as beside:
    print(beside.pid, flush=True)
    while not os.path.exists(sys.argv[1]):
        time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGKILL)
"""
    script = tmp_path / "parent.py"
    script.write_text(code, "utf-8")
    # The child inherits stdout: reading it to its end waits for both.
    words = [sys.executable, str(script), str(tmp_path / "sign")]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=HANG_S)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert gone([int(done.stdout)])


@pytest.mark.parametrize(
    ("words", "given", "code"),
    [
        (["steelyard.demo.beside"], pickle.dumps(()), 0),
        (["steelyard.worker", "--tied", "no/definition", "no/selection"], b"", 2),
    ],
)
def test_a_process_that_watches_its_input_ends_by_itself_while_that_is_open(
    tmp_path: Path, words: list[str], given: bytes, code: int
) -> None:
    """Python aborts at its end if a thread of it still waits in the reader of the standard input."""
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-m", *words], stdin=pipe, stderr=pipe, cwd=tmp_path) as child:
        assert child.stdin is not None and child.stderr is not None
        child.stdin.write(given)
        child.stdin.flush()
        said = child.stderr.read().decode()
        assert child.wait(HANG_S) == code, said
        assert "Fatal Python error" not in said


@pytest.mark.usefixtures("sandboxed")
@pytest.mark.parametrize(("module", "extra"), [("xllamacpp", "local"), ("aws_cdk", "cdk"), ("altair", "site")])
def test_what_is_missing_is_said_before_anything_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str, extra: str
) -> None:
    """One cure for all of it: whoever lacks one extra mostly lacks the others too."""
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *rest: None if name == module else find(name, *rest))
    with pytest.raises(ExtraMissing, match=f"the extra `{extra}`") as raised:
        demo.demo(tmp_path, Watcher())
    assert "'.[all]'" in (raised.value.cure or "")
    assert not list(tmp_path.rglob("*.eval"))


def test_the_command_is_documented() -> None:
    assert command.help is not None and "No key" in command.help
