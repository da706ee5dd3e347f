"""Boards as documents, data and pages."""
