"""Which part of a configuration did it (docs/scoring.md §3.7): blame, prune and bisect.

`parts` says what can be taken away, `design` who gets which half, `weigh` what the runs show, `answer` says it per
part; `run` is the only module that starts anything.
"""
