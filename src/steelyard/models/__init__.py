"""Embedded and local models for Inspect: `steelyard/ceiling`, `floor`, `smollm2`, `claude-cli`."""
