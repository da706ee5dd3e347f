"""`steelyard gate harvest`."""

from __future__ import annotations

from pathlib import Path

import click

from steelyard.cli.exit import Exit
from steelyard.cli.options import output, rare, show
from steelyard.cli.progress import Bars

FOLDER = click.Path(path_type=Path)


@click.command()
@click.argument("repo", metavar="REPO", type=FOLDER)
@click.option("--out", type=FOLDER, required=True, metavar="DIR", help="Folder for the tasks.")
@click.option("--most", type=click.IntRange(1), default=20, show_default=True, help="Tasks to write at most.")
@rare("--ref", default="HEAD", show_default=True, help="The history that leads to this commit or branch.")
@rare("--since", metavar="DATE", help="Only commits after this date.")
@rare("--depth", type=click.IntRange(1), default=1000, show_default=True, help="Commits to look at.")
@rare("--max-lines", type=click.IntRange(1), default=200, show_default=True, help="Changed lines of source.")
@click.option("--issues", type=FOLDER, metavar="FILE", help="Issues as JSON; their text is the prompt.")
@rare("--timeout", type=click.FloatRange(1), default=300, show_default=True, help="Seconds for one test run.")
@output("json", "markdown")
def harvest(
    repo: Path,
    out: Path,
    most: int,
    ref: str,
    since: str | None,
    depth: int,
    max_lines: int,
    issues: Path | None,
    timeout: float,
    json_path: str | None,
    markdown_path: str | None,
) -> Exit:
    """Make tasks from the history of REPO: small commits whose tests are red before them and green after them.

    Tests run in the sandbox without a network, three times on each side. Every task that is written passes `gate
    check --prove`. Run again to go on after an interruption. Exit 1 if no commit became a task.

    \b
    Example:
      steelyard gate harvest ~/src/mylib --out tasks --most 15
      gh issue list --state all --json number,title,body > issues.json
      steelyard gate harvest ~/src/mylib --out tasks --issues issues.json
    """
    from steelyard import api
    from steelyard.artifact import json_text
    from steelyard.gate.harvest import HarvestSpec
    from steelyard.gate.harvest.report import as_data, document
    from steelyard.proof.candidates import Limits

    spec = HarvestSpec(repo, out, most, ref, since, depth, Limits(lines=max_lines), timeout_s=timeout, issues=issues)
    with Bars() as bars:
        found = api.gate_harvest(spec, bars.trying("tasks"))
    paths = {"json": json_path, "markdown": markdown_path}
    show(document(found), paths, json=lambda: json_text(as_data(found)))
    return Exit.FINE if found.tasks else Exit.NO
