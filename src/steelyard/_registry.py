"""Inspect's one entry point into this house.

Importing it registers every task, scorer, model and sandbox, and fills the table from which the baselines answer.
A broken import here is one warning line in Inspect and then "not found", so a test imports it and asserts every name.
"""

from __future__ import annotations

from steelyard.models import lookup
from steelyard.models.provider import steelyard
from steelyard.sandbox.bubblewrap import BubblewrapSandbox

__all__ = ["BubblewrapSandbox", "lookup", "steelyard"]
