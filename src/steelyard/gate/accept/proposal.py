"""One proposal of a loop: its level, its tasks, its verdict."""

from __future__ import annotations

import json
import math
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import TYPE_CHECKING, Any, Literal

from steelyard.errors import InputError
from steelyard.gate.ledger.book import Book, branch_of, open_book
from steelyard.gate.ledger.entry import LedgerEntry
from steelyard.gate.model import Comparison, Weighed
from steelyard.gate.run import gate_run
from steelyard.gate.run.plan import RunSpec, load_arms, log_files
from steelyard.location import is_remote
from steelyard.logs.identity import sha256_of
from steelyard.report.numbers import things
from steelyard.stats.wealth import level

if TYPE_CHECKING:
    from steelyard.location import Location

Answer = Literal["accepted", "refused", "undecided"]


@dataclass(frozen=True, slots=True)
class Loop:
    """How proposals are decided."""

    hidden: float = 0.5
    """Share of the tasks that the proposer never sees."""
    hidden_logs: Location | None = None
    """Where the runs of these go: out of the proposer's reach."""
    alpha: float = 0.05
    """Expected share of wrong ones among what is accepted, over the whole loop."""


@dataclass(frozen=True, slots=True)
class Decided:
    """What became of a proposal."""

    number: int
    """Of the proposal, in this loop."""
    level: float
    """Its own significance level."""
    answer: Answer
    weighed: Weighed
    """The comparison on the tasks that the proposer may see."""
    hidden: int
    """Number of the tasks that it may not see."""
    reason: str

    @property
    def line(self) -> str:
        """The answer in one line; it says nothing about single hidden tasks."""
        return f"proposal {self.number}: {self.answer}; {self.reason} (level {self.level:.2g})"


def accept(spec: RunSpec, loop: Loop, notify: Callable[[str], None]) -> Decided:
    """Decide one proposal: `spec.candidate` against `spec.baseline`, which is what the loop has so far."""
    if spec.ledger is None or loop.hidden_logs is None:
        raise InputError(
            "gate accept needs a ledger and a place for hidden runs", cure="--ledger PLACE --hidden-logs PLACE"
        )
    for place in (spec.log_dir, loop.hidden_logs):
        if not is_remote(place) and place.is_file():
            raise InputError(f"{place} is a file", cure="name a folder")
    # Before anything is entered: what is no proposal must not cost the loop a level.
    arms = load_arms(spec)
    configs = {name: arm.config.sha for name, arm in arms.items()}
    if len({*configs.values()}) < len(configs):
        raise InputError("the proposal is the same configuration as the baseline, so there is nothing to decide")
    suite = arms["candidate"].suite
    book = open_book(spec.ledger, spec.log_dir, _key(spec, suite.sha), spec.repo)
    where = {**configs, "logs": str(spec.log_dir)}
    names = sorted(task.id for task in suite.tasks)
    begun = _continued(book, where) if log_files(spec.log_dir) else _begun(book, names, loop, where)
    number, own, hidden = begun.facts["number"], begun.facts["level"], begun.facts["hidden"]
    notify(f"proposal {number}: tested at {own:.2g} on {things(len(names) - len(hidden), 'task')} that may be seen")
    policy = replace(spec.policy, alpha=own, question="better")
    # The hidden tasks are the confirmation, so neither part is owed another one.
    seen = replace(spec, only=tuple(name for name in names if name not in hidden), policy=policy, confirms=True)
    weighed = gate_run(seen, notify)
    answer, reason = _answer(weighed), "on the tasks that may be seen"
    if answer == "accepted":
        # No store: what the proposer can read must not hold the hidden runs.
        again = replace(
            spec, only=tuple(hidden), log_dir=loop.hidden_logs / f"proposal-{number}", store=None,
            policy=replace(spec.policy, alpha=loop.alpha, question="better"), confirms=True,
        )  # fmt: skip
        answer, reason = _answer(gate_run(again)), "on the tasks that the proposer never sees"
    verdict = weighed.outcome.verdict if isinstance(weighed.outcome, Comparison) else None
    book.write("proposal", begun.attempt, {**begun.facts, "answer": answer, "seen": verdict})
    return Decided(number, own, answer, weighed, len(hidden), f"{_words(answer)} {reason}")


def _key(spec: RunSpec, suite: str) -> str:
    """What makes proposals those of one loop; what it has so far changes with every one that is accepted."""
    agent = spec.agent
    return sha256_of({"loop": suite, "agent": agent.name, "model": agent.model, "branch": branch_of(spec.repo)})


def _answer(weighed: Weighed) -> Answer:
    outcome = weighed.outcome
    if not isinstance(outcome, Comparison):
        raise InputError(f"no verdict: {outcome.reasons[0]}", cure=outcome.cures[0] if outcome.cures else None)
    if outcome.verdict == "undecided":
        return "undecided"
    return "accepted" if outcome.verdict == "improved" and not outcome.exploratory else "refused"


def _words(answer: Answer) -> str:
    return {"accepted": "better", "refused": "not better", "undecided": "not decided"}[answer]


def _begun(book: Book, names: Sequence[str], loop: Loop, where: Mapping[str, str]) -> LedgerEntry:
    """The next proposal, which is entered before it runs, with its level and the hidden tasks of this loop."""
    begun = [entry for entry in book.entries if entry.kind == "attempt"]
    # Drawn once for the whole loop: drawn anew, a task that was seen before could be hidden later.
    known = next((entry.facts["hidden"] for entry in begun if "hidden" in entry.facts), None)
    hidden = list(known) if known is not None else _drawn(names, loop.hidden)
    entered = book.enter({"hidden": hidden, "loop": True})
    own = level(entered.number, _won(book), loop.alpha)
    book.write("proposal", entered.id, {**where, "number": entered.number, "level": own, "hidden": hidden})
    return book.entries[-1]


def _continued(book: Book, where: Mapping[str, str]) -> LedgerEntry:
    """The proposal whose runs are in the folder: continuing it is no further proposal."""
    own = [entry for entry in book.entries if entry.kind == "proposal" and where.items() <= entry.facts.items()]
    if not own:
        raise InputError(f"{where['logs']} holds other runs", cure="another --log-dir for each proposal")
    return max(own, key=lambda entry: int(entry.facts["number"]))


def _drawn(names: Sequence[str], share: float) -> list[str]:
    count = math.floor(len(names) * share)
    if not 1 <= count < len(names):
        raise InputError(f"a share of {share:g} of {things(len(names), 'task')} hides none or all of them")
    return sorted(Random(secrets.randbits(64)).sample(list(names), count))


def _won(book: Book) -> list[int]:
    known = [entry.facts for entry in book.entries if entry.kind == "proposal"]
    return sorted({int(facts["number"]) for facts in known if facts.get("answer") == "accepted"})


def as_json(decided: Decided) -> str:
    """The answer as JSON."""
    data: dict[str, Any] = {"schema_version": 1, "number": decided.number, "level": decided.level}
    return (
        json.dumps({**data, "answer": decided.answer, "hidden": decided.hidden, "line": decided.line}, indent=2) + "\n"
    )
