"""Practice exam: fifty original questions on AWS solutions architecture. This module re-exports nothing.

`dataset` and `giveaways` are pure, `embedded` answers for the ceiling and the floor, `exam` meets Inspect.
"""
