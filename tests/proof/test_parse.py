"""What can be told about a commit before its tests run."""

from __future__ import annotations

import pytest

from steelyard.proof.candidates import Limits, sort_out
from steelyard.proof.history import Changed, Commit
from steelyard.proof.parse import pointless
from steelyard.tree import File

CODE = "def f():\n    return 1\n"
TEST = "def test_f():\n    assert f() == 1\n"


@pytest.mark.parametrize(
    ("code", "test", "reason"),
    [
        (CODE.replace("1", "2"), TEST.replace("1", "2"), ""),
        (f"# why\n{CODE}", TEST.replace("1", "2"), "changes only comments, docstrings or layout"),
        (CODE.replace("():", "():\n    'Says.'"), f"{TEST}X = 1\n", "changes only comments, docstrings or layout"),
        (CODE.replace("1", "2"), f"\n{TEST}", "changes no test but for its layout"),
        ("print 1\n", TEST.replace("1", "2"), "is not written in the Python that is here"),
        (CODE.replace("1", "'\\d'"), TEST.replace("1", "2"), ""),  # an escape that Python warns of
        (CODE.replace("1", " + ".join("1" * 3_000)), TEST.replace("1", "2"), ""),  # deeper than Python's own recursion
    ],
)
def test_what_is_no_use_to_try_is_known_beforehand(code: str, test: str, reason: str) -> None:
    changed = (Changed("f.py", 1), Changed("test_f.py", 1))
    (candidate,), _ = sort_out([Commit("1" * 40, "p", "2024-01-01", "Return something else", "", changed)], Limits())
    old = {"f.py": File(CODE.encode()), "test_f.py": File(TEST.encode())}
    new = {"f.py": File(code.encode()), "test_f.py": File(test.encode())}
    assert pointless(candidate, old, new) == reason
