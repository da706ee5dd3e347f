"""`steelyard audit plant`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from steelyard.cli.audit.options import FILE
from steelyard.cli.exit import Exit
from steelyard.cli.options import output, rare, show
from steelyard.cli.progress import Bars

if TYPE_CHECKING:
    from steelyard.audit.plant.planting import Form


@click.command()
@click.argument("repo", metavar="REPO", type=FILE)
@click.option("--out", type=FILE, required=True, metavar="DIR", help="Folder for the suite.")
@click.option("--most", type=click.IntRange(1), default=30, show_default=True, help="Problems at most.")
@click.option("--per-document", type=click.IntRange(1), default=5, show_default=True, help="Problems in a document.")
@click.option(
    "--as",
    "form",
    type=click.Choice(["repository", "diff"]),
    default="repository",
    show_default=True,
    help="What the agent gets.",
)
@click.option("--from-history", is_flag=True, help="Real bugs that commits fixed, instead of planted ones.")
@rare("--ref", default="HEAD", show_default=True, help="The revision, or the history that leads to it.")
@rare("--depth", type=click.IntRange(1), default=1000, show_default=True, help="Commits to look at.")
@rare("--seed", type=int, default=0, show_default=True, help="Order in which places are tried.")
@rare("--timeout", type=click.FloatRange(1), default=300, show_default=True, help="Seconds for one test run.")
@output("json", "markdown")
def plant(
    repo: Path,
    out: Path,
    most: int,
    per_document: int,
    form: Form,
    from_history: bool,
    ref: str,
    depth: int,
    seed: int,
    timeout: float,
    json_path: str | None,
    markdown_path: str | None,
) -> Exit:
    """Plant bugs into REPO and write a suite with their answer key; every one is proved by a test that fails.

    The agent under audit gets the repository without the tests that tell, or a commit's diff with bugs in it. Tests run
    in the sandbox without a network. Run again to go on after an interruption. Exit 1 if nothing was proved.

    \b
    Example:
      steelyard audit plant ~/src/mylib --out suite --most 30
      steelyard audit plant ~/src/mylib --out suite --as diff
      steelyard audit plant ~/src/mylib --out suite --from-history --most 10
      steelyard audit check --prove suite
    """
    from steelyard import api
    from steelyard.artifact import json_text
    from steelyard.audit.plant.planting import PlantSpec
    from steelyard.audit.plant.report import as_data, document

    spec = PlantSpec(
        repo, out, most, per_document, form, from_history, ref=ref, depth=depth, seed=seed, timeout_s=timeout
    )
    with Bars() as bars:
        found = api.audit_plant(spec, bars.trying("problems"))
    paths = {"json": json_path, "markdown": markdown_path}
    show(document(found), paths, json=lambda: json_text(as_data(found)))
    return Exit.FINE if found.problems else Exit.NO
