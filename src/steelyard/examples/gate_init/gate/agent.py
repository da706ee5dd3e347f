"""A stand-in for a real agent: it prepares a release, and forgets half of the steps unless it has a checklist.

The prompt comes on stdin, the work folder is the current one, and the configuration under test is in
$STEELYARD_CONFIG. Replace it in steelyard.yaml by the agent you use.
"""

import json
import os
import random
from pathlib import Path

VERSION = "2.0.0"


def set_version() -> None:
    file = Path("app.json")
    file.write_text(json.dumps({**json.loads(file.read_text()), "version": VERSION}, indent=2) + "\n")


def add_to_changelog() -> None:
    file = Path("CHANGELOG.md")
    file.write_text(f"# Changes\n\n## {VERSION}\n\n- Ready.\n" + file.read_text().removeprefix("# Changes\n"))


def name_in_readme() -> None:
    file = Path("README.md")
    file.write_text(file.read_text().replace("1.9.0", VERSION))


def remove_plan() -> None:
    Path("PLAN.md").unlink()


rules = Path(os.environ["STEELYARD_CONFIG"], "AGENTS.md").read_text()
for step in (set_version, add_to_changelog, name_in_readme, remove_plan):
    if "checklist" in rules or random.random() < 0.5:
        step()
print(f"Release {VERSION} is ready.")
