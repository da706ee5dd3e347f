"""What a judge is calibrated on: labelled answers to the architecture tasks, as JSONL, and the rubrics they are for.

The set holds a true and a false answer of equal length to every task, twice, and every attack once. Nobody graded them:
what is false was put there.
"""

from __future__ import annotations

from pathlib import Path

from steelyard.judge.calibration.labels import Catalogue, folder

_HOME = Path(__file__).parent


def shipped_labels() -> Path:
    """The labelled set that ships with the package."""
    return _HOME / "calibration.jsonl"


def rubrics() -> Catalogue:
    """The rubrics for architecture answers."""
    from steelyard.bench.architecture_design.scorer import rubrics_identity

    return folder(_HOME / "rubrics", rubrics_identity(), "architecture design")
