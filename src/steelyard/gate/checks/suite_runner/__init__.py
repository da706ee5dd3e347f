"""Runs protected Python tests inside a check's sandbox. Stand-alone: nothing of Steelyard can be imported there.

Tests share a process with the code they test, and that code is hostile: it may leave with `os._exit(0)`, skip itself,
rewrite the test library, write to every open pipe, or return objects that equal everything. So:

- A parent that never imports foreign code reads from the source which tests exist (`sources`), and decides (`parent`).
- Every test runs in a process of its own, forked from the clean parent; whatever it leaves running is killed, and the
  tests are restored from memory before the next one.
- Each process reports with a random nonce of its own. A report without it, a missing, an extra or a second report of
  the same test is a failure.
- Two control tests with random names are added to the class or module of the test and take the same way: one must pass,
  the other must fail. Whoever patches the test library cannot tell them from the tests.
- Comparisons for equality are repeated with a value that must differ (`equality`), so an object of the tested code
  that equals everything is found out.

- The suite runs several times, each time in a fresh sandbox with other tests changed so that they must fail (`draws`
  and `mutants`, outside). No run is the normal one, so whoever forges results, or takes the expected value from the
  test, is found out, even if it knows which run it is in.

What it cannot catch: code that tells a changed test from the original, by knowing its text; objects of the tested code
that answer `<`, `>` or `bool()` as it suits them; and code that recognizes the inputs of the tests. A `command` check
with `stdout_contains` looks from outside and believes only output that a right answer prints.
"""
