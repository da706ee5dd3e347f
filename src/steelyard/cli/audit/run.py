"""`steelyard audit run`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from steelyard import api
from steelyard.audit.model import Result
from steelyard.cli.audit.options import FILE, lexical_option, output_options, round_option, show, split
from steelyard.cli.exit import Exit
from steelyard.cli.judging import judge_options
from steelyard.cli.keyvalues import KeyValues
from steelyard.cli.options import Number, Place, note, rare
from steelyard.cli.progress import Bars
from steelyard.errors import command


@click.command()
@click.option("--key", type=FILE, metavar="KEY", help="Answer key; never shown to the agent.")
@click.option("--document", type=FILE, metavar="FILE", help="The document the agent reads.")
@click.option("--suite", type=FILE, metavar="DIR", help="A suite of documents, instead of --key and --document.")
@click.option("--perspective", type=FILE, metavar="FILE", help="What is in scope.")
@click.option("--agent", type=FILE, metavar="AGENT.md", help="The agent's definition, its system prompt.")
@click.option("--model", required=True, metavar="NAME", help="Any Inspect model.")
@click.option("--runs", type=click.IntRange(1), default=2, show_default=True, help="How often it reads each document.")
@rare("--name", help="Name of the agent in reports; else the name in its definition.")
@round_option
@click.option("--log-dir", type=Place(), default=Path("logs"), show_default=True, help="Where the log goes.")
@rare("--temperature", type=Number(0, 2), help="Sampling temperature.")
@rare("--seed", type=int, help="Seed, for models that take one.")
@rare("--max-tokens", type=click.IntRange(1), help="Longest answer.")
@rare("-G", "--generate", "generate_config", type=KeyValues(), multiple=True,
              help="Generation config, as max_retries=3 or timeout=300; repeat it.")  # fmt: skip
@lexical_option
@rare("--mark-later", is_flag=True, help="Only run; a person marks with `audit mark LOG`.")
@judge_options
@output_options(Result)
def run(**options: Any) -> Exit:
    """Let an agent read a document several times, then score it; everything is kept in the log.

    \b
    Example:
      steelyard audit run --key key.md --document doc.md --perspective scope.md \\
        --agent agent.md --model steelyard/smollm2 --runs 2 --lexical
    """
    arguments, paths = split(options)
    arguments["generate_config"] = dict(arguments["generate_config"])
    from steelyard.logs.evaluate import retries

    with Bars(retries=retries) as bars:
        bars.tell(f"{arguments['model']} · audit", 0)
        log = api.audit_run(**arguments)
    note(f"log: {log}")
    if arguments["mark_later"]:
        words = (log, "--as", "sheet", "-o", "sheet.yaml") if arguments["suite"] else (log,)
        click.echo(command("steelyard", "audit", "mark", *words))
    else:
        show(api.audit_suite(log) if arguments["suite"] else api.audit_log(log), paths)
    return Exit.FINE
