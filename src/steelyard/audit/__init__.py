"""Audit: did the agent find what we know is there? Pure names only are re-exported here."""

from steelyard.audit.findings import read_output
from steelyard.audit.key import key_text, parse_key
from steelyard.audit.model import Key, Marks, Output, Problem, Result
from steelyard.audit.score import run_score, weighed

__all__ = [
    "Key",
    "Marks",
    "Output",
    "Problem",
    "Result",
    "key_text",
    "parse_key",
    "read_output",
    "run_score",
    "weighed",
]
