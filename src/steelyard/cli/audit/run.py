"""`steelyard audit run`."""

from __future__ import annotations

from typing import Any

import click

from steelyard import api
from steelyard.audit.model import Result
from steelyard.cli.audit.options import output_options, show
from steelyard.cli.exit import Exit
from steelyard.cli.options import note, take_paths
from steelyard.cli.progress import Bars
from steelyard.cli.spec import options_of
from steelyard.errors import command


@click.command()
@options_of(api.AuditRun)
@output_options(Result)
def run(spec: api.AuditRun, **out: Any) -> Exit:
    """Let an agent read a document several times, then score it; everything is kept in the log.

    \b
    Example:
      steelyard audit run --key key.md --document doc.md --perspective scope.md \\
        --agent agent.md --model steelyard/smollm2 --runs 2 --lexical
    """
    from steelyard.logs.evaluate import retries

    spec.asks_judge()  # what does not fit together is told before anything is said to run
    with Bars(retries=retries) as bars:
        bars.tell(f"{spec.model} · audit", 0)
        log = api.audit_run(spec)
    note(f"log: {log}")
    if spec.mark_later:
        words = (log, "--as", "sheet", "-o", "sheet.yaml") if spec.suite else (log,)
        click.echo(command("steelyard", "audit", "mark", *words))
    else:
        show(api.audit_score(log), take_paths(out))
    return Exit.FINE
