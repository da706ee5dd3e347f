"""Versions of the clients: what this release pins, and what is recorded of any other."""

import json
from pathlib import Path

import pytest

from steelyard import api, process
from steelyard.errors import InputError, ToolchainError
from steelyard.toolchain import clients


@pytest.mark.parametrize("agent", clients.CLIENTS)
def test_every_package_of_a_pinned_client_has_an_integrity_hash(agent: str) -> None:
    folder = Path(clients.__file__).parent.parent / "node" / "agents" / agent
    packages = json.loads((folder / "package-lock.json").read_bytes())["packages"]
    assert packages.pop("")
    assert packages and all(package["integrity"].startswith("sha512-") for package in packages.values())
    assert any(package["version"].startswith(clients.pinned_version(agent)) for package in packages.values())


def test_programs_that_a_client_would_download_come_with_it(tmp_path: Path) -> None:
    manifest = json.loads(clients._manifests("opencode", "1.2.3")["package.json"])
    shipped = json.loads(clients._shipped("opencode")["package.json"])["optionalDependencies"]
    assert manifest["optionalDependencies"].items() <= shipped.items() and clients.pinned_version("opencode")
    for path in ("opencode-linux-x64/bin/opencode", "@vscode/ripgrep-linux-x64/bin/rg"):
        (tmp_path / "node_modules" / path).parent.mkdir(parents=True)
        (tmp_path / "node_modules" / path).touch()
    program = tmp_path / "node_modules/opencode-linux-x64/bin/opencode"
    assert [path.name for path in clients.client_helpers("opencode", program)] == ["rg"]


@pytest.mark.parametrize("version", ["latest", "^1.2.3", "1.2", "1.2.3 || evil", "../1.2.3"])
def test_only_exact_versions_are_installed(version: str) -> None:
    with pytest.raises(ToolchainError, match="not an exact version"):
        clients.install_client("codex", lambda _: None, version)


def test_a_version_belongs_to_one_agent() -> None:
    for agents in ((), ("codex", "claude-code")):
        with pytest.raises(InputError, match="one agent"):
            api.setup(agents=agents, agent_version="1.2.3")


def test_the_hash_of_the_package_that_holds_the_program_is_recorded(tmp_path: Path) -> None:
    program = tmp_path / "node_modules" / "opencode-linux-x64" / "bin" / "opencode"
    packages = {"": {}, "node_modules/opencode-linux-x64": {"integrity": "sha512-right"},
                "node_modules/opencode-linux": {"integrity": "sha512-wrong"}}  # fmt: skip
    (tmp_path / "package-lock.json").write_text(json.dumps({"packages": packages}))
    assert clients.client_integrity(program) == "sha512-right"


def test_a_version_that_npm_does_not_have_is_named(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    npm = process.Finished(1, "", "npm error code ETARGET", 0.1, timed_out=False, truncated=False)
    monkeypatch.setattr(process, "run", lambda *_, **__: npm)
    with pytest.raises(ToolchainError, match=r"99\.99\.99 of @openai/codex") as refused:
        clients.install_client("codex", lambda _: None, "99.99.99")
    assert refused.value.cure == f"--agent-version {clients.pinned_version('codex')}, for example"
