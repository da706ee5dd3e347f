"""The gate: may this change ship? This module exports pure names only; importing it runs nothing."""

from steelyard.gate.compare import compare, should_promote
from steelyard.gate.model import Comparison, Cost, NoVerdict, Run, Thresholds
from steelyard.gate.score import composite

__all__ = ["Comparison", "Cost", "NoVerdict", "Run", "Thresholds", "compare", "composite", "should_promote"]
