"""This revision, these tests, this sandbox: red or green, three times out of three.

history       the commits of a repository, and its files at any of them
requirements  what a revision needs in order to run, from its own files
surroundings  its packages, as of its day, that this Python can run
candidates    commits that change source and tests, and are small enough
search        those of a repository, and why there are none
parse         what can be told about them without running them
suite         its tests in a sandbox without a network: names, outcomes, and which test runs which line
node          the same for JavaScript, without lines, and what its tests need
compiled      the same for Rust and Go
suite_report  what test runners of other languages print
baseline      a revision as it is: its steady tests and what they cover, kept by content
prove         which tests are red before a change and green after it, every time
hide          a tree without some of its tests
"""
