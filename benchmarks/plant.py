"""What proved and subtle problems cost, against the naive way: all tests for every edit.

    python benchmarks/plant.py [REPO] [--most 30]

Without REPO, a project of twenty modules with their tests is made of copies of the two shipped ones. The time is
processor time of the tests, as `audit plant` reports it.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from steelyard import api
from steelyard.audit.plant.record import PlantedUnit
from steelyard.git import git

PROJECTS = Path("src/steelyard/examples/audit/planted")
COPIES = 10


def copies(folder: Path) -> Path:
    """A repository with copies of the shipped projects, each under a name of its own."""
    for name in ("rooms", "courier"):
        for path, file in PlantedUnit(PROJECTS / name).right.items():
            for number in range(COPIES):
                target = folder / path.replace(name, f"{name}_{number}")
                target.parent.mkdir(parents=True, exist_ok=True)
                text = file.data.decode().replace(f"from {name} ", f"from {name}_{number} ")
                target.write_text(text.replace(f"import {name}\n", f"import {name}_{number} as {name}\n"), "utf-8")
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "Begin")
    return folder


def main() -> None:
    """Print one line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repo", nargs="?", type=Path)
    parser.add_argument("--most", type=int, default=30)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        repo = given.repo or copies(Path(scratch) / "repo")
        found = api.audit_plant(repo, Path(scratch) / "suite", most=given.most)
    minutes, naive = found.cpu_s / 60, found.naive_cpu_s / 60
    edits = sum(found.states.values())
    print(f"{found.problems} proved and subtle problems of {edits} edits: {minutes:.2f} CPU minutes of tests")
    print(f"all tests for every edit: {naive:.2f} CPU minutes, {naive / minutes:.1f} times as much")


if __name__ == "__main__":
    main()
