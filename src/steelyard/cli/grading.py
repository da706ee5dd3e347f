"""`steelyard judge …` and `steelyard rescore`: measuring a judge, and grades for runs that have none."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from steelyard import api, artifact
from steelyard.cli.exit import Exit
from steelyard.cli.options import Paths, note, output, refuse, show
from steelyard.cli.progress import Bars
from steelyard.cli.spec import FILE, command_of, options_of
from steelyard.errors import LogError, SteelyardError

if TYPE_CHECKING:
    from steelyard.logs.rescore import Rescored

_STEP = "texts judged"


@command_of(api.JudgeCalibrate)
@click.option("--write-labels", type=FILE, metavar="PATH", help="Only write the shipped set here, to start from.")
@output("json", "markdown", "html", shown=("json",))
def calibrate(spec: api.JudgeCalibrate, write_labels: Path | None, out: Paths) -> Exit:
    """Measure a judge against labelled responses (a JSONL file; default: the shipped set).

    Exits with 0 if the judge is calibrated, 1 if it is not, 2 if it could not be measured.

    \b
    Example:
      steelyard judge calibrate --judge anthropic/claude-sonnet-5-5 \\
        --judge-repeats 3 --html calibration.html
      steelyard judge calibrate my-labels.jsonl --rubric my-rubric.yaml \\
        --judge steelyard/claude-cli
    """
    from steelyard.judge.calibration.report import calibration_document as document
    from steelyard.report import html

    if write_labels is not None:
        refuse(out, "the labels")
        artifact.write_text(write_labels, api.labels())
        return Exit.FINE
    with Bars() as bars:
        calibrated = api.calibrate(replace(spec, progress=partial(bars.tell, _STEP)))
    if calibrated.path is not None:
        note(f"calibration record: {calibrated.path}")
    result, data = calibrated.calibration, calibrated.record
    show(
        document(result, data, False),
        out,
        lambda: data,
        schema="calibration",
        html=lambda: html.render(document(result, data, True)),
    )
    return Exit.FINE if result.passed else Exit.NO if result.answered else Exit.UNANSWERED


@command_of(api.JudgeAttack)
@output("json", "markdown", "html", shown=("json",))
def attack(spec: api.JudgeAttack, out: Paths) -> Exit:
    """Run every known attack against a judge: what got through, what was refused, what was unscored.

    Exits with 0 if nothing got through, 1 if something did, 2 if the judge gave no verdict at all.
    These judges need no network: steelyard/smollm2 and the scripted ones (scripted/yes, scripted/copier, …).

    \b
    Example:
      steelyard judge attack --judge scripted/yes
      steelyard judge attack --judge auto --json attack.json
    """
    from steelyard.judge.attack.report import attack_document
    from steelyard.judge.attack.result import as_json

    with Bars() as bars:
        result = api.attack(replace(spec, progress=partial(bars.tell, _STEP)))
    show(attack_document(result), out, lambda: as_json(result), schema="attack")
    return Exit.NO if result.count("got through") else Exit.FINE if result.judged else Exit.UNANSWERED


@click.command()
@click.argument("logs", nargs=-1, required=True)
@options_of(api.Rescoring, omit=("log",))
def rescore(spec: api.Rescoring, logs: tuple[str, ...]) -> Exit:
    """Grade the runs in LOGS that have no score; no model or agent is asked again.

    LOGS are of the bench, the audit or the gate. Old scores stay in the log's history. Logs in which a judge has
    nothing to grade are skipped. Exit 2 while a run has no score.

    \b
    Example:
      steelyard rescore logs --judge anthropic/claude-sonnet-5-5
    """
    from steelyard.logs.read import find_logs
    from steelyard.logs.rescore import NothingToJudge

    grade = api.rescorer(spec)
    paths = find_logs(logs)
    if not paths:
        raise LogError(f"no eval logs in {', '.join(logs)}")
    finished: list[bool] = []
    skipped: list[NothingToJudge] = []
    for path in paths:
        try:
            done = grade(path)
        except NothingToJudge as reason:  # a log of another wing
            skipped.append(reason)
        except SteelyardError as error:
            finished.append(False)
            note(f"! {error}")
        else:
            if done is not None:  # it was not graded already under another path
                finished.append(done.finished)
                _report(done)
    # If nothing was graded at all, the reason is an error and not just a note.
    if skipped and not finished:
        raise skipped[0]
    for reason in skipped:
        note(f"skipped: {reason.args[0]}")
    return Exit.FINE if all(finished) else Exit.UNANSWERED


def _report(done: Rescored) -> None:
    counts = f"{done.graded} graded, {done.scored} scored, {done.open} open"
    click.echo(f"{done.path}: {counts}{f', {done.kept} keep their earlier score' if done.kept else ''}")
    for reason in done.reasons:
        note(f"  {reason}")
