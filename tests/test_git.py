"""Reading a repository through git."""

from __future__ import annotations

import time
from pathlib import Path

from steelyard.git import blobs_at, tree_at

from .repositories import repository


def test_objects_are_read_in_linear_time(tmp_path: Path) -> None:
    files = {f"a/{number:04}.txt": f"{number}\n\n" for number in range(1_500)}
    files |= {"a/empty.txt": "", "z.txt": "x" * 20_000_000}
    repo = repository(tmp_path / "r", files)
    begun = time.process_time()
    tree = tree_at(repo, "main", "")
    # 20 MB are last: to copy what follows each object would take 60 GB.
    assert time.process_time() - begun < 3
    assert {path: file.data.decode() for path, file in tree.items()} == files
    assert blobs_at(repo, []) == {}
