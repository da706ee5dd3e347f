"""The public verbs, for programs: the same answers as the command line, as frozen data instead of text.

    from steelyard import api

    board = api.leaderboard(["logs"])                          # who is best?
    result = api.audit("key.md", ["run1.md", "run2.md"], lexical=True)   # did it find what we know is there?
    weighed = api.compare(["before.eval"], ["after.eval"])     # may this change ship?

Each function raises a `SteelyardError` that names the cause and the cure; none prints. Importing this package is cheap:
what a function needs is imported when it is called.

Names are flat and unique: a verb that several wings have carries its wing (`gate_run`, `audit_compare`,
`bench_rescore`). The functions live in one module per wing, are imported here and listed in `__all__`, from which
`scripts/api-docs` writes docs/api.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steelyard.api.audit import (
    audit,
    audit_compare,
    audit_example,
    audit_history,
    audit_key,
    audit_log,
    audit_rescore,
    audit_run,
    audit_sheet,
    audit_suite,
)
from steelyard.api.gate import (
    compare,
    gate_comment,
    gate_example,
    gate_plan,
    gate_report,
    gate_rescore,
    gate_run,
    gate_selftest,
    gate_tasks,
    gate_validate,
    promote,
)
from steelyard.api.judge import CalibratedJudge, attack, calibrate, labels

if TYPE_CHECKING:
    from steelyard.bench.analysis.reproduce import Reproduced
    from steelyard.bench.cdk_synth.verify import Verdict
    from steelyard.bench.model import Board
    from steelyard.bench.run.plan import Done

__all__ = [
    "CalibratedJudge",
    "attack",
    "audit",
    "audit_compare",
    "audit_example",
    "audit_history",
    "audit_key",
    "audit_log",
    "audit_rescore",
    "audit_run",
    "audit_sheet",
    "audit_suite",
    "bench",
    "calibrate",
    "compare",
    "gate_comment",
    "gate_example",
    "gate_plan",
    "gate_report",
    "gate_rescore",
    "gate_run",
    "gate_selftest",
    "gate_tasks",
    "gate_validate",
    "labels",
    "leaderboard",
    "promote",
    "reproduce",
    "verify",
]

Where = Sequence[str | Path]
"""Folders, files, globs, or whatever else Inspect can read."""


def bench(models: Sequence[str], log_dir: str | Path = "logs/bench", **options: Any) -> Done:
    """Run SA Bench on models; finished work in `log_dir` is not repeated. Options are those of `bench.plan.RunSpec`."""
    from steelyard.bench.run import run
    from steelyard.bench.run.plan import RunSpec

    return run(RunSpec(models=tuple(models), log_dir=Path(log_dir), **options))


def leaderboard(logs: Where, **options: Any) -> Board:
    """The board of these logs (docs/scoring.md §1.2). Options are those of `bench.model.Spec`."""
    from steelyard.bench.board import make_board
    from steelyard.bench.model import Spec

    return make_board(logs, Spec(**options))


def reproduce(published: str | Path, logs: Where) -> Reproduced:
    """A published board against fresh logs (docs/scoring.md §1.6)."""
    from steelyard.bench.analysis.reproduce import reproduced
    from steelyard.bench.report.data import read_published

    return reproduced(read_published(Path(published)), leaderboard(logs))


def verify(code: str, **options: Any) -> Verdict:
    """Whether a CDK app in Python synthesizes, and if not, the class of the first cause (docs/scoring.md §1.5)."""
    from steelyard.bench.cdk_synth.verify import verify as ask

    return ask(code, **options)
