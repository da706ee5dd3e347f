"""Executes a plan with Inspect, both arms side by side, then compares the logs.

Each round is an eval set of its own: its logs name those of the rounds before it, what these cost, or show, decides
whether it starts, and the ledger hears of it. From the second attempt on, an improvement is judged again by fresh
rounds in a folder of their own (`CONFIRMATION`), and their verdict is the one that counts.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from functools import partial
from typing import NoReturn

from steelyard import artifact
from steelyard.errors import InputError, SteelyardError, command
from steelyard.gate.config.validation import inspect_config, not_loaded
from steelyard.gate.evidence.policy import DRIFT
from steelyard.gate.ledger.book import Book
from steelyard.gate.model import Comparison, NoVerdict, Side, Weighed
from steelyard.gate.noise.record import find_record
from steelyard.gate.read import Arms
from steelyard.gate.read.arm import read_rows
from steelyard.gate.read.changed import config_diff
from steelyard.gate.read.parting import with_partings
from steelyard.gate.report.data import SCHEMA, as_json
from steelyard.gate.run.attempt import begun, opened, with_attempt
from steelyard.gate.run.evaluation import Execute, evaluate, require_whole
from steelyard.gate.run.plan import Name, Plan, RunSpec, load_arms, plan
from steelyard.gate.run.session import Listener, Notify, Progress, Session, exclusive
from steelyard.gate.run.stored import CONTROL, with_record
from steelyard.gate.store.arms import Store
from steelyard.gate.tasks import ArmSpec
from steelyard.gate.weigh import Spec, weigh
from steelyard.logs.evaluate import mode
from steelyard.logs.folder import ready_for_logs
from steelyard.report.numbers import things
from steelyard.rows import LogRow
from steelyard.sandbox import cgroup, container
from steelyard.sandbox.choose import BUBBLEWRAP, choose

COMPARISON = "comparison.json"
"""File beside the logs that `gate promote` takes."""

CONFIRMATION = "confirmation"
"""Folder in the log folder for the fresh rounds that judge an improvement again."""

_SILENT = Listener()


class Shared(SteelyardError):
    """Only the tasks that a runner selected have run; the comparison is the runner's."""

    exit_code = 0


class Stopped(SteelyardError):
    """The budget is spent, so nothing more is started."""


def gate_run(
    spec: RunSpec,
    notify: Notify = _SILENT.notify,
    progress: Progress = _SILENT.progress,
    execute: Execute | None = None,
) -> Weighed:
    """Run what is missing, then compare both arms; `execute` lets an engine run it elsewhere.

    Two sides that are the same configuration are not run: there is nothing to compare, and that is the outcome.
    With `INSPECT_EVAL_SET_CAPTURE` nothing is run or written but the list of tasks, and the process ends. With
    `INSPECT_EVAL_SET_SELECTION` the selected tasks run, and `Shared` is raised: the folder is the runner's.
    """
    began = time.monotonic()
    spec = with_record(spec, notify)
    arms = load_arms(spec)  # mistakes are found before a folder is made
    if not spec.identical and len({arm.config.sha for arm in arms.values()}) < len(arms):
        _refuse_other_submodules(arms)
        return _unchanged(spec, arms)
    doubts = tuple(_doubts(arms))
    for line in doubts:
        notify(f"! {line}")
    # Before the lock, because several workers write into one folder at once.
    if mode() != "whole":
        _run_share(spec, arms)
    with exclusive(spec.log_dir):
        planned = plan(spec, arms)
        # Measuring noise is no attempt at a promotion.
        book = None if spec.identical else opened(planned)
        planned = begun(planned, book)
        start = partial(_carried_out, listener=Listener(notify, progress), execute=execute, book=book, began=began)
        weighed = start(planned, beside=_paid(spec, CONTROL, CONFIRMATION))
        if weighed.attempts is not None and weighed.attempts.confirmation == "owed":
            notify(f"attempt {weighed.attempts.number}: improved, so fresh rounds judge it again, by themselves")
            again = plan(dataclasses.replace(spec, log_dir=spec.log_dir / CONFIRMATION, confirms=True), arms)
            # The confirmation belongs to the same attempt.
            again = again if planned.attempt is None else with_attempt(again, planned.attempt)
            # The first rounds were paid from the same budget.
            weighed = start(again, beside=_paid(spec, CONTROL, ""))
        weighed = dataclasses.replace(weighed, warnings=(*weighed.warnings, *doubts), changed=_changed(arms))
        artifact.write_json(spec.log_dir / COMPARISON, as_json(weighed), schema=SCHEMA)
        return weighed


def _paid(spec: RunSpec, *folders: str) -> tuple[LogRow, ...]:
    """The runs in folders of the log folder, which the budget of the run has paid for; none without a budget."""
    if spec.budget_usd is None:
        return ()
    places = [spec.log_dir / name if name else spec.log_dir for name in folders]
    # In the log folder itself only the logs at its top count; `control` has a folder for each control round.
    logs = [str(log) for place in places if place.is_dir() for log in (*place.glob("*.eval"), *place.glob("*/*.eval"))
            if place != spec.log_dir or log.parent == spec.log_dir]  # fmt: skip
    return tuple(read_rows(logs, "the log folder")) if logs else ()


def _carried_out(
    planned: Plan,
    *,
    listener: Listener,
    execute: Execute | None,
    book: Book | None,
    beside: tuple[LogRow, ...],
    began: float,
) -> Weighed:
    """Run what is left of a plan, and compare its logs."""
    ready_for_logs(planned.spec.log_dir)
    session = Session(planned, listener, execute, book, beside, began)
    reason = run_rounds(session)
    if planned.spec.store is not None:
        Store(planned.spec.store).keep(session.rows)
    irregular: tuple[str, ...] = ()
    if book is not None and planned.attempt is not None:
        irregular = book.departures(planned.attempt.id, session.rows, confirms=planned.spec.confirms)
    weighed = with_partings(_weigh(planned.spec, session.arms(), irregular))
    if isinstance(weighed.outcome, Comparison):
        session.look(weighed.outcome.verdict, weighed.candidate.rounds)
    moved = () if book is None or planned.attempt is None else book.moves(planned.attempt.id)
    return dataclasses.replace(weighed, warnings=(*weighed.warnings, *moved, *([reason] if reason else ())))


def _unchanged(spec: RunSpec, arms: Mapping[Name, ArmSpec]) -> Weighed:
    """No verdict, because there is nothing to compare; nothing is run or written beside the logs."""
    reason = f"nothing to compare: {spec.baseline} and {spec.candidate} are the same configuration, so nothing was run"
    cure = "steelyard gate plan --measure runs one configuration on both sides"
    sides = {
        name: Side(
            label=arm.config.label,
            kind="gate",
            sources=(),
            rounds=0,
            config=arm.config.sha,
            artifacts=arm.config.artifacts,
            source=arm.config.source,
            folder=arm.config.folder,
        )
        for name, arm in arms.items()
    }
    return Weighed(
        NoVerdict((reason,), (cure,), unchanged=True),
        sides["baseline"],
        sides["candidate"],
        warnings=(*spec.notes, *_weak_limits(spec)),
        generated_at=datetime.now(UTC).isoformat(timespec="seconds"),
        differing=spec.differing,
    )


def _changed(arms: Mapping[Name, ArmSpec]) -> str:
    """The diff of both configurations; empty against a record, of which only hashes are known."""
    baseline = arms.get("baseline")
    return "" if baseline is None else config_diff(baseline.config.tree, arms["candidate"].config.tree)


def _refuse_other_submodules(arms: Mapping[Name, ArmSpec]) -> None:
    """Raise if all that differs is in submodules, which do not run."""
    one, *others = (set(arm.config.submodules) for arm in arms.values())
    for name in sorted(one.symmetric_difference(*others)):
        raise InputError(
            f"only the submodule {name.partition(' at ')[0]} differs, and its files are not part of a configuration",
            cure="keep what steers the agent in the repository itself",
        )


_NAMED = 5
"""Artifacts named at most, of those that an agent ignores."""


def _doubts(arms: Mapping[Name, ArmSpec]) -> Iterator[str]:
    """What `gate check` would refuse, as a promotion does, and what does not belong to a configuration."""
    for name, arm in arms.items():
        for problem in inspect_config(arm.config).errors:
            yield f"the {name} is not valid: {problem}"
        doubtful = list(not_loaded(arm.config, arm.agent.name))
        for finding in doubtful[:_NAMED]:
            yield f"in the {name}, {finding}"
        if more := len(doubtful[_NAMED:]):
            named = command("steelyard", "gate", "check", "--agent", arm.agent.name)
            yield f"and {more} more in the {name}: {named} names them"
        if arm.config.left_out:
            yield f"left out of the {name}, because no commit would have it: {', '.join(arm.config.left_out[:5])}"
        if arm.config.submodules:
            yield f"left out of the {name}, because it is a submodule: {', '.join(arm.config.submodules[:5])}"


def _run_share(spec: RunSpec, arms: Mapping[Name, ArmSpec]) -> NoReturn:
    """List the tasks of all rounds, or run those that a runner selected."""
    if spec.policy.adaptive:
        raise InputError(
            "the rounds of the policy adaptive cannot be listed in advance: each depends on those before it",
            cure="--policy evidence, or let --engine run it",
        )
    if mode() == "selection" and (reason := Session(plan(spec, arms), _SILENT).budget.exhausted()) is not None:
        raise Stopped(reason, cure="run again with a larger budget")
    spent = Session(plan(spec, arms), _SILENT).budget.total_usd if spec.budget_usd is not None else 0.0
    require_whole(evaluate(spec, arms, plan(spec, arms, afresh=True).units, spent_usd=spent))
    raise Shared("the selected tasks have run")


def run_rounds(session: Session) -> str | None:
    """Run every round that is left; under `adaptive`, why it stopped before it was decided."""
    planned = session.planned
    if planned.finished:
        left = "" if planned.spec.policy.adaptive else f"; {planned.runs} to go"
        session.notify(f"{planned.finished} runs are already done{left}")
    if planned.spec.policy.adaptive:
        from steelyard.gate.run.adaptive import run_adaptive

        reason = run_adaptive(session, lambda arms: _interim(planned.spec, arms))
        return None if reason is None else f"{reason}; run again with a larger budget to continue"
    for unit in planned.units:
        if (reason := session.budget.exhausted()) is not None:
            raise Stopped(reason, cure="run again with a larger budget")
        arms = " and ".join(unit.tasks) + (" side by side" if len(unit.tasks) > 1 else " alone")
        session.notify(f"round {unit.round.number} of {unit.round.rounds}: {things(unit.runs, 'run')}, {arms}")
        session.run([unit])
    return None


def _interim(spec: RunSpec, arms: Arms) -> Weighed:
    """What a look on the way says: whether an improvement is confirmed is asked at the end."""
    return _weigh(spec, arms._replace(candidate=dataclasses.replace(arms.candidate, attempt=None)))


def _weak_limits(spec: RunSpec) -> tuple[str, ...]:
    """Which limit of the sandbox is weaker on this machine than it should be, in words."""
    sandbox = choose(spec.agent.sandbox)
    if sandbox.image is not None:
        return (container.WEAK,)
    weak = sandbox == BUBBLEWRAP and not cgroup.available()
    return (f"in the sandboxes of this machine, {cgroup.WEAK}",) if weak else ()


def _weigh(spec: RunSpec, arms: Arms, irregular: tuple[str, ...] = ()) -> Weighed:
    noise = find_record(spec.noise, arms.baseline, base=spec.base, repo=spec.repo)
    same = spec.base is None or noise == find_record(spec.noise, arms.baseline)
    other_noise = () if same else (f"the noise record differs from {spec.base}, whose record counts",)
    how = Spec(
        spec.thresholds,
        require_judge=spec.require_judge,
        historical=spec.baseline_log is not None,
        drift=DRIFT if spec.drift is None else spec.drift,
        policy=spec.policy,
        quarantine=spec.quarantine,
        accepted=spec.accepted_losses,
        noise=noise,
        notes=(*spec.notes, *_weak_limits(spec)),
        differing=(*spec.differing, *other_noise),
        irregular=irregular,
    )
    return weigh(*arms, how, now=datetime.now(UTC))
