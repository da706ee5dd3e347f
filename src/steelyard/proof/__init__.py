"""This revision, these tests, this sandbox: red or green, three times out of three.

history       the commits of a repository, and its files at any of them
requirements  what a revision needs in order to run, from its own files
candidates    commits that change source and tests, and are small enough
suite         its tests in a sandbox without a network: names, outcomes, and which test runs which line
baseline      a revision as it is: its steady tests and what they cover, kept by content
prove         which tests are red before a change and green after it, every time
"""
