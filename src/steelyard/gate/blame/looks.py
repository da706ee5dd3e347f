"""What a blame enters into the ledger: the question at its margin, and every look (docs/scoring.md §3.5, §3.7).

A question is a candidate in parts with its tasks, agent, model and branch. It is a comparison of its own in the ledger,
so that asking it is no attempt at a promotion. Whoever asks it again at another margin, or with another seed, has
another chance to err: the answer says how often it was asked.
"""

from __future__ import annotations

from dataclasses import dataclass

from steelyard.gate.blame.plan import Forecast, question
from steelyard.gate.ledger.book import Book, branch_of, open_book
from steelyard.logs.identity import sha256_of


@dataclass(slots=True)
class Asking:
    """A question that is being asked, as the ledger has it. Mutable: it grows with every look."""

    _book: Book
    _id: str
    _seen: set[int]
    """Looks that are entered already: an earlier start made them."""
    number: int
    """How often it was asked until now, this time included."""

    def look(self, number: int, runs: int, answered: int) -> None:
        """Enter a look, once."""
        if number not in self._seen:
            self._seen.add(number)
            self._book.write("look", self._id, {"look": number, "runs": runs, "answered": answered})


def asking(planned: Forecast) -> Asking:
    """The ledger's entry of this question at this margin: an earlier start made it, or it is made now."""
    run, candidate = planned.run, planned.arms["candidate"]
    about = {**question(planned.recipe, candidate), "agent": candidate.spec.name, "model": candidate.spec.model}
    key = sha256_of({"blame": about, "branch": branch_of(run.repo)})
    book = open_book(run.ledger, run.log_dir, key, run.repo)
    how = {"margin": planned.margin, "alpha": run.policy.alpha, "seed": planned.seed}
    same = (entry for entry in book.entries if entry.kind == "attempt" and how.items() <= entry.facts.items())
    if (known := next(same, None)) is None:
        facts = {**how, "blame": len(planned.recipe.parts), "candidate": planned.recipe.config.sha,
                 "label": planned.recipe.config.label, "logs": str(run.log_dir)}  # fmt: skip
        id = book.enter(facts).id
    else:
        id = known.attempt
    looked = {int(entry.facts["look"]) for entry in book.of(id, "look")}
    return Asking(book, id, looked, book.attempts)
