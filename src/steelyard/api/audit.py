"""Audits: did the agent find what we know is there?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from steelyard.api.options import DocumentMarking, Marking, one_or_several, optional_path
from steelyard.location import local, location

if TYPE_CHECKING:
    from steelyard.audit.compare import Comparison
    from steelyard.audit.history import History
    from steelyard.audit.marking import Way
    from steelyard.audit.model import Result, Source, SuiteResult
    from steelyard.audit.read import AuditLog
    from steelyard.judge.panel import Panel
    from steelyard.location import Location
    from steelyard.logs.rescore import Rescored


@one_or_several("runs", "judge")
def audit(
    key: str | Path,
    runs: Sequence[str | Path],
    *,
    perspective: str | Path | None = None,
    document: str | Path | None = None,
    name: str = "agent",
    round: int = 1,
    **marking: Unpack[DocumentMarking],
) -> Result:
    """Score runs of an agent against an answer key (docs/scoring.md §2), marked in one of four ways.

    Args:
        key: Answer key, Markdown or YAML.
        runs: Files with the outputs of the agent, one per run.
        perspective: File that describes what is in scope.
        document: The audited document, for the judge and for formats that point into it.
        name: Name of the agent in reports.
        round: Round of work on the agent.
        marking: Who marks; see `DocumentMarking`.

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
    from steelyard.errors import InputError

    if not runs:
        raise InputError("an answer key and at least one run are needed", cure="--key KEY --run RUN1 --run RUN2")
    way = _way(**marking)
    scope = read_text(Path(perspective), "perspective") if perspective else ""
    source = read_source(Path(document)) if document else None
    brief = Brief(read_key(Path(key)), scope, source.text if source else "")
    outputs = [read_run(Path(run)) for run in runs]
    spec = Spec(name, round, brief.key, Path(document or key).name, source=source)
    return weigh(spec, outputs, marks_of(brief, outputs, way), marker(brief, way))


@one_or_several("judge")
def audit_log(
    log: str | Location,
    *,
    key: str | Path | None = None,
    perspective: str | Path | None = None,
    document: str | Path | None = None,
    name: str | None = None,
    round: int | None = None,
    **marking: Unpack[DocumentMarking],
) -> Result:
    """Score the runs in the log of an audit of one document; without a way to mark, the scores in the log count.

    Args:
        log: Log written by `audit_run`.
        key: Answer key to mark with, instead of the one the log names.
        perspective: What is in scope, instead of the file the log names.
        document: The audited document, instead of the file the log names.
        name: Name of the agent, instead of the one in the log.
        round: Round of work, instead of the one in the log.
        marking: Who marks; see `DocumentMarking`.

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
    from steelyard.errors import command

    opened = read_audit_log(log)
    only = only_document(opened, cure=command("steelyard", "audit", "suite", log))
    source = read_source(Path(document)) if document else None
    if _is_chosen(marking):
        way = _way(**marking)
        result = remarked(opened, only, way, optional_path(key), optional_path(perspective))
        result = replace(result, source=source or result.source)
    else:
        result = _with_criteria(opened, result_of_log(opened, only, source or _source(opened, only)))
    return replace(result, name=name or result.name, round=result.round if round is None else round)


@one_or_several("judge")
def audit_suite(
    where: str | Location,
    *,
    runs: str | None = None,
    name: str | None = None,
    round: int = 1,
    partial: bool = False,
    **marking: Unpack[Marking],
) -> SuiteResult:
    """Score recorded runs of a suite, or the log of a suite: per document and pooled.

    Args:
        where: Folder of the suite, or a log.
        runs: Which set of recorded runs; needed when the suite has several.
        name: Name of the agent; else the name of the set.
        round: Round of work on the agent; a log has its own.
        partial: Score the documents that have runs when the set lacks some; the result names the others.
        marking: Who marks; see `Marking`. Without any, the marks that come with the set, or the scores in the log.

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
    from steelyard.errors import InputError

    if str(where).endswith((".eval", ".json")):
        opened = read_audit_log(where)
        if runs is not None:
            raise InputError(f"{where} is a log and has no recorded sets", cure="leave out --set")
        if _is_chosen(marking):
            way = _way(**marking)
            pooled = remarked_suite(opened, way)
        else:
            scored = suite_of_log(opened)
            pooled = replace(scored, results=tuple(_with_criteria(opened, result) for result in scored.results))
        agent = name or pooled.name
        return replace(pooled, name=agent, results=tuple(replace(result, name=agent) for result in pooled.results))
    suite = read_suite(local(where, "a suite"))
    chosen = chosen_set(suite, runs)
    if chosen.marks and not _is_chosen(marking):
        way = sheet_of(chosen)
    else:
        way = _way(**marking)
    return suite_result(suite, chosen, way, round, name, partial=partial)


@one_or_several("judge")
def audit_run(
    model: str,
    *,
    key: str | Path | None = None,
    document: str | Path | None = None,
    suite: str | Path | None = None,
    perspective: str | Path | None = None,
    agent: str | Path | None = None,
    runs: int = 2,
    judge: Sequence[str] = (),
    judge_repeats: int = 1,
    judge_cache: bool = True,
    require_judge: bool = False,
    lexical: bool = False,
    mark_later: bool = False,
    name: str | None = None,
    round: int = 1,
    log_dir: str | Location = "logs",
    temperature: float | None = None,
    seed: int | None = None,
    max_tokens: int | None = None,
    generate_config: Mapping[str, object] | None = None,
) -> Location:
    """Let an agent read a document, or each document of a suite, several times, and score its outputs.

    Args:
        model: Any Inspect model.
        key: Answer key; the agent never sees it.
        document: The document the agent reads.
        suite: A suite of documents, instead of `key` and `document`.
        perspective: File that describes what is in scope.
        agent: The agent's definition, its system prompt.
        runs: How often it reads each document.
        judge: Judge models.
        judge_repeats: Verdicts per judge.
        judge_cache: Whether stored verdicts may be reused.
        require_judge: Fail if no judge is available.
        lexical: Estimate by words: offline, deterministic, not a verdict.
        mark_later: Only run; a person marks on the sheet of `audit_sheet`.
        name: Name of the agent; else the name in its definition.
        round: Round of work on the agent.
        log_dir: Folder for the log.
        temperature: Sampling temperature.
        seed: Seed, for models that take one.
        max_tokens: Longest answer.
        generate_config: Other generation settings, by Inspect's names.

    Returns:
        The path of the log; `audit_log` and `audit_suite` read it.

    Raises:
        InputError: A file cannot be used, or not exactly one way to mark is chosen.
        ModelError: The model cannot be used.
        LogError: The run ended early.
    """
    from steelyard.audit.run import Plan, execute

    panel = None
    if _asks_judge(judge, lexical, mark_later, document, key, suite):
        panel = _required_panel(judge, judge_repeats, judge_cache, require_judge)
    paths = {"key": key, "document": document, "suite": suite, "perspective": perspective, "agent": agent}
    task: dict[str, Any] = {
        **{option: str(path) for option, path in paths.items() if path},
        "marking": "judge" if panel else "lexical" if lexical else "later",
        "judge": list(panel.judges) if panel else None,
        "judge_repeats": judge_repeats,
        "judge_cache": judge_cache,
        "runs": runs,
        "name": name,
        "round": round,
    }
    own = {"temperature": temperature, "seed": seed, "max_tokens": max_tokens}
    config = {**(generate_config or {}), **{option: value for option, value in own.items() if value is not None}}
    return execute(Plan(task, model, location(log_dir), config))


@one_or_several("judge")
def audit_rescore(
    log: str | Location,
    judge: Sequence[str],
    *,
    judge_repeats: int = 1,
    judge_cache: bool = True,
    everything: bool = False,
) -> Rescored:
    """Have a judge mark the unscored runs of a log without calling the agent again.

    Args:
        log: Log written by `audit_run`; the old scores stay in its history.
        judge: Inspect models that mark; several make a jury.
        judge_repeats: Verdicts per judge.
        judge_cache: Whether stored verdicts may be reused.
        everything: Mark every run again, not only the unscored ones.

    Returns:
        How many runs were graded, scored and left open.

    Raises:
        NothingToJudge: The log belongs to another wing.
        InputError: The key or the document changed since the run.
        LogError: It is not an audit log.
    """
    from steelyard.audit.rescore import rescore_log
    from steelyard.judge.panel import Panel

    return rescore_log(str(log), Panel(tuple(judge), judge_repeats, judge_cache), everything=everything)


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


def _is_chosen(marking: Marking | DocumentMarking) -> bool:
    """Whether the caller names a way to mark; requiring a judge, or saying how one is asked, names none."""
    return any(marking.get(way) for way in ("marks", "judge", "lexical", "located", "verdict"))


def _way(
    marks: str | Path | None = None,
    judge: Sequence[str] = (),
    judge_repeats: int = 1,
    judge_cache: bool = True,
    require_judge: bool = False,
    lexical: bool = False,
    located: bool = False,
    verdict: str | Path | None = None,
    verdict_model: str = "",
) -> Way:
    """The one way to mark; `STEELYARD_JUDGE` counts only when no other way is chosen."""
    from steelyard.audit.files import read_reply, read_sheet
    from steelyard.audit.marking import chosen_way
    from steelyard.errors import InputError
    from steelyard.judge.panel import panel

    asks_judge = bool(judge) or require_judge or not (marks or lexical or located or verdict)
    judges = panel(judge, require=require_judge, repeats=judge_repeats, cache=judge_cache) if asks_judge else None
    if verdict_model and not verdict:
        raise InputError("--verdict-model names who gave a reply, but there is none", cure="--verdict REPLY.txt")
    reply = read_reply(Path(verdict), verdict_model) if verdict else None
    return chosen_way(judges, read_sheet(Path(marks)) if marks else None, lexical, located, reply)


def _asks_judge(
    judge: Sequence[str],
    lexical: bool,
    mark_later: bool,
    document: str | Path | None,
    key: str | Path | None,
    suite: str | Path | None,
) -> bool:
    """Checks that the options of a run fit together; whether a judge marks."""
    from steelyard.errors import InputError

    if (suite is None) == (document is None):
        raise InputError("give --document with its --key, or --suite", cure="--suite DIR, or --document FILE --key KEY")
    if document is not None and key is None:
        raise InputError("the document needs its answer key", cure="--key KEY")
    if lexical and mark_later:
        raise InputError("--lexical and --mark-later exclude each other")
    if (lexical or mark_later) and judge:
        ways = "--judge NAME, --lexical or --mark-later"
        raise InputError("more than one way to mark the runs was chosen", cure=f"choose one: {ways}")
    return not (lexical or mark_later)


def _required_panel(judge: Sequence[str], repeats: int, cache: bool, require_judge: bool) -> Panel:
    from steelyard.audit.marking import WAYS
    from steelyard.errors import InputError
    from steelyard.judge.panel import panel

    judges = panel(judge, require=require_judge, repeats=repeats, cache=cache)
    if judges is None:
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
    from steelyard.errors import InputError

    try:
        key = read_key(Path(log.paths(result.document).get("key") or ""))
    except InputError:
        return result
    return replace(result, problems=key.problems) if key_hash(key) == result.key_hash else result
