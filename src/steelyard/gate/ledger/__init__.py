"""The ledger: who tried what, and who looked when (docs/scoring.md §3.5). It lies with the logs, or where one says.

A comparison is one baseline, one suite with its agent and model, and one branch. Every candidate that is run against
that is an attempt, and so is the same candidate run again: a verdict that was drawn ten times has ten chances.
"""
