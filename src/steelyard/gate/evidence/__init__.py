"""How sure a comparison is: what rounds of both arms show beyond the contract verdict (docs/scoring.md §3.5)."""
