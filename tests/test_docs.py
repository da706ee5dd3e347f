"""Docs are tested: commands in `console` blocks run, quoted figures are the measured ones, links lead somewhere."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from steelyard.cli.main import main
from tests.waiting import HANG_S

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("design/*.md")])
FIGURES = json.loads((ROOT / "docs" / "figures.json").read_text("utf-8"))

BLOCK = re.compile(r"^```console\n(.*?)^```", re.DOTALL | re.MULTILINE)
SHELL = re.compile(r"[|<>&;$`*?~(){}]|^(?!steelyard )")
"""What only a shell can run."""
FIGURE = re.compile(r"<!--fig ([\w.-]+)-->(.*?)<!--/fig-->")
LINK = re.compile(r"\]\(([^)\s]+)\)")


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def commands(page: Path) -> list[tuple[str, int]]:
    """The commands of a page with the exit code each must end in."""
    lines = [line for block in BLOCK.findall(page.read_text("utf-8")) for line in block.splitlines()]
    found: list[tuple[str, int]] = []
    for line in (line[2:] for line in lines if line.startswith("$ ")):
        command, _, code = line.partition(" # exit ")
        found.append((command, int(code or 0)))
    return found


@pytest.mark.parametrize("page", [page for page in PAGES if commands(page)], ids=name)
def test_the_commands_of_a_page_run(page: Path, tmp_path: Path) -> None:
    for command, expected in commands(page):
        code, output = (in_shell if SHELL.search(command) else in_process)(command, tmp_path)
        assert code == expected, f"{command}\n{output}"


def in_process(command: str, folder: Path) -> tuple[int, str]:
    """A plain `steelyard` command, without loading everything again for each."""
    program, *words = shlex.split(command)
    assert program == "steelyard"
    with contextlib.chdir(folder):
        done = CliRunner().invoke(main, words, prog_name=program)
    return done.exit_code, done.output


def in_shell(command: str, folder: Path) -> tuple[int, str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "STEELYARD_REPO": str(ROOT)}
    done = subprocess.run(
        ["/bin/sh", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, timeout=HANG_S
    )
    return done.returncode, done.stdout + done.stderr


def measured(key: str) -> float:
    value = FIGURES
    for part in key.split("."):
        value = value[part]
    assert isinstance(value, (int, float)), key
    return float(value)


@pytest.mark.parametrize("page", [page for page in PAGES if FIGURE.search(page.read_text("utf-8"))], ids=name)
def test_quoted_figures_are_the_measured_ones(page: Path) -> None:
    for key, text in FIGURE.findall(page.read_text("utf-8")):
        number = re.search(r"-?\d[\d,]*(\.\d+)?", text)
        assert number is not None, f"{key}: no number in {text!r}"
        written = number.group().replace(",", "")
        decimals = len(written.partition(".")[2])
        assert float(written) == round(measured(key), decimals), f"{key} is {measured(key)}, the page says {text}"


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in LINK.findall(page.read_text("utf-8")):
        if "://" not in target and not target.startswith(("#", "mailto:")):
            assert (page.parent / target.partition("#")[0]).exists(), target


def test_nothing_speaks_of_one_machine() -> None:
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    pattern = re.compile(r"(?<![\w.~])/(?:work/(?:main|shared)|root/\.pyenv|farm/)")
    for path in filter(None, tracked.split("\0")):
        file = ROOT / path
        if file.suffix in {".png", ".eval"} or not file.is_file() or file == Path(__file__):
            continue
        assert not pattern.search(file.read_text("utf-8", "replace")), path


def test_every_rule_of_the_law_says_where_it_lives() -> None:
    law = (ROOT / "docs" / "scoring.md").read_text("utf-8")
    text, _, index = law.partition("## Where each rule lives")
    rules = re.findall(r"^### (\d\.\d) ", text, re.MULTILINE)
    rows = dict(re.findall(r"^\| §([\d.]+) (\|.*)$", index, re.MULTILINE))
    assert list(rows) == ["0", *rules, "4"]
    for rule, row in rows.items():
        for target in LINK.findall(row):
            cited = (ROOT / "docs" / target).read_text("utf-8")
            assert re.search(rf"§(?:{rule}|2\.1–2\.2)\b", cited), f"{target} does not cite §{rule}"


def test_the_page_on_the_api_follows_from_its_docstrings() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "api-docs"), "--check"], capture_output=True, text=True, timeout=HANG_S
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_picture_of_the_evidence_is_what_the_gate_decides(tmp_path: Path) -> None:
    script, drawn = ROOT / "scripts" / "evidence-path", tmp_path / "e-path.svg"
    subprocess.run([sys.executable, str(script), str(drawn)], check=True, timeout=HANG_S)
    assert drawn.read_text("utf-8") == (ROOT / "docs" / "images" / "e-path.svg").read_text("utf-8")


def test_the_site_builds_and_its_links_lead_somewhere(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path / "site")]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=HANG_S)
    assert done.returncode == 0, done.stderr
    pages = list((tmp_path / "site").rglob("*.html"))
    assert (tmp_path / "site" / "tutorials" / "gate.html") in pages
    loaded = re.compile(r'(?:src|<link[^>]* href)="https?://(?!www.w3.org)[^"]*"')
    assert {found for page in pages for found in loaded.findall(page.read_text("utf-8"))} == set()


def test_the_notebook_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    cells = json.loads((ROOT / "docs" / "notebook.ipynb").read_text("utf-8"))["cells"]
    names: dict[str, Any] = {}
    for source in ("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"):
        exec(compile(source, "docs/notebook.ipynb", "exec"), names)
    assert names["weighed"].outcome.verdict == "improved"
    for shown in (names["weighed"], names["result"], names["board"]):
        assert shown._repr_html_().startswith("<div>") and len(shown.to_frame()) == len(shown.records()) > 1
