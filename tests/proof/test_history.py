"""Commits and files of a repository."""

from __future__ import annotations

from pathlib import Path

from steelyard.git import git
from steelyard.proof.history import commits, files_at, hunks, is_shallow
from tests.repositories import commit, repository


def test_commits_have_their_files_and_merges_are_left_out(tmp_path: Path) -> None:
    repo = repository(tmp_path / "r", {"a.py": "1\n"})
    commit(repo, {"a.py": "2\n", "tests/test_a.py": "x\ny\n"}, "Change a\n\nBecause.")
    git(repo, "checkout", "-q", "-b", "side")
    commit(repo, {"b.py": "1\n"}, "Side")
    git(repo, "checkout", "-q", "main")
    commit(repo, {"c.py": "1\n"}, "Main")
    git(repo, "merge", "-q", "--no-ff", "-m", "Merge", "side")
    found = commits(repo)
    assert [one.subject for one in found] == ["Main", "Side", "Change a"] or [one.subject for one in found] == [
        "Side",
        "Main",
        "Change a",
    ]
    changed = found[-1]
    assert changed.body == "Because."
    assert {file.path: file.lines for file in changed.files} == {"a.py": 2, "tests/test_a.py": 2}
    assert files_at(repo, changed.sha)["a.py"].data == b"2\n"


def test_a_shallow_clone_ends_where_its_history_does(tmp_path: Path) -> None:
    repo = repository(tmp_path / "r", {"a.py": "1\n"})
    for number in range(3):
        commit(repo, {"a.py": f"{number + 2}\n"}, f"Change {number}")
    git(tmp_path, "clone", "-q", "--depth", "2", f"file://{repo}", "shallow")
    assert is_shallow(tmp_path / "shallow")
    assert [one.subject for one in commits(tmp_path / "shallow")] == ["Change 2"]


def test_links_that_lead_outside_and_submodules_are_left_out(tmp_path: Path) -> None:
    repo = repository(tmp_path / "r", {"a.py": "1\n"})
    (repo / "out").symlink_to("/etc/passwd")
    (repo / "in").symlink_to("a.py")
    commit(repo, {}, "Links")
    assert set(files_at(repo, "HEAD")) == {"a.py", "in"}
    inner = repository(repo / "inner", {"x": "1\n"})
    git(repo, "add", "inner")
    git(repo, "commit", "-q", "-m", f"Sub {inner.name}")
    assert set(files_at(repo, "HEAD")) == {"a.py", "in"}


def test_a_message_may_hold_any_character(tmp_path: Path) -> None:
    repo = repository(tmp_path / "r", {"a.py": "1\n"})
    commit(repo, {"a.py": "2\n"}, "odd\x1emess\x1fage\n\n1\t2\tno file\x1f\x1e.")
    git(repo, "commit", "-q", "--allow-empty", "-m", "Empty")
    commit(repo, {"t\tb\n.py": "1\n"}, "Tab")
    tab, empty, odd = commits(repo)
    assert (odd.subject, odd.body) == ("odd\x1emess\x1fage", "1\t2\tno file\x1f\x1e.")
    assert [{file.path: file.lines for file in one.files} for one in (tab, empty, odd)] == [
        {"t\tb\n.py": 1},
        {},
        {"a.py": 2},
    ]


def test_a_changed_line_is_no_header_of_a_file(tmp_path: Path) -> None:
    begin = ["-- a/gone.py", "b", "c", "d", "e"]
    repo = repository(tmp_path / "r", {"a.py": "\n".join(begin), "z.py": "1\n"})
    # Whoever has set this sees lines that did not change, which count in the header of the hunk.
    git(repo, "config", "diff.interHunkContext", "9")
    commit(repo, {"a.py": "\n".join(["++ b/other.py", "b", "c\f@@ -9 +9 @@", "d", "f"]), "z.py": "2\n"}, "Change")
    (change,) = commits(repo)
    found = hunks(repo, change, ["a.py", "z.py"])
    # Lines 1, 3 and 5 of a.py, each replaced by one; neither version ends with a line's end.
    assert [tuple(one) for one in found] == [
        *(("a.py", line, 1, line, 1) for line in (1, 3, 5)),
        ("z.py", 1, 1, 1, 1),
    ]
