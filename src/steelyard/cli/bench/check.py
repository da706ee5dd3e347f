"""`steelyard bench check`."""

from __future__ import annotations

from pathlib import Path

import click

from steelyard import api, artifact
from steelyard.api.groups import Taskfile
from steelyard.cli.exit import Exit
from steelyard.cli.options import output, rare, show
from steelyard.cli.progress import Bars
from steelyard.cli.spec import FILE, options_of, part
from steelyard.errors import InputError

SCHEMAS = ("leaderboard", "bench", "exam", "text", "architecture", "cdk")
"""What has a schema: a leaderboard, the bench.yaml of a folder with items of your own, and one such item."""

_EXITS = {"holds": Exit.FINE, "fails": Exit.NO, "undecided": Exit.UNDECIDED}


@click.command()
@click.argument("path", metavar="[FILE]", required=False, type=FILE)
@options_of(Taskfile)
@click.option("--category", "keys", multiple=True, metavar="KEY", help="A category of the suite; repeat it.")
@rare("--scorer", metavar="NAME", help="Put the references through this scorer, e.g. cdk_verify.")
@click.option("--schema", type=click.Choice(SCHEMAS), help="Print the JSON Schema of this, and check nothing.")
@rare("--pin", is_flag=True, help="Record the shipped data as it is now, after a deliberate change.")
@output("json")
def check(
    spec: Taskfile, path: Path | None, keys: tuple[str, ...], scorer: str | None, schema: str | None, pin: bool,
    json_path: str | None,
) -> Exit:  # fmt: skip
    """Check a submission (FILE), or data, references and scorers before anyone spends money.

    A submission is recomputed from its logs: items, fingerprints, canary, every grade, every number of its board. Exit
    1 if one does not hold, 2 if FILE is no submission, 3 if something cannot be checked here.

    Without FILE, exit 1 names items that are not consistent; exit 2 names what is missing on this machine. Both CDK
    verifiers also judge an app that passes and one that fails.

    \b
    Example:
      steelyard bench check submission.zip
      steelyard bench check --category practice_exam
      steelyard bench check --schema exam
      steelyard bench check --category cdk_synth --scorer cdk_verify
    """
    if schema is not None:
        click.echo(artifact.json_text(api.bench_schema(schema)), nl=False)
        return Exit.FINE
    if path is not None:
        if keys or scorer or pin:
            raise InputError("a submission is checked as a whole", cure="leave out --category, --scorer and --pin")
        return _submission(path, spec, json_path)
    if spec.categories is not None or json_path is not None:
        raise InputError("--categories and --json are for a submission", cure="name its FILE")
    if pin:
        click.echo(f"recorded in {api.bench_pin()}")
        return Exit.FINE
    return _data(keys, scorer, spec)


def _submission(path: Path, spec: Taskfile, json_path: str | None) -> Exit:
    from steelyard.bench.report.submission import as_json, document

    with Bars() as bars:
        checked = api.bench_check(path, progress=bars.tell, **part(spec, Taskfile))
    show(document(checked), {"json": json_path}, json=lambda: artifact.json_text(as_json(checked)))
    return _EXITS[checked.verdict]


def _data(keys: tuple[str, ...], scorer: str | None, spec: Taskfile) -> Exit:
    with Bars() as bars:
        checked = api.bench_selftest(keys, scorer=scorer, suite=spec.suite, dataset=spec.dataset, progress=bars.tell)
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
