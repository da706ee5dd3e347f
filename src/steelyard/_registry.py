"""Inspect's one entry point into this house.

Importing it registers every task, scorer, model and sandbox, and fills the table from which the baselines answer.
A broken import here is one warning line in Inspect and then "not found", so a test imports it and asserts every name.
"""

from __future__ import annotations

from steelyard.bench.cdk_synth import embedded as cdk_synth_answers
from steelyard.bench.cdk_synth.scorer import cdk_verify, cdk_verify_local
from steelyard.bench.practice_exam import embedded as practice_exam_answers
from steelyard.bench.practice_exam.exam import exam_scorer, exam_solver
from steelyard.bench.tasks import cdk_synth, practice_exam
from steelyard.models.lookup import Source, register
from steelyard.models.provider import steelyard
from steelyard.sandbox.bubblewrap import BubblewrapSandbox

for _name, _answers in {
    "practice_exam": practice_exam_answers,
    "cdk_synth": cdk_synth_answers,
}.items():
    register(Source(_name, _answers.reference, _answers.guess))

__all__ = [
    "BubblewrapSandbox",
    "cdk_synth",
    "cdk_verify",
    "cdk_verify_local",
    "exam_scorer",
    "exam_solver",
    "practice_exam",
    "steelyard",
]
