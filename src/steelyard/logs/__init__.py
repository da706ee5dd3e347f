"""Eval logs: running Inspect (`evaluate`), finding, reading and rewriting logs, and what identifies a run."""
