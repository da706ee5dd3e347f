"""`steelyard bench try` for CDK apps, as functions: does an app synthesize?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from steelyard.api.options import one_or_several
from steelyard.api.spec import Progress, silent

if TYPE_CHECKING:
    from steelyard.bench.cdk_synth.verify import Verdict


def verify(code: str | bytes, *, isolation: Literal["warm", "strict"] = "warm", timeout_s: float = 60.0) -> Verdict:
    """Check whether a CDK app in Python synthesizes (docs/scoring.md §1.5).

    Args:
        code: The app; it runs alone as `app.py` in an empty folder, in a sandbox without network.
        isolation: `strict` starts a fresh worker.
        timeout_s: Seconds the app may run.

    Returns:
        Whether it passes; if not, the class of the first cause; and the templates.

    Raises:
        ToolchainError: The extra `cdk` is not installed.
        SandboxError: No sandbox is available.
    """
    from steelyard.bench.cdk_synth.verify import verify as check

    return check(code, isolation=isolation, timeout_s=timeout_s)


@one_or_several("paths")
def verify_files(
    paths: Sequence[str | Path],
    *,
    isolation: Literal["warm", "strict"] = "warm",
    timeout_s: float = 60.0,
    progress: Progress = silent,
) -> tuple[Verdict, ...]:
    """Check CDK apps in files and folders, several at a time.

    Args:
        paths: Files, each a whole app, and folders with `cdk.json` (or `app.py`) and the files of an app.
        isolation: `strict` starts a fresh worker for every app.
        timeout_s: Seconds each app may run.
        progress: Called as apps end.

    Returns:
        One verdict per app, in the same order.

    Raises:
        InputError: An app cannot be read, is too large, or is not run by Python.
        ToolchainError: The extra `cdk` is not installed.
        SandboxError: No sandbox is available.
    """
    from steelyard.bench.cdk_synth.engine.prepare import prepared
    from steelyard.bench.cdk_synth.verify import read_app, verify_all

    codes = [read_app(Path(path)) for path in paths]
    prepared()  # reports a missing tool before the progress begins
    ended = 0

    def count(_: int) -> None:
        nonlocal ended
        ended += 1
        progress("verifying", ended, len(codes))

    return tuple(verify_all(codes, isolation=isolation, timeout_s=timeout_s, done=count))
