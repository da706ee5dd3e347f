"""Findings judged by what follows from them: does a repair that knows nothing but the finding make the tests green?

    detected   the hidden tests of the problem pass after the repair, and no test that passed before fails
    bonus      with `bonus_by_test`: the repair brings a test of its own, which fails on the planted code and passes on
               the repaired code, and no test that passed before fails

No words are matched and no judge is asked. `tasks` writes one task of the gate for each finding; an agent of the gate
works on it; `marks` reads the checks that passed. A finding is tried once however often it was written: findings with
the same words share a task.
"""
