"""`steelyard judge calibrate`."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click

from steelyard import api, artifact
from steelyard.cli.exit import Exit
from steelyard.cli.judge.options import FORMATS, progress, show
from steelyard.cli.options import note, output
from steelyard.cli.spec import FILE, options_of


@click.command()
@options_of(api.JudgeCalibrate)
@click.option("--write-labels", type=FILE, metavar="PATH", help="Only write the shipped set here, to start from.")
@output(*FORMATS, shown=("json",))
def calibrate(spec: api.JudgeCalibrate, write_labels: Path | None, **out: Any) -> int:
    """Measure a judge against labelled responses (a JSONL file; default: the shipped set).

    Exits with 0 if the judge is calibrated, 1 if it is not, 2 if it could not be measured.

    \b
    Example:
      steelyard judge calibrate --judge anthropic/claude-sonnet-5-5 \\
        --judge-repeats 3 --html calibration.html
      steelyard judge calibrate my-labels.jsonl --rubric my-rubric.yaml \\
        --judge steelyard/claude-cli
    """
    from steelyard.judge.calibration.report import calibration_document

    if write_labels is not None:
        artifact.write_text(write_labels, api.labels())
        return Exit.FINE
    calibrated = api.calibrate(replace(spec, progress=progress))
    if calibrated.path is not None:
        note(f"calibration record: {calibrated.path}")
    result, data = calibrated.calibration, calibrated.record
    show(out, partial(calibration_document, result, data), lambda: artifact.json_text(data, schema="calibration"))
    return Exit.FINE if result.passed else Exit.NO if result.answered else Exit.UNANSWERED
