"""`steelyard audit suite` and `steelyard audit example`."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from steelyard.cli.audit.score import FILE, marker_options, show, way_of
from steelyard.cli.exit import Exit
from steelyard.cli.options import colour, deliver, note, output, width
from steelyard.errors import InputError

if TYPE_CHECKING:
    from steelyard.audit.pool import SuiteResult
    from steelyard.audit.read import AuditLog
    from steelyard.audit.suite import RunSet, Suite


@click.command()
@click.argument("where", metavar="SUITE|LOG", type=FILE)
@click.option("--set", "set_name", metavar="NAME", help="Which recorded runs; needed when the suite has several.")
@click.option("--name", help="Name of the agent in reports; else the name of the set.")
@click.option("--round", "round_number", type=click.IntRange(0), default=1, show_default=True, help="Round of work.")
@marker_options
@output("json", "markdown", "html")
def suite(where: Path, set_name: str | None, name: str | None, round_number: int, **options: Any) -> Exit:
    """Score the recorded runs of a SUITE folder, or show the LOG of a suite: per document and pooled.

    A set that comes with marks is scored by them unless another way is asked for.

    \b
    Example:
      steelyard audit suite my-suite --set careful
      steelyard audit suite my-suite --set careful --lexical --json careful.json
    """
    from steelyard.audit.example import sheet_of, suite_result
    from steelyard.audit.read import read_audit_log
    from steelyard.audit.suite import read_suite

    paths = {name: options.pop(f"{name}_path") for name in ("json", "markdown", "html")}
    if where.suffix in (".eval", ".json"):
        show_suite(suite_of_log(read_audit_log(where)), paths)
        return Exit.FINE
    found = read_suite(where)
    runs = _chosen(found, set_name)
    asked = options["marks"] or options["lexical"] or options["judge"]
    way = sheet_of(runs) if runs.marks and not asked else way_of(**options)
    show_suite(suite_result(found, runs, way, round_number, name), paths)
    return Exit.FINE


def _chosen(found: Suite, name: str | None) -> RunSet:
    """The set of that name, or the only one there is."""
    names = list(found.sets)
    wanted = name or (names[0] if len(names) == 1 else None)
    if wanted is None or wanted not in found.sets:
        what = f"no set {wanted!r} in" if wanted else "no set named for"
        raise InputError(f"{what} the suite {found.name}", cure=f"--set {' | '.join(names) or '(it has none)'}")
    return found.sets[wanted]


def suite_of_log(log: AuditLog) -> SuiteResult:
    """The pooled result of a suite's log, as it was scored."""
    from steelyard.audit.pool import pooled
    from steelyard.audit.read import recorded

    results = [recorded(log, name) for name in log.samples]
    return pooled(log.stamp.unit, log.name, log.round, results)


def show_suite(found: SuiteResult, paths: dict[str, str | None]) -> None:
    """The table to stdout, the files that were asked for."""
    from steelyard import artifact
    from steelyard.audit.report.data import suite_data
    from steelyard.audit.report.document import suite_document
    from steelyard.report import html, markdown, terminal

    if any(paths.get(name) for name in ("scoring", "sarif")):
        raise InputError("a suite has no scoring file and no SARIF", cure="score one document, or use --json")
    document = suite_document(found)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    make = {
        "json": lambda: artifact.json_text(suite_data(found, generated_at=now), schema="audit-suite"),
        "markdown": lambda: markdown.render(document),
        "html": lambda: html.render(document),
    }
    wanted = {name: path for name, path in paths.items() if name in make}
    deliver(wanted, make, lambda: terminal.render(document, width=width(), colour=colour()))


@click.command()
@click.option(
    "--suite", "name", default="code-review", show_default=True, help="code-review, security-review, agent-review"
)
@click.option("--set", "set_name", default="hasty", show_default=True, help="careful or hasty")
@click.option("--lexical", is_flag=True, help="Mark by words instead of the authors' marks.")
@click.option("--copy", "target", type=FILE, metavar="DIR", help="Copy the suite to DIR, to start your own.")
@click.option("-o", "--output", "scoring_path", metavar="FILE", help="Write the scoring file.")
@output("json", "markdown", "html", "sarif")
def example(
    name: str, set_name: str, lexical: bool, target: Path | None, scoring_path: str | None, **paths: Any
) -> Exit:
    """Score recorded runs of a shipped suite, offline; or copy the suite with --copy.

    \b
    Example:
      steelyard audit example --suite security-review --set careful -o scoring.md
      steelyard audit example --suite code-review --copy my-suite
    """
    from steelyard.audit.example import copy_suite, sheet_of, suite_folder, suite_result
    from steelyard.audit.marking import ByWords
    from steelyard.audit.suite import read_suite

    if target is not None:
        copy_suite(name, target)
        note(f"suite: {target}")
        return Exit.FINE
    found = read_suite(suite_folder(name))
    runs = _chosen(found, set_name)
    result = suite_result(found, runs, ByWords() if lexical else sheet_of(runs)).keyed[0]
    formats = {key.removesuffix("_path"): path for key, path in paths.items()}
    show(result, {"scoring": scoring_path, **formats}, found.unit(result.document).document)
    return Exit.FINE
