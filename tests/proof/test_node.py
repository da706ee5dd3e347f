"""What tests of Node need, and what their reporter tells."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from steelyard.errors import SandboxError
from steelyard.proof.node import Modules, commands, run_node_tests
from steelyard.tree import File

TESTS = b"""
import test, { describe, it } from 'node:test'
import assert from 'node:assert'
describe('numbers', () => {
  it('add up', () => assert.strictEqual(1 + 1, 2))
  it('differ', () => assert.strictEqual(1, 2))
  it.skip('are many', () => {})
  it.todo('are round')
})
test('same', () => {})
test('same', () => {})
"""


def test_without_node_the_machine_is_named_and_no_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("steelyard.proof.node._NODE", ("no-such-node",))
    with pytest.raises(SandboxError, match="does not have the program 'node'"):
        run_node_tests({"a.mjs": File(b"")}, ["a.mjs"], Modules(()), timeout_s=120)


def test_every_test_has_an_outcome_under_its_file_and_names() -> None:
    tree = {
        "test/a.mjs": File(TESTS),
        "test/b.mjs": File(b"import 'nothing'\n"),
        "test/helper.mjs": File(b"export const one = 1\n"),
    }
    found = run_node_tests(tree, sorted(tree), Modules(()), timeout_s=120)
    assert found.problem == "" and found.errors.keys() == {"test/b.mjs"}
    assert found.outcomes == {
        "test/a.mjs::numbers::add up": "passed",
        "test/a.mjs::numbers::differ": "failed",
        "test/a.mjs::numbers::are many": "skipped",
        "test/a.mjs::numbers::are round": "skipped",
        "test/a.mjs::numbers": "failed",
        "test/a.mjs::same": "passed",
        "test/a.mjs::same #2": "passed",
    }


@pytest.mark.parametrize(
    ("manifest", "asked"),
    [
        ({"dependencies": {"one": "^1.0.0", "own": "file:../own", "theirs": "somebody/theirs"}}, "'one@^1.0.0'"),
        ({"devDependencies": {"used": "~2", "@scope/used": "3", "linter": "9"}}, "@scope/used@3 'used@~2'"),
        ({"dependencies": {"one": "1; rm -rf /", "two": "1; rm"}}, "'two@1; rm'"),
        ({"dependencies": {"--registry=http:x": "1", "-g": "1", "../own": "1", "http://x/y": "1", "a b": "1"}}, None),
        ({"dependencies": {"@scope/one": "1", "Old.name_2": "1"}}, "@scope/one@1 Old.name_2@1"),
        ({"devDependencies": {"linter": "9"}, "dependencies": ["no table"]}, None),
    ],
)
def test_only_what_files_import_is_installed(manifest: Mapping[str, Any], asked: str | None) -> None:
    code = File(b"import used from 'used'\nimport part from \"@scope/used/part.js\"\n")
    tree = {"package.json": File(json.dumps(manifest).encode()), "a.js": code}
    found = commands(tree, "2024-05-06")
    assert [command.partition("--no-package-lock ")[2] for command in found] == (
        [] if asked is None else [f"--before=2024-07-01 {asked}", asked]
    )


def test_a_lock_is_kept_to_and_a_broken_manifest_asks_for_nothing() -> None:
    assert commands({"package-lock.json": File(b"{}")}, "2024-05-06")[0].startswith("npm ci --ignore-scripts")
    assert commands({"package.json": File(b"[")}, "2024-05-06") == ()
