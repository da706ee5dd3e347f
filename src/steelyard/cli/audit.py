"""`steelyard audit score`, `run`, `check`, `compare` and `example`: what ends in a result, and how it is shown."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import click

from steelyard import api
from steelyard.audit.agreement.people import TwoOpinions
from steelyard.audit.compare import Comparison
from steelyard.audit.history import History
from steelyard.audit.key import KeyForm, key_text
from steelyard.audit.model import Key, Output, Result, SuiteResult
from steelyard.audit.report import FORMATS, Report, to_text
from steelyard.audit.report.document import agreement_text, estimate_sentence, spread_sentence
from steelyard.audit.scorings import Scoring
from steelyard.cli.exit import Exit, colour, width
from steelyard.cli.options import Decorator, Paths, deliver, note, on_terminal, output, rare, refuse
from steelyard.cli.progress import Bars
from steelyard.cli.spec import FILE, command_of
from steelyard.errors import InputError, command
from steelyard.judge.judgement import concord_text
from steelyard.logs.evaluate import retries


def output_options(report: type[Report]) -> Decorator:
    """Add an option for each format that this kind of report has; `show_report` takes their values."""
    names = [name for name, known in FORMATS.items() if report in known.reports]
    # The scoring file has `-o` instead of an option named after its format.
    formats = output(*(name for name in names if name != "scoring"))
    if "scoring" not in names:
        return formats
    scoring = rare("-o", "--output", "scoring_path", metavar="FILE", help="Write the scoring file.")
    return lambda function: scoring(formats(function))


_NAMES: dict[type, str] = {
    SuiteResult: "suite",
    Comparison: "comparison",
    History: "history",
    TwoOpinions: "comparison of marks",
}


def show_report(report: Report, out: Paths) -> None:
    """Print the report, write each requested format, and put everything else on stderr."""
    missing = [name for name, path in out.items() if path and type(report) not in FORMATS[name].reports]
    if missing:
        raise InputError(f"a {_NAMES.get(type(report), 'result')} has no {missing[0]} file", cure="use --json")
    if isinstance(report, Result):
        _note_marker(report)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    render = {name: partial(known.render, report, now) for name, known in FORMATS.items()}
    deliver(out, render, lambda: to_text(report, width=width(), colour=colour()))


def _note_marker(result: Result) -> None:
    """Who marked, how far the spread can be trusted, and every warning."""
    note(f"marked by: {result.marker}")
    if result.estimate is not None:
        note(estimate_sentence(result.estimate))
    if result.judge_agreement is not None:
        note(f"the judge: {concord_text(result.judge_agreement)}")
    if result.agreement is not None:
        note(f"stability {result.stability}{agreement_text(result.agreement)}")
    if result.sd_interval is not None:
        note(spread_sentence(result.sd_interval, len(result.runs)))
    for warning in result.warnings:
        note(f"warning: {warning}")


@command_of(api.AuditScore)
@output_options(Result)
def score(spec: api.AuditScore, out: Paths) -> Exit:
    """Score the runs of an agent against an answer key; prints the block, writes the scoring file.

    LOG is a log of `steelyard audit run`, SUITE a folder of documents with recorded runs, which are scored per document
    and pooled. Without a way to mark, the scores in a LOG and the marks of a SUITE's set are used. Exit 0 when scored,
    2 when an input is unusable or the judge left a run without a verdict.

    \b
    Example:
      steelyard audit score --key key.md --run run1.md --run run2.md \\
        --perspective scope.md --name code-reviewer -o scoring.md --lexical
      steelyard audit score --key suite/repository-01/key.md --run run1.md \\
        --marker consequence --fixer claude-code --fixer-model anthropic/NAME
      steelyard audit score my-suite --set careful --json careful.json
    """
    show_report(api.audit_score(replace(spec, notify=note)), out)
    return Exit.FINE


@command_of(api.AuditExample)
@click.option("--copy", "target", type=FILE, metavar="DIR", help="Copy the suite to DIR, to start your own.")
@output_options(Result)
def example(spec: api.AuditExample, target: Path | None, out: Paths) -> Exit:
    """Score recorded runs of a shipped suite, offline; or copy the suite with --copy.

    \b
    Example:
      steelyard audit example --suite security-review --set careful -o scoring.md
      steelyard audit example --suite planted --set ruff
      steelyard audit example --suite code-review --copy my-suite
    """
    if target is not None:
        refuse(out, "a copy")
        note(f"suite: {api.audit_example_copy(target, spec.suite)}")
        return Exit.FINE
    show_report(api.audit_example(spec), out)
    return Exit.FINE


@command_of(api.AuditRun)
@output_options(Result)
def run(spec: api.AuditRun, out: Paths) -> Exit:
    """Let an agent read a document several times, then score it; everything is kept in the log.

    \b
    Example:
      steelyard audit run --key key.md --document doc.md --perspective scope.md \\
        --agent agent.md --model steelyard/smollm2 --runs 2 --lexical
    """
    if spec.mark_later:
        refuse(out, "runs that are marked later")
    spec.asks_judge()  # what does not fit together is told before anything is said to run
    with Bars(retries=retries) as bars:
        bars.tell(f"{spec.model} · audit", 0)
        log = api.audit_run(spec)
    note(f"log: {log}")
    if spec.mark_later:
        words = (log, "--as", "sheet", "-o", "sheet.yaml") if spec.suite else (log,)
        click.echo(command("steelyard", "audit", "mark", *words))
    else:
        show_report(api.audit_score(log), out)
    return Exit.FINE


@command_of(api.AuditCheck)
@click.option("--format", "form", type=click.Choice(["md", "yaml"]), help="Print the key in this form instead.")
@output_options(Output)
def check(spec: api.AuditCheck, form: KeyForm | None, out: Paths) -> Exit:
    """Show what is read from FILE: an answer key, the output of an agent or a scanner, or a scoring file.

    A key is checked against every rule, and --format converts it without loss. Of a run you see its findings, and what
    is left out and why. A file of another program is read as a run, unless you say --as key. A scoring file is
    recomputed from its marks: exit 1 if a printed number does not follow, 2 if it has no table of marks. With --prove,
    FILE is a suite of `audit plant` or a key in it: exit 1 if a proof no longer holds.

    \b
    Example:
      steelyard audit check key.md
      steelyard audit check run1.md --json -
      steelyard audit check expectedresults-1.2.csv --as key \\
        --format yaml > key.yaml
      steelyard audit check scoring.md
      steelyard audit check --prove suite
    """
    from steelyard.audit.plant.report import proof_document
    from steelyard.audit.report.key import key_document

    if form is not None and (spec.prove or spec.kind not in (None, "key")):
        raise InputError("--format writes a key", cure="leave it out")
    if spec.prove:
        refuse(out, "a proof")
    kind = spec.kind or ("key" if form is not None else None)
    found = api.audit_check(replace(spec, kind=kind, notify=note))
    if isinstance(found, Scoring):
        if found.revised:
            note(f"revised in the file, and the last mark counts: {'; '.join(found.revised)}")
        show_report(found, out)
        return Exit.NO if found.faults else Exit.FINE
    if isinstance(found, tuple):
        click.echo(on_terminal(proof_document(found)), nl=False)
        return Exit.NO if any(one.fault for one in found) else Exit.FINE
    if isinstance(found, Key):
        refuse(out, "a key; --format yaml writes it")
        for warning in found.warnings:
            note(f"warning: {warning}")
        text = key_text(found, form) if form is not None else on_terminal(key_document(found, spec.path.name))
        click.echo(text, nl=False)
    else:
        show_report(found, out)
    return Exit.FINE


@command_of(api.AuditCompare)
@click.option("--fail-if-worse", is_flag=True, help="Exit 1 when the mean went down.")
@output_options(History)
def compare(spec: api.AuditCompare, fail_if_worse: bool, out: Paths) -> Exit:
    """Did the agent get better? BEFORE and AFTER are results (--json), logs, or folders of them.

    Or do two people mark alike? Then they are two sheets (YAML) or two scoring files (Markdown) of the same runs: κ,
    and a table of where they differ; exit 2 if they have no mark in common.

    Exit 3 if the intervals do not decide, or if the marks are estimates (--lexical) whose intervals overlap. One folder
    alone is a history: the scores of every round in it, and what is missed again and again.

    \b
    Example:
      steelyard audit compare round1.json round2.json
      steelyard audit compare logs/before.eval logs/after.eval --fail-if-worse
      steelyard audit compare results --html history.html
      steelyard audit compare anna.yaml ben.yaml
    """
    found = api.audit_compare(spec)
    for warning in found.warnings if isinstance(found, History) else ():
        note(f"warning: {warning}")
    show_report(found, out)
    if not isinstance(found, Comparison):
        return Exit.FINE
    if fail_if_worse and found.band == "worse" and not found.undecided:
        return Exit.NO
    return Exit.UNDECIDED if found.verdict == "undecided" else Exit.FINE
