"""Steelyard: a weighing beam for models and agents.

One run becomes a number; two runs become a verdict. Inspect AI runs, the eval log is the only hand-off,
and each wing (bench, audit, gate) is a pure function from logs and a spec to a result.

This module imports nothing, so that `steelyard --help` and `import steelyard.gate.score` stay instant.
The public verbs live in `steelyard.api`.
"""

__version__ = "0.2.0"
"""The version of the distribution; `pyproject.toml` reads it from here."""
