"""The command line: one command per public verb, each a few lines around a call."""
