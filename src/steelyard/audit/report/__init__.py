"""Audit results as documents, data, pages and CI formats."""
