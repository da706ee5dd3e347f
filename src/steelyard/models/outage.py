"""When a model that fails is left alone, and when it is tried again.

One fault concerns one run. After `RUNS` runs in a row without any answer from the model, the runs that follow wait
for `PAUSE_S` seconds; then one of them asks. If it gets an answer, all go on. If not, those that waited are not asked,
and the next pause begins; after `PAUSES` pauses in vain nobody waits any more: runs are not asked until a pause has
passed, and the one that comes then asks again. Nobody waits either if no wait mends the last failure (a wrong key).
A failure counts only if nothing was answered since its run began.
"""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import anyio

from steelyard.models.fault import NotAsked

RUNS = 3
"""Runs in a row without an answer before a model is left alone."""
PAUSE_S = 30.0
"""Seconds until it is tried again."""
PAUSES = 2
"""Pauses that runs wait for."""


@dataclass(slots=True)
class Outage:
    """How one model has failed since its last answer. Mutable."""

    failed: int = 0
    """Runs since the last answer."""
    why: str = ""
    """The failure of the last of them, in words."""
    lasting: bool = False
    """Whether no wait mends it."""
    replied: float = float("-inf")
    """Monotonic time of the last answer."""
    resumes: float = 0.0
    """Monotonic time at which the model may be tried again."""
    pauses: int = 0
    """Pauses that were waited for in vain."""
    causes: dict[int, str] = field(default_factory=dict[int, str])
    """What was asked, as a hash → why it got no answer: a question that is repeated keeps its own cause."""
    trial: anyio.Event | None = None
    """Set when the run that tries again has ended."""

    def answered(self) -> None:
        """Note an answer."""
        self.failed, self.pauses, self.replied = 0, 0, time.monotonic()

    @asynccontextmanager
    async def run(self) -> AsyncGenerator[Turn]:
        """One run, let in or refused with `NotAsked`."""
        trial = await self._entered()
        try:
            yield Turn(self, time.monotonic())
        finally:
            if trial is not None:
                self.trial = None
                trial.set()

    def note(self, began: float, why: str, *, lasting: bool = False) -> None:
        """Count a run that failed."""
        # Another run got an answer meanwhile, so the model is not down.
        if self.replied > began:
            return
        self.failed, self.why, self.lasting = self.failed + 1, why, lasting
        if self.failed >= RUNS:
            self.resumes = time.monotonic() + PAUSE_S

    async def _entered(self) -> anyio.Event | None:
        """The event to set if this is the run that tries again."""
        if self.failed < RUNS:
            return None
        # Another run is already trying; its result decides for all that wait.
        if self.trial is not None:
            await self.trial.wait()
            if self.failed < RUNS:
                return None
            raise self._refusal()
        left = self.resumes - time.monotonic()
        if left > 0 and (self.lasting or self.pauses >= PAUSES):
            raise self._refusal()
        self.trial = trial = anyio.Event()
        self.pauses += 1
        try:
            await anyio.sleep(max(0.0, left))
        except BaseException:
            self.trial = None
            trial.set()
            raise
        return trial

    def _refusal(self) -> NotAsked:
        return NotAsked(f"not asked, because {self.failed} runs in a row had no answer, the last one: {self.why}")


@dataclass(frozen=True, slots=True)
class Turn:
    """One run that was let in."""

    outage: Outage
    began: float

    def failed(self, why: str, *, lasting: bool = False) -> None:
        """Note that it got no answer, and why; `lasting` if no wait mends that."""
        self.outage.note(self.began, why, lasting=lasting)
