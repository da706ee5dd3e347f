"""Attacking a judge: every known trick, and what became of it."""
