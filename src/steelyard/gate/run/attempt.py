"""Which attempt of its ledger a gate run is: the one that the logs in its folder belong to, or a new one."""

from __future__ import annotations

import dataclasses

from steelyard.gate.ledger.book import Book, branch_of, open_book, recorded_attempt
from steelyard.gate.ledger.confirmation import CountedAttempt
from steelyard.gate.ledger.entry import comparison_key
from steelyard.gate.read.history import history_arm
from steelyard.gate.run.plan import Plan


def opened(planned: Plan) -> Book:
    """The ledger of a run, for what it compares."""
    spec, candidate = planned.spec, planned.arms["candidate"]
    # The candidate, the seed and the margin are not in the key: changing them makes no fresh start.
    key = comparison_key(
        _baseline(planned), candidate.suite.sha, candidate.spec.name, candidate.spec.model, branch_of(spec.repo)
    )
    return open_book(spec.ledger, spec.log_dir, key, spec.repo)


def _baseline(planned: Plan) -> str:
    """The hash of the baseline's configuration."""
    arm = planned.arms.get("baseline")
    if arm is not None:
        return arm.config.sha
    return history_arm(planned.spec.history).side.config or ""


def begun(planned: Plan, book: Book | None) -> Plan:
    """The plan as an attempt: that of the logs in its folder, or a new one, which is entered now."""
    if book is None:
        return planned
    recorded = next(filter(None, (recorded_attempt(row) for row in planned.rows)), None)
    if recorded is not None:
        return with_attempt(planned, dataclasses.replace(recorded, ledger=book.where))
    candidate = planned.arms["candidate"].config
    facts = {
        "candidate": candidate.sha,
        "baseline": _baseline(planned),
        "suite": planned.arms["candidate"].suite.sha,
        "label": candidate.label,
        "logs": str(planned.spec.log_dir),
        "policy": planned.spec.policy.name,
        "registration": planned.registration.as_metadata()["sha"],
    }
    return with_attempt(planned, book.enter(facts))


def with_attempt(planned: Plan, attempt: CountedAttempt) -> Plan:
    """The plan, each of whose rounds says which attempt it belongs to."""
    recorded = attempt.as_metadata(planned.spec.confirms)
    units = tuple(
        dataclasses.replace(unit, round=dataclasses.replace(unit.round, attempt=recorded)) for unit in planned.units
    )
    return dataclasses.replace(planned, attempt=attempt, units=units)
