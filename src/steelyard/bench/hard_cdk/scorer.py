"""The scorers of the hard CDK items: 1.0 if the answer's app synthesizes and behaves as asked, else 0.0.

The class of a failure is that of the synthesis, or `wrong_behaviour`. A failure of the synthesizer leaves the run
unscored.
"""

from __future__ import annotations

from typing import Any

import anyio.to_thread
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState

from steelyard.bench.cdk_synth.control import ControlApps, Verifier
from steelyard.bench.cdk_synth.extract import extract
from steelyard.bench.cdk_synth.scorer import ANSWER_KEPT, no_code
from steelyard.bench.cdk_synth.synthesizer.pool import Isolation
from steelyard.bench.cdk_synth.verify import Verdict, verify_app
from steelyard.bench.hard_cdk.assertion import AssertionResult, share
from steelyard.bench.hard_cdk.behaviour import behaviour
from steelyard.bench.hard_cdk.dataset import load, original
from steelyard.bench.hard_cdk.model import HardItem
from steelyard.logs.scores import to_score
from steelyard.outcome import Scored, Unscored

SCORER_VERSION = "7"
"""Raised whenever the same answer could score differently. 1: the first version. 2: without a transform,
`Fn::FindInMap` takes no function but `Ref` and itself. 3: what `Ref` and attributes of rare types return, and which of
their properties replace them. 4: items that ask for a plain app get one.
5: a plain app may read an attribute that is called like a method of Python's values.
6: what CloudFormation refuses in an output fails the deployment, and what only an output imports is imported.
7: a property whose value is `{"Condition": "text"}` is no condition of the template, and every part of a condition must
be one that CloudFormation accepts."""
WRONG = "wrong_behaviour"
"""Class of an app that synthesizes and does not do what was asked."""


@scorer(metrics=[mean(), stderr()])
def cdk_behaviour_local(isolation: Isolation = "warm") -> Scorer:
    """1.0 if what the answer's app would deploy meets every assertion of the item; synthesized by the warm synthesizer.

    Args:
        isolation: `warm`, or `strict` for a fresh kernel per app.
    """
    return _scorer(lambda code: verify_app(code, isolation=isolation))


@scorer(metrics=[mean(), stderr()])
def cdk_behaviour() -> Scorer:
    """The same verdict, with the app synthesized by the pinned CLI inside the sample's Inspect sandbox."""
    from steelyard.bench.cdk_synth.sandboxed import verify_in_sandbox

    return _scorer(verify_in_sandbox)


def _scorer(verifier: Verifier) -> Scorer:
    control = ControlApps(verifier)
    given: dict[str, Verdict] = {}

    async def score(state: TaskState, target: Target) -> Score:
        item = next(item for item in load() if item.id == str(state.sample_id))
        code = extract(state.output.completion)
        verdict = no_code(state.output) if code is None else await control.verify(code)
        source = original(item)
        # The app of the prompt is synthesized once, and only when there is an answer to compare with it.
        if source is not None and verdict.passed and item.id not in given:
            given[item.id] = await control.verify(source)
        return await anyio.to_thread.run_sync(behaviour_score, item, code, verdict, given.get(item.id))

    return score


def behaviour_score(item: HardItem, code: str | None, verdict: Verdict, given: Verdict | None) -> Score:
    """The score of a synthesized answer; `given` is the verdict on the app in the prompt."""
    answer = None if code is None else code[:ANSWER_KEPT]
    metadata: dict[str, Any] = {"class": verdict.klass or "passed", "seconds": round(verdict.seconds, 3)}
    # The app of the prompt is known to synthesize: if it fails, the synthesizer is at fault and not the answer.
    engine_error = verdict.engine_error or (None if given is None or given.passed else f"original: {given.message}")
    if engine_error is not None:
        return to_score(Unscored("sandbox", engine_error), answer=answer, metadata=metadata)
    if not verdict.passed:
        explanation = f"{verdict.klass}: {verdict.message}"
        return to_score(Scored(0.0), answer=answer, explanation=explanation, metadata=metadata | {"cdk_behaviour": 0.0})
    results = behaviour(item, code or "", verdict.stacks, None if given is None else given.stacks)
    failed = [result for result in results if not result.held]
    metadata |= {"cdk_behaviour": round(share(results), 4), "assertions_failed": [result.id for result in failed]}
    metadata["class"] = WRONG if failed else "passed"
    return to_score(Scored(float(not failed)), answer=answer, explanation=explained(failed), metadata=metadata)


def explained(failed: list[AssertionResult]) -> str:
    """What does not hold, one line per assertion."""
    lines = [f"{result.id}: {result.message} ({result.detail})" for result in failed]
    return "\n".join(lines) or "behaves as asked"
