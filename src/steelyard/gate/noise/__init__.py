"""What a suite varies by when nothing changes, and what it can therefore detect (docs/scoring.md §3.6)."""
