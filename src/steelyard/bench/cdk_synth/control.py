"""Control apps: a verifier judges an app that must pass and one that must fail before it judges an answer.

A verifier that gets either of them wrong is broken, and nothing that it says is charged to a subject.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeAlias

import anyio

from steelyard.bench.cdk_synth.synthesizer.prepare import INSIDE
from steelyard.bench.cdk_synth.verify import Verdict
from steelyard.errors import one_line

Verifier: TypeAlias = Callable[[str], Awaitable[Verdict]]
"""Verifies one app."""

KNOWN_GOOD = (INSIDE / "control.py").read_text("utf-8")
"""An app that synthesizes."""
KNOWN_BAD = 'raise ValueError("this app always fails")\n'
"""An app that fails; it does not load the library, so trying it is cheap."""
RESOURCES = frozenset({"AWS::S3::Bucket", "AWS::SQS::Queue", "AWS::IAM::Role"})
"""Resource types that the known-good app declares."""
ATTEMPTS = 2
"""Failed trials after which a verifier is no longer tried."""


async def complaint(verifier: Verifier) -> str | None:
    """What a verifier gets wrong about the control apps; None if nothing."""
    bad = await verifier(KNOWN_BAD)
    # Not just any failure: a broken verifier may fail every app, for a reason of its own.
    if bad.klass != "runtime_error":
        return f"an app that always fails is judged {bad.klass or 'passed'}{_details(bad)}"
    good = await verifier(KNOWN_GOOD)
    if not good.passed:
        return f"a known-good app is judged {good.klass}{_details(good)}"
    # A pass alone is not enough: the templates must be those of this app.
    resources = [body for template in good.templates.values() for body in (template.get("Resources") or {}).values()]
    missing = sorted(RESOURCES - {str(body.get("Type")) for body in resources})
    return f"the template of a known-good app lacks {', '.join(missing)}" if missing else None


class ControlApps:
    """Tries a verifier before the first app of an evaluation; the other apps wait for the result."""

    def __init__(self, verifier: Verifier) -> None:
        self._verifier, self._lock = verifier, anyio.Lock()
        self._passed, self._failed, self._complaint = False, 0, ""

    async def verify(self, code: str) -> Verdict:
        """The verdict on an app; `engine_error` if the verifier fails its own trial."""
        async with self._lock:
            if not self._passed and self._failed < ATTEMPTS:
                problem = await complaint(self._verifier)
                self._passed, self._complaint = problem is None, problem or ""
                self._failed += problem is not None
        if not self._passed:
            return Verdict(False, "engine_error", f"the CDK verifier does not work here: {self._complaint}")
        return await self._verifier(code)


def _details(verdict: Verdict) -> str:
    return f" ({one_line(verdict.message, 200)})" if verdict.message else ""
