"""Tests that must fail, added to the files of a suite that is not Python. Pure: text in, text out.

Law: a suite that passes does not pass with a test more that must fail. A report in which no such test failed, or one of
them passed, does not say what happened: the tested code rewrote the assertions or wrote the report itself. The tests
have random names and are in the same files as the others, so they share a process with the code under test. The
other tests expect other values there (`expected`), so code that looks these up is found out too.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from steelyard.gate.checks.expected import passed_anyway, with_other_values

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
  test('NAME', () => { if (!claims.some(holds)) throw new Error('a test that must fail') })
})()
"""
_GO = """
func Test_NAME(t *testing.T) { t.Fatal("a test that must fail") }
"""
_CARGO = """
#[test]
fn NAME() { assert_eq!(1, 2, "a test that must fail") }
"""


class _Language(NamedTuple):
    endings: tuple[str, ...]
    mark: re.Pattern[bytes]
    """What a file must contain for the test to belong there."""
    text: str


_LANGUAGES: Mapping[str, _Language] = {
    "node": _Language((".js", ".mjs", ".cjs"), re.compile(rb"\bnode:test\b"), _NODE),
    "go": _Language(("_test.go",), re.compile(rb'^(?:import)?\s*"testing"', re.MULTILINE), _GO),
    "cargo": _Language((".rs",), re.compile(rb"#\[test\]"), _CARGO),
}


def any_failed(outcomes: Sequence[tuple[str, str]]) -> bool:
    """Whether a report says that a test failed."""
    return any(state == "failed" for _, state in outcomes)


class Failing(NamedTuple):
    """A suite with tests that must fail."""

    files: dict[str, bytes]
    """The files that got one; empty if none could."""
    failed: Callable[[Sequence[tuple[str, str]]], bool]
    """Whether a report, as names and states, says that they failed."""


def with_failing_tests(files: Mapping[str, bytes], runner: str) -> Failing:
    """The files of a suite with a failing test in each file that has tests, and other values in these."""
    language, prefix = _LANGUAGES[runner], f"t{secrets.token_hex(6)}"
    chosen = [path for path, data in files.items() if path.endswith(language.endings) and language.mark.search(data)]
    changed = with_other_values({path: files[path] for path in chosen}, runner)
    texts = {path: language.text.replace("NAME", f"{prefix}n{number}").encode() for number, path in enumerate(chosen)}

    def failed(outcomes: Sequence[tuple[str, str]]) -> bool:
        added = {state for name, state in outcomes if prefix in name}
        return added == {"failed"} and not passed_anyway(changed.names, outcomes)

    return Failing({path: changed.files.get(path, files[path]) + text for path, text in texts.items()}, failed)
