"""`steelyard judge`: measure a judge against people, and try to fool it."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import click

from steelyard import artifact
from steelyard.cli.exit import Exit
from steelyard.cli.judging import chosen_panel, judge_options
from steelyard.cli.options import bars, colour, deliver, note, output, width

if TYPE_CHECKING:
    from steelyard.judge.attack import Assault
    from steelyard.judge.measure import Calibration
    from steelyard.judge.panel import Panel
    from steelyard.judge.rubric import Rubric
    from steelyard.report.document import Document


@click.group()
def judge() -> None:
    """Calibrate and attack the judge that grades answers."""


@judge.command()
@click.argument("labels", required=False, type=click.Path(path_type=Path))
@click.option(
    "--rubric", "rubric_path", type=click.Path(path_type=Path), help="A rubric file; the shipped one if not given."
)
@click.option(
    "--record", "record_path", type=click.Path(path_type=Path), help="Where the record goes; the cache if not given."
)
@judge_options
@click.option("--repeats", type=click.IntRange(1, 100), help="The same as --judge-repeats.")
@output("json", "markdown", "html")
def calibrate(
    labels: Path | None,
    rubric_path: Path | None,
    record_path: Path | None,
    judge: tuple[str, ...],
    judge_repeats: int,
    no_judge_cache: bool,
    require_judge: bool,
    repeats: int | None,
    json_path: str | None,
    markdown_path: str | None,
    html_path: str | None,
) -> int:
    """Measure a judge against labelled responses (a JSONL file; the shipped set if none is given).

    Ends in 0 when the judge is calibrated, in 1 when it is not, in 2 when it could not be measured.

    \b
    Example:
      steelyard judge calibrate --judge anthropic/claude-sonnet-5-5 --repeats 3 --html calibration.html
      steelyard judge calibrate my-labels.jsonl --rubric my-rubric.yaml --judge steelyard/claude-cli
    """
    from steelyard.judge import calibrate as calibrating
    from steelyard.judge.labels import read_labels
    from steelyard.judge.report import calibration_document

    panel = _required(judge, repeats or judge_repeats, no_judge_cache)
    rubric = _rubric(rubric_path)
    rows = read_labels(labels or shipped_labels())
    result: Calibration = anyio.run(partial(calibrating.calibrate, rows, rubric, panel, _progress))
    data = calibrating.record(result, rows, rubric, panel)
    if result.scored:
        note(f"calibration record: {calibrating.remember(data, record_path)}")
    paths = {"json": json_path, "markdown": markdown_path, "html": html_path}
    show = partial(calibration_document, result, data)
    _deliver(paths, show(pictures=html_path is not None), lambda: artifact.json_text(data, schema="calibration"))
    return Exit.FINE if result.passed else Exit.NO if result.scored else Exit.UNANSWERED


@judge.command()
@click.option(
    "--rubric", "rubric_path", type=click.Path(path_type=Path), help="A rubric file; the shipped one if not given."
)
@judge_options
@output("json", "markdown", "html")
def attack(
    rubric_path: Path | None,
    judge: tuple[str, ...],
    judge_repeats: int,
    no_judge_cache: bool,
    require_judge: bool,
    json_path: str | None,
    markdown_path: str | None,
    html_path: str | None,
) -> int:
    """Run every known attack against a judge: what got through, what was refused, what was unscored.

    Ends in 0 when nothing got through, in 1 when something did, in 2 when the judge gave no verdict at all.
    Without a network: --judge steelyard/smollm2, or a scripted judge (scripted/obedient, scripted/parrot, …).

    \b
    Example:
      steelyard judge attack --judge scripted/obedient
      steelyard judge attack --judge auto --json attack.json
    """
    from steelyard.judge.attack import as_json, attack
    from steelyard.judge.report import attack_document

    panel = _required(judge, judge_repeats, no_judge_cache)
    rubric = _rubric(rubric_path)
    result: Assault = anyio.run(partial(attack, panel, _progress, rubric))
    paths = {"json": json_path, "markdown": markdown_path, "html": html_path}
    _deliver(paths, attack_document(result), lambda: artifact.json_text(as_json(result), schema="attack"))
    return Exit.NO if result.count("got through") else Exit.FINE if result.judged else Exit.UNANSWERED


@judge.command()
@click.option("--out", type=click.Path(path_type=Path), help="Where the set goes; stdout if not given.")
def labels(out: Path | None) -> None:
    """Build the labelled set for architecture answers: the graded responses of every task, and attacks on them.

    \b
    Example:
      steelyard judge labels --out labels.jsonl
    """
    from steelyard.cli.judge_labels import label_lines

    text = label_lines()
    if out is None:
        click.echo(text, nl=False)
    else:
        artifact.write_text(out, text)


def shipped_labels() -> Path:
    """The labelled set that comes with the package."""
    from importlib import resources

    return Path(str(resources.files("steelyard.bench.architecture_design").joinpath("calibration.jsonl")))


def _required(judge: tuple[str, ...], repeats: int, no_cache: bool) -> Panel:
    importlib.import_module("steelyard.judge.scripted")  # registers scripted/NAME
    panel = chosen_panel(judge, repeats, no_cache, True)
    assert panel is not None
    return panel


def _rubric(path: Path | None) -> Rubric:
    from steelyard.judge.case import case_rubric
    from steelyard.judge.rubric import load_rubric

    return case_rubric() if path is None else load_rubric(path)


def _progress(done: int, total: int) -> None:
    if bars():
        click.echo(f"\r{done}/{total} judged", nl=done == total, err=True)
        sys.stderr.flush()


def _deliver(paths: dict[str, str | None], document: Document, as_json: Callable[[], str]) -> None:
    from steelyard.report import html, markdown, terminal

    make = {"json": as_json, "markdown": lambda: markdown.render(document), "html": lambda: html.render(document)}
    deliver(paths, make, lambda: terminal.render(document, width=width(), colour=colour()))
