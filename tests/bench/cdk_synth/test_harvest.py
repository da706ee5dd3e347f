"""What synthesis wrote is what counts: a file removed, replaced or changed afterwards is the app's failure."""

from __future__ import annotations

import errno
import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from steelyard.bench.cdk_synth.synthesizer.inside import harvest

MANIFEST = {
    "artifacts": {
        "S": {
            "type": "aws:cloudformation:stack",
            "properties": {"templateFile": "S.template.json"},
            "additionalMetadataFile": "S.metadata.json",
        },
        "P": {"type": "cdk:cloud-assembly", "properties": {"directoryName": "assembly-P"}},
    }
}
FILES = {
    "manifest.json": json.dumps(MANIFEST),
    "S.template.json": "{}",
    "S.metadata.json": '{"/S": [{"type": "aws:cdk:error", "data": "no"}]}',
    "SN.nested.template.json": "{}",
    "validation-report.json": "{}",
    "assembly-P/manifest.json": "{}",
}


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """An assembly in `cdk.out`, and the hashes that Node reports."""
    monkeypatch.setattr(harvest, "root", str(tmp_path))
    (tmp_path / "assembly-P").mkdir()
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return {str(tmp_path / name): hashlib.sha256(text.encode()).hexdigest() for name, text in FILES.items()}


def test_everything_that_was_written_is_collected(written: dict[str, str]) -> None:
    assert harvest.harvest(written) == FILES


@pytest.mark.parametrize("name", [name for name in FILES if name != "manifest.json"])
def test_a_file_that_is_gone_is_no_empty_file(written: dict[str, str], tmp_path: Path, name: str) -> None:
    (tmp_path / name).unlink()
    with pytest.raises(harvest.Forged, match=f"{name} was removed"):
        harvest.harvest(written)


@pytest.mark.parametrize("name", [name for name in FILES if name != "manifest.json"])
def test_a_link_is_not_followed(written: dict[str, str], tmp_path: Path, name: str) -> None:
    (tmp_path / name).rename(tmp_path / "elsewhere")
    (tmp_path / name).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(harvest.Forged, match=f"{name} was removed or replaced"):
        harvest.harvest(written)


def test_a_changed_file_is_refused(written: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "S.metadata.json").write_text("{}")
    with pytest.raises(harvest.Forged, match="was not written by synthesis"):
        harvest.harvest(written)


def test_the_limit_counts_bytes_and_not_characters(
    written: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Ten characters of four bytes and two quotation marks, in the first template that is read; the files after it
    # have no room for the thirty bytes that counting its characters would leave out.
    path = tmp_path / "SN.nested.template.json"
    path.write_text('"' + 10 * "😀" + '"', "utf-8")
    written[str(path)] = hashlib.sha256(path.read_bytes()).hexdigest()
    size = sum(len(text) for text in FILES.values()) - len("{}") + 42
    monkeypatch.setattr(harvest, "TOTAL_LIMIT", size)
    assert len(harvest.harvest(written)) == len(FILES)
    monkeypatch.setattr(harvest, "TOTAL_LIMIT", size - 1)
    with pytest.raises(harvest.TooLarge):
        harvest.harvest(written)


def test_without_a_manifest_there_is_nothing(written: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "manifest.json").unlink()
    assert harvest.harvest(written) == {}


def test_stages_within_stages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(harvest, "root", str(tmp_path))
    folder, hashes = tmp_path, dict[str, str]()
    for depth in range(12):
        inner = {"type": "cdk:cloud-assembly", "properties": {"directoryName": "stage"}}
        text = json.dumps({"artifacts": {"P": inner} if depth < 11 else {}})
        (folder / "manifest.json").write_text(text)
        hashes[str(folder / "manifest.json")] = hashlib.sha256(text.encode()).hexdigest()
        folder = folder / "stage"
        folder.mkdir()
    assert len(harvest.harvest(hashes)) == 12


@pytest.mark.parametrize(
    ("name", "calls"),
    [
        ("S.metadata.json", ("open", "listdir")),
        ("manifest.json", ("open", "listdir")),
        ("assembly-P", ("open", "listdir")),
        ("manifest.json", ("lstat",)),  # the folder is locked
    ],
)
def test_a_file_or_folder_that_may_not_be_read_is_named(
    written: dict[str, str], monkeypatch: pytest.MonkeyPatch, name: str, calls: tuple[str, ...]
) -> None:
    """Refused here by hand: root may read everything."""

    def refusing(call: Callable[..., Any]) -> Callable[..., Any]:
        def refuse(path: str, *words: Any) -> Any:
            if os.path.relpath(path, harvest.root) == name:
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
            return call(path, *words)

        return refuse

    for call in calls:
        monkeypatch.setattr(os, call, refusing(getattr(os, call)))
    with pytest.raises(harvest.Forged, match=f"{name} cannot be read: Permission denied"):
        harvest.harvest(written)
