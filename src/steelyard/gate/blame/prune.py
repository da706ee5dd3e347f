"""The configuration without the parts that harm or change nothing, and the gate run that says it is no worse.

Blame alone deletes nothing: the pruned configuration is a candidate like any other, run in full context against the
whole one under `adaptive` with the question `safe`. A promotion of it needs that verdict, and the blame it comes from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from pydantic import TypeAdapter

from steelyard import artifact
from steelyard.errors import ArtifactError, InputError, Refused, boundary
from steelyard.gate.blame.effects import Effect
from steelyard.gate.blame.parts import PartRules, recipe
from steelyard.gate.blame.report import SCHEMA, interval
from steelyard.gate.config import NONE, Config, load_config
from steelyard.gate.model import Comparison
from steelyard.gate.run.plan import RunSpec
from steelyard.report.document import Column, Document, Paragraph, table
from steelyard.report.numbers import UNKNOWN, signed
from steelyard.tree import write_tree

if TYPE_CHECKING:
    from steelyard.location import Location

REMOVED = ("harms", "no effect")
"""The answers of parts that go."""


def read_blame(path: Location) -> dict[str, Any]:
    """The answer in a file that `gate blame` wrote."""
    data = artifact.read_json(path)
    try:
        artifact.validate(data, SCHEMA)
    except ArtifactError as error:
        raise InputError(f"{path} is no answer of a blame: {error}", cure="gate blame writes blame.json") from error
    return cast(dict[str, Any], data)


def pruned(data: Mapping[str, Any], repo: Path | None = None) -> Config:
    """The configuration without what blame says harms or changes nothing."""
    origin = cast(Mapping[str, Any], data["origin"])
    candidate = load_config(str(origin["candidate"]), repo=repo)
    if candidate.sha != origin["candidate_sha"]:
        raise InputError(
            f"{origin['candidate']} is not the configuration that was taken apart", cure="run gate blame on it again"
        )
    baseline = None if origin["baseline"] in (None, NONE) else load_config(str(origin["baseline"]), repo=repo)
    # JSON has lists where the rules have tuples.
    rules = TypeAdapter(PartRules).validate_python(origin["rules"])
    whole = recipe(candidate, baseline, rules)
    blamed = cast(Sequence[Mapping[str, Any]], data["parts"])
    if [part.name for part in whole.parts] != [part["name"] for part in blamed]:
        raise InputError("the parts are not those of the blame", cure="run gate blame again")
    kept = [part["answer"] not in REMOVED for part in blamed]
    if all(kept):
        raise Refused("blame found no part that harms or changes nothing, so there is nothing to prune")
    return replace(whole.configuration(kept), label=f"{candidate.label} pruned")


def prepared(data: Mapping[str, Any], folder: Path, repo: Path | None = None) -> Path:
    """The folder with the pruned configuration: written now, or as an earlier start left it."""
    config = pruned(data, repo)
    if folder.exists() and any(folder.iterdir()):
        if load_config(str(folder)).sha != config.sha:
            raise InputError(f"{folder} holds something else", cure="choose another --out")
        return folder
    with boundary(InputError, f"cannot write {folder}"):
        write_tree(folder, config.tree)
    return folder


def no_worse(comparison: Comparison) -> bool:
    """Whether a gate run has shown that what is left is no worse, without any doubt."""
    return (
        comparison.verdict in ("neutral", "improved")
        and not comparison.by_contract
        and comparison.policy.question == "safe"
        and not comparison.regressions
        and not comparison.ambiguities
        and not comparison.exploratory
    )


def refuse_other(data: Mapping[str, Any], config: Config, baseline: str | None, repo: Path) -> None:
    """Raise unless a candidate is what pruning its baseline gives."""
    if baseline != data["origin"]["candidate_sha"]:
        raise Refused("the baseline of this comparison is not the configuration that was taken apart")
    if config.sha != pruned(data, repo).sha:
        raise Refused("the candidate is not the pruned configuration")


def pruned_document(data: Mapping[str, Any]) -> Document:
    """What was left out and why, for the pull request."""
    columns = ("Part", "Answer", Column("Effect", "right"), "95%", Column("Tokens a run", "right"), "Left out")
    rows = [
        (
            str(part["name"]),
            str(part["answer"]),
            signed(part["effect"]["value"]),
            interval(Effect(**part["effect"])),
            UNKNOWN if part["tokens"] is None else f"{part['tokens']['value']:+,.0f}",
            "yes" if part["answer"] in REMOVED else "",
        )
        for part in cast(Sequence[Mapping[str, Any]], data["parts"])
    ]
    how = f"{data['runs']:,} runs with a random half of the parts each; effects below {data['margin']:g} count as none."
    return Document("What was pruned", (Paragraph(str(data["summary"])), table(columns, rows), Paragraph(how, "muted")))


def confirmation(run: RunSpec, data: Mapping[str, Any], folder: Path) -> RunSpec:
    """The gate run that says whether the pruned configuration is no worse than the whole one."""
    origin = cast(Mapping[str, Any], data["origin"])
    return replace(
        run,
        baseline=str(origin["candidate"]),
        candidate=str(folder),
        policy=run.policy.for_safety(),
        parts=None,
    )
