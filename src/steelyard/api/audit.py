"""Audits: did the agent find what we know is there? Who marks, what is scored or run, and what is compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from steelyard.api.consequence import Fixer, by_repairs
from steelyard.api.groups import Judges
from steelyard.api.spec import argument, option, parameter, rare, spec, takes
from steelyard.api.values import Location, Notify, pairs, path, paths, place, silent, words
from steelyard.errors import InputError
from steelyard.location import local, location

if TYPE_CHECKING:
    from steelyard.audit.agreement.people import TwoOpinions
    from steelyard.audit.compare import Comparison
    from steelyard.audit.history import History
    from steelyard.audit.marking import Way
    from steelyard.audit.model import Result, Source, SuiteResult
    from steelyard.audit.read import AuditLog
    from steelyard.audit.suite import RunSet, Suite


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

    def require_several(self) -> None:
        """Raise for what belongs to one document, where there are several."""
        one = next((name for name in ("key", "document", "verdict") if getattr(self, name) is not None), None)
        if one is not None:
            raise InputError(f"--{one} is for one document", cure="score its --run files with their --key")

    def repairer(self) -> Fixer | None:
        """Who repairs; None if another way to mark was chosen."""
        told = self.fixer or self.fixer_command or self.fixer_model or self.fixer_logs or self.bonus_by_test
        if self.marker is None:
            if told:
                raise InputError("a fixer repairs for --marker consequence only", cure="--marker consequence")
            return None
        if self.chosen:
            raise InputError("more than one way to mark the runs was chosen", cure="--marker consequence alone")
        if not (self.fixer or self.fixer_command):
            cure = "--fixer claude-code, for example"
            raise InputError("--marker consequence needs an agent that repairs", cure=cure)
        from steelyard.gate.agents import AgentSpec

        command = words(self.fixer_command) if self.fixer_command else ()
        agent = AgentSpec(self.fixer or "command", command, self.fixer_model)
        return Fixer(agent, self.fixer_logs or Path("logs/consequence"), self.bonus_by_test)


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


_OPINIONS = (".yaml", ".yml", ".md")
"""Endings of sheets and scoring files."""


@takes(AuditScore)
def audit_score(spec: AuditScore) -> Result | SuiteResult:
    """Score run files against their key, the log of an audit, or a suite of documents (docs/scoring.md §2).

    Without a way to mark, the scores in a log and the marks that come with a set of recorded runs count.

    Returns: Of one document its marks, mean, sd and stability; of a suite the results of all, and the pooled ones.
    """
    from steelyard.audit.example import chosen_set
    from steelyard.audit.read import read_audit_log
    from steelyard.audit.suite import read_suite

    fixer = spec.repairer()
    if spec.what is not None and spec.runs:
        raise InputError("score a LOG, a SUITE or --run files, not two of them")
    if spec.what is None:
        return _recorded(spec, *_of_one(spec, fixer), fixer).results[0]
    if not _is_suite(spec.what):
        return _logged(spec, read_audit_log(spec.what))
    spec.require_several()
    if spec.perspective is not None:
        raise InputError(
            "a suite has its own perspective, so --perspective changes nothing", cure="name it in suite.yaml"
        )
    suite = read_suite(local(spec.what, "a suite"))
    return _recorded(spec, suite, chosen_set(suite, spec.set_name), fixer)


def _of_one(spec: AuditScore, fixer: Fixer | None) -> tuple[Suite, RunSet]:
    """Run files with their key, as a suite of one document."""
    from steelyard.audit.suite import RunSet, Suite, Unit

    if spec.key is None or not spec.runs:
        raise InputError("an answer key and at least one run are needed", cure="--key KEY --run RUN1 --run RUN2")
    if spec.set_name is not None or spec.partial:
        raise InputError("--set and --partial are for a SUITE", cure="leave them out")
    # A planted document is named after its folder.
    title = (spec.document or spec.key).name if fixer is None else spec.key.parent.name
    unit, runs = Unit(title, spec.document, spec.key), RunSet(spec.name or "agent", {title: spec.runs}, None)
    return Suite(title, (unit,), spec.perspective, None, {}), runs


def _logged(spec: AuditScore, log: AuditLog) -> Result | SuiteResult:
    """The runs in a log: as marked there, or marked again if a way is chosen; of several documents, pooled."""
    from steelyard.audit.files import read_source
    from steelyard.audit.rescore import remarked
    from steelyard.audit.results import result_of_log
    from steelyard.audit.weigh import pooled

    several = len(log.samples) > 1
    if spec.marker is not None:
        cure = "--marker consequence scores a planted suite, or --run files with their --key"
        raise InputError(f"{log.path} is a log", cure=cure)
    if spec.set_name is not None or spec.partial:
        raise InputError(f"{log.path} is a log and has no recorded sets", cure="leave out --set and --partial")
    if several:
        spec.require_several()
    if not spec.chosen and (spec.key or spec.perspective):
        cure = "choose how to mark it again: --judge NAME, --lexical, …"
        raise InputError("--key and --perspective do not change the marks that are in a log", cure=cure)
    if spec.chosen:
        way = spec.way()
        results = [remarked(log, each, way, spec.key, spec.perspective) for each in log.samples]
    else:
        results = [_with_criteria(log, result_of_log(log, each, _source(log, each))) for each in log.samples]
    agent, round = spec.name or log.name, log.round if spec.round is None else spec.round
    results = [replace(result, name=agent, round=round) for result in results]
    if several:
        return pooled(log.stamp.unit, agent, round, results)
    return replace(results[0], source=read_source(spec.document)) if spec.document else results[0]


def _recorded(spec: AuditScore, suite: Suite, runs: RunSet, fixer: Fixer | None) -> SuiteResult:
    """Recorded runs of a suite."""
    from steelyard.audit.example import sheet_of, suite_result, without_runs
    from steelyard.audit.files import read_run
    from steelyard.audit.plant.record import PlantedUnit

    if fixer is None:
        way = sheet_of(runs) if runs.marks and not spec.chosen else spec.way()
    else:
        without_runs(suite, runs, partial=spec.partial)  # before anything is spent on repairs
        units = {
            unit.id: (PlantedUnit(unit.key.parent), [read_run(path) for path in runs.runs.get(unit.id, ())])
            for unit in suite.units
            if unit.key is not None
        }
        way = by_repairs(units, fixer, spec.notify)
    return suite_result(suite, runs, way, 1 if spec.round is None else spec.round, spec.name, partial=spec.partial)


def _is_suite(what: Location) -> bool:
    if what.suffix in (".eval", ".json"):
        return False
    return what.name == "suite.yaml" or not what.suffix or what.is_dir()


@takes(AuditRun)
def audit_run(spec: AuditRun) -> Location:
    """Let an agent read a document, or each document of a suite, several times, and score its outputs.

    Returns: The path of the log; `audit_score` reads it.
    """
    from steelyard.audit.marking import WAYS
    from steelyard.audit.run import Plan, execute

    asked = spec.asks_judge()
    panel = spec.panel() if asked else None
    if asked and panel is None:
        cure = f"choose one: {WAYS}; --mark-later runs without marking"
        raise InputError("no way to mark the runs was chosen", cure=cure)
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


@takes(AuditCompare)
def audit_compare(spec: AuditCompare) -> Comparison | History | TwoOpinions:
    """Compare two results of one document or suite, follow all results below a folder, or compare two people's marks.

    Returns:
        Of two results the difference, its band and its intervals; of a folder one series per agent and document, and
        blind spots; of two sheets or scoring files Cohen's κ, and where they differ.
    """
    from steelyard.audit.agreement.people import two_opinions
    from steelyard.audit.compare import compare
    from steelyard.audit.files import read_opinion
    from steelyard.audit.history import history
    from steelyard.audit.results import read_folder, read_results

    if spec.after is None:
        return history(*read_folder(spec.before))
    sides = (spec.before, spec.after)
    if all(side.suffix in _OPINIONS for side in sides):
        return two_opinions(*(read_opinion(local(path, "a sheet")) for path in sides))
    results = [read_results(path) for path in sides]
    found = compare(*([dated.result for dated in side] for side, _ in results), common=spec.common)
    return replace(found, warnings=(*found.warnings, *(problem for _, problems in results for problem in problems)))


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
