"""The Inspect task of the audit: `inspect eval steelyard/audit -T key=… -T document=… -T agent=… --model …`.

The agent's definition is the system prompt, the document is the input, epochs are the runs. The key's path is a task
argument, but only the scorer reads the key: the subject never sees it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageSystem, ChatMessageUser
from inspect_ai.solver import generate

from steelyard.audit.files import agent_prompt, read_brief, read_text
from steelyard.audit.key import key_hash
from steelyard.audit.scorer import SCORER_NAME, SCORER_VERSION, Marking, audit_scorer
from steelyard.audit.suite import Suite, Unit, read_suite
from steelyard.click_errors import one_line_errors
from steelyard.errors import InputError
from steelyard.judge.panel import Panel
from steelyard.logs.identity import environment, samples_hash, sha256_of
from steelyard.stamp import Fingerprint, Stamp

DEFAULT_RUNS = 2


@task
@one_line_errors
def audit(
    key: str | None = None,
    document: str | None = None,
    perspective: str | None = None,
    agent: str | None = None,
    suite: str | None = None,
    marking: Marking = "lexical",
    judge: str | list[str] | None = None,
    judge_repeats: int = 1,
    judge_cache: bool = True,
    runs: int = DEFAULT_RUNS,
    name: str | None = None,
    round: int = 1,
) -> Task:
    """Did the agent find what we know is there? (docs/scoring.md §2)

    Args:
        key: Path of the answer key.
        document: Path of the document with the planted problems.
        perspective: Path of the text that says what is in scope.
        agent: Path of the agent's definition, used as the system prompt.
        suite: Path of a suite folder, instead of key and document.
        marking: judge, lexical, or later (a person fills a sheet).
        judge: Judge model or models, if marking is judge.
        judge_repeats: Verdicts requested from each judge.
        judge_cache: Whether earlier verdicts may be reused.
        runs: How often the agent reads each document.
        name: The agent's name in reports.
        round: Which round of work on the agent this is.
    """
    audited = read_suite(Path(suite)) if suite else _single(key, document)
    scope = perspective or (str(audited.perspective) if audited.perspective else None)
    definition = agent or (str(audited.agent) if audited.agent else None)
    agent_name, system = agent_prompt(read_text(Path(definition), "agent")) if definition else ("", "")
    judges = [judge] if isinstance(judge, str) else judge
    units = {unit.id: unit_paths(unit) for unit in audited.units}
    extra = {
        "units": units,
        # Absolute, because the log may be marked again from another folder.
        "perspective": scope and str(Path(scope).resolve()),
        "agent": sha256_of(system),
        "name": name or agent_name or "agent",
        "round": round,
        "suite": audited.name,
    }
    return Task(
        dataset=MemoryDataset([_sample(unit, system) for unit in audited.units], name=audited.name),
        solver=generate(),
        scorer=audit_scorer(units, scope, marking, judges, judge_repeats, judge_cache),
        epochs=runs,
        metadata=Stamp(
            "audit",
            audited.name,
            fingerprint(units, scope, marking, Panel(tuple(judges), judge_repeats) if judges else None),
            name or agent_name or None,
            environment(),
            extra,
        ).as_metadata(),
    )


def fingerprint(
    units: Mapping[str, Mapping[str, str | None]], perspective: str | None, marking: Marking, panel: Panel | None
) -> Fingerprint:
    """What must be equal before two audits may be compared: documents, keys, perspective and who marked."""
    briefs = {name: read_brief(unit, perspective) for name, unit in units.items()}
    data = {name: [key_hash(brief.key), sha256_of(brief.document)] for name, brief in briefs.items()}
    judged = marking == "judge" and panel is not None
    return Fingerprint(
        dataset=sha256_of(data),
        samples=samples_hash(units),
        scorer=f"{SCORER_NAME}@{SCORER_VERSION}",
        judge=panel.identity if judged and panel else ("lexical" if marking == "lexical" else None),
        rubric=rubric_hash([brief.identity for brief in briefs.values()]) if judged else None,
        parameters={"perspective": sha256_of(next(iter(briefs.values())).perspective)},
    )


def rubric_hash(identities: list[str]) -> str:
    """One hash for the questions of all documents."""
    return sha256_of(sorted(identities))


def unit_paths(unit: Unit) -> dict[str, str | None]:
    """The absolute paths of a unit, as the log stores them."""
    paths = {"key": unit.key, "document": unit.document}
    return {name: str(path.resolve()) if path else None for name, path in paths.items()}


def _single(key: str | None, document: str | None) -> Suite:
    if document is None:
        raise InputError("an audit needs a document and its key, or a suite")
    path = Path(document)
    # As in suites: `lockers/document.md` is the document `lockers`.
    name = path.parent.name if path.stem == "document" and path.parent.name else path.stem
    return Suite(name, (Unit(name, path, Path(key) if key else None),), None, None, {})


def _sample(unit: Unit, system: str) -> Sample:
    assert unit.document is not None
    text = read_text(unit.document, "document")
    messages = [ChatMessageSystem(content=system)] if system else []
    return Sample(id=unit.id, input=[*messages, ChatMessageUser(content=text)])
