"""What a blame would take, before anything is spent: parts, margin, runs, dollars (docs/scoring.md §3.7)."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from steelyard.errors import InputError
from steelyard.gate.blame.parts import PartRules, recipe
from steelyard.gate.blame.recipe import Recipe
from steelyard.gate.blame.weigh import margin_for, runs_for
from steelyard.gate.read.arm import identity, read_rows
from steelyard.gate.run.budget import spent_usd
from steelyard.gate.run.plan import Name, RunSpec, load_arms, log_files
from steelyard.gate.store.arms import Store, suite_key
from steelyard.gate.tasks import ArmSpec, fingerprint
from steelyard.logs.identity import sha256_of
from steelyard.report.numbers import things
from steelyard.rows import LogRow

if TYPE_CHECKING:
    from steelyard.location import Location

LEAST_RUNS = 160
"""A budget below this shows nothing: the margin of 160 runs is 0.47."""

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
    seed: int

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
    price = spec.usd_per_run if spec.usd_per_run is not None else _price(run, rows, arms["candidate"])
    runs, most, margin = _size(spec, price)
    seed = run.seed if run.seed is not None else _recorded_seed(rows)
    _check_rows(run.log_dir, rows, registration(whole, margin, arms["candidate"], seed))
    return Forecast(run, whole, arms, margin, runs, most, price, sum(len(row.runs) for row in rows), rows, seed)


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
        bought = int(spec.run.budget_usd / price)
        allowed = bought if allowed is None else min(allowed, bought)
    if allowed is None:
        margin = spec.margin or MARGIN
        return runs_for(margin), 2 * runs_for(margin), margin
    if allowed < LEAST_RUNS:
        raise InputError(
            f"{things(allowed, 'run')} cannot show anything about a part",
            cure=f"at least {LEAST_RUNS} runs; {runs_for(MARGIN):,} show effects of {MARGIN:g}",
        )
    margin = spec.margin or round(margin_for(allowed), 3)
    return min(runs_for(margin), allowed), allowed, margin


def _price(run: RunSpec, rows: Sequence[LogRow], arm: ArmSpec) -> float | None:
    """US dollars a run, from the logs in the folder, or else from the store."""
    if not rows and run.store is not None:
        store, suite = Store(run.store), suite_key(identity(fingerprint(arm)))
        files = [log for name in store.configs(suite) for log in store.logs(suite, name)]
        rows = read_rows(files, "the store") if files else ()
    total, unknown = spent_usd(rows)
    done = sum(len(row.runs) for row in rows)
    return total / done if done and not unknown and total else None


def registration(whole: Recipe, margin: float, arm: ArmSpec, seed: int) -> dict[str, Any]:
    """What a blame is about: recorded in every log, and the same in every start that continues it."""
    parts = sha256_of([[part.name, part.text] for part in whole.parts])
    return {"blame": {"parts": parts, "candidate": whole.config.sha, "margin": margin, "tasks": arm.suite.sha,
                      "seed": seed}}  # fmt: skip


def _registered(row: LogRow) -> dict[str, Any]:
    found = cast(dict[str, Any] | None, row.stamp.extra.get("registration") if row.stamp is not None else None)
    return cast(dict[str, Any], (found or {}).get("blame") or {})


def _recorded_seed(rows: Sequence[LogRow]) -> int:
    return next((int(found["seed"]) for found in map(_registered, rows) if found), secrets.randbelow(2**31))


def _check_rows(folder: Location, rows: Sequence[LogRow], expected: dict[str, Any]) -> None:
    for row in rows:
        found, wanted = _registered(row), expected["blame"]
        if not found:
            raise InputError(f"{folder} contains logs of something else: {row.path}", cure="choose another --log-dir")
        for name, value in wanted.items():
            if found.get(name) != value:
                raise InputError(
                    f"the runs in {folder} are about other {name}: {found.get(name)} there, {value} here",
                    cure="the same settings continue them; or choose another --log-dir",
                )
