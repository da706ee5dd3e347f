"""This revision, these tests, this sandbox: red or green, three times out of three.

history       the commits of a repository, and its files at any of them
requirements  what a revision needs in order to run, from its own files
suite         its tests in a sandbox without a network: names and outcomes
prove         which tests are red before a change and green after it, every time
"""
