"""Asks a panel for verdicts; every wing grades through `grade`.

Law: nothing a judge does raises an exception. Each judge is asked `repeats` times; a reply that is not a verdict is
requested once more with the reason; after that, and if a judge cannot be reached, there is no verdict. One missing
verdict leaves the text unscored, because a mean over fewer judges would be a different grader. A judge that lets its
whole time pass without a reply to any text, or fails `FAILURES` texts in a row after all retries, is not asked about
the texts that follow. A cached verdict is marked, costs nothing and is not a new draw. Cancellation always propagates.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from functools import cache as once
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import anyio
from anyio.lowlevel import RunVar

from steelyard.errors import JudgeError, SteelyardError, boundary, one_line
from steelyard.judge.cache import Cache, key
from steelyard.judge.judgement import Call, Judgement, MeanVerdict, NoVerdict, mean_verdict
from steelyard.judge.panel import Panel
from steelyard.judge.parse import VerdictError
from steelyard.judge.prompt import Codes, Prompt, Question, render
from steelyard.judge.text import Cleaned, clean
from steelyard.models.patience import in_words, last_cause, timed_out
from steelyard.toolchain import cache_folder

if TYPE_CHECKING:
    from inspect_ai.model import Model, ModelOutput, ModelUsage

__all__ = ["Call", "Judgement", "MeanVerdict", "NoVerdict", "grade", "mean_verdict"]

V = TypeVar("V")

ROLE = "steelyard_judge"
"""The model role of judges: a log keeps their tokens apart from the subject's under this name."""

MAX_TOKENS = 8_192
"""Tokens a judge may spend on one reply."""

_SMALL = frozenset({"steelyard/smollm2"})
"""Judges that keep their own, lower token limit: a small model that rambles would ramble up to ours."""

ATTEMPTS = 2
"""Replies requested before giving up."""

FAILURES = 3
"""Texts in a row without a reply, each after all retries, before a judge is given up: with the growing waits between
retries that is more than a minute."""


@dataclass(slots=True)
class _Tally:
    """Tokens and price summed over attempts; one unknown makes the sum unknown."""

    tokens: int | None = 0
    cost_usd: float | None = 0.0
    attempts: int = 0
    started: float = field(default_factory=time.monotonic)

    def add(self, usage: ModelUsage | None) -> None:
        cost = usage.total_cost if usage is not None else None
        counted = usage is not None and getattr(usage, "tokens_known", True)
        self.tokens = self.tokens + usage.total_tokens if self.tokens is not None and usage and counted else None
        self.cost_usd = None if self.cost_usd is None or cost is None else self.cost_usd + cost

    def call(self, judge: str, repeat: int, error: str | None) -> Call:
        seconds = round(time.monotonic() - self.started, 3)
        return Call(judge, repeat, False, self.attempts, self.tokens, self.cost_usd, seconds, error)


async def grade(question: Question[V], panel: Panel) -> Judgement[V] | NoVerdict:
    """The panel's verdicts on the question's text, or the reason why there are none."""
    text = clean(question.text)
    requests = [(judge, repeat) for judge in panel.judges for repeat in range(panel.repeats)]
    answers: dict[tuple[str, int], tuple[V | None, Call]] = {}

    async def ask(judge: str, repeat: int) -> None:
        answers[judge, repeat] = await _answer(question, text, judge, repeat, panel)

    if len(requests) == 1:
        await ask(*requests[0])
    else:
        async with anyio.create_task_group() as group:
            for request in requests:
                group.start_soon(ask, *request)
    calls = tuple(answers[request][1] for request in requests)
    verdicts = tuple(verdict for request in requests if (verdict := answers[request][0]) is not None)
    if len(verdicts) == len(requests):
        return Judgement(verdicts, calls, text.flags)
    reasons = dict.fromkeys(f"{call.judge}: {call.error}" for call in calls if call.error is not None)
    return NoVerdict("judge", one_line("; ".join(reasons), 300), calls, text.flags)


async def _answer(question: Question[V], text: Cleaned, judge: str, repeat: int, panel: Panel) -> tuple[V | None, Call]:
    """One verdict from the cache or the judge."""
    store = open_cache(str(cache_folder() / "judge")) if panel.cache else None
    name = key(judge, question.identity, question.system, question.task, text.text, str(repeat))
    if store is not None and (known := _recall(store, name, question)) is not None:
        return known, Call(judge, repeat, cached=True)
    tally = _Tally()
    error: SteelyardError | None = None
    for _ in range(ATTEMPTS):
        try:
            verdict = await _attempt(question, text.text, judge, panel, tally, error)
        except _Unreachable as silence:
            return None, tally.call(judge, repeat, str(silence))
        except SteelyardError as refusal:
            error = refusal
            continue
        if store is not None:
            store.put(name, question.encode(verdict))
        return verdict, tally.call(judge, repeat, None)
    return None, tally.call(judge, repeat, f"no verdict in {ATTEMPTS} replies: {error}")


class _Unreachable(JudgeError):
    """No reply at all; the provider has already retried."""


class _TimedOut(Exception):
    """The whole time for one reply has passed."""


async def _attempt(
    question: Question[V], text: str, judge: str, panel: Panel, tally: _Tally, complaint: SteelyardError | None
) -> V:
    """One reply, parsed. Raises `JudgeError` if it is not a verdict, `_Unreachable` if there is none."""
    if (why := panel.contact.silent.get(judge)) is not None:
        raise _Unreachable(f"no reply: not asked, because {why}")
    tally.attempts += 1
    codes, asked = Codes.draw(text), time.monotonic()
    cause = complaint.__cause__ if complaint is not None else None
    objection = cause if isinstance(cause, VerdictError) else complaint and str(complaint)
    try:
        with boundary(_Unreachable, "no reply"):
            output = await _reply(render(question, text, codes=codes, complaint=objection), judge, panel)
    except SteelyardError as error:
        tally.add(getattr(error, "usage", None))  # a backend may know what the failure cost
        plainly = _plainly(error, panel)
        if isinstance(_cause(error), _TimedOut) or timed_out(_cause(error)):
            panel.contact.give_up(judge, asked, f"it left an earlier text unanswered for {panel.patience.total_s} s")
        elif last_cause(raised := error.__cause__ or error) is not raised:  # refused or failed, also after all retries
            why = f"it failed {FAILURES} texts in a row, each after all retries: {plainly}"
            panel.contact.give_up(judge, asked, why, FAILURES)
        raise _Unreachable(f"no reply: {plainly}") from error
    panel.contact.answered(judge)
    tally.add(output.usage)
    with boundary(JudgeError, "the reply cannot be read"):
        if output.empty:
            raise JudgeError("the reply is empty")
        if output.stop_reason == "content_filter":
            raise JudgeError("the judge refused to grade")
        try:
            return question.parse(output.completion, text, codes.reply)
        except VerdictError as error:
            raise JudgeError(str(error)) from error


def _plainly(error: SteelyardError, panel: Panel) -> str:
    """The cause of a failure in words, without the request."""
    cause = _cause(error)
    if isinstance(cause, _TimedOut):
        return f"no answer within {panel.patience.total_s} s"
    if timed_out(cause):
        return f"no answer within {panel.patience.attempt_s} s"
    return in_words(cause)


def _cause(error: SteelyardError) -> BaseException:
    """The cause of a failure, without the retry wrapper."""
    return last_cause(error.__cause__ or error) if isinstance(error, _Unreachable) else error


async def _reply(prompt: Prompt, judge: str, panel: Panel) -> ModelOutput:
    """The judge's reply; `_TimedOut` once the panel's whole time has passed, whatever the provider is doing."""
    from inspect_ai.model import ChatMessageSystem, ChatMessageUser, GenerateConfig

    anthropic = judge.startswith("anthropic/")
    config = GenerateConfig(
        max_retries=panel.patience.retries,
        timeout=panel.patience.total_s,
        attempt_timeout=panel.patience.attempt_s,
        max_tokens=None if judge in _SMALL else MAX_TOKENS,
        # It handles one request at a time; waiting requests would use up their own timeout.
        max_connections=1 if judge in _SMALL else None,
        temperature=None if anthropic else 0.0,  # its API refuses the parameter
        cache_prompt=True if anthropic else None,
        cache=False,
    )
    messages = [ChatMessageSystem(content=prompt.system), ChatMessageUser(content=prompt.user)]
    with anyio.move_on_after(panel.patience.total_s):  # Inspect checks its own limit only between two requests
        return await _model(judge).generate(list(messages), config=config)
    raise _TimedOut


_MODELS: RunVar[dict[str, Model]] = RunVar("steelyard_judges")
"""Models per event loop: a client's connections do not outlive the loop they were opened in."""


def _model(judge: str) -> Model:
    from inspect_ai.model import get_model

    from steelyard.models.redaction import with_redaction

    models = _MODELS.get(dict[str, "Model"]())
    if judge not in models:
        # The SDK's own retries would multiply with Inspect's; a verdict is short, so streaming gains nothing.
        own: dict[str, Any] = {"max_retries": 0, "streaming": False}
        arguments = own if judge.startswith("anthropic/") else {}
        models[judge] = with_redaction(get_model(judge, role=ROLE, memoize=False, **arguments))
        _MODELS.set(models)
    return models[judge]


def _recall(store: Cache, name: str, question: Question[V]) -> V | None:
    """The cached verdict, or None; an entry that cannot be decoded is dropped."""
    data = store.get(name)
    if data is None:
        return None
    try:
        with boundary(JudgeError, "a cached verdict is damaged"):
            return question.decode(data)
    except SteelyardError:
        store.drop(name)
        return None


@once
def open_cache(folder: str) -> Cache:
    """The verdict cache in a folder; one object per process."""
    return Cache(Path(folder))
