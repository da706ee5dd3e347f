"""Checks that the CDK toolchain and a sandbox work on this machine: the same synthesizer as for CDK synthesis."""

from __future__ import annotations

from steelyard.bench.cdk_synth import preflight as synthesis
from steelyard.bench.cdk_synth.preflight import check

__all__ = ["broken_scorers", "check"]

_SCORERS = {"cdk_verify_local": "cdk_behaviour_local", "cdk_verify": "cdk_behaviour"}
"""Verifier of CDK synthesis → the scorer here that uses the same synthesizer."""


def broken_scorers() -> dict[str, str]:
    """Scorers whose synthesizer gets the control apps wrong on this machine → what it gets wrong."""
    return {_SCORERS[name]: problem for name, problem in synthesis.broken_scorers().items()}
