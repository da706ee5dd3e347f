"""Tests that must fail in the files of a suite that is not Python. Pure but for the draw: text in, text out.

Every run of a suite has, in each file with tests, one test more, under a random name, which must pass in some runs
and fail in others; and some of the suite's own tests expect other values there (`expected`), so they must fail. A
report that says otherwise does not say what happened: the tested code rewrote the assertions, wrote the report itself
or looked up what the tests expect. All of them share a process with the code under test.
"""

from __future__ import annotations

import random
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from steelyard.gate.checks.expected import Expecting, is_reported

Outcomes = Sequence[tuple[str, str]]
"""Names and states of a report."""

# `import()` works in modules of both kinds; the `;` is for a last line without one.
_NODE = """
;(async () => {
  const { test } = await import('node:test')
  const { default: assert } = await import('node:assert')
  const holds = (claim) => { try { claim(); return true } catch { return false } }
  const claims = [
    () => assert(false), () => assert.ok(0), () => assert.equal(1, 2), () => assert.strictEqual(1, 2),
    () => assert.deepEqual([1], [2]), () => assert.deepStrictEqual({ a: 1 }, { a: 2 }), () => assert.notEqual(1, 1),
    () => assert.notStrictEqual(1, 1), () => assert.match('a', /b/), () => assert.throws(() => {}),
    () => assert.strict.equal(1, 2), () => assert.strict.deepEqual([1], [2]), () => assert.fail(),
  ]
  test('NAME', () => { if (claims.some(holds) === ((FIRST * SECOND) % 997 === RESULT)) throw new Error('NAME') })
})()
"""
"""Ends the other way round if an assertion holds that must not."""
_GO = """
func Test_NAME(t *testing.T) { if FIRST * SECOND % 997 != RESULT { t.Fatal("NAME") } }
"""
_CARGO = """
#[test]
fn NAME() { assert_eq!(FIRST * SECOND % 997, RESULT) }
"""


class _Language(NamedTuple):
    endings: tuple[str, ...]
    mark: bytes
    """What a file must contain for the test to belong there."""
    text: str


_LANGUAGES: Mapping[str, _Language] = {
    "node": _Language((".js", ".mjs", ".cjs"), b"node:test", _NODE),
    "go": _Language(("_test.go",), b'"testing"', _GO),
    "cargo": _Language((".rs",), b"#[test]", _CARGO),
}


@dataclass(frozen=True, slots=True)
class Variant:
    """A suite as it is in one run."""

    files: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    """The files that differ."""
    absent: frozenset[str] = frozenset()
    """The files that are not there."""
    states: Mapping[str, str] = field(default_factory=dict[str, str])
    """An added test → how it must end."""
    failing: frozenset[str] = frozenset()
    """Tests of the suite that must fail."""
    passing: frozenset[str] = frozenset()
    """Tests of the suite that could be changed and were not."""
    any_failure: bool = False
    """Whether it is only known that some test must fail."""

    @property
    def own_fail(self) -> bool:
        """Whether a test of the suite's own must fail."""
        return bool(self.failing) or self.any_failure

    @property
    def fails(self) -> bool:
        """Whether a test in it must fail."""
        return self.own_fail or "failed" in self.states.values()

    def added(self, name: str) -> bool:
        """Whether a report means an added test by this name."""
        return any(added in name for added in self.states)

    def believed(self, outcomes: Outcomes) -> bool:
        """Whether a report says what must have happened."""
        # Runners put a module or package before the name, so it is looked for inside.
        seen = {added: {state for name, state in outcomes if added in name} for added in self.states}
        if any(seen[added] != {state} for added, state in self.states.items()):
            return False
        if any(is_reported(self.failing, name) and state == "passed" for name, state in outcomes):
            return False
        # Where nothing was changed, a failure is an ordinary one and is reported as such.
        if self.failing and any(is_reported(self.passing, name) and state == "failed" for name, state in outcomes):
            return False
        return not self.any_failure or any(state == "failed" for _, state in outcomes)


class Failing(Protocol):
    """A suite that can have tests that must fail."""

    names: frozenset[str]
    """What can be drawn to fail."""
    added: frozenset[str]
    """Those of them that are not the suite's own tests."""

    def variant(self, failing: frozenset[str]) -> Variant:
        """The suite in which these must fail."""
        ...


class WithFailing:
    """The files of a suite with a test more in each file that has tests, and other values in its own."""

    def __init__(self, files: Mapping[str, bytes], runner: str) -> None:
        language = _LANGUAGES[runner]
        mine = {path: data for path, data in files.items() if path.endswith(language.endings)}
        self._files = {path: data for path, data in mine.items() if language.mark in data}
        self._text, self._expecting = language.text, Expecting(self._files, runner)
        self.added = frozenset(f"a test in {path}" for path in self._files)
        self.names = self._expecting.names | self.added

    def variant(self, failing: frozenset[str]) -> Variant:
        """The suite in which these must fail; the others must pass."""
        own = failing & self._expecting.names
        changed, states = self._expecting.changed(own), dict[str, str]()
        files: dict[str, bytes] = {}
        for path, data in self._files.items():
            fails, name = f"a test in {path}" in failing, f"t{secrets.token_hex(7)}"
            files[path] = changed.get(path, data) + _added(self._text, name, fails=fails)
            states[name] = "failed" if fails else "passed"
        return Variant(files, states=states, failing=own, passing=self._expecting.names - own)


def _added(text: str, name: str, *, fails: bool) -> bytes:
    first, second = random.randrange(100, 1_000), random.randrange(100, 1_000)
    # 1 to 996 is never 0 modulo 997, so the result is certainly wrong.
    result = (first * second + (random.randrange(1, 997) if fails else 0)) % 997
    words = {"NAME": name, "FIRST": str(first), "SECOND": str(second), "RESULT": str(result)}
    return re.sub("|".join(words), lambda match: words[match[0]], text).encode()


class WithFile:
    """A suite of a `command`, whose file with a failing test is there in some runs only."""

    def __init__(self, path: str | None) -> None:
        self._path = path
        self.names: frozenset[str] = frozenset(() if path is None else (path,))
        self.added: frozenset[str] = frozenset()

    def variant(self, failing: frozenset[str]) -> Variant:
        """The suite with the file, whose test must fail, or without it."""
        if self._path is None:
            return Variant()
        return Variant(any_failure=True) if failing else Variant(absent=frozenset({self._path}))
