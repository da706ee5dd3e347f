"""`steelyard audit score` and `steelyard audit example`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from steelyard import api
from steelyard.audit.model import Result
from steelyard.cli.audit.options import output_options, show
from steelyard.cli.exit import Exit
from steelyard.cli.options import note, take_paths
from steelyard.cli.spec import FILE, options_of


@click.command()
@options_of(api.AuditScore)
@output_options(Result)
def score(spec: api.AuditScore, **out: Any) -> Exit:
    """Score the runs of an agent against an answer key; prints the block, writes the scoring file.

    LOG is a log of `steelyard audit run`, SUITE a folder of documents with recorded runs, which are scored per document
    and pooled. Without a way to mark, the scores in a LOG and the marks of a SUITE's set are used. Exit 0 when scored,
    2 when an input is unusable or the judge left a run without a verdict.

    \b
    Example:
      steelyard audit score --key key.md --run run1.md --run run2.md \\
        --perspective scope.md --name code-reviewer -o scoring.md --lexical
      steelyard audit score --key suite/repository-01/key.md --run run1.md \\
        --marker consequence --fixer claude-code --fixer-model anthropic/NAME
      steelyard audit score my-suite --set careful --json careful.json
    """
    show(api.audit_score(replace(spec, notify=note)), take_paths(out))
    return Exit.FINE


@click.command()
@options_of(api.AuditExample)
@click.option("--copy", "target", type=FILE, metavar="DIR", help="Copy the suite to DIR, to start your own.")
@output_options(Result)
def example(spec: api.AuditExample, target: Path | None, **out: Any) -> Exit:
    """Score recorded runs of a shipped suite, offline; or copy the suite with --copy.

    \b
    Example:
      steelyard audit example --suite security-review --set careful -o scoring.md
      steelyard audit example --suite planted --set ruff
      steelyard audit example --suite code-review --copy my-suite
    """
    if target is not None:
        note(f"suite: {api.audit_example_copy(target, spec.suite)}")
        return Exit.FINE
    show(api.audit_example(spec), take_paths(out))
    return Exit.FINE
