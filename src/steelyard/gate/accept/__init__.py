"""`gate accept`: a loop proposes changes of itself, hundreds of them, and the gate decides (docs/scoring.md §3.5).

Each proposal is tested at a level that the loop's alpha wealth gives it (`stats.wealth`), on the tasks that the
proposer may see. What is improved there is run on the other tasks, which the proposer never sees, and judged by them
alone: that is its confirmation. Only what both show is accepted. Every proposal and every look is in the ledger.
"""
