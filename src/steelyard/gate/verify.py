"""Checks a comparison against its logs, offline: was it decided as it was registered, and how often was it looked at?

The comparison is recomputed from its logs under the settings that were registered before anything ran. It holds if the
registration is intact and the same on both sides, the comparison used those settings, its verdict, its net gain and its
e-values are what the logs give, no round names a log that is gone, and the ledger knows no round that is not here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from steelyard import artifact
from steelyard.errors import InputError
from steelyard.gate.evidence.policy import CONTROLLED_DRIFT, DRIFT, Policy, registered_policy
from steelyard.gate.evidence.verdict import departures
from steelyard.gate.ledger.book import open_book
from steelyard.gate.ledger.place import beside
from steelyard.gate.model import NoVerdict, Weighed
from steelyard.gate.noise.record import find_record
from steelyard.gate.quarantine.entries import ACCEPTED, QUARANTINE, registered_entries
from steelyard.gate.read import Arms, read_arms
from steelyard.gate.read.arm import read_arm, read_rows
from steelyard.gate.read.history import history_arm
from steelyard.gate.report.data import SCHEMA, as_json
from steelyard.gate.settings import checked_thresholds
from steelyard.gate.weigh import Spec, weigh
from steelyard.location import location
from steelyard.report.numbers import things

if TYPE_CHECKING:
    from steelyard.location import Location

SIDES = ("baseline", "candidate")

_NUMBERS = ("e_improve", "e_regress", "e_safe", "shown")
"""Fields of the evidence that must follow from the logs."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """A comparison file, and the arms in the logs that it names."""

    path: Location
    data: Mapping[str, Any]
    arms: Arms

    @property
    def historical(self) -> bool:
        """Whether the baseline was run earlier."""
        return bool(self.data["baseline"]["historical"])

    @property
    def drift(self) -> float:
        """The allowance for drift that the comparison states; never less than the smallest there is."""
        evidence = cast(Mapping[str, Any], self.data["evidence"] or {})
        design = cast(Mapping[str, Any], evidence.get("design") or {})
        # A file that states less than the smallest allowance is not believed.
        return max(float(design.get("drift") or DRIFT), CONTROLLED_DRIFT)


@dataclass(frozen=True, slots=True)
class Verification:
    """Whether a comparison is what was registered."""

    problems: tuple[str, ...]
    """What does not hold; empty if everything does."""
    policy: Policy
    """The registered policy."""
    registration: str | None
    """Hash of what was registered; None if the logs registered nothing."""
    rounds: int
    looks: int
    """How often the rounds could have ended the comparison."""
    weighed: Weighed
    """The comparison as the logs give it."""
    notes: tuple[str, ...] = ()
    """What could not be checked."""

    @property
    def holds(self) -> bool:
        """Whether what was decided is what was registered."""
        return not self.problems


def read_comparison(path: Location) -> Mapping[str, Any]:
    """A comparison file, checked against its schema."""
    data = cast(dict[str, Any], artifact.read_json(path))
    try:
        artifact.validate(data, SCHEMA)
    except artifact.ArtifactError as error:
        raise InputError(f"{path} is not a comparison of the gate: {error}") from error
    return data


def read_recorded(path: Location, data: Mapping[str, Any]) -> Recorded:
    """The arms of a comparison's logs, found where it names them or beside it."""
    before, after = (_sources(data[side]["sources"], path) for side in SIDES)
    if data["baseline"]["kind"] == "gate" and data["baseline"]["historical"]:
        return Recorded(path, data, Arms(history_arm(before), read_arm(after, "candidate")))
    return Recorded(path, data, read_arms(before, after))


def _sources(sources: Sequence[str], comparison: Location) -> list[str]:
    """Logs at their recorded path, or beside the comparison if the whole folder was moved."""
    logs: list[str] = []
    for source in sources:
        name = location(source)
        places = (name, comparison.parent / name.parent.name / name.name, comparison.parent / name.name)
        log = next((place for place in places if place.is_file()), None)
        if log is None:
            raise InputError(f"the log {source} is missing; a comparison is recomputed from its logs")
        logs.append(str(log))
    return logs


class Counted(NamedTuple):
    """What a ledger says of the logs of a comparison."""

    irregular: tuple[str, ...]
    """How the logs differ from it, in words."""
    looks: int | None
    """How often somebody looked; None if the ledger is not here."""
    attempts: int | None
    """How many attempts it knows by now."""
    missing: str | None
    """Where the ledger should be, if it is not there."""


def counted(recorded: Recorded, ledger: str | None, repo: Path | None = None) -> Counted:
    """What the ledger says: the one that is named, the one beside the logs, or the one that the logs name."""
    attempt = recorded.arms.candidate.attempt
    if attempt is None:
        return Counted((), None, None, None)
    places = [ledger] if ledger else [str(beside(recorded.path.parent)), attempt.ledger]
    rows = read_rows([source for arm in recorded.arms for source in arm.side.sources], "the comparison")
    for place in places:
        book = open_book(place, recorded.path.parent, attempt.comparison, repo)
        # A ledger that does not know the attempt is another one.
        if book.of(attempt.id, "attempt"):
            irregular = book.departures(attempt.id, rows, confirms=attempt.confirms)
            return Counted(irregular, book.looks(attempt.id), book.attempts, None)
    return Counted((), None, None, places[-1])


def verify(
    path: Location, ledger: str | None = None, repo: Path | None = None, noise: Path | None = None
) -> Verification:
    """Recompute a comparison under the registered settings and name everything that differs; `noise` is the folder of
    noise records, which say whether `auto` came to `evidence`."""
    data = read_comparison(path)
    recorded = read_recorded(path, data)
    book = counted(recorded, ledger, repo)
    arms = recorded.arms
    registration = arms.candidate.registration
    registered = cast(dict[str, Any], registration or {})
    policy = registered_policy(registration)
    thresholds = checked_thresholds(registered.get("thresholds") or data["thresholds"] or {})
    spec = Spec(
        thresholds,
        historical=recorded.historical,
        drift=recorded.drift,
        policy=policy if registration else _stated_policy(data),
        # Gate logs say this themselves; for other logs only the comparison file does.
        interleaved=_interleaved(data) and not registration,
        quarantine=registered_entries(registration, QUARANTINE) or (),
        accepted=registered_entries(registration, ACCEPTED) or (),
        irregular=book.irregular,
        # A record that was measured later had no say.
        noise=find_record(noise, arms.baseline) if data.get("decided_by") == "evidence" else None,
    )
    weighed = weigh(*arms, spec, now=_when(data))
    problems = [*_registrations(recorded), *_differences(data, weighed)]
    problems += [f"{name}: {line}" for name, arm in zip(SIDES, arms, strict=True) for line in arm.breaks]
    problems += book.irregular
    return Verification(
        problems=tuple(problems),
        policy=spec.policy or policy,
        registration=cast(str | None, registered.get("sha")),
        rounds=_rounds(weighed),
        looks=_looks(spec.policy or policy, _rounds(weighed)) if book.looks is None else book.looks,
        weighed=weighed,
        notes=_notes(book),
    )


def _notes(book: Counted) -> tuple[str, ...]:
    if book.missing is not None:
        return (f"the ledger {book.missing} is not here: whether rounds were removed at the end was not checked",)
    return () if book.attempts is None else (f"{things(book.attempts, 'attempt')} in the ledger by now",)


def _stated_policy(data: Mapping[str, Any]) -> Policy:
    return Policy(data["policy"], **cast(dict[str, Any], data.get("rules") or {}))


def _interleaved(data: Mapping[str, Any]) -> bool:
    return bool(data["evidence"] and data["evidence"]["design"]["interleaved"])


def _when(data: Mapping[str, Any]) -> datetime:
    """When the comparison was made: a quarantine that held then holds in its verification."""
    try:
        return datetime.fromisoformat(str(data["generated_at"])).astimezone(UTC)
    except ValueError:
        return datetime.now(UTC)


def _registrations(recorded: Recorded) -> list[str]:
    data, (baseline, candidate) = recorded.data, recorded.arms
    if candidate.side.kind != "gate":
        return ["nothing was registered: these are not gate runs"]
    problems: list[str] = []
    if not recorded.historical and baseline.registration != candidate.registration:
        problems.append("the two sides were registered with different settings")
    stated = departures(candidate.registration, _stated_policy(data), data["thresholds"] or {})
    return [*problems, *(f"decided otherwise than registered: {line}" for line in stated)]


def _differences(data: Mapping[str, Any], weighed: Weighed) -> list[str]:
    """Where the recorded answer is not the one that the logs give."""
    now = as_json(weighed)
    fields = [name for name in ("verdict", "net_gain") if data[name] != now[name]]
    if data["should_promote"] and not now["should_promote"]:  # a noise record may only ever make it stricter
        fields.append("should_promote")
    problems = [f"{name} is {data[name]} in the file and {now[name]} from the logs" for name in fields]
    before: Mapping[str, Any] = data["evidence"] or {}
    after: Mapping[str, Any] = now["evidence"] or {}
    different = [name for name in _NUMBERS if before.get(name) != after.get(name)]
    return [*problems, *(f"{name} of the evidence does not follow from the logs" for name in different)]


def _rounds(weighed: Weighed) -> int:
    outcome = weighed.outcome
    if isinstance(outcome, NoVerdict) or outcome.evidence is None:
        return min(weighed.baseline.rounds, weighed.candidate.rounds)
    return outcome.evidence.design.rounds


def _looks(policy: Policy, rounds: int) -> int:
    return max(0, rounds - policy.min_rounds + 1) if policy.adaptive else int(rounds > 0)
