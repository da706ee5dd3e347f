"""Audits: did the agent find what we know is there?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from steelyard.api.consequence import Fixer, audit_consequence, audit_suite_consequence
from steelyard.api.groups import Judges
from steelyard.api.spec import Location, Notify, file, option, pairs, path, paths, place, silent, spec, takes
from steelyard.errors import InputError
from steelyard.location import local, location

if TYPE_CHECKING:
    from steelyard.audit.compare import Comparison
    from steelyard.audit.history import History
    from steelyard.audit.marking import Way
    from steelyard.audit.model import Result, Source, SuiteResult
    from steelyard.audit.read import AuditLog
    from steelyard.judge.panel import Panel


@spec
class Marking(Judges):
    """Who marks the findings: exactly one way; `STEELYARD_JUDGE` when none is chosen."""

    _: KW_ONLY
    marks: Path | None = option("Marks that a person filled in.", metavar="SHEET", default=None, converter=path)
    lexical: bool = option("Estimate by words: offline, deterministic, not a verdict.", default=False)
    located: bool = option("Mark by file and line, for scanners and review comments.", default=False, rare=True)

    @property
    def chosen(self) -> bool:
        """Whether a way to mark is named; requiring a judge, or saying how one is asked, names none."""
        return bool(self.marks or self.judge or self.lexical or self.located or getattr(self, "verdict", None))

    def way(self) -> Way:
        """The one way to mark."""
        from steelyard.audit.files import read_reply, read_sheet
        from steelyard.audit.marking import chosen_way

        verdict, model = getattr(self, "verdict", None), getattr(self, "verdict_model", "")
        asks_judge = bool(self.judge) or self.require_judge or not self.chosen
        judges = self.panel() if asks_judge else None
        if model and not verdict:
            raise InputError("--verdict-model names who gave a reply, but there is none", cure="--verdict REPLY.txt")
        sheet = read_sheet(self.marks) if self.marks else None
        return chosen_way(judges, sheet, self.lexical, self.located, read_reply(verdict, model) if verdict else None)


@spec
class DocumentMarking(Marking):
    """Who marks the findings in one document: also a chat."""

    _: KW_ONLY
    verdict: Path | None = option(
        "Reply of a chat to `audit mark --as chat`.", metavar="REPLY", default=None, converter=path, rare=True
    )
    verdict_model: str = option(
        "The model that gave this reply, for the record.", metavar="NAME", default="", rare=True
    )
    perspective: Path | None = option(
        "What is in scope; decides on bonus and penalty.", metavar="FILE", default=None, converter=path
    )
    document: Path | None = option(
        "The document, for the judge and SARIF.", metavar="FILE", default=None, converter=path, rare=True
    )


@spec
class AuditFiles(DocumentMarking):
    """Runs of an agent in files, and the answer key."""

    key: Path = option("Answer key, Markdown or YAML.", converter=file)
    runs: tuple[Path, ...] = option("Files with the outputs of the agent, one per run.", converter=paths)
    _: KW_ONLY
    name: str = option("Name of the agent in reports.", default="agent")
    round: int = option("Round of work on the agent.", default=1)


@takes(AuditFiles)
def audit(spec: AuditFiles) -> Result:
    """Score runs of an agent against an answer key (docs/scoring.md §2), marked in one of four ways.

    Returns:
        Marks per problem and run, mean, sd and stability.

    Raises:
        InputError: A file cannot be used, or not exactly one way to mark is chosen.
        JudgeError: The judge left a run without a verdict.
    """
    from steelyard.audit.files import read_key, read_run, read_source, read_text
    from steelyard.audit.marking import marker
    from steelyard.audit.marking import marks as marks_of
    from steelyard.audit.marking.questions import Brief
    from steelyard.audit.weigh import Spec, weigh

    if not spec.runs:
        raise InputError("an answer key and at least one run are needed", cure="--key KEY --run RUN1 --run RUN2")
    way = spec.way()
    scope = read_text(spec.perspective, "perspective") if spec.perspective else ""
    source = read_source(spec.document) if spec.document else None
    brief = Brief(read_key(spec.key), scope, source.text if source else "")
    outputs = [read_run(run) for run in spec.runs]
    weighed = Spec(spec.name, spec.round, brief.key, (spec.document or spec.key).name, source=source)
    return weigh(weighed, outputs, marks_of(brief, outputs, way), marker(brief, way))


@spec
class AuditOfLog(DocumentMarking):
    """The log of an audit of one document, and what counts instead of what it says."""

    log: Location = option("Log written by `audit_run`.", converter=location)
    _: KW_ONLY
    key: Path | None = option("Answer key, instead of the one the log names.", default=None, converter=path)
    name: str | None = option("Name of the agent, instead of the one in the log.", default=None)
    round: int | None = option("Round of work, instead of the one in the log.", default=None)


@takes(AuditOfLog)
def audit_log(spec: AuditOfLog) -> Result:
    """Score the runs in the log of an audit of one document; without a way to mark, the scores in the log count.

    Returns:
        Marks per problem and run, mean, sd and stability.

    Raises:
        LogError: It is not a complete audit log.
        InputError: It holds several documents, or a file cannot be used.
        JudgeError: A run is unscored.
    """
    from steelyard.audit.files import read_source
    from steelyard.audit.read import only_document, read_audit_log
    from steelyard.audit.rescore import remarked
    from steelyard.audit.results import result_of_log

    opened = read_audit_log(spec.log)
    only = only_document(opened, cure="it is the log of a suite: `audit_suite` reads it")
    source = read_source(spec.document) if spec.document else None
    if spec.chosen:
        result = remarked(opened, only, spec.way(), spec.key, spec.perspective)
        result = replace(result, source=source or result.source)
    else:
        result = _with_criteria(opened, result_of_log(opened, only, source or _source(opened, only)))
    return replace(result, name=spec.name or result.name, round=result.round if spec.round is None else spec.round)


@spec
class AuditSuite(Marking):
    """Recorded runs of a suite, or the log of one."""

    where: Location = option("Folder of the suite, or a log.", converter=location)
    _: KW_ONLY
    runs: str | None = option("Which set of recorded runs; needed when the suite has several.", default=None)
    name: str | None = option("Name of the agent; else the name of the set.", default=None)
    round: int = option("Round of work on the agent; a log has its own.", default=1)
    partial: bool = option("Score the documents that have runs; the others are named.", default=False)


@takes(AuditSuite)
def audit_suite(spec: AuditSuite) -> SuiteResult:
    """Score recorded runs of a suite, or the log of a suite: per document and pooled.

    Without a way to mark, the marks that come with the set count, or the scores in the log.

    Returns:
        The results of all documents, and the pooled points, sd and rates.

    Raises:
        InputError: The suite, the set or a file of it cannot be used.
        JudgeError: A run is unscored.
    """
    from steelyard.audit.example import chosen_set, sheet_of, suite_result
    from steelyard.audit.read import read_audit_log
    from steelyard.audit.rescore import remarked_suite
    from steelyard.audit.results import suite_of_log
    from steelyard.audit.suite import read_suite

    if str(spec.where).endswith((".eval", ".json")):
        opened = read_audit_log(spec.where)
        if spec.runs is not None:
            raise InputError(f"{spec.where} is a log and has no recorded sets", cure="leave out --set")
        if spec.chosen:
            pooled = remarked_suite(opened, spec.way())
        else:
            scored = suite_of_log(opened)
            pooled = replace(scored, results=tuple(_with_criteria(opened, result) for result in scored.results))
        agent = spec.name or pooled.name
        return replace(pooled, name=agent, results=tuple(replace(result, name=agent) for result in pooled.results))
    suite = read_suite(local(spec.where, "a suite"))
    chosen = chosen_set(suite, spec.runs)
    way = sheet_of(chosen) if chosen.marks and not spec.chosen else spec.way()
    return suite_result(suite, chosen, way, spec.round, spec.name, partial=spec.partial)


@spec
class AuditScore(DocumentMarking):
    """Whatever can be scored: run files with their key, a log, or a suite of documents."""

    what: Location | None = option(
        "A log, or the folder of a suite; absent for run files.", metavar="[LOG|SUITE]", argument=True, default=None,
        converter=place,
    )  # fmt: skip
    _: KW_ONLY
    key: Path | None = option(
        "Answer key, Markdown or YAML; a LOG names its own.", metavar="KEY", default=None, converter=path
    )
    runs: tuple[Path, ...] = option(
        "Output of one run; repeat for each run.", "--run", metavar="RUN", default=(), converter=paths
    )
    set_name: str | None = option(
        "Which recorded runs of a SUITE; needed when it has several.", "--set", metavar="NAME", default=None
    )
    partial: bool = option("Score the documents that have runs; the others are named.", default=False, rare=True)
    name: str | None = option("Name of the agent in reports.", default=None, rare=True)
    round: int | None = option("Round of work on the agent.", default=None, least=0, rare=True)
    marker: Literal["consequence"] | None = option("Mark by what repairs follow.", default=None)
    fixer: str | None = option(
        "Agent of the gate that repairs, for --marker consequence.", metavar="AGENT", default=None, rare=True
    )
    fixer_command: str | None = option("Program of the fixer `command`.", metavar="WORDS", default=None, rare=True)
    fixer_model: str | None = option("Model of the fixer.", metavar="MODEL", default=None, rare=True)
    fixer_logs: Path | None = option(
        "Where repairs are logged and found again.", metavar="DIR", default=None, converter=path, rare=True
    )
    bonus_by_test: bool = option("Other findings may prove themselves with a red test.", default=False, rare=True)
    notify: Notify = option("Called with each line of progress.", default=silent, programs=True)

    def repairer(self) -> Fixer | None:
        """Who repairs; None if another way to mark was chosen."""
        import shlex

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


@takes(AuditScore)
def audit_score(spec: AuditScore) -> Result | SuiteResult:
    """Score whatever is given: run files against their key, the log of an audit, or a suite of documents.

    Returns:
        Of one document its marks, mean, sd and stability; of a suite the results of all, and the pooled ones.

    Raises:
        InputError: A file cannot be used, or not exactly one way to mark is chosen.
        JudgeError: A run is unscored.
    """
    fixer, asked = spec.repairer(), _fields(spec, Marking)
    named: dict[str, Any] = {} if spec.name is None else {"name": spec.name}
    rounds: dict[str, Any] = {} if spec.round is None else {"round": spec.round}
    if spec.what is not None and spec.runs:
        raise InputError("score a LOG, a SUITE or --run files, not two of them")
    if spec.what is not None and _several(spec.what):
        chosen: dict[str, Any] = {"runs": spec.set_name, "partial": spec.partial, **named, **rounds}
        if fixer is not None:
            return audit_suite_consequence(spec.what, fixer, notify=spec.notify, **chosen)
        return audit_suite(spec.what, **chosen, **asked)
    if fixer is not None:
        if spec.what is not None or spec.key is None:
            needed = "--marker consequence scores files against the key of a planted document"
            raise InputError(needed, cure="--key, --run")
        return audit_consequence(spec.key, spec.runs, fixer, notify=spec.notify, **named, **rounds)
    asked = _fields(spec, DocumentMarking)
    if spec.what is not None:
        return audit_log(spec.what, key=spec.key, name=spec.name, round=spec.round, **asked)
    if spec.key is None:
        raise InputError("an answer key and at least one run are needed", cure="--key KEY --run RUN1 --run RUN2")
    return audit(spec.key, spec.runs, **named, **rounds, **asked)


def _several(what: Location) -> bool:
    """Whether it is a suite, or a log of one."""
    if what.suffix not in (".eval", ".json"):
        return what.name == "suite.yaml" or not what.suffix or what.is_dir()
    from steelyard.audit.read import read_audit_log

    return len(read_audit_log(what).samples) > 1


def _fields(spec: object, group: type) -> dict[str, Any]:
    """The fields of a group as they are in a spec."""
    return {each.name: getattr(spec, each.name) for each in fields(group)}


@spec
class AuditRun(Judges):
    """An agent, what it reads, and who marks."""

    model: str = option("Any Inspect model.", metavar="NAME")
    _: KW_ONLY
    key: Path | None = option("Answer key; never shown to the agent.", metavar="KEY", default=None, converter=path)
    document: Path | None = option("The document the agent reads.", metavar="FILE", default=None, converter=path)
    suite: Path | None = option(
        "A suite of documents, instead of --key and --document.", metavar="DIR", default=None, converter=path
    )
    perspective: Path | None = option("What is in scope.", metavar="FILE", default=None, converter=path)
    agent: Path | None = option(
        "The agent's definition, its system prompt.", metavar="AGENT.md", default=None, converter=path
    )
    runs: int = option("How often it reads each document.", default=2, least=1)
    lexical: bool = option("Estimate by words: offline, deterministic, not a verdict.", default=False)
    mark_later: bool = option("Only run; a person marks with `audit mark LOG`.", default=False, rare=True)
    name: str | None = option("Name of the agent in reports; else the name in its definition.", default=None, rare=True)
    round: int = option("Round of work on the agent.", default=1, least=0, rare=True)
    log_dir: Location = option("Where the log goes.", default=Path("logs"), converter=location, rare=True)
    temperature: float | None = option("Sampling temperature.", default=None, least=0, most=2, rare=True)
    seed: int | None = option("Seed, for models that take one.", default=None, rare=True)
    max_tokens: int | None = option("Longest answer.", default=None, least=1, rare=True)
    generate_config: Mapping[str, object] = option(
        "Generation config, as max_retries=3 or timeout=300; repeat it.", "-G", "--generate", default=(),
        converter=pairs, rare=True,
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


@takes(AuditRun)
def audit_run(spec: AuditRun) -> Location:
    """Let an agent read a document, or each document of a suite, several times, and score its outputs.

    Returns:
        The path of the log; `audit_log` and `audit_suite` read it.

    Raises:
        InputError: A file cannot be used, or not exactly one way to mark is chosen.
        ModelError: The model cannot be used.
        JudgeError: No judge is available.
    """
    from steelyard.audit.run import Plan, execute

    panel = _required_panel(spec) if spec.asks_judge() else None
    named = ("key", "document", "suite", "perspective", "agent")
    task: dict[str, Any] = {
        **{name: str(given) for name in named if (given := getattr(spec, name))},
        "marking": "judge" if panel else "lexical" if spec.lexical else "later",
        "judge": list(panel.judges) if panel else None,
        "judge_repeats": spec.judge_repeats,
        "judge_cache": spec.judge_cache,
        "runs": spec.runs,
        "name": spec.name,
        "round": spec.round,
    }
    own = {name: getattr(spec, name) for name in ("temperature", "seed", "max_tokens")}
    config = {**spec.generate_config, **{name: value for name, value in own.items() if value is not None}}
    return execute(Plan(task, spec.model, spec.log_dir, config))


def audit_compare(before: str | Location, after: str | Location, *, common: bool = False) -> Comparison:
    """Compare two results of one document or suite: did the agent get better?

    Args:
        before: A result as JSON, a log, or a folder of them.
        after: The same for the later result.
        common: Compare only the documents that both sides have.

    Returns:
        The difference per document, its band, and its intervals.

    Raises:
        IncomparableError: Documents, keys or markers differ.
        InputError: A file is not an audit result.
    """
    from steelyard.audit.compare import compare
    from steelyard.audit.results import read_results

    sides = ([dated.result for dated in read_results(location(path))] for path in (before, after))
    return compare(*sides, common=common)


def audit_history(folder: str | Location) -> History:
    """Read all results and audit logs below a folder: scores over rounds, and blind spots.

    Args:
        folder: Folder of results and logs; unrelated files are skipped.

    Returns:
        One series per agent and document, blind spots, and a warning per unreadable file.

    Raises:
        InputError: The folder holds no audit result.
    """
    from steelyard.audit.history import history
    from steelyard.audit.results import read_folder

    return history(*read_folder(location(folder)))


def _required_panel(spec: AuditRun) -> Panel:
    from steelyard.audit.marking import WAYS

    if (judges := spec.panel()) is None:
        cure = f"choose one: {WAYS}; --mark-later runs without marking"
        raise InputError("no way to mark the runs was chosen", cure=cure)
    return judges


def _source(log: AuditLog, document: str) -> Source | None:
    """The document as the log names it, if it still exists."""
    from steelyard.audit.files import read_source

    path = Path(log.paths(document).get("document") or "")
    return read_source(path) if path.is_file() else None


def _with_criteria(log: AuditLog, result: Result) -> Result:
    """The result with the criteria of its key, which logs do not hold, if the key is still the same."""
    from steelyard.audit.files import read_key
    from steelyard.audit.key import key_hash

    try:
        key = read_key(Path(log.paths(result.document).get("key") or ""))
    except InputError:
        return result
    return replace(result, problems=key.problems) if key_hash(key) == result.key_hash else result
