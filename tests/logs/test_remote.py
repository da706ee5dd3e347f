"""Logs on S3, against a real S3 server on this machine."""

from __future__ import annotations

from pathlib import Path

import pytest
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.log import convert_eval_logs, read_eval_log
from s3fs import S3File

from steelyard import artifact
from steelyard.api.machine import status
from steelyard.errors import InputError, LogError
from steelyard.location import is_remote, local, location, remote
from steelyard.logs import json_log, read
from steelyard.logs.find import find_logs
from steelyard.logs.folder import ready_for_logs
from steelyard.logs.read import open_log, read_log, read_logs, rows_in
from steelyard.logs.remote import open_ranges
from steelyard.logs.write import read_draft, write_draft


@pytest.fixture(scope="module")
def local_log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    task = Task(dataset=[Sample("hello " * 3000, id=f"item {n}") for n in range(4)])
    folder = tmp_path_factory.mktemp("logs")
    [done] = eval(task, model="steelyard/floor", log_dir=str(folder), display="none")
    return Path(done.location.removeprefix("file://"))


@pytest.fixture
def log(bucket: str, local_log: Path) -> tuple[Path, str]:
    """A log on this machine, and the same on S3."""
    path = local_log
    url = f"{bucket}/logs/{path.name}"
    artifact.write_bytes(location(url), path.read_bytes())
    return path, url


def test_a_remote_log_is_the_row_of_the_local_one(log: tuple[Path, str]) -> None:
    path, url = log
    with open_log(url) as remote_log, open_log(path) as local:
        assert list(remote_log.samples()) == list(local.samples())
        assert remote_log.row.runs == local.row.runs and remote_log.row.path == url


def test_a_remote_log_in_json_is_read_piece_by_piece(
    bucket: str, local_log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    convert_eval_logs(str(local_log), to="json", output_dir=str(tmp_path))
    [path] = tmp_path.glob("*.json")
    url = f"{bucket}/logs/{path.name}"
    artifact.write_bytes(location(url), path.read_bytes())
    fetched: list[int] = []
    original = S3File._fetch_range

    def fetch(self: S3File, start: int, end: int) -> bytes:
        fetched.append(end - start)
        return original(self, start, end)

    monkeypatch.setattr(S3File, "_fetch_range", fetch)
    monkeypatch.setattr(read, "BLOCK", 10_000)
    monkeypatch.setattr(json_log, "PIECE", 10_000)
    with open_log(url) as remote_log, open_log(path) as local:
        assert remote_log.row.runs == local.row.runs and remote_log.row.path == url
        largest = max(fetched)
        assert list(remote_log.samples()) == list(local.samples())
    assert largest < path.stat().st_size / 2


def test_a_folder_a_glob_and_a_single_log_are_found(log: tuple[Path, str]) -> None:
    folder = log[1].rpartition("/")[0]
    places = (folder, f"{folder}/*.eval", f"{folder[:-1]}*", f"{log[1][:-6]}?.eval", log[1])
    assert [find_logs([place]) for place in places] == [[log[1]]] * len(places)


def test_a_name_with_the_marks_of_a_glob_is_a_name(bucket: str, local_log: Path) -> None:
    for url in (f"{bucket}/run [1]/a.eval", f"{bucket}/b[2].eval"):
        artifact.write_bytes(location(url), local_log.read_bytes())
        assert find_logs([url]) == [url]
    assert find_logs([f"{bucket}/run [1]"]) == [f"{bucket}/run [1]/a.eval"]


def test_of_two_writers_the_second_is_refused(log: tuple[Path, str]) -> None:
    first, second = read_draft(log[1]), read_draft(log[1])
    first.log.eval.tags = ["first"]
    write_draft(first)
    with pytest.raises(LogError, match="changed after it was read"):
        write_draft(second)
    assert read_eval_log(log[1]).eval.tags == ["first"]


def test_a_new_log_does_not_replace_one(log: tuple[Path, str]) -> None:
    draft = read_draft(log[0]).copied_to(location(log[1]))
    with pytest.raises(LogError, match="changed after it was read"):
        write_draft(draft)


def test_a_replaced_log_is_read_as_it_is_now(log: tuple[Path, str]) -> None:
    read_logs([log[1]], view="full")
    draft = read_draft(log[1])
    draft.log.eval.model = "other/model"
    write_draft(draft)
    assert read_log(log[1]).model == "other/model"
    assert read_logs([log[1]], view="full").rows[0].model == "other/model"


def test_only_ranges_are_fetched(bucket: str) -> None:
    url = f"{bucket}/large"
    artifact.write_bytes(location(url), bytes(200_000))
    with open_ranges(url) as file:
        file.seek(100)
        assert len(file.read(10)) == 10
        held = sum(len(data) for _, data in file._parts)
    assert held == 2 * 16_384


def test_a_missing_bucket_is_named(bucket: str) -> None:
    for attempt in (
        lambda: read_logs([f"{bucket}-missing/x"]),
        lambda: ready_for_logs(location(f"{bucket}-missing/x")),
    ):
        with pytest.raises(LogError, match=f"{bucket}-missing/x: The specified bucket does not exist"):
            attempt()


def test_a_folder_without_anything_in_it_is_named(bucket: str) -> None:
    with pytest.raises(LogError, match=f"cannot list {bucket}/nothing: there is nothing below this URL"):
        read_logs([f"{bucket}/nothing"])


def test_a_storage_that_writes_its_urls_otherwise_has_a_status(local_log: Path) -> None:
    folder = "memory://status/logs"  # listed as memory:///status/logs
    artifact.write_bytes(location(f"{folder}/{local_log.name}"), local_log.read_bytes())
    artifact.write_json(location(f"{folder}/eval-set.json"), {"tasks": [{"name": "task", "model": "x/waiting"}]})
    assert [line.state for line in status([folder]).lines] == ["done", "waiting"]


def test_a_folder_that_another_writer_only_tries_out_is_empty(bucket: str) -> None:
    import boto3

    folder = location(f"{bucket}/shared")
    files, path = remote(folder)
    files.pipe_file(f"{path}/.steelyard-probe-1", b"steelyard")
    assert folder.is_dir()
    boto3.client("s3").delete_object(Bucket=bucket.removeprefix("s3://"), Key="shared/.steelyard-probe-1")
    assert folder.is_dir(), "as this process has seen it"
    assert rows_in(folder) == ()


def test_a_probe_is_not_left_behind(bucket: str) -> None:
    ready_for_logs(location(f"{bucket}/new"))
    files, path = remote(bucket)
    files.invalidate_cache()
    assert files.find(path) == []


@pytest.mark.parametrize("url", ["s3://me:hush@bucket/logs", "sftp://me:hush@host", "s3://a:b@c:hush@bucket"])
def test_a_password_in_a_url_is_refused_and_not_repeated(url: str) -> None:
    for use in (location, lambda place: local(place, "a suite")):
        with pytest.raises(InputError, match="holds a password") as caught:
            use(url)
        assert "hush" not in str(caught.value)


@pytest.mark.parametrize("url", ["file://[", "s3://["])
def test_a_url_with_half_an_address_is_bad_input(url: str) -> None:
    with pytest.raises(InputError, match="cannot use"):
        location(url)


def test_a_url_is_never_a_local_folder(tmp_path: Path) -> None:
    assert is_remote("s3://bucket/x") and not is_remote("file:///x") and not is_remote("logs")
    assert location("file:///tmp/a%20b") == Path("/tmp/a b")
    for lost in (Path("s3://bucket/x"), "s3:/bucket/x"):
        with pytest.raises(InputError, match="lost a slash"):
            location(lost)
    with pytest.raises(InputError, match="logs is not a folder"):
        location("file://logs")  # not the folder in which one happens to be
    assert str(location("S3://bucket/x")) == "s3://bucket/x"
    with pytest.raises(InputError, match="unknown scheme"):
        location("nowhere://bucket/x")
