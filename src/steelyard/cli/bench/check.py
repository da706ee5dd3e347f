"""`steelyard bench check`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from steelyard import api, artifact
from steelyard.cli.bench.output import category_option, show, suite_option, tasks_option
from steelyard.cli.exit import Exit
from steelyard.cli.options import output, rare
from steelyard.cli.progress import Bars
from steelyard.errors import InputError

_EXITS = {"holds": Exit.FINE, "fails": Exit.NO, "undecided": Exit.UNDECIDED}


@click.command()
@click.argument("file", required=False, type=click.Path(path_type=Path))
@suite_option
@tasks_option
@category_option
@click.option("--scorer", metavar="NAME", help="Put the references through this scorer, e.g. cdk_verify.")
@rare("--pin", is_flag=True, help="Record the shipped data as it is now, after a deliberate change.")
@output("json")
def check(
    file: Path | None,
    suite: str,
    dataset: Path | None,
    tasks_file: Path | None,
    categories: tuple[str, ...],
    scorer: str | None,
    pin: bool,
    json_path: str | None,
) -> Exit:
    """Check a submission (FILE), or data, references and scorers before anyone spends money.

    A submission is recomputed from its logs: items, fingerprints, canary, every grade, every number of its board. Exit
    1 if one does not hold, 2 if FILE is no submission, 3 if something cannot be checked here.

    Without FILE, exit 1 names items that are not consistent; exit 2 names what is missing on this machine. Both CDK
    verifiers also judge an app that passes and one that fails.

    \b
    Example:
      steelyard bench check submission.zip
      steelyard bench check --category practice_exam
      steelyard bench check --category cdk_synth --scorer cdk_verify
    """
    if file is not None:
        if categories or scorer or pin:
            raise InputError("a submission is checked as a whole", cure="leave out --category, --scorer and --pin")
        return _submission(file, {"suite": suite, "dataset": dataset, "categories": tasks_file}, json_path)
    if tasks_file is not None or json_path is not None:
        raise InputError("--categories and --json are for a submission", cure="name its FILE")
    if pin:
        click.echo(f"recorded in {api.bench_pin()}")
        return Exit.FINE
    return _data(categories, scorer, suite, dataset)


def _submission(file: Path, options: dict[str, Any], json_path: str | None) -> Exit:
    from steelyard.bench.report.submission import as_json, document

    with Bars() as bars:
        checked = api.bench_check(file, progress=bars.tell, **options)
    show(document(checked), {"json": json_path}, json=lambda: artifact.json_text(as_json(checked)))
    return _EXITS[checked.verdict]


def _data(categories: tuple[str, ...], scorer: str | None, suite: str, dataset: Path | None) -> Exit:
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
