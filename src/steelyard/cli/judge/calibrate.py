"""`steelyard judge calibrate`."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import click

from steelyard import api, artifact
from steelyard.cli.exit import Exit
from steelyard.cli.judge.options import FILE, FORMATS, progress, rubric_option, show
from steelyard.cli.judging import judge_options
from steelyard.cli.options import note, output


@click.command()
@click.argument("labels", required=False, type=FILE)
@rubric_option
@click.option("--write-labels", type=FILE, metavar="PATH", help="Only write the shipped set here, to start from.")
@click.option("--record", type=FILE, metavar="PATH", help="Where to store the record; default: in the cache.")
@judge_options
@click.option("--repeats", type=click.IntRange(1, 100), help="The same as --judge-repeats.")
@output(*FORMATS)
def calibrate(
    labels: Path | None,
    rubric_path: Path | None,
    write_labels: Path | None,
    record: Path | None,
    repeats: int | None,
    **options: Any,
) -> int:
    """Measure a judge against labelled responses (a JSONL file; default: the shipped set).

    Exits with 0 if the judge is calibrated, 1 if it is not, 2 if it could not be measured.

    \b
    Example:
      steelyard judge calibrate --judge anthropic/claude-sonnet-5-5 --repeats 3 \\
        --html calibration.html
      steelyard judge calibrate my-labels.jsonl --rubric my-rubric.yaml \\
        --judge steelyard/claude-cli
    """
    from steelyard.judge.calibration.report import calibration_document

    if write_labels is not None:
        artifact.write_text(write_labels, api.labels())
        return Exit.FINE
    calibrated = api.calibrate(
        options["judge"],
        labels,
        rubric=rubric_path,
        record=record,
        repeats=repeats or options["judge_repeats"],
        cache=not options["no_judge_cache"],
        progress=progress,
    )
    if calibrated.path is not None:
        note(f"calibration record: {calibrated.path}")
    result, data = calibrated.calibration, calibrated.record
    show(options, partial(calibration_document, result, data), lambda: artifact.json_text(data, schema="calibration"))
    return Exit.FINE if result.passed else Exit.NO if result.scored else Exit.UNANSWERED
