"""`steelyard audit run` and `steelyard audit rescore`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from steelyard.cli.audit.score import FILE, show
from steelyard.cli.exit import Exit
from steelyard.cli.judging import chosen_panel, judge_options, rescore_each
from steelyard.cli.options import Number, note, output
from steelyard.errors import InputError, JudgeError

FORMATS = ("json", "markdown", "html", "sarif")


@click.command()
@click.option("--key", type=FILE, metavar="KEY", help="Answer key; never shown to the agent.")
@click.option("--document", type=FILE, metavar="FILE", help="The document the agent reads.")
@click.option("--suite", type=FILE, metavar="DIR", help="A suite of documents, instead of --key and --document.")
@click.option("--perspective", type=FILE, metavar="FILE", help="What is in scope.")
@click.option("--agent", type=FILE, metavar="AGENT.md", help="The agent's definition, its system prompt.")
@click.option("--model", required=True, metavar="NAME", help="Any Inspect model.")
@click.option("--runs", type=click.IntRange(1), default=2, show_default=True, help="How often it reads each document.")
@click.option("--name", help="Name of the agent in reports; else the name in its definition.")
@click.option("--round", "round_number", type=click.IntRange(0), default=1, show_default=True, help="Round of work.")
@click.option("--log-dir", type=FILE, default=Path("logs"), show_default=True, help="Where the log goes.")
@click.option("--temperature", type=Number(0, 2), help="Sampling temperature.")
@click.option("--seed", type=int, help="Seed, for models that take one.")
@click.option("--max-tokens", type=click.IntRange(1), help="Longest answer.")
@click.option("-o", "--output", "scoring_path", metavar="FILE", help="Write the scoring file.")
@click.option("--lexical", is_flag=True, help="Mark by words: offline, deterministic, advisory.")
@click.option("--mark-later", is_flag=True, help="Only run; a person marks with `audit sheet LOG`.")
@judge_options
@output(*FORMATS)
def run(scoring_path: str | None, **options: Any) -> Exit:
    """Let an agent read a document several times, then score it; everything stands in the log.

    \b
    Example:
      steelyard audit run --key key.md --document doc.md --perspective scope.md --agent agent.md \\
        --model steelyard/smollm2 --runs 2 --lexical
    """
    from steelyard.audit.run import execute

    paths = {name: options.pop(f"{name}_path") for name in FORMATS}
    log = execute(_plan(options))
    note(f"log: {log}")
    if options["mark_later"]:
        click.echo(f"steelyard audit sheet {log} -o sheet.yaml")
        return Exit.FINE
    return _report(str(log), {"scoring": scoring_path, **paths}, options["document"])


def _plan(options: dict[str, Any]) -> Any:
    from steelyard.audit.marking import WAYS
    from steelyard.audit.run import Plan

    if (options["suite"] is None) == (options["document"] is None):
        raise InputError("give --document with its --key, or --suite", cure="--suite DIR, or --document FILE --key KEY")
    if options["document"] is not None and options["key"] is None:
        raise InputError("the document needs its answer key", cure="--key KEY")
    if options["lexical"] and options["mark_later"]:
        raise InputError("--lexical and --mark-later exclude each other")
    judging = ("judge", "judge_repeats", "no_judge_cache", "require_judge")
    other = options["lexical"] or options["mark_later"]
    if other and options["judge"]:
        raise InputError("the runs can be marked in one way only", cure="--judge NAME, --lexical or --mark-later")
    panel = None if other else chosen_panel(**{name: options[name] for name in judging})
    if not other and panel is None:
        raise InputError(
            "no way to mark the runs was chosen", cure=f"choose one: {WAYS}; --mark-later runs without marking"
        )
    given = {name: str(options[name]) for name in ("key", "document", "suite", "perspective", "agent") if options[name]}
    task = {
        **given,
        "marking": "lexical" if options["lexical"] else "later" if options["mark_later"] else "judge",
        "judge": list(panel.judges) if panel else None,
        "judge_repeats": options["judge_repeats"],
        "judge_cache": not options["no_judge_cache"],
        "runs": options["runs"],
        "name": options["name"],
        "round": options["round_number"],
    }
    names = ("temperature", "seed", "max_tokens")
    config = {name: options[name] for name in names if options[name] is not None}
    return Plan(task, options["model"], options["log_dir"], config)


def _report(log: str, paths: dict[str, str | None], document: Path | None) -> Exit:
    from steelyard.audit.read import read_audit_log, recorded
    from steelyard.cli.audit.suite import show_suite, suite_of_log

    found = read_audit_log(log)
    if len(found.samples) == 1:
        show(recorded(found, next(iter(found.samples))), paths, document)
    else:
        show_suite(suite_of_log(found), paths)
    return Exit.FINE


@click.command()
@click.argument("logs", nargs=-1, required=True)
@click.option("--all", "everything", is_flag=True, help="Mark every run again, not only the open ones.")
@judge_options
def rescore(logs: tuple[str, ...], everything: bool, **judging: Any) -> Exit:
    """Have a judge mark the open runs of existing LOGS (or all) without calling the agent again.

    The old scores stay in the log's history. Logs of other wings are passed over. Ends in 2 while a run is open or
    could not be marked again.

    Example: steelyard audit rescore logs --judge anthropic/claude-sonnet-5-5
    """
    from steelyard.audit.rescore import rescore_log

    panel = chosen_panel(**judging)
    if panel is None:
        raise JudgeError("no judge is named", cure="--judge NAME")
    return rescore_each(logs, lambda path: rescore_log(path, panel, everything=everything))
