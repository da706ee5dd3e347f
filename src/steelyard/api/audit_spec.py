"""What an audit can be told: who marks, what is scored or run, and what is compared."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import KW_ONLY
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from steelyard.api.consequence import Fixer
from steelyard.api.groups import Judges
from steelyard.api.spec import argument, option, parameter, rare, spec
from steelyard.api.values import Location, Notify, pairs, path, paths, place, silent
from steelyard.errors import InputError
from steelyard.location import location

if TYPE_CHECKING:
    from steelyard.audit.marking import Way


@spec
class AuditScore(Judges):
    """Whatever can be scored (run files with their key, a log, or a suite of documents), and the one way to mark it."""

    what: Location | None = argument(
        "A log, or the folder of a suite; absent for run files.", "[LOG|SUITE]", default=None, converter=place
    )
    _: KW_ONLY
    key: Path | None = option("Answer key, Markdown or YAML; a LOG names its own.", "KEY", default=None, converter=path)
    runs: tuple[Path, ...] = option(
        "Output of one run; repeat for each run.", "--run", "RUN", default=(), converter=paths
    )
    set_name: str | None = option(
        "Which recorded runs of a SUITE; needed when it has several.", "--set", "NAME", default=None
    )
    partial: bool = rare("Score the documents that have runs; the others are named.", default=False)
    name: str | None = rare("Name of the agent in reports.", default=None)
    round: int | None = rare("Round of work on the agent.", default=None, least=0)
    marks: Path | None = option("Marks that a person filled in.", "SHEET", default=None, converter=path)
    lexical: bool = option("Estimate by words: offline, deterministic, not a verdict.", default=False)
    located: bool = rare("Mark by file and line, for scanners and review comments.", default=False)
    verdict: Path | None = rare("Reply of a chat to `audit mark --as chat`.", "REPLY", default=None, converter=path)
    verdict_model: str = rare("The model that gave this reply, for the record.", "NAME", default="")
    perspective: Path | None = option(
        "What is in scope; decides on bonus and penalty.", "FILE", default=None, converter=path
    )
    document: Path | None = rare("The document, for the judge and SARIF.", "FILE", default=None, converter=path)
    marker: Literal["consequence"] | None = option("Mark by what repairs follow.", default=None)
    fixer: str | None = rare("Agent of the gate that repairs, for --marker consequence.", "AGENT", default=None)
    fixer_command: str | None = rare("Program of the fixer `command`.", "WORDS", default=None)
    fixer_model: str | None = rare("Model of the fixer.", "MODEL", default=None)
    fixer_logs: Path | None = rare("Where repairs are logged and found again.", "DIR", default=None, converter=path)
    bonus_by_test: bool = rare("Other findings may prove themselves with a red test.", default=False)
    notify: Notify = parameter("Called with each line of progress.", default=silent)

    @property
    def chosen(self) -> bool:
        """Whether a way to mark is named; requiring a judge, or saying how one is asked, names none."""
        return bool(self.marks or self.judge or self.lexical or self.located or self.verdict)

    def way(self) -> Way:
        """The one way to mark; `STEELYARD_JUDGE` when none is chosen."""
        from steelyard.audit.files import read_reply, read_sheet
        from steelyard.audit.marking import chosen_way

        judges = self.panel() if self.judge or self.require_judge or not self.chosen else None
        if self.verdict_model and not self.verdict:
            raise InputError("--verdict-model names who gave a reply, but there is none", cure="--verdict REPLY.txt")
        sheet = read_sheet(self.marks) if self.marks else None
        reply = read_reply(self.verdict, self.verdict_model) if self.verdict else None
        return chosen_way(judges, sheet, self.lexical, self.located, reply)

    def repairer(self) -> Fixer | None:
        """Who repairs; None if another way to mark was chosen."""
        told = self.fixer or self.fixer_command or self.fixer_model or self.fixer_logs or self.bonus_by_test
        if self.marker is None:
            if told:
                raise InputError("a fixer repairs for --marker consequence only", cure="--marker consequence")
            return None
        if self.chosen:
            raise InputError("more than one way to mark the runs was chosen", cure="--marker consequence alone")
        if self.fixer is None and self.fixer_command is None:
            cure = "--fixer claude-code, for example"
            raise InputError("--marker consequence needs an agent that repairs", cure=cure)
        words = tuple(shlex.split(self.fixer_command)) if self.fixer_command else ()
        logs = self.fixer_logs or Path("logs/consequence")
        return Fixer(self.fixer or "command", words, self.fixer_model, logs, bonus_by_test=self.bonus_by_test)


@spec
class AuditRun(Judges):
    """An agent, what it reads, and who marks."""

    model: str = option("Any Inspect model.", "NAME")
    _: KW_ONLY
    key: Path | None = option("Answer key; never shown to the agent.", "KEY", default=None, converter=path)
    document: Path | None = option("The document the agent reads.", "FILE", default=None, converter=path)
    suite: Path | None = option(
        "A suite of documents, instead of --key and --document.", "DIR", default=None, converter=path
    )
    perspective: Path | None = option("What is in scope.", "FILE", default=None, converter=path)
    agent: Path | None = option("The agent's definition, its system prompt.", "AGENT.md", default=None, converter=path)
    runs: int = option("How often it reads each document.", default=2, least=1)
    lexical: bool = option("Estimate by words: offline, deterministic, not a verdict.", default=False)
    mark_later: bool = rare("Only run; a person marks with `audit mark LOG`.", default=False)
    name: str | None = rare("Name of the agent in reports; else the name in its definition.", default=None)
    round: int = rare("Round of work on the agent.", default=1, least=0)
    log_dir: Location = rare("Where the log goes.", default=Path("logs"), converter=location)
    temperature: float | None = rare("Sampling temperature.", default=None, least=0, most=2)
    seed: int | None = rare("Seed, for models that take one.", default=None)
    max_tokens: int | None = rare("Longest answer.", default=None, least=1)
    generate_config: Mapping[str, object] = rare(
        "Generation config, as max_retries=3 or timeout=300; repeat it.", "-G", "--generate", default=(),
        converter=pairs,
    )  # fmt: skip

    def asks_judge(self) -> bool:
        """Checks that the fields fit together; whether a judge marks."""
        if (self.suite is None) == (self.document is None):
            cure = "--suite DIR, or --document FILE --key KEY"
            raise InputError("give --document with its --key, or --suite", cure=cure)
        if self.document is not None and self.key is None:
            raise InputError("the document needs its answer key", cure="--key KEY")
        if self.lexical and self.mark_later:
            raise InputError("--lexical and --mark-later exclude each other")
        if (self.lexical or self.mark_later) and self.judge:
            ways = "--judge NAME, --lexical or --mark-later"
            raise InputError("more than one way to mark the runs was chosen", cure=f"choose one: {ways}")
        return not (self.lexical or self.mark_later)


@spec
class AuditCompare:
    """Two results, a folder of them, or what two people marked."""

    before: Location = argument("A result (--json), a log, a folder of them, or a sheet.", converter=location)
    after: Location | None = argument("The later one; without it, a history.", default=None, converter=place)
    _: KW_ONLY
    common: bool = option("Compare only the documents that both have.", default=False)
