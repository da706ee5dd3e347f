"""`steelyard status`: how far runs are."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import click

from steelyard import api, artifact
from steelyard.cli.exit import Exit
from steelyard.cli.options import STDOUT, Number, colour, index_option, rare, show
from steelyard.cli.spec import options_of

if TYPE_CHECKING:
    from steelyard.status.model import Status


@click.command()
@options_of(api.LogStatus)
@click.option("--json", "json_path", metavar="[PATH]", is_flag=False, flag_value=STDOUT,
              help="Write JSON to PATH, or to stdout without one; with --watch, one line each time.")  # fmt: skip
@click.option("--watch", is_flag=True, help="Show it again and again while a run goes on.")
@rare("--interval", type=Number(min=0, min_open=True), default=5.0, show_default=True,
              help="Seconds between two looks of --watch.")  # fmt: skip
@index_option
def status(spec: api.LogStatus, json_path: str | None, watch: bool, interval: float) -> Exit:
    """Show how far the runs in LOGS are, per subject and category or per arm and round.

    Only the logs are read, so it works while they are written, wherever the work runs. A log that was not written for
    15 minutes counts as stopped. Exit 2 if nothing could be read.

    \b
    Examples:
      steelyard status logs/bench
      steelyard status logs/gate --watch
    """
    for current in api.watch_status(spec):
        _show(current, json_path, watch)
        if not watch or not current.active:
            return Exit.FINE if current.lines else Exit.UNANSWERED
        time.sleep(interval)
    raise AssertionError("a watch has no end")


def _show(current: Status, json_path: str | None, watch: bool) -> None:
    from steelyard.status.report import as_json, document

    if watch and json_path == STDOUT:
        click.echo(json.dumps(as_json(current), ensure_ascii=False))
        return
    if watch and colour():
        click.clear()
    show(document(current), {"json": json_path}, json=lambda: artifact.json_text(as_json(current)))
