"""The heuristic: how an answer is read, and what it scores without any model."""
