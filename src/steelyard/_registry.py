"""Inspect's one entry point into this house.

Importing it registers every task, scorer, model and sandbox, and fills the table from which the baselines answer.
A broken import here is one warning line in Inspect and then "not found", so a test imports it and asserts every name.
"""

from __future__ import annotations

from steelyard.audit import embedded as audit_answers
from steelyard.audit.scorer import audit_scorer
from steelyard.audit.tasks import audit
from steelyard.bench.architecture_design import embedded as architecture_answers
from steelyard.bench.architecture_design.scorer import architecture_scorer, llm_judge_scorer
from steelyard.bench.cdk_synth import embedded as cdk_synth_answers
from steelyard.bench.cdk_synth.scorer import cdk_verify, cdk_verify_local
from steelyard.bench.practice_exam import embedded as practice_exam_answers
from steelyard.bench.practice_exam.task import exam_scorer, exam_solver
from steelyard.bench.tasks import architecture_design, cdk_synth, practice_exam
from steelyard.gate.agents.editor import editor
from steelyard.gate.scorer import gate as gate_scorer
from steelyard.gate.scorer import gate_agent, gate_judge
from steelyard.gate.tasks import gate
from steelyard.models.answers import Source, register
from steelyard.models.provider import steelyard
from steelyard.sandbox.bubblewrap import BubblewrapSandbox

for _name, _answers in {
    "practice_exam": practice_exam_answers,
    "architecture_design": architecture_answers,
    "cdk_synth": cdk_synth_answers,
    "audit": audit_answers,
}.items():
    register(Source(_name, _answers.reference, _answers.guess))

__all__ = [
    "BubblewrapSandbox",
    "architecture_design",
    "architecture_scorer",
    "audit",
    "audit_scorer",
    "cdk_synth",
    "cdk_verify",
    "cdk_verify_local",
    "editor",
    "exam_scorer",
    "exam_solver",
    "gate",
    "gate_agent",
    "gate_judge",
    "gate_scorer",
    "llm_judge_scorer",
    "practice_exam",
    "steelyard",
]
