"""The entry point for Inspect.

Importing this module registers every task, scorer, model and sandbox, and fills the table from which the baselines
answer. If an import fails here, Inspect prints one warning and then finds nothing, so a test checks every name.
"""

from __future__ import annotations

from steelyard.audit import embedded as audit_answers
from steelyard.audit.scorer import audit_scorer
from steelyard.audit.tasks import audit
from steelyard.bench.own.scorer import (
    own_architecture_scorer,
    own_cdk_scorer,
    own_facts_scorer,
    own_judge_scorer,
)
from steelyard.bench.own.task import own_architecture, own_cdk, own_exam, own_text
from steelyard.bench.suite import shipped
from steelyard.gate.agents.editor import editor
from steelyard.gate.scorer import gate as gate_scorer
from steelyard.gate.scorer import gate_agent, gate_judge
from steelyard.gate.tasks import gate
from steelyard.models.answers import Source, register
from steelyard.models.provider import steelyard
from steelyard.sandbox.bubblewrap import BubblewrapSandbox
from steelyard.sandbox.provider import DockerSandbox

for _category in shipped():
    _category.make_task()  # importing the module registers the task, its solver and its scorers
    _embedded = _category.embedded()
    register(Source(_category.key, _embedded.reference, _embedded.guess, _embedded.items))
register(Source("audit", audit_answers.reference, audit_answers.guess))

__all__ = [
    "BubblewrapSandbox",
    "DockerSandbox",
    "audit",
    "audit_scorer",
    "editor",
    "gate",
    "gate_agent",
    "gate_judge",
    "gate_scorer",
    "own_architecture",
    "own_architecture_scorer",
    "own_cdk",
    "own_cdk_scorer",
    "own_exam",
    "own_facts_scorer",
    "own_judge_scorer",
    "own_text",
    "steelyard",
]
