"""What a blame would take, before anything is spent: parts, margin, runs, dollars (docs/scoring.md §3.7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from steelyard.errors import InputError
from steelyard.gate.blame.parts import PartRules, recipe
from steelyard.gate.blame.recipe import Recipe
from steelyard.gate.blame.weigh import margin_for, runs_for
from steelyard.gate.config.validation import not_loaded
from steelyard.gate.read.arm import identity, read_rows
from steelyard.gate.run.budget import spent_usd
from steelyard.gate.run.plan import Name, RunSpec, load_arms, log_files
from steelyard.gate.store.arms import Store, suite_key
from steelyard.gate.tasks import ArmSpec, fingerprint
from steelyard.gate.under_test import differing_fields
from steelyard.logs.identity import sha256_of
from steelyard.report.numbers import things
from steelyard.rows import LogRow

if TYPE_CHECKING:
    from steelyard.location import Location

LEAST_RUNS = 160
"""A budget below this shows nothing: the margin of 160 runs is 0.47."""

_LEAST_MARGIN = 0.001
"""The margin of the largest budgets, as rounded."""

_MOST_RUNS = 1_000_000_000
"""No budget buys more, however little a run costs."""

_DOUBTS = 5
"""Doubts that are named at most."""

MARGIN = 0.10
"""The margin if no budget is named."""


@dataclass(frozen=True, slots=True)
class BlameSpec:
    """What to blame, and what it may cost."""

    run: RunSpec
    """Tasks, configurations, agent and limits; `parts` says how the candidate is taken apart."""
    margin: float | None = None
    """The smallest effect to be told from none, as a mean score per task; from the budget if absent."""
    runs: int | None = None
    """Runs that may be spent; about 120 + 9/margin², and up to twice that, if absent."""
    usd_per_run: float | None = None
    """What a run costs; from the logs on record if absent."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a blame would do, before anything is spent."""

    run: RunSpec
    """The run, with the baseline that its parts need."""
    recipe: Recipe
    arms: Mapping[Name, ArmSpec]
    margin: float
    runs: int
    """About."""
    most_runs: int
    usd_per_run: float | None
    finished: int
    """Runs that are already done."""
    rows: tuple[LogRow, ...]
    """The logs in the folder."""
    stored: tuple[LogRow, ...]
    """Logs of the same question that the store keeps."""
    seed: int
    doubts: tuple[str, ...] = ()
    """What a reader should know before money is spent: files that this agent does not read."""

    @property
    def usd(self) -> float | None:
        """About what the runs cost together."""
        return None if self.usd_per_run is None else self.usd_per_run * self.runs


def forecast(spec: BlameSpec) -> Forecast:
    """Parts, margin, runs and dollars; every mistake is found here."""
    run = _with_baseline(spec.run)
    arms = load_arms(run)
    whole = recipe(arms["candidate"].config, arms["baseline"].config, run.parts or PartRules())
    files = log_files(run.log_dir)
    rows = read_rows(files, "the log folder") if files else ()
    kept = _kept(run, arms["candidate"])
    price = spec.usd_per_run if spec.usd_per_run is not None else _price(rows or kept)
    runs, most, margin = _size(spec, price)
    asked = question(whole, arms["candidate"])
    seed = run.seed if run.seed is not None else _recorded_seed(rows, asked)
    _check_rows(run.log_dir, rows, {**asked, "seed": seed}, arms["candidate"])
    # The store keeps a log under its own name: one that is in the folder too counts once.
    known = {Path(row.path).name for row in rows}
    stored = tuple(row for row in kept if _is_about(row, {**asked, "seed": seed}) and Path(row.path).name not in known)
    done = sum(len(row.runs) for row in (*rows, *stored))
    doubts = tuple(map(str, not_loaded(whole.config, arms["candidate"].agent.name)))[:_DOUBTS]
    return Forecast(run, whole, arms, margin, runs, most, price, done, rows, stored, seed, doubts)


def _with_baseline(run: RunSpec) -> RunSpec:
    rules = run.parts or PartRules()
    if rules.grain is not None:
        return replace(run, parts=rules, baseline="none")
    if run.baseline is None:
        raise InputError("no baseline given", cure="--baseline CONFIG, or --parts sections|lines|files")
    return replace(run, parts=rules)


def _size(spec: BlameSpec, price: float | None) -> tuple[int, int, float]:
    """(about how many runs, at most how many, margin)."""
    allowed = spec.runs
    if spec.run.budget_usd is not None and price:
        bought = int(min(spec.run.budget_usd / price, _MOST_RUNS))
        allowed = bought if allowed is None else min(allowed, bought)
    if allowed is None:
        margin = spec.margin or MARGIN
        return runs_for(margin), 2 * runs_for(margin), margin
    if allowed < LEAST_RUNS:
        raise InputError(
            f"{things(allowed, 'run')} cannot show anything about a part",
            cure=f"at least {LEAST_RUNS} runs; {runs_for(MARGIN):,} show effects of {MARGIN:g}",
        )
    margin = spec.margin or max(round(margin_for(allowed), 3), _LEAST_MARGIN)
    return min(runs_for(margin), allowed), allowed, margin


def _kept(run: RunSpec, arm: ArmSpec) -> tuple[LogRow, ...]:
    """What the store has of these tasks with this agent, whatever the configuration."""
    if run.store is None:
        return ()
    store, suite = Store(run.store), suite_key(identity(fingerprint(arm)))
    files = [log for name in store.configs(suite) for log in store.logs(suite, name)]
    return read_rows(files, "the store") if files else ()


def _price(rows: Sequence[LogRow]) -> float | None:
    """US dollars a run."""
    total, unknown = spent_usd(rows)
    done = sum(len(row.runs) for row in rows)
    # A run of unknown cost would count as free.
    return total / done if done and not unknown and total else None


def question(whole: Recipe, arm: ArmSpec) -> dict[str, Any]:
    """What a blame is about, whatever its margin. The seed follows from it, so that a store is asked for the runs that
    are wanted again."""
    parts = sha256_of([[part.name, part.text] for part in whole.parts])
    return {"parts": parts, "candidate": whole.config.sha, "tasks": arm.suite.sha}


def registration(planned: Forecast) -> dict[str, Any]:
    """As recorded in every log."""
    asked = question(planned.recipe, planned.arms["candidate"])
    return {"blame": {**asked, "seed": planned.seed, "margin": planned.margin}}


def _registered(row: LogRow) -> dict[str, Any]:
    found = cast(dict[str, Any] | None, row.stamp.extra.get("registration") if row.stamp is not None else None)
    return cast(dict[str, Any], (found or {}).get("blame") or {})


def _is_about(row: LogRow, asked: Mapping[str, Any]) -> bool:
    found = _registered(row)
    return all(found.get(name) == value for name, value in asked.items())


def _recorded_seed(rows: Sequence[LogRow], asked: Mapping[str, Any]) -> int:
    drawn = int(sha256_of(asked)[:7], 16)
    return next((int(found["seed"]) for found in map(_registered, rows) if found), drawn)


def _check_rows(folder: Location, rows: Sequence[LogRow], asked: Mapping[str, Any], arm: ArmSpec) -> None:
    """Runs of another question, or of another agent, are an error; another margin is the same question again."""
    for row in rows:
        found = _registered(row)
        if not found or row.stamp is None:
            raise InputError(f"{folder} contains logs of something else: {row.path}", cure="choose another --log-dir")
        fields = differing_fields(identity(row.stamp.fingerprint), identity(fingerprint(arm)))
        differing = [name for name, value in asked.items() if found.get(name) != value] + [name for name, *_ in fields]
        if differing:
            raise InputError(
                f"the runs in {folder} are about something else: {differing[0]} differs",
                cure="the same settings continue them; or choose another --log-dir",
            )
