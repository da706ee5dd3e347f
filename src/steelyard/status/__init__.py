"""How far runs are, read from their logs alone: on any engine, while they are written, and after they were killed."""
