"""`steelyard bench selftest`."""

from __future__ import annotations

from pathlib import Path

import click

from steelyard import api
from steelyard.cli.bench.output import category_option, suite_option
from steelyard.cli.exit import Exit
from steelyard.cli.progress import Bars


@click.command()
@suite_option
@category_option
@click.option("--scorer", metavar="NAME", help="Put the references through this scorer, e.g. cdk_verify.")
@click.option("--pin", is_flag=True, help="Record the shipped data as it is now, after a deliberate change.")
def selftest(suite: str, dataset: Path | None, categories: tuple[str, ...], scorer: str | None, pin: bool) -> Exit:
    """Check that data, references and scorers are consistent, before anyone spends money. Exit 1 names the items;
    exit 2 names what is missing on this machine. Both CDK verifiers also judge an app that passes and one that fails.

    \b
    Example:
      steelyard bench selftest --category practice_exam
      steelyard bench selftest --category cdk_synth --scorer cdk_verify
    """
    if pin:
        click.echo(f"recorded in {api.bench_pin()}")
        return Exit.FINE
    with Bars() as bars:
        checked = api.bench_selftest(categories, scorer=scorer, suite=suite, dataset=dataset, progress=bars.tell)
    for line in checked.figures:
        click.echo(line)
    for defect in (*checked.findings, *checked.unanswered):
        click.echo(f"✗ {defect.category}: {defect.what}: {defect.why}")
    if checked.findings:
        return Exit.NO
    if checked.unanswered:
        return Exit.UNANSWERED
    click.echo("no defects")
    return Exit.FINE
