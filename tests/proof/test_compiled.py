"""What tests of Rust and Go need, and what their runners tell."""

from __future__ import annotations

import pytest

from steelyard.errors import InputError, SandboxError
from steelyard.proof.compiled import furnish, run_compiled_tests, vendoring
from steelyard.tree import File
from tests.toolchains import toolchain

CARGO = File(b'[package]\nname = "m"\nversion = "0.1.0"\nedition = "2021"\n')
LIB = File(b"#[test]\nfn inner() {}\n#[test]\nfn wrong() {\n    panic!()\n}\n")
SUITE = b"#[test]\nfn good() {}\n#[test]\n#[ignore]\nfn late() {}\n#[test]\nfn bad() {\n    panic!()\n}\n"
RUST = {"Cargo.toml": CARGO, "src/lib.rs": LIB, "tests/a.rs": File(SUITE), "tests/b.rs": File(SUITE)}
HEAD = b'package m\n\nimport "testing"\n\n'
GOOD = b'func TestGood(t *testing.T) {\n\tt.Run("one", func(t *testing.T) {})\n}\n'
BAD = b"func TestBad(t *testing.T) { t.Fatal() }\n"
GO = {
    "go.mod": File(b"module example.org/m\n"),
    "a_test.go": File(HEAD + GOOD),
    "b_test.go": File(HEAD + BAD),
    "in/c_test.go": File(HEAD + GOOD + BAD),
}


@pytest.mark.parametrize("runner", ["cargo", "go"])
def test_without_the_program_the_machine_is_named_and_no_commit(runner: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(SandboxError, match=f"does not have the program '{runner}'") as caught:
        furnish(RUST | GO, runner)
    assert str(caught.value.cure).startswith("apt-get install ")


@pytest.mark.parametrize(("runner", "manifest"), [("cargo", "Cargo.toml"), ("go", "go.mod")])
def test_a_revision_without_a_manifest_says_so(runner: str, manifest: str) -> None:
    with pytest.raises(InputError, match=f"it has no {manifest} at its top"):
        furnish({f"inner/{manifest}": File(b"")}, runner)


def test_a_lock_is_kept_to_and_one_that_was_made_is_not_kept() -> None:
    assert vendoring(RUST | {"Cargo.lock": File(b"")}, "cargo").endswith("cargo vendor --locked >.cargo/config.toml")
    assert vendoring(RUST, "cargo").endswith("cargo vendor >.cargo/config.toml && rm Cargo.lock")


@pytest.mark.clients
def test_tests_of_rust_are_named_by_their_files_and_others_only_if_they_fail() -> None:
    toolchain("cargo")
    run = run_compiled_tests(RUST, ["tests/a.rs"], furnish(RUST, "cargo"), timeout_s=120)
    assert run.problem == ""
    assert run.outcomes == {
        "tests/a.rs::good": "passed",
        "tests/a.rs::late": "skipped",
        "tests/a.rs::bad": "failed",
        "tests/b.rs::bad": "failed",
        "src/lib.rs::wrong": "failed",
    }


@pytest.mark.clients
def test_what_a_revision_has_vendored_is_used_as_it_is() -> None:
    toolchain("cargo")
    config = b'[source.crates-io]\nreplace-with = "v"\n\n[source.v]\ndirectory = "vendor"\n'
    vendored = {
        "Cargo.toml": File(CARGO.data + b'\n[dependencies]\nd = "1"\n'),
        "src/lib.rs": File(b"pub use d::*;\n"),
        "tests/a.rs": File(b"#[test]\nfn two() {\n    assert_eq!(m::two(), 2);\n}\n"),
        ".cargo/config.toml": File(config),
        "vendor/d/Cargo.toml": File(b'[package]\nname = "d"\nversion = "1.0.0"\n'),
        "vendor/d/src/lib.rs": File(b"pub fn two() -> i32 {\n    2\n}\n"),
        "vendor/d/.cargo-checksum.json": File(b'{"files": {}, "package": null}'),
    }
    found = furnish(vendored, "cargo")
    assert found.setup == ()
    assert run_compiled_tests(vendored, ["tests/a.rs"], found, timeout_s=120).outcomes == {"tests/a.rs::two": "passed"}
    del vendored["vendor/d/Cargo.toml"]
    with pytest.raises(InputError, match="are not vendored"):
        furnish(vendored, "cargo")


@pytest.mark.clients
def test_tests_of_go_are_named_by_their_files_and_others_only_if_they_fail() -> None:
    toolchain("go")
    run = run_compiled_tests(GO, ["a_test.go"], furnish(GO, "go"), timeout_s=120)
    assert run.problem == ""
    assert run.outcomes == {
        "a_test.go::TestGood": "passed",
        "a_test.go::TestGood/one": "passed",
        ".::TestBad": "failed",
        "in::TestBad": "failed",
    }


@pytest.mark.clients
@pytest.mark.parametrize(
    ("runner", "broken", "why"),
    [
        ("cargo", RUST | {"tests/a.rs": File(b"use m::nothing;\n")}, "unresolved import"),
        ("go", GO | {"a_test.go": File(HEAD + b"func TestA(t *testing.T) { nothing() }\n")}, "undefined: nothing"),
    ],
    ids=["cargo", "go"],
)
def test_what_does_not_compile_says_what_the_compiler_says(runner: str, broken: dict[str, File], why: str) -> None:
    toolchain(runner)
    path = "tests/a.rs" if runner == "cargo" else "a_test.go"
    run = run_compiled_tests(broken, [path], furnish(broken, runner), timeout_s=120)
    assert why in run.problem
