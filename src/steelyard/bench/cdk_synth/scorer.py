"""The CDK scorers: extraction, verification and diagnostics (docs/scoring.md §1.5).

Both give 1.0, or 0.0 with the failure class, or leave the run unscored if they fail themselves; `cdk_intent` and the
findings of cfn-lint go into the score's metadata and do not change the score.
"""

from __future__ import annotations

from typing import Any

import anyio.to_thread
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState

from steelyard.bench.cdk_synth import intent
from steelyard.bench.cdk_synth.control import ControlApps, Verifier
from steelyard.bench.cdk_synth.dataset import load
from steelyard.bench.cdk_synth.extract import extract
from steelyard.bench.cdk_synth.lint import Lint, lint
from steelyard.bench.cdk_synth.synthesizer.pool import Isolation
from steelyard.bench.cdk_synth.verify import Verdict, verify_app
from steelyard.logs.scores import to_score
from steelyard.outcome import Scored, Unscored

SCORER_VERSION = "3"
"""Raised whenever the same answer could score differently. 1: the first version. 2: an app can read the version of the
library, and strict isolation runs it again after a failed lookup, both as with the CLI; a length of at most 0 is no
longer any length. 3: a condition on a parameter that a parent stack sets is not decided by its default, and conditions
may use every function."""
ANSWER_KEPT = 20_000
"""Characters of the extracted code kept in the score."""


@scorer(metrics=[mean(), stderr()])
def cdk_verify_local(isolation: Isolation = "warm", diagnostics: bool = True) -> Scorer:
    """1.0 if the answer's app synthesizes, else 0.0 with a failure class; verified by the warm local synthesizer.

    Args:
        isolation: `warm`, or `strict` for a fresh kernel per app.
        diagnostics: Whether to run cfn-lint too; its findings do not change the score.
    """
    return _scorer(lambda code: verify_app(code, isolation=isolation), diagnostics)


@scorer(metrics=[mean(), stderr()])
def cdk_verify(diagnostics: bool = True) -> Scorer:
    """The same verdict from the pinned `cdk synth` inside the sample's Inspect sandbox.

    Args:
        diagnostics: Whether to run cfn-lint too; its findings do not change the score.
    """
    from steelyard.bench.cdk_synth.sandboxed import verify_in_sandbox

    return _scorer(verify_in_sandbox, diagnostics)


def _scorer(verifier: Verifier, diagnostics: bool) -> Scorer:
    control = ControlApps(verifier)

    async def score(state: TaskState, target: Target) -> Score:
        code = extract(state.output.completion)
        verdict = no_code(state.output) if code is None else await control.verify(code)
        return await verdict_score(verdict, code, str(state.sample_id), diagnostics=diagnostics)

    return score


def no_code(output: ModelOutput) -> Verdict:
    """The verdict on an answer without code: it says nothing, a filter stopped it, or it holds something else."""
    # Before the empty answer: what a filter stopped may be empty too.
    if output.stop_reason == "content_filter":
        return Verdict(False, "refusal", "the answer was stopped by the provider's content filter")
    if not output.completion.strip():
        return Verdict(False, "no_response", "the answer is empty")
    return Verdict(False, "no_code", "the answer holds no Python code")


async def verdict_score(verdict: Verdict, code: str | None, item_id: str, *, diagnostics: bool) -> Score:
    """The score of a verdict, with its diagnostics."""
    answer = None if code is None else code[:ANSWER_KEPT]
    metadata: dict[str, Any] = {"class": verdict.klass or "passed", "seconds": round(verdict.seconds, 3)}
    if verdict.engine_error is not None:
        return to_score(Unscored("sandbox", verdict.engine_error), answer=answer, metadata=metadata)
    # In a thread: a large template takes seconds, and other samples must go on.
    metadata |= await anyio.to_thread.run_sync(intent_metadata, item_id, verdict, abandon_on_cancel=True)
    if diagnostics and verdict.templates:
        findings: Lint | None = await anyio.to_thread.run_sync(lint, verdict.templates, abandon_on_cancel=True)
        metadata["cfn_lint"] = None if findings is None else findings.as_metadata()
    explanation = "synthesizes" if verdict.passed else f"{verdict.klass}: {verdict.message}"
    return to_score(Scored(float(verdict.passed)), answer=answer, explanation=explanation, metadata=metadata)


def intent_metadata(item_id: str, verdict: Verdict) -> dict[str, Any]:
    """`cdk_intent` and the requirements that do not hold; an app that failed meets none of them."""
    item = next((item for item in load() if item.id == item_id), None)
    if item is None:
        return {}
    if not verdict.passed:
        return {"cdk_intent": 0.0}
    if not intent.in_scope(verdict.templates, item.metadata.resources):
        return {"cdk_intent": 0.0, "intent_failed": ["scope"]}
    results = intent.evaluate(item.intent, verdict.templates)
    failed = [result.id for result in results if not result.held]
    return {"cdk_intent": round(intent.share(results), 4), "intent_failed": failed}
