"""The heuristic: reads an answer and scores it without calling a model."""
