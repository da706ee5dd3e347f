"""`steelyard judge calibrate` and `steelyard judge attack`."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import click

from steelyard import api, artifact
from steelyard.cli.exit import Exit
from steelyard.cli.options import note, output, show, take_paths
from steelyard.cli.progress import Bars
from steelyard.cli.spec import FILE, options_of

M = TypeVar("M", api.JudgeCalibrate, api.JudgeAttack)


@contextmanager
def _watched(spec: M) -> Generator[M]:
    """The spec, with a bar for the texts that have been judged."""
    with Bars() as bars:

        def count(done: int, total: int) -> None:
            bars.tell("texts judged", done, total)

        yield replace(spec, progress=count)


@click.command()
@options_of(api.JudgeCalibrate)
@click.option("--write-labels", type=FILE, metavar="PATH", help="Only write the shipped set here, to start from.")
@output("json", "markdown", "html", shown=("json",))
def calibrate(spec: api.JudgeCalibrate, write_labels: Path | None, **out: Any) -> Exit:
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
        artifact.write_text(write_labels, api.labels())
        return Exit.FINE
    with _watched(spec) as watched:
        calibrated = api.calibrate(watched)
    if calibrated.path is not None:
        note(f"calibration record: {calibrated.path}")
    result, data = calibrated.calibration, calibrated.record
    show(
        document(result, data, False), take_paths(out),
        json=lambda: artifact.json_text(data, schema="calibration"),
        html=lambda: html.render(document(result, data, True)),
    )  # fmt: skip
    return Exit.FINE if result.passed else Exit.NO if result.answered else Exit.UNANSWERED


@click.command()
@options_of(api.JudgeAttack)
@output("json", "markdown", "html", shown=("json",))
def attack(spec: api.JudgeAttack, **out: Any) -> Exit:
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

    with _watched(spec) as watched:
        result = api.attack(watched)
    show(attack_document(result), take_paths(out), json=lambda: artifact.json_text(as_json(result), schema="attack"))
    return Exit.NO if result.count("got through") else Exit.FINE if result.judged else Exit.UNANSWERED
