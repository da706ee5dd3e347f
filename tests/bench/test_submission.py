"""`bench submit` and `bench check`: an honest submission holds; a doctored or hostile one never does."""

from __future__ import annotations

import hashlib
import json
import re
import stat
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from inspect_ai.log import read_eval_log, write_eval_log

from steelyard import api
from steelyard.bench.category import Category
from steelyard.bench.practice_exam.dataset import CANARY
from steelyard.bench.submission.check import CheckLine, _canary_of
from steelyard.bench.suite import shipped
from steelyard.cli.main import main
from steelyard.errors import InputError

Members = dict[str, bytes]


@pytest.fixture(name="honest", scope="module")
def _honest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("submission")
    done = api.bench(["steelyard/partial-60"], folder / "logs", categories=["practice_exam"], limit=4)
    assert done.problems == ()
    submitted = api.bench_submit([folder / "logs"], folder / "s.zip")
    assert [row.model for row in submitted.board.rows] == ["steelyard/partial-60"]
    return folder / "s.zip"


def members(path: Path) -> Members:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def sealed(parts: Members) -> Members:
    """The members with a manifest that is true of them: a forger can compute hashes too."""
    manifest = json.loads(parts["manifest.json"])
    manifest["files"] = {
        name: {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}
        for name, data in parts.items()
        if name != "manifest.json"
    }
    return {**parts, "manifest.json": json.dumps(manifest).encode()}


def written(path: Path, parts: Members, **options: Any) -> Path:
    with zipfile.ZipFile(path, "w", **options) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return path


def failures(path: Path) -> list[CheckLine]:
    checked = api.bench_check(path)
    assert (checked.verdict == "fails") == any(line.verdict == "fails" for line in checked.lines)
    return [line for line in checked.lines if line.verdict == "fails"]


def with_log(honest: Path, folder: Path, edit: Callable[[Any], None]) -> Path:
    """The submission with an edited log, whose hash and board are made to fit."""
    log_path = folder / "0000.eval"
    log_path.write_bytes(members(honest)["logs/0000.eval"])
    log = read_eval_log(str(log_path))
    edit(log)
    write_eval_log(log, str(log_path))
    board = json.loads(api.bench_report(api.leaderboard([log_path]), "json"))
    parts = {**members(honest), "logs/0000.eval": log_path.read_bytes(), "board.json": json.dumps(board).encode()}
    return written(folder / "edited.zip", sealed(parts))


def test_an_honest_submission_holds_and_every_answer_is_graded_again(honest: Path) -> None:
    checked = api.bench_check(honest)
    assert checked.verdict == "holds"
    assert {line.what for line in checked.lines} == {"board", "items", "fingerprint", "answers", "canary", "grades"}
    assert "4 graded again" in [line.why for line in checked.lines if line.what == "grades"]
    assert checked.versions["python"]


def test_a_better_board_than_its_logs_give_fails(honest: Path, tmp_path: Path) -> None:
    parts = members(honest)
    board = json.loads(parts["board.json"])
    board["models"][0]["practice_exam"] = 0.99
    found = failures(written(tmp_path / "s.zip", sealed({**parts, "board.json": json.dumps(board).encode()})))
    assert [line.what for line in found] == ["board"]
    assert "practice_exam is 0.99 on the board" in found[0].why


def with_board(honest: Path, path: Path, edit: Callable[[Any], None], **versions: str) -> Path:
    """The submission with an edited board, whose hash is made to fit."""
    parts = members(honest)
    board, manifest = json.loads(parts["board.json"]), json.loads(parts["manifest.json"])
    edit(board)
    manifest["versions"].update(versions)
    made = {**parts, "board.json": json.dumps(board).encode(), "manifest.json": json.dumps(manifest).encode()}
    return written(path, sealed(made))


def test_of_several_rows_of_one_model_none_is_believed(honest: Path, tmp_path: Path) -> None:
    def inflate(board: Any) -> None:
        # The honest row comes last.
        board["models"].insert(0, {**board["models"][0], "practice_exam": 0.99})

    [line] = failures(with_board(honest, tmp_path / "s.zip", inflate))
    assert (line.what, line.where, line.why) == ("board", "steelyard/partial-60", "has several rows on the board")


CLAIMS: dict[str, Callable[[Any], Any]] = {
    "cost_usd": lambda board: board["models"][0].update(cost_usd=0.01),
    "usage": lambda board: board["models"][0]["usage"]["practice_exam"].update(input_tokens=1),
    "unscored": lambda board: board["models"][0].pop("unscored"),
    "breakdowns": lambda board: board["models"][0]["breakdowns"].clear(),
    "elo": lambda board: board["models"][0].update(elo=3000),
    "pairs": lambda board: board["pairs"].append({"first": "steelyard/partial-60", "p": 0.01}),
    "separation": lambda board: board.update(separation={"separable": True}),
    "overall_margin": lambda board: board["_metadata"].update(overall_margin="±1%"),
    "suite": lambda board: board.update(_metadata=[]),
}


@pytest.mark.parametrize("claim", CLAIMS)
def test_every_number_of_the_board_is_compared(honest: Path, tmp_path: Path, claim: str) -> None:
    def edit(board: Any) -> None:
        CLAIMS[claim](board)

    [line] = failures(with_board(honest, tmp_path / "s.zip", edit))
    assert line.what == "board" and line.why.startswith(f"{claim} is ")


def test_a_board_of_another_version_may_know_less_and_is_otherwise_undecided(honest: Path, tmp_path: Path) -> None:
    def older(board: Any) -> None:
        del board["models"][0]["chance_first"], board["models"][0]["breakdowns"]

    assert api.bench_check(with_board(honest, tmp_path / "older.zip", older, scipy="1.0")).verdict == "holds"

    def differs(board: Any) -> None:
        board["models"][0]["elo"] = 3000

    checked = api.bench_check(with_board(honest, tmp_path / "other.zip", differs, scipy="1.0"))
    found = [line for line in checked.lines if line.verdict != "holds"]
    assert checked.verdict == "undecided"
    assert [line.why for line in found] == [
        "elo is 3000 on the board, and null by the logs, with another version of scipy"
    ]

    def raised(board: Any) -> None:
        board["models"][0]["practice_exam"] = 0.99

    assert failures(with_board(honest, tmp_path / "raised.zip", raised, scipy="1.0"))


def test_of_many_models_every_claim_follows_from_the_logs(tmp_path: Path) -> None:
    models = ["steelyard/floor", "steelyard/ceiling", "steelyard/partial-60"]
    for run in ("one", "two"):
        done = api.bench(models, tmp_path / run, suite="hard", categories=["hard_exam"], limit=3)
        assert done.problems == ()
    api.bench_submit([tmp_path / "one", tmp_path / "two"], tmp_path / "s.zip", suite="hard")
    assert api.bench_check(tmp_path / "s.zip", suite="hard").verdict == "holds"


def test_scores_raised_in_the_log_and_on_the_board_fail_because_answers_are_graded_again(
    honest: Path, tmp_path: Path
) -> None:
    def raise_scores(log: Any) -> None:
        for sample in log.samples:
            sample.scores["choice"].value = "C"

    found = failures(with_log(honest, tmp_path, raise_scores))
    assert [line.what for line in found] == ["grades"]
    assert "has 1 in the log" in found[0].why


def test_a_key_changed_to_fit_the_answers_fails(honest: Path, tmp_path: Path) -> None:
    def change_key(log: Any) -> None:
        log.samples[0].target = "B" if log.samples[0].target != "B" else "C"

    assert "items" in [line.what for line in failures(with_log(honest, tmp_path, change_key))]


def test_a_foreign_item_fails(honest: Path, tmp_path: Path) -> None:
    def add_item(log: Any) -> None:
        extra = log.samples[0].model_copy(update={"id": "pe-999", "uuid": None})
        log.samples.append(extra)

    found = failures(with_log(honest, tmp_path, add_item))
    assert any("does not have: pe-999" in line.why for line in found)


def test_an_answer_that_recites_the_canary_fails(honest: Path, tmp_path: Path) -> None:
    def recite(log: Any) -> None:
        sample = log.samples[0]
        said = f"{sample.output.completion}\n{CANARY}"
        sample.output.completion = sample.output.choices[0].message.content = said
        sample.messages[-1].content = said

    assert [line.what for line in failures(with_log(honest, tmp_path, recite))] == ["canary"]


@pytest.mark.parametrize("category", [*shipped()], ids=lambda category: category.key)
def test_every_shipped_category_has_a_canary_that_is_looked_for(category: Category) -> None:
    assert re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", _canary_of(category) or "")


@pytest.mark.parametrize("place", ["choice", "messages"])
def test_an_answer_that_is_graded_and_not_shown_fails(honest: Path, tmp_path: Path, place: str) -> None:
    def swap(log: Any) -> None:
        shown = log.samples[0].output.choices[0].message if place == "choice" else log.samples[0].messages[-1]
        shown.content = "A much better answer."

    found = failures(with_log(honest, tmp_path, swap))
    assert [line.what for line in found] == ["answers"]
    assert "not the one" in found[0].why


def test_another_dataset_in_the_fingerprint_fails(honest: Path, tmp_path: Path) -> None:
    def restamp(log: Any) -> None:
        log.eval.metadata["steelyard"]["fingerprint"]["dataset"] = "0123456789abcdef"

    assert [(line.what, line.why) for line in failures(with_log(honest, tmp_path, restamp))] == [
        ("fingerprint", "differs in dataset")
    ]


def test_a_log_of_somebody_elses_task_fails(honest: Path, tmp_path: Path) -> None:
    parts = members(honest)
    log_path = tmp_path / "0000.eval"
    log_path.write_bytes(parts["logs/0000.eval"])
    log = read_eval_log(str(log_path))
    log.eval.task, log.eval.metadata = "other/task", {}
    log.eval.task_id, log.eval.run_id, log.eval.eval_id = "t", "r", "e"
    write_eval_log(log, str(log_path))
    extra = sealed({**parts, "logs/0001.eval": log_path.read_bytes()})
    assert "a log does not count" in failures(written(tmp_path / "s.zip", extra))[0].why


HOSTILE: dict[str, Callable[[Members], tuple[Members, str]]] = {
    "path traversal": lambda parts: ({**parts, "logs/../../escaped.eval": b"x"}, "no place"),
    "absolute path": lambda parts: ({**parts, "/etc/escaped.eval": b"x"}, "no place"),
    "another file": lambda parts: ({**parts, "logs/sitecustomize.py": b"x"}, "no place"),
    "swapped log": lambda parts: ({**parts, "logs/0000.eval": b"another log"}, "not the file"),
    "missing log": lambda parts: ({k: v for k, v in parts.items() if not k.startswith("logs/")}, "differ"),
    "no manifest": lambda parts: ({k: v for k, v in parts.items() if k != "manifest.json"}, "no manifest.json"),
    "odd manifest": lambda parts: ({**parts, "manifest.json": b'{"schema_version": 1, "run": "x"}'}, "manifest.json"),
    "broken manifest": lambda parts: ({**parts, "manifest.json": b"\xff{"}, "damaged"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_no_submission_is_refused_in_one_line(honest: Path, tmp_path: Path, name: str) -> None:
    parts, why = HOSTILE[name](members(honest))
    done = CliRunner().invoke(main, ["bench", "check", str(written(tmp_path / "s.zip", parts))])
    assert done.exit_code == 2
    assert why in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert not (tmp_path / "escaped.eval").exists()


def test_a_compressed_member_is_refused_so_that_no_bomb_unpacks(honest: Path, tmp_path: Path) -> None:
    parts = {**members(honest), "logs/0001.eval": bytes(50_000_000)}
    path = written(tmp_path / "s.zip", sealed(parts), compression=zipfile.ZIP_DEFLATED)
    with pytest.raises(InputError, match="is compressed"):
        api.bench_check(path)


def test_members_that_share_their_bytes_are_refused(honest: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(written(tmp_path / "s.zip", members(honest)), "a") as archive:
        twin = archive.getinfo("logs/0000.eval")
        for number in range(1, 4):
            info = zipfile.ZipInfo(f"logs/{number:04d}.eval")
            info.file_size, info.compress_size, info.CRC = twin.file_size, twin.compress_size, twin.CRC
            info.header_offset = twin.header_offset
            archive.filelist.append(info)
        archive._didModify = True  # writes the directory anew
    with pytest.raises(InputError, match="larger than the file itself"):
        api.bench_check(tmp_path / "s.zip")


def test_a_link_is_refused(honest: Path, tmp_path: Path) -> None:
    path = written(tmp_path / "s.zip", members(honest))
    link = zipfile.ZipInfo("logs/0001.eval")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(link, "/etc/passwd")
    with pytest.raises(InputError, match="is a link"):
        api.bench_check(path)


def test_a_member_that_is_there_twice_is_refused(honest: Path, tmp_path: Path) -> None:
    path = written(tmp_path / "s.zip", members(honest))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with zipfile.ZipFile(path, "a") as archive:
            archive.writestr("board.json", b"{}")
    with pytest.raises(InputError, match="is there twice"):
        api.bench_check(path)


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04 no archive", b"{}"])
def test_a_file_that_is_no_archive_is_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "s.zip").write_bytes(data)
    with pytest.raises(InputError, match="not a submission"):
        api.bench_check(tmp_path / "s.zip")


def test_a_submission_to_another_suite_names_the_option(honest: Path) -> None:
    with pytest.raises(InputError, match="not to hard"):
        api.bench_check(honest, suite="hard")


def test_nothing_is_overwritten(honest: Path) -> None:
    with pytest.raises(InputError, match="exists already"):
        api.bench_submit([honest.parent / "logs"], honest)
