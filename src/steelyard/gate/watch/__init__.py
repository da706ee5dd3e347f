"""`gate watch`: has the baseline moved, although nobody changed it? (docs/scoring.md §3.5)

Every night a few tasks of the baseline run once more and are compared with its runs in the store by a test that may be
looked at every night. Once it has moved, what was recorded before no longer counts as its record.
"""
