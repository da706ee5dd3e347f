"""Measuring a judge against labelled responses."""
