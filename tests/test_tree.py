"""Folders as data: what an agent left behind is hostile until proven plain."""

import io
import os
import tarfile
from pathlib import Path

import pytest

from steelyard import tree as trees
from steelyard.errors import InputError
from steelyard.tree import (
    File,
    TooLarge,
    changes,
    from_tar,
    lay_over,
    matches,
    read_tree,
    resolve,
    safe_path,
    to_tar,
)


@pytest.mark.parametrize(
    ("path", "plain"),
    [
        ("a/b", "a/b"),
        ("./a//b/", "a/b"),
        ("a/../b", "b"),
        ("-rf", "-rf"),
        ("$(reboot)", "$(reboot)"),
        ("..", None),
        ("../a", None),
        ("a/../../b", None),
        ("/etc/passwd", None),
        ("~/x", None),
        ("", None),
        (".", None),
        ("a\0b", None),
        ("a\\b", None),
    ],
)
def test_only_paths_that_stay_inside_are_paths(path: str, plain: str | None) -> None:
    assert safe_path(path) == plain


def archive(*members: tuple[tarfile.TarInfo, bytes]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for member, data in members:
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return buffer.getvalue()


def member(name: str, kind: bytes = tarfile.REGTYPE, target: str = "") -> tarfile.TarInfo:
    found = tarfile.TarInfo(name)
    found.type, found.linkname = kind, target
    return found


def test_a_hostile_archive_gives_plain_files_only() -> None:
    data = archive(
        (member("./kept.txt"), b"kept"),
        (member("../outside.txt"), b"x"),
        (member("/etc/passwd"), b"x"),
        (member("link-out", tarfile.SYMTYPE, "../../etc/passwd"), b""),
        (member("link-abs", tarfile.SYMTYPE, "/etc/passwd"), b""),
        (member("link-in", tarfile.SYMTYPE, "kept.txt"), b""),
        (member("pipe", tarfile.FIFOTYPE), b""),
        (member("disk", tarfile.BLKTYPE), b""),
        (member("__pycache__/kept.cpython-311.pyc"), b"forged"),
    )
    found = from_tar(data)
    assert found.tree == {"kept.txt": File(b"kept"), "link-in": File(link="kept.txt")}
    assert [each.split(" ")[0] for each in found.dropped] == ["disk", "link-abs", "link-out", "pipe"]


def test_a_tree_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trees, "MAX_FILES", 3)
    with pytest.raises(TooLarge):
        from_tar(to_tar({f"f{number}": File() for number in range(4)}))
    monkeypatch.setattr(trees, "MAX_FILES", 10)
    monkeypatch.setattr(trees, "MAX_BYTES", 5)
    with pytest.raises(TooLarge):
        from_tar(to_tar({"f": File(b"123456")}))


def test_an_archive_that_is_none_is_an_error_of_ours() -> None:
    with pytest.raises(InputError, match="damaged"):
        from_tar(b"not a tar" * 1000)


def test_round_trip_keeps_bytes_modes_links_and_names(tmp_path: Path) -> None:
    tree = {"a b/ü\udcff": File(b"\x00\xff"), "run": File(b"#!", True), "l": File(link="run"), "-rf": File(b"")}
    assert from_tar(to_tar(tree)).tree == tree
    assert to_tar(tree) == to_tar(dict(reversed(tree.items())))


def test_our_own_folders_may_not_lead_outside(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")
    (tmp_path / "inner").symlink_to("a")
    assert read_tree(tmp_path, source="fixture")["inner"] == File(link="a")
    (tmp_path / "out").symlink_to("/etc/passwd")
    with pytest.raises(InputError, match="out is a symbolic link"):
        read_tree(tmp_path, source="fixture")
    (tmp_path / "out").unlink()
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="pipe is not a regular file"):
        read_tree(tmp_path, source="fixture")


def test_links_are_followed_inside_and_never_round_in_circles() -> None:
    tree = {
        "a": File(link="b"),
        "b": File(link="c/d"),
        "c/d": File(b"x"),
        "loop": File(link="loop"),
        "up": File(link="../x"),
    }
    assert resolve(tree, "a") == File(b"x")
    assert resolve(tree, "loop") is None
    assert resolve(tree, "up") is None


def test_a_layer_wins_over_what_is_in_its_way() -> None:
    # the agent put a link where the tests' folder belongs, and a folder where a file belongs
    left = {"tests": File(link="evil"), "evil/t.py": File(b"x"), "Makefile/x": File(b"y"), "kept": File(b"k")}
    laid = lay_over(left, {"tests/t.py": File(b"real"), "Makefile": File(b"real")})
    assert laid == {"evil/t.py": File(b"x"), "kept": File(b"k"), "tests/t.py": File(b"real"), "Makefile": File(b"real")}


def test_changes_and_patterns() -> None:
    before = {"a": File(b"1"), "b": File(b"1"), "c": File(b"1")}
    after = {"a": File(b"1"), "b": File(b"1", True), "d/e.txt": File(b"1")}
    assert changes(before, after) == {"b": "changed", "c": "removed", "d/e.txt": "added"}
    assert matches("d/e.txt", ["d"]) and matches("d/e.txt", ["*.txt"]) and not matches("d2/e", ["d"])
