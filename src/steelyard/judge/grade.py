"""Asks a panel for verdicts; every wing grades through `grade` (docs/scoring.md §4).

Nothing a judge does raises an exception, and cancellation always propagates. A verdict that lacks a usable reply is
marked (`Call.lost`), because the judge may be the reason, and never stored, so that the next run asks again. Only a
judge that does not answer at all leaves a text unscored, and one missing verdict does, because a mean over fewer judges
would be a different grader. A judge that lets its whole time pass without a reply to any text, or fails `FAILURES`
texts in a row after all retries, is not asked about the texts that follow.
"""

from __future__ import annotations

import math
import secrets
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import cache as once
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import anyio
from anyio.lowlevel import RunVar

from steelyard.errors import JudgeError, SteelyardError, boundary, one_line
from steelyard.judge.cache import Cache, key
from steelyard.judge.judgement import Call, Judgement, NoVerdict, mean_verdict
from steelyard.judge.panel import QUOTED, Panel, model_of
from steelyard.judge.parse import DecoyTaken, VerdictError
from steelyard.judge.protocol import Question, Request, fill, template
from steelyard.judge.text import clean, legible
from steelyard.models.patience import in_words, last_cause, timed_out
from steelyard.toolchain import cache_folder

if TYPE_CHECKING:
    from inspect_ai.model import Model, ModelOutput, ModelUsage

__all__ = ["Judgement", "NoVerdict", "grade", "mean_verdict"]

V = TypeVar("V")
R = TypeVar("R")
Q = TypeVar("Q")
A = TypeVar("A")

Progress: TypeAlias = Callable[[int, int], None]
"""Called with (done, total) after each text."""

AT_ONCE = 8
"""Texts graded concurrently, of many."""

ROLE = "steelyard_judge"
"""The model role of judges: a log keeps their tokens apart from the subject's under this name."""

_SMALL = frozenset({"steelyard/smollm2"})
"""Judges that keep their own, lower token limit: a small model that rambles would ramble up to ours."""

FAILURES = 3
"""Texts in a row without a reply, each after all retries, before a judge is given up: with the growing waits between
retries that is more than a minute."""


async def ask_all(
    questions: Sequence[Q],
    ask: Callable[[Q], Awaitable[A]],
    progress: Progress = lambda done, total: None,
    at_once: float = AT_ONCE,
) -> list[A]:
    """The answer to every question, in their order."""
    answers: dict[int, A] = {}
    limiter = anyio.CapacityLimiter(at_once)

    async def answer(place: int) -> None:
        async with limiter:
            answers[place] = await ask(questions[place])
        progress(len(answers), len(questions))

    if len(questions) == 1:  # what it raises is not put into a group
        await answer(0)
    else:
        async with anyio.create_task_group() as group:
            for place in range(len(questions)):
                group.start_soon(answer, place)
    return [answers[place] for place in range(len(questions))]


async def grade(question: Question[V], panel: Panel, *, seed: int | None = None) -> Judgement[V] | NoVerdict:
    """The panel's verdicts on the question's text, or the reason why there are none.

    Ids, order, codes and decoys are drawn from `seed`, by default a fresh one, which no author can know.
    """
    text = clean(question.text)
    calls = tuple(Call(judge, repeat) for judge in panel.judges for repeat in range(panel.repeats))
    ask = partial(_verdict, question, text.text, panel, secrets.randbits(48) if seed is None else seed)
    verdicts = [verdict for verdict in await ask_all(calls, ask, at_once=math.inf) if verdict is not None]
    if len(verdicts) == len(calls):
        return Judgement(tuple(verdicts), calls, text.flags)
    reasons = dict.fromkeys(f"{call.judge}: {call.error}" for call in calls if call.error is not None)
    return NoVerdict("judge", one_line("; ".join(reasons), 300), calls, text.flags)


async def _verdict(question: Question[V], text: str, panel: Panel, seed: int, call: Call) -> V | None:
    """One verdict from the cache or the judge; what it costs goes into `call`."""
    # Nobody need be paid to find nothing in a text without a letter or digit.
    if not legible(text):
        return question.nothing
    store = open_cache(cache_folder() / "judge") if panel.cache else None
    name = key(call.judge, question.identity, question.context, text, str(call.repeat))
    if store is not None and (known := store.get(name, question.stored.validate_python)) is not None:
        call.cached = True
        return known
    call.seed = f"{seed} {call.judge} {call.repeat}"
    begun = time.monotonic()
    try:
        verdict = await _asked(question, text, panel, call)
    except _Unreachable as silence:
        verdict, call.error = None, str(silence)
    call.seconds = round(time.monotonic() - begun, 3)
    # A text that fell back on the quoting protocol may do without it next time.
    fell_back = call.protocol == "quoted" and not call.judge.startswith(QUOTED)
    if store is not None and verdict is not None and not (call.lost or fell_back):
        store.put(name, question.stored.dump_python(verdict))
    return verdict


async def _asked(question: Question[V], text: str, panel: Panel, call: Call) -> V:
    """The verdict by the protocol of the judge. Raises `_Unreachable` if it does not answer."""
    quoting = question.quoting
    if quoting is None or not call.judge.startswith(QUOTED):
        found = await _result("single", partial(question.single, text), panel, call)
        if found is not None:
            return found
    if quoting is None:
        call.lost = True
        return question.nothing
    call.protocol = "quoted"
    passages = await _result("passages", partial(quoting.passages, text), panel, call)
    answers: dict[str, Any] = {}
    for item, shown in (passages or {}).items():
        if (answer := await _result(f"check {item}", partial(quoting.check, item, shown), panel, call)) is not None:
            answers[item] = answer
    call.lost = passages is None or len(answers) < len(passages)
    return quoting.verdict(passages or {}, answers) if answers else question.nothing


async def _result(stage: str, make: Callable[[Random], Request[R]], panel: Panel, call: Call) -> R | None:
    """The result of one request, asked again once; None if neither reply can be used."""
    objection = ""
    for attempt in range(2):
        request = make(Random(f"{call.seed} {stage} {attempt}"))
        reply = await _reply(replace(request, user=request.user + objection), call, panel)
        call.decoys += request.decoys
        call.decoy_tokens += request.decoy_tokens
        try:
            # A parser that breaks counts like a reply that cannot be used.
            with boundary(JudgeError, "the reply cannot be read"):
                return request.read(reply)
        except SteelyardError as error:
            decoy = isinstance(error, DecoyTaken)
            call.decoys_taken += decoy
            call.unusable += (one_line(str(error), 200),)
            again = fill(template("again"), {"reason": str(error)})
            # Which items are decoys stays unsaid.
            objection = again if isinstance(error, VerdictError) and not decoy else ""
    return None


class _Unreachable(JudgeError):
    """No reply at all; the provider has already retried."""


class _TimedOut(Exception):
    """The whole time for one reply has passed."""


async def _reply(request: Request[Any], call: Call, panel: Panel) -> str:
    """What the judge says; an empty text for a refusal. Raises `_Unreachable` if nothing came."""
    judge = call.judge
    if (why := panel.contact.silent.get(judge)) is not None:
        raise _Unreachable(f"no reply: not asked, because {why}")
    call.attempts += 1
    asked = time.monotonic()
    try:
        with boundary(_Unreachable, "no reply"):
            output = await _output(request, judge, panel)
            if not output.choices:
                raise _Unreachable("no reply: the provider sent none")
    except SteelyardError as error:
        _pay(call, getattr(error, "usage", None))  # a backend may know what the failure cost
        raised, patience = error.__cause__ or error, panel.patience
        cause = last_cause(raised) if isinstance(error, _Unreachable) else error
        plainly = in_words(cause)
        if isinstance(cause, _TimedOut) or timed_out(cause):
            plainly = f"no answer within {patience.attempt_s if timed_out(cause) else patience.total_s} s"
            # `asked`, because a judge that has answered another text since then is not given up.
            panel.contact.give_up(judge, asked, f"it left an earlier text unanswered for {patience.total_s} s")
        elif last_cause(raised) is not raised:  # refused or failed, also after all retries
            why = f"it failed {FAILURES} texts in a row, each after all retries: {plainly}"
            panel.contact.give_up(judge, asked, why, FAILURES)
        raise _Unreachable(f"no reply: {plainly}") from error
    panel.contact.answered(judge)
    _pay(call, output.usage)
    # A text can cause a refusal, so it is a reply (of no use), and no reason to leave the text unscored.
    return "" if output.stop_reason == "content_filter" else output.completion


def _pay(call: Call, usage: ModelUsage | None) -> None:
    """Add the tokens and the price of an attempt; one unknown makes the sum unknown."""
    cost = usage.total_cost if usage is not None else None
    counted = usage is not None and getattr(usage, "tokens_known", True)
    call.tokens = call.tokens + usage.total_tokens if call.tokens is not None and usage and counted else None
    call.cost_usd = None if call.cost_usd is None or cost is None else call.cost_usd + cost


async def _output(request: Request[Any], judge: str, panel: Panel) -> ModelOutput:
    """The judge's output; `_TimedOut` once the panel's whole time has passed, whatever the provider is doing."""
    with anyio.move_on_after(panel.patience.total_s):  # Inspect checks its own limit only between two requests
        try:
            return await _generated(request, judge, panel, with_schema=panel.takes_schema.get(judge, True))
        except Exception as error:
            # The provider may not know structured output: the first request it refuses is made again without a schema.
            if judge in panel.takes_schema or getattr(last_cause(error), "status_code", 0) not in (400, 422):
                raise
            panel.takes_schema[judge] = True  # unless the same request does better without one
            output = await _generated(request, judge, panel, with_schema=False)
            panel.takes_schema[judge] = False
            return output
    raise _TimedOut


async def _generated(request: Request[Any], judge: str, panel: Panel, *, with_schema: bool) -> ModelOutput:
    from inspect_ai.model import ChatMessageSystem, ChatMessageUser, GenerateConfig, ResponseSchema
    from inspect_ai.util import JSONSchema

    judge = model_of(judge)
    anthropic = judge.startswith("anthropic/")
    schema = ResponseSchema(name="verdict", json_schema=JSONSchema.model_validate(request.schema), strict=True)
    config = GenerateConfig(
        max_retries=panel.patience.retries,
        timeout=panel.patience.total_s,
        attempt_timeout=panel.patience.attempt_s,
        max_tokens=None if judge in _SMALL else 8_192,
        # It handles one request at a time; waiting requests would use up their own timeout.
        max_connections=1 if judge in _SMALL else None,
        temperature=None if anthropic else 0.0,  # its API refuses the parameter
        cache_prompt=True if anthropic else None,
        cache=False,
        response_schema=schema if with_schema else None,
    )
    messages = [ChatMessageSystem(content=request.system), ChatMessageUser(content=request.user)]
    return await _model(judge).generate(list(messages), config=config)


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
        # Not memoized by Inspect, whose memo outlives the event loop.
        models[judge] = with_redaction(get_model(judge, role=ROLE, memoize=False, **arguments))
        _MODELS.set(models)
    return models[judge]


open_cache = once(Cache)
"""The verdict cache in a folder; one object per process."""
