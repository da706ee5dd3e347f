"""`steelyard bench try`, `new` and `check`: answers, items of your own, and whether data and submissions hold."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from steelyard import api, artifact
from steelyard.api.groups import Taskfile
from steelyard.api.spec import part
from steelyard.cli.exit import Exit, bars
from steelyard.cli.options import Number, Paths, deliver, note, output, rare, refuse, show
from steelyard.cli.progress import Bars
from steelyard.cli.spec import FILE, command_of, options_of
from steelyard.errors import InputError, command
from steelyard.outcome import exact


@click.command("try")
@options_of(api.BenchApps)
@options_of(api.BenchScore)
@click.option("--at-least", type=Number(0, 1), metavar="SHARE", help="Exit with 1 if the score is below this.")
@output("json", "markdown")
def attempt(files: api.BenchApps, spec: api.BenchScore, at_least: float | None, out: Paths) -> Exit:
    """Try one answer to an item, or CDK apps, as the benchmark would.

    With --item, FILE is a whole reply as a model would give it to an item of SA Bench, of its hard suite, or of --items
    DIR. The letters of an exam answer refer to the order in which the choices are shown. Exit 0 when it is scored, 1
    below --at-least, 2 when it cannot be scored.

    Without --item, each FILE is a CDK app in Python: a file, which runs alone as app.py in an empty folder, or a folder
    with cdk.json (or app.py) and the files of an app. They run in a sandbox without network. Exit 0 when all
    synthesize, 1 when one fails, 2 when an app cannot be read or the engine cannot answer.

    \b
    Example:
      steelyard bench try answer.md --item pe-001 --json -
      steelyard bench try app.py my-project
    """
    if spec.item:
        if len(files.apps) != 1:
            raise InputError("several files and one item", cure="give one answer to --item")
        return _answer(replace(spec, answer=files.apps[0]), at_least, out)
    # Refuse options that would have no effect: whoever gave them expects a score.
    if spec != api.BenchScore() or at_least is not None:
        raise InputError("only an answer to an item has a score", cure="name the item with --item ID")
    refuse(out, "CDK apps", "markdown")
    return _apps(files, out)


def _answer(spec: api.BenchScore, at_least: float | None, out: Paths) -> Exit:
    from steelyard.bench.report.item import as_json, document

    result = api.bench_score(spec)
    show(document(result), out, lambda: as_json(result))
    if result.score is None:
        return Exit.UNANSWERED
    return Exit.NO if at_least is not None and exact(result.score) < exact(at_least) else Exit.FINE


def _apps(spec: api.BenchApps, out: Paths) -> Exit:
    from steelyard.bench.report.verdicts import as_json, text

    if bars() and len(spec.apps) > 1:
        with Bars() as progress:
            verdicts = api.verify_files(replace(spec, progress=progress.tell))
    else:
        verdicts = api.verify_files(spec)
    named = [(str(app), verdict) for app, verdict in zip(spec.apps, verdicts, strict=True)]
    deliver(out, {"json": lambda: artifact.json_text(as_json(named))}, lambda: text(named))
    if any(verdict.engine_error for verdict in verdicts):
        return Exit.UNANSWERED
    return Exit.FINE if all(verdict.passed for verdict in verdicts) else Exit.NO


@command_of(api.BenchNew)
def new(spec: api.BenchNew) -> None:
    """Write a folder with a bench.yaml and example items, ready to run; nothing is ever overwritten.

    Example: steelyard bench new my-bench
    """
    for path in api.bench_new(spec):
        click.echo(str(path))
    models = ("--model", "steelyard/ceiling", "--model", "steelyard/floor")
    words = ("--items", spec.folder, *models, "--log-dir", f"logs/{spec.folder.name}")
    note(f"try it: {command('steelyard', 'bench', 'run', *words)}")


SCHEMAS = ("leaderboard", "bench", "exam", "text", "architecture", "cdk")
"""What has a schema: a leaderboard, the bench.yaml of a folder with items of your own, and one such item."""


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
    out: Paths,
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
        refuse(out, "a schema")
        click.echo(artifact.json_text(api.bench_schema(schema)), nl=False)
        return Exit.FINE
    if path is not None:
        if keys or scorer or pin:
            raise InputError("a submission is checked as a whole", cure="leave out --category, --scorer and --pin")
        return _submission(path, spec, out)
    if spec.categories is not None or out["json"] is not None:
        raise InputError("--categories and --json are for a submission", cure="name its FILE")
    if pin:
        click.echo(f"recorded in {api.bench_pin()}")
        return Exit.FINE
    return _data(keys, scorer, spec)


def _submission(path: Path, spec: Taskfile, out: Paths) -> Exit:
    from steelyard.bench.report.submission import as_json, document

    with Bars() as bars:
        checked = api.bench_check(path, progress=bars.tell, **part(spec, Taskfile))
    show(document(checked), out, lambda: as_json(checked))
    return {"holds": Exit.FINE, "fails": Exit.NO, "undecided": Exit.UNDECIDED}[checked.verdict]


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
