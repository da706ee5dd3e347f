"""Comparisons as documents, data, pages and CI formats."""
