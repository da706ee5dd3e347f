"""The folder of the page: what is in it, what is not, and what it leaves alone."""

from __future__ import annotations

import os
import re
import zipfile
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from steelyard import api, artifact, pythons, toolchain
from steelyard.bench.board import make_board as board_of
from steelyard.bench.model import Spec
from steelyard.bench.report.page import folder as writing
from steelyard.bench.report.page import write_site
from steelyard.bench.report.page.index import index
from steelyard.bench.report.page.names import items_file, subject_file
from steelyard.bench.report.page.viewer import log_name
from steelyard.bench.run import run
from steelyard.bench.run.plan import RunSpec
from steelyard.cli.main import main
from steelyard.errors import ArtifactError, InputError, LogError
from steelyard.location import location, remote
from steelyard.logs import archive

pytestmark = pytest.mark.xdist_group("chromium")
"""Beside the tests of the page: both read the same logs, which take a while to make."""

SECRET = "the-right-answer-nobody-may-see"
"""The target of every item in the logs of the fixture."""


@pytest.fixture
def folder(hostile_logs: Path, tmp_path: Path) -> Path:
    write_site(board_of([hostile_logs], Spec()), tmp_path / "site")
    return tmp_path / "site"


def test_references_stay_hidden_unless_revealed(
    hostile_logs: Path, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert not [path for path in folder.rglob("*") if path.is_file() and SECRET in path.read_text("utf-8")]
    assert "viewer/" not in (folder / "index.html").read_text("utf-8")
    write_site(board_of([hostile_logs], Spec()), tmp_path / "open", reveal=True)
    shown = [path.name for path in (tmp_path / "open" / "models").glob("*.html") if SECRET in path.read_text("utf-8")]
    assert len(shown) == 9  # three models in three categories
    assert (tmp_path / "open" / "viewer" / "index.html").is_file()
    assert capsys.readouterr().out == ""  # stdout may be a file that a program reads
    assert "viewer/index.html" in (tmp_path / "open" / "index.html").read_text("utf-8")
    page = next((tmp_path / "open" / "models").glob("maker-strong-*-cdk_synth.html")).read_text("utf-8")
    assert page.count('href="../viewer/index.html#/logs/maker-strong-') == 40
    assert str(hostile_logs) not in (tmp_path / "open" / "viewer" / "index.html").read_text("utf-8")


def test_board_and_page_come_from_one_opening_of_each_log(
    hostile_logs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[int] = []
    original = archive.zipfile.ZipFile

    def counting(file: Any) -> Any:
        opened.append(os.fstat(file.fileno()).st_ino)
        return original(file)

    monkeypatch.setattr(archive.zipfile, "ZipFile", counting)
    monkeypatch.setenv("STEELYARD_NO_INDEX", "1")  # the index spares openings; none may come twice without it either
    api.leaderboard([hostile_logs], page=tmp_path / "site")
    assert (tmp_path / "site" / "index.html").is_file()
    assert sorted(opened) == sorted(log.stat().st_ino for log in hostile_logs.glob("*.eval"))
    opened.clear()
    api.bench_diff("maker/strong", "steelyard/floor", [hostile_logs])
    assert sorted(opened) == sorted(log.stat().st_ino for log in hostile_logs.glob("*.eval"))


def test_a_log_with_broken_samples_is_named(hostile_logs: Path, tmp_path: Path) -> None:
    source, broken = next(hostile_logs.glob("cdk_synth-0.eval")), tmp_path / "logs" / "broken.eval"
    broken.parent.mkdir()
    pythons.teach_zipfile_zstd()
    with zipfile.ZipFile(source) as whole, zipfile.ZipFile(broken, "w") as cut:
        for name in whole.namelist():
            cut.writestr(name, b"{}" if name.startswith("samples/cdk_synth-03") else whole.read(name))
    with pytest.raises(LogError, match=r"cannot read the samples of .*broken\.eval"):
        api.leaderboard([broken.parent], page=tmp_path / "site")
    assert not (tmp_path / "site").exists()


def test_an_older_board_leaves_nothing_behind(hostile_logs: Path, tmp_path: Path) -> None:
    board = board_of([hostile_logs], Spec())
    write_site(board, tmp_path / "site")
    gone = next(row for row in board.rows if row.model == "maker/strong")
    write_site(type(board)(board.rows[1:], (), (), board.spec, board.generated_at, board.run_id), tmp_path / "site")
    assert not (tmp_path / "site" / "models" / subject_file(gone)).exists()
    assert not (tmp_path / "site" / "models" / items_file(gone, "cdk_synth")).exists()


def test_in_a_bucket_an_older_viewer_goes_with_what_may_no_longer_be_shown(tmp_path: Path, bucket: str) -> None:
    for model in ("floor", "ceiling"):
        logs = tmp_path / model
        run(RunSpec(models=(f"steelyard/{model}",), categories=("practice_exam",), limit=2, log_dir=logs))
    site = location(f"{bucket}/site")

    def shown() -> set[str]:
        files, root = remote(site)
        files.invalidate_cache()
        return {name.rpartition("/")[2] for name in files.find(f"{root}/viewer") if name.endswith(".eval")}

    board = board_of([tmp_path / "floor", tmp_path / "ceiling"], Spec())
    write_site(board, site, reveal=True)
    assert shown() == {log_name(row, "practice_exam", 0) for row in board.rows}
    alone = board_of([tmp_path / "floor"], Spec())
    write_site(alone, site, reveal=True, home="../index.html")
    assert shown() == {log_name(alone.rows[0], "practice_exam", 0)}
    assert "../index.html" in artifact.read_text(site / "index.html")
    write_site(alone, site)
    files, root = remote(site)
    files.invalidate_cache()
    assert files.find(f"{root}/viewer") == [] and (site / "index.html").exists()


def test_a_page_that_fails_halfway_leaves_no_trace(
    hostile_logs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = board_of([hostile_logs], Spec())
    monkeypatch.setattr(writing, "index", _fails)
    with pytest.raises(ArtifactError):
        write_site(board, tmp_path / "new")
    assert list(tmp_path.iterdir()) == []


def test_a_page_that_fails_halfway_leaves_the_older_one_whole(
    hostile_logs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = board_of([hostile_logs], Spec())
    write_site(board, tmp_path / "site")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    monkeypatch.setattr(writing, "index", _fails)
    with pytest.raises(ArtifactError):
        write_site(type(board)(board.rows[1:], (), (), board.spec, board.generated_at, board.run_id), tmp_path / "site")
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def _fails(*_: Any, **__: Any) -> str:
    raise ArtifactError("no charts")


def test_without_the_extra_nothing_is_run_or_written(
    hostile_logs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = toolchain.importlib.util.find_spec
    monkeypatch.setattr(toolchain.importlib.util, "find_spec", lambda name: None if name == "altair" else found(name))
    page, logs = str(tmp_path / "page"), str(tmp_path / "logs")
    for words in (["board", str(hostile_logs)], ["run", "--model", "steelyard/floor", "--log-dir", logs]):
        done = CliRunner().invoke(main, ["bench", *words, "--html", page])
        assert done.exit_code == 2 and "pip install 'steelyard[site]'" in done.stderr and done.stdout == ""
    assert list(tmp_path.iterdir()) == []


def test_a_folder_with_other_files_is_not_overwritten(hostile_logs: Path, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(InputError, match="not empty"):
        write_site(board_of([hostile_logs], Spec()), tmp_path)


def test_the_index_stays_small_for_twenty_models(make_board: Any, full: Any) -> None:
    logs = [log for n in range(20) for log in full(f"maker/model-{n}", [1.0] * n + [0.0] * (50 - n), 0.5, 1.0)]
    assert len(index(make_board(*logs), viewer=False).encode()) < 1_000_000


def test_names_of_files_are_safe_and_distinct(make_board: Any, log_row: Any) -> None:
    names = ["../../etc/passwd", "..", "a/b", "a b", "A/B", "x" * 300, "<script>"]
    rows = make_board(*(log_row("practice_exam", 1.0, model=name) for name in names)).rows
    files = [subject_file(row) for row in rows]
    assert len(set(files)) == len(names)
    assert all(re.fullmatch(r"[a-z0-9-]{1,60}\.html", name) for name in files)


def test_the_ceilings_answers_stay_hidden_unless_revealed(tmp_path: Path) -> None:
    spec = RunSpec(models=("steelyard/ceiling",), categories=("practice_exam",), limit=2, log_dir=tmp_path / "logs")
    run(spec)
    board = board_of([tmp_path / "logs"], Spec())
    for reveal in (False, True):
        write_site(board, tmp_path / f"site-{reveal}", reveal=reveal)
        name = items_file(board.rows[0], "practice_exam")
        text = (tmp_path / f"site-{reveal}" / "models" / name).read_text("utf-8")
        assert ("ANSWER: " in text) is reveal
