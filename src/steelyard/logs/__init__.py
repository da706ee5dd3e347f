"""Eval logs: what identifies a run (`identity`), and how logs become frozen rows (`read`)."""
