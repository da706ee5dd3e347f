"""Compile Python files ahead of time: reads lines `source<TAB>target<TAB>name` from stdin.

`name` is the path the file will have inside the sandbox. The bytecode is marked as unchecked: source and target are
frozen together, and inside nobody can write either.
"""

from __future__ import annotations

import py_compile
import sys

if __name__ == "__main__":
    for line in sys.stdin:
        source, target, name = line.rstrip("\n").split("\t")
        py_compile.compile(
            source, target, name, doraise=True, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH
        )
