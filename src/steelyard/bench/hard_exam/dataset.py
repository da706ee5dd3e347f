"""The questions of the hard exam (docs/hard.md).

The rules of a question are those of the practice exam. In addition every question names the AWS documentation behind
its facts and at least one near miss: the wrong set of letters that a typical mistake leads to. Rates, prices and quotas
are stated in the question, so a key follows from its text; the tests compute every key.
"""

from __future__ import annotations

from steelyard.bench.practice_exam.dataset import Exam

DATASET_VERSION = "1.0.0"
"""1.0.0: the first questions."""

CANARY = "steelyard-hard-exam canary 2b7f4f0a-93d5-4c1e-a6b8-5e0c7d21f6e9"
"""Included in every line of the file."""

EXAM = Exam("hard_exam", "dataset.jsonl", "hx", CANARY, DATASET_VERSION)
"""The hard exam."""
