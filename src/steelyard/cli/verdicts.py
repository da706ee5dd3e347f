"""`steelyard gate run`, `compare`, `blame`, …: what ends in a verdict on a change."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from steelyard import api
from steelyard.cli.exit import Exit
from steelyard.cli.options import STDOUT, Paths, deliver, index_option, note, on_terminal, output, rare, refuse, show
from steelyard.cli.progress import Bars
from steelyard.cli.spec import command_of
from steelyard.errors import SteelyardError, command
from steelyard.gate.family import Family, Member, member_runs, unanswered
from steelyard.gate.model import Comparison, Weighed
from steelyard.gate.read.views import read_views
from steelyard.gate.report import FORMATS
from steelyard.gate.report.ci import github_commands
from steelyard.gate.report.document import document
from steelyard.gate.report.family import FAMILY_FORMATS, family_document, family_github
from steelyard.report.document import Document

if TYPE_CHECKING:
    from steelyard.gate.run.plan import RunSpec


def report_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add one option per output format, and `--github`."""
    text = "Print annotations for GitHub Actions and append the report to the step summary."
    return output(*FORMATS)(rare("--github", is_flag=True, help=text)(function))


def report(weighed: Weighed, github: bool, out: Paths) -> Exit:
    """Deliver a verdict in every requested format, and return its exit code."""
    make = {name: partial(api.gate_report, weighed, name) for name in FORMATS}
    _deliver(make, document(weighed), partial(github_commands, weighed), github, out)
    return exit_code(weighed)


def report_family(family: Family, github: bool, out: Paths) -> Exit:
    """Deliver the answer about several agents in every requested format, and return its exit code."""
    make = {name: partial(render, family, read_views) for name, render in FAMILY_FORMATS.items()}
    _deliver(make, family_document(family), partial(family_github, family), github, out)
    return Exit[family.state.upper()]


def _deliver(
    make: Mapping[str, Callable[[], str]], shown: Document, commands: Callable[[], str], github: bool, out: Paths
) -> None:
    """Write every requested format, print the report, and tell GitHub if this runs there."""
    deliver(out, make, lambda: _quiet(on_terminal(shown)) if github else on_terminal(shown))
    if not github:
        return
    # stdout may hold a format, with nothing else on it; GitHub reads commands from stderr too.
    click.echo(commands(), nl=False, err=STDOUT in out.values())
    if summary := os.environ.get("GITHUB_STEP_SUMMARY"):
        with Path(summary).open("a", encoding="utf-8") as file:
            file.write(make["markdown"]())


def _quiet(text: str) -> str:
    """The report between unguessable marks, so that a name in it is never run as a workflow command."""
    mark = secrets.token_hex(16)
    return f"::stop-commands::{mark}\n{text.rstrip()}\n::{mark}::\n"


def exit_code(weighed: Weighed) -> Exit:
    """0 improved, neutral or nothing changed, 1 regressed or mixed, 2 no verdict, 3 undecided (scoring.md §3.3)."""
    if not isinstance(weighed.outcome, Comparison):
        return Exit.FINE if weighed.outcome.unchanged else Exit.UNANSWERED
    codes = {"regressed": Exit.NO, "mixed": Exit.NO, "undecided": Exit.UNDECIDED}
    return codes.get(weighed.outcome.verdict, Exit.FINE)


@command_of(api.GateRun)
@index_option
@click.option("--dry-run", is_flag=True, help="Show what would run; with --engine, the commands.")
@report_options
def run(spec: api.GateRun, dry_run: bool, github: bool, out: Paths) -> Exit:
    """Run the tasks under two configurations and compare the results.

    Both arms run side by side, round by round. Runs that are already in --log-dir are not repeated. Several --agent or
    --model make one answer for all of them. Exit 0 (improved, neutral, or both sides are the same), 1 (regressed,
    mixed), 2 (no verdict) or 3 (undecided).

    \b
    Example:
      steelyard gate run --tasks tasks --baseline git:main --candidate . \\
        --agent claude-code
      steelyard gate run --tasks tasks --baseline old --candidate new \\
        --agent codex --policy adaptive --question safe
      steelyard gate run --settings steelyard.yaml --agent codex \\
        --agent claude-code --markdown comment.md
      steelyard gate run --skill .claude/skills/changelog \\
        --agent claude-code --model anthropic/claude-sonnet-5-5
    """
    from steelyard.gate.blame.hint import hint
    from steelyard.gate.run import Shared
    from steelyard.gate.run.preview import dry_run as preview

    if dry_run:
        refuse(out, "a dry run")
    sides, engine = spec.members(), spec.chosen_engine()
    runs = [side.resolved() for side in sides]
    if dry_run:
        shown = on_terminal(preview(api.gate_plan(runs[0]))) if engine is None else api.gate_preview(runs[0], engine)
        click.echo(shown, nl=False)
        return Exit.FINE
    with Bars() as bars:
        for line in runs[0].notes if spec.skill else ():
            bars.note(f"! {line}")
        start = partial(api.gate_run, engine=engine, notify=bars.note, progress=bars.tell)
        if len(runs) > 1:
            return report_family(Family(_members(runs, start), runs[0].policy.alpha), github, out)
        try:
            weighed = start(runs[0])
        except Shared as end:
            click.echo(str(end))
            return Exit.FINE
    code = report(weighed, github, out)
    if (cause := hint(runs[0], weighed)) is not None:
        note(cause)
    return code


def _members(runs: Sequence[RunSpec], start: Callable[[RunSpec], Weighed]) -> tuple[Member, ...]:
    """The verdict on each agent. One whose run ends in an error has none, which takes nothing back that others say."""
    members: list[Member] = []
    errors: list[SteelyardError] = []
    for name, run in member_runs(runs).items():
        try:
            members.append(Member(name, start(run)))
        except SteelyardError as error:
            if error.exit_code != Exit.UNANSWERED:
                raise
            errors.append(error)
            members.append(Member(name, unanswered(error)))
    if len(errors) == len(members):
        raise errors[0]
    return tuple(members)


@command_of(api.GateExample)
@click.option("--copy", type=click.Path(path_type=Path), help="Only copy the example to this new folder.")
@report_options
def example(spec: api.GateExample, copy: Path | None, github: bool, out: Paths) -> Exit:
    """Run the shipped example: five small tasks, a deterministic agent, no network.

    \b
    Example:
      steelyard gate example
      steelyard gate example --candidate risky --html gate.html
    """
    if copy is not None:
        refuse(out, "a copy")
        api.gate_example_copy(copy)
        words = command("steelyard", "gate", "run", "--settings", copy / "steelyard.yaml")
        click.echo(f"copied the example to {copy}; try: {words}")
        return Exit.FINE
    return report(api.gate_example(replace(spec, notify=note)), github, out)


@command_of(api.GateCompare)
@index_option
@report_options
def compare(spec: api.GateCompare, github: bool, out: Paths) -> Exit:
    """Compare two sides: a folder of gate runs, any two Inspect logs, or two plain results files.

    Exit 0 (improved, neutral), 1 (regressed, mixed), 2 (no verdict: incomparable, unscored, unreadable) or 3
    (undecided).

    \b
    Example:
      steelyard gate compare logs/gate
      steelyard gate compare old.eval new.eval --markdown comment.md
      steelyard gate compare before.json after.json \\
        --threshold min_composite_gain=0.05
      steelyard gate compare before.json after.json --interleaved \\
        --policy evidence --question safe
    """
    return report(api.compare(spec), github, out)


_RARE = ("model", "budget_usd", "judge", "policy")
"""Fields that stand in the settings of whoever asks these questions."""


@command_of(api.GateBlame, rare=_RARE)
@index_option
@click.option("--dry-run", is_flag=True, help="Only say what it would take.")
@output("json", "markdown", "html")
def blame(spec: api.GateBlame, dry_run: bool, out: Paths) -> Exit:
    """Find which part of a configuration harms, helps, or changes nothing.

    Each run has a random half of the parts, the next run of that task the other half. Says first what it will cost.
    Exit 0 if nothing harms, 1 if something does, 3 if a part could not be answered.

    \b
    Example:
      steelyard gate blame --tasks tasks --baseline git:main --candidate . \\
        --agent claude-code --runs 1020
      steelyard gate blame --tasks tasks --candidate . --parts sections \\
        --pin Safety --agent codex --dry-run
    """
    from steelyard.gate.blame import report as texts
    from steelyard.gate.blame.page import page

    if dry_run:
        refuse(out, "a dry run")
    planned = api.gate_blame_plan(spec)
    before = texts.preview(planned)
    # With --dry-run this is the result; otherwise it is only a note before it.
    click.echo(on_terminal(before), nl=False, err=not dry_run)
    if dry_run:
        return Exit.FINE
    with Bars() as bars:
        found = api.gate_blame(replace(spec, notify=bars.note, progress=bars.tell))
    html = partial(page, found)
    show(texts.document(found), out, lambda: texts.as_json(found), schema=texts.SCHEMA, html=html)
    return Exit.NO if found.named("harms") else Exit.UNDECIDED if found.named("cannot tell") else Exit.FINE


@command_of(api.GatePrune, rare=_RARE)
@index_option
@report_options
def prune(spec: api.GatePrune, github: bool, out: Paths) -> Exit:
    """Leave out the parts that harm or change nothing, and test that the rest is no worse.

    One gate run, adaptive and safe, of the pruned configuration against the whole one. Exit codes as of gate run.

    \b
    Example:
      steelyard gate prune logs/blame/blame.json --out pruned --tasks tasks \\
        --agent claude-code
      steelyard gate promote logs/prune/comparison.json --repo . \\
        --blame logs/blame/blame.json --open-pr
    """
    with Bars() as bars:
        weighed = api.gate_prune(replace(spec, notify=bars.note, progress=bars.tell))
    return report(weighed, github, out)


@command_of(api.GateBisect, rare=_RARE)
@output("json", "markdown")
def bisect(spec: api.GateBisect, out: Paths) -> Exit:
    """Find the commit that made the configuration worse.

    Each step is an adaptive gate run against the good commit, whose runs are kept and used again. Exit 1 if a commit
    was found, 3 if only a range of them or if the bad commit is undecided, 2 if that gives no verdict, 0 if it is no
    worse.

    \b
    Example:
      steelyard gate bisect --good v1.2 --bad HEAD --path agent --tasks tasks \\
        --agent claude-code
    """
    from steelyard.gate.blame import bisect as texts

    with Bars() as bars:
        found = api.gate_bisect(replace(spec, notify=bars.note, progress=bars.tell))
    show(texts.document(found), out, lambda: texts.as_json(found))
    if found.culprits:
        return Exit.NO if len(found.culprits) == 1 else Exit.UNDECIDED
    # The bad commit is asked first, and without an answer about it nothing was searched.
    return {"no worse": Exit.FINE, "undecided": Exit.UNDECIDED}.get(found.steps[0][1], Exit.UNANSWERED)
