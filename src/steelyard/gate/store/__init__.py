"""The store of arms: runs that were paid for are kept by what made them, and a baseline is not run twice (§3.5).

The logs are the store. They lie in one folder per arm, named after the hashes of what must be equal (tasks, agent and
model with their versions, judge, settings) and of the configuration, so that the name alone finds them, on this machine
or behind a URL. Nothing is ever changed or removed, and two writers of the same log write the same bytes.
"""
