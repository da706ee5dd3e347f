"""`steelyard judge`: measure a judge against people, and try to fool it."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import click

from steelyard import artifact
from steelyard.cli.exit import Exit
from steelyard.cli.judging import chosen_panel, judge_options
from steelyard.cli.options import bars, colour, deliver, note, output, width

if TYPE_CHECKING:
    from steelyard.judge.calibration.catalogue import Catalogue
    from steelyard.judge.panel import Panel
    from steelyard.judge.rubric import Rubric
    from steelyard.report.document import Document

FORMATS = ("json", "markdown", "html")

_FILE = click.Path(path_type=Path)
_rubric_option = click.option(
    "--rubric",
    "rubric_path",
    type=_FILE,
    metavar="FILE",
    help="A rubric file (to calibrate, a folder will do too); the shipped one if not given.",
)


@click.group()
def judge() -> None:
    """Calibrate and attack the judge that grades answers.

    \b
    Example:
      steelyard judge attack --judge scripted/parrot
    """


@judge.command()
@click.argument("labels", required=False, type=_FILE)
@_rubric_option
@click.option("--record", type=_FILE, metavar="PATH", help="Where the record goes; the cache if not given.")
@judge_options
@click.option("--repeats", type=click.IntRange(1, 100), help="The same as --judge-repeats.")
@output(*FORMATS)
def calibrate(
    labels: Path | None, rubric_path: Path | None, record: Path | None, repeats: int | None, **given: Any
) -> int:
    """Measure a judge against labelled responses (a JSONL file; the shipped set if none is given).

    Ends in 0 when the judge is calibrated, in 1 when it is not, in 2 when it could not be measured.

    \b
    Example:
      steelyard judge calibrate --judge anthropic/claude-sonnet-5-5 --repeats 3 --html calibration.html
      steelyard judge calibrate my-labels.jsonl --rubric my-rubric.yaml --judge steelyard/claude-cli
    """
    from steelyard.judge import calibration as calibrating
    from steelyard.judge.calibration.labels import read_labels
    from steelyard.judge.report import calibration_document

    panel, rubrics = _required(given, repeats), _rubrics(rubric_path, shipped=labels is None)
    rows = read_labels(labels or shipped_labels())
    result = anyio.run(partial(calibrating.calibrate, rows, rubrics, panel, _progress))
    data = calibrating.record(result, rows, rubrics, panel)
    if result.scored:
        note(f"calibration record: {calibrating.remember(data, record)}")
    _deliver(given, partial(calibration_document, result, data), lambda: artifact.json_text(data, schema="calibration"))
    return Exit.FINE if result.passed else Exit.NO if result.scored else Exit.UNANSWERED


@judge.command()
@_rubric_option
@click.option(
    "--kind", "kinds", multiple=True, metavar="KIND", help="Only attacks of this kind, as the table names it."
)
@judge_options
@output(*FORMATS)
def attack(rubric_path: Path | None, kinds: tuple[str, ...], **given: Any) -> int:
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

    panel, rubric = _required(given), _rubric(rubric_path)
    result = anyio.run(partial(attack, panel, _progress, rubric, kinds))
    _deliver(given, lambda _: attack_document(result), lambda: artifact.json_text(as_json(result), schema="attack"))
    return Exit.NO if result.count("got through") else Exit.FINE if result.judged else Exit.UNANSWERED


@judge.command()
@click.option("--out", type=_FILE, metavar="PATH", help="Where the set goes; stdout if not given.")
def labels(out: Path | None) -> None:
    """Build the labelled set for architecture answers: the graded responses of every task, and attacks on them.

    \b
    Example:
      steelyard judge labels --out labels.jsonl
    """
    from steelyard.cli.judge.labels import label_lines

    if out is None:
        click.echo(label_lines(), nl=False)
    else:
        artifact.write_text(out, label_lines())


def shipped_labels() -> Path:
    """The labelled set that comes with the package."""
    from importlib import resources

    return Path(str(resources.files("steelyard.bench.architecture_design").joinpath("calibration.jsonl")))


def _required(given: Mapping[str, Any], repeats: int | None = None) -> Panel:
    importlib.import_module("steelyard.judge.attack.scripted")  # registers scripted/NAME
    panel = chosen_panel(
        judge=given["judge"],
        judge_repeats=repeats or given["judge_repeats"],
        no_judge_cache=given["no_judge_cache"],
        require_judge=True,
    )
    assert panel is not None
    return panel


def _rubric(path: Path | None) -> Rubric:
    from steelyard.judge.case import case_rubric
    from steelyard.judge.rubric import load_rubric

    return case_rubric() if path is None else load_rubric(path)


def _rubrics(path: Path | None, *, shipped: bool) -> Catalogue:
    """One rubric, a folder of them, or for the shipped labels the rubrics that architecture answers are judged by."""
    from importlib import resources

    from steelyard.judge.calibration.catalogue import folder, single

    if path is None and shipped:
        from steelyard.bench.architecture_design.scorer import rubrics_identity

        home = resources.files("steelyard.bench.architecture_design").joinpath("rubrics")
        return folder(Path(str(home)), rubrics_identity(), "architecture design")
    return folder(path) if path is not None and path.is_dir() else single(_rubric(path))


def _progress(done: int, total: int) -> None:
    if bars():
        click.echo(f"\r{done}/{total} judged", nl=done == total, err=True)
        sys.stderr.flush()


def _deliver(given: Mapping[str, Any], show: Callable[[bool], Document], as_json: Callable[[], str]) -> None:
    from steelyard.report import html, markdown, terminal

    paths = {name: given[f"{name}_path"] for name in FORMATS}
    make = {
        "json": as_json,
        "markdown": lambda: markdown.render(show(False)),
        "html": lambda: html.render(show(True)),
    }
    deliver(paths, make, lambda: terminal.render(show(False), width=width(), colour=colour()))
