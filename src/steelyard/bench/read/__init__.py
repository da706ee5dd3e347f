"""Reads logs: which of them count, for which subject, and the answers in them."""
