"""Real attempts to escape from the sandbox, each from inside, in bubblewrap and in Docker if an engine answers."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import pytest
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.solver import Generate, Solver, TaskState, generate, solver, use_tools
from inspect_ai.tool import bash_session, text_editor
from inspect_ai.util import SandboxEnvironment, SandboxEnvironmentSpec, sandbox

from steelyard import process
from steelyard.errors import SandboxError
from steelyard.sandbox import choose as choosing
from steelyard.sandbox.bubblewrap import Bubblewrap, BubblewrapSandbox
from steelyard.sandbox.host import run
from steelyard.sandbox.jail import Jail
from steelyard.sandbox.limits import Limits
from steelyard.sandbox.provider import Docker, DockerSandbox
from tests.waiting import HANG_S, until

NAP = 10_000_000 + os.getpid()
"""Seconds that no other process sleeps, also if another copy of these tests runs on the machine."""
IMAGE: str | None = None
"""The system inside the sandboxes of the running test; None with bubblewrap."""


@pytest.fixture(params=["bubblewrap", "docker"])
def kind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "docker":
        monkeypatch.setattr(sys.modules[__name__], "IMAGE", request.getfixturevalue("docker"))
    return str(request.param)


in_both = pytest.mark.usefixtures("kind")


def inside(code: str, jail: Jail | None = None, timeout_s: float = HANG_S) -> process.Finished:
    jail = replace(jail or Jail(), image=IMAGE)
    return run(jail, [jail.interpreter, "-I", "-S", "-c", code], timeout_s=timeout_s)


def shell(words: str, jail: Jail | None = None, timeout_s: float = HANG_S) -> process.Finished:
    return run(replace(jail or Jail(), image=IMAGE), ["/bin/sh", "-c", words], timeout_s=timeout_s)


def commands() -> str:
    """The command lines of every process on this machine."""
    return subprocess.run(["ps", "ax", "-o", "args"], capture_output=True, text=True, check=True).stdout


@in_both
def test_no_network() -> None:
    assert shell("tail -n +3 /proc/net/dev | cut -d: -f1").stdout.strip() == "lo"


@in_both
def test_without_a_network_localhost_has_an_address_and_other_names_fail_at_once() -> None:
    """A client that is linked with musl otherwise waits for each name, five seconds unless told another number."""
    assert shell("getent hosts localhost").stdout.split() == ["127.0.0.1", "localhost"]
    assert "options timeout:0 attempts:1" in shell("cat /etc/resolv.conf").stdout


@in_both
def test_the_system_is_read_only_even_for_remounts() -> None:
    done = shell("touch /usr/x /etc/x; mount -o remount,rw /usr; touch /usr/x; ls /usr/x /etc/x")
    assert not done.ok and done.stdout == ""


@in_both
def test_no_capability_is_left_and_none_can_be_gained() -> None:
    lines = dict(line.split(":\t", 1) for line in shell("cat /proc/self/status").stdout.splitlines() if ":\t" in line)
    assert {lines[name] for name in ("CapEff", "CapPrm", "CapInh", "CapAmb")} == {"0000000000000000"}
    assert lines["NoNewPrivs"] == "1"


@in_both
def test_home_and_environment_of_the_user_are_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "not-to-be-seen")
    seen = shell("env; ls -A ~ | wc -l").stdout
    assert "not-to-be-seen" not in seen and seen.strip().endswith("0")
    assert not shell(f"ls {Path.home()}/.ssh {Path.home()}/.cache {Path.cwd()}").ok


@in_both
def test_the_processes_of_the_host_are_not_there() -> None:
    assert int(shell("ls /proc | grep -c '^[0-9]*$'").stdout) < 10
    assert not shell(f"kill -0 {os.getpid()}").ok


@in_both
def test_files_of_other_users_cannot_be_read() -> None:
    assert not shell("cat /etc/shadow").ok


@in_both
def test_the_user_has_a_name_and_cannot_give_itself_another() -> None:
    words = "id -un; id -gn; echo sandbox:x:0:0::/: > /etc/passwd; rm -f /etc/group; id -un"
    assert shell(words).stdout.split() == ["sandbox"] * 3
    asked = (
        "import getpass, os, pwd; print(getpass.getuser(), pwd.getpwuid(os.getuid()).pw_dir, os.path.expanduser('~'))"
    )
    assert inside(asked).stdout.split() == ["sandbox", "/home/sandbox", "/home/sandbox"]


def test_two_sandboxes_have_two_users_where_root_builds_them() -> None:
    users = {shell("id -u").stdout for _ in range(2)}
    assert len(users) == (2 if os.geteuid() == 0 else 1)


def test_the_accounts_of_a_sandbox_leave_no_file_and_no_open_descriptor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    assert inside("import os; print(sorted(map(int, os.listdir('/proc/self/fd')))[:4])").stdout == "[0, 1, 2, 3]\n"
    assert not shell("test -e /proc/self/fd/4").ok
    assert list(tmp_path.iterdir()) == []


@in_both
def test_a_fork_bomb_stays_inside() -> None:
    jail = Jail(limits=Limits(processes=40))
    code = """
import os, signal
count = 0
try:
    while True:
        count += 1
        if os.fork() == 0:
            signal.pause()
except OSError:
    print(count)
"""
    assert int(inside(code, jail).stdout) <= 40


@in_both
def test_a_memory_bomb_is_stopped() -> None:
    done = inside("x = b'x' * 900_000_000; print(len(x))", Jail(limits=Limits(memory_mb=300)))
    assert not done.ok and "MemoryError" in done.stderr


@in_both
def test_a_disk_bomb_is_stopped() -> None:
    jail = Jail(limits=Limits(disk_mb=20, file_mb=500))
    done = inside("open('/work/big', 'wb').write(b'x' * 100_000_000)", jail)
    assert not done.ok and "No space left" in done.stderr
    assert not inside("open('/work/big', 'wb').write(b'x' * 100_000_000)", Jail(limits=Limits(file_mb=10))).ok


@in_both
def test_an_endless_loop_ends_at_the_time_limit_and_leaves_nothing() -> None:
    mark = f"mark-{os.getpid()}"
    done = inside(f"mark = '{mark}'\nwhile True: pass", timeout_s=1.0)
    assert done.timed_out
    assert until(lambda: mark not in commands())


def test_what_is_hidden_is_empty_and_cannot_be_filled(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "key").write_text("x")
    bound = Jail(read_only=((tmp_path, "/data"),))
    look = "ls -A /data/secret; touch /data/secret/new && echo written"
    assert shell(look, bound).stdout == "key\n"
    assert shell(look, replace(bound, hide=("/data/secret",))).stdout == ""


@in_both
def test_a_bound_folder_is_read_only_unless_asked(tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    assert not shell("touch /data/new", Jail(read_only=((tmp_path, "/data"),))).ok
    assert shell("touch /data/new", Jail(writable=((tmp_path, "/data"),))).ok
    assert (tmp_path / "new").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="without root the sandbox's user is oneself")
@pytest.mark.parametrize("mode", [0o600, 0o700, 0o704])
def test_what_the_user_inside_cannot_read_is_refused_with_the_cure(tmp_path: Path, mode: int) -> None:
    # Under umask 077 an agent's script would fail to start, and its runs would count as failed.
    path = tmp_path / "agent"
    path.write_text("echo hello") if mode == 0o600 else path.mkdir()
    path.chmod(mode)
    jail = Jail(read_only=((path, "/data"),))
    with pytest.raises(SandboxError, match="cannot read") as refused:
        shell("true", jail)
    subprocess.run(str(refused.value.cure), shell=True, check=True)
    assert shell("if [ -d /data ]; then ls /data; else cat /data; fi", jail).ok


def within(use: object, config: Bubblewrap | None = None) -> object:
    """Run `await use(sandbox)` with a provider's sandbox."""

    async def start() -> object:
        provider: type[BubblewrapSandbox] = BubblewrapSandbox
        settings = config or Bubblewrap()
        if IMAGE is not None:
            provider, settings = DockerSandbox, Docker(**dict(settings), image=IMAGE)
        sandboxes = await provider.sample_init("t", settings, {})
        try:
            return await use(sandboxes["default"])  # type: ignore[operator]
        finally:
            await provider.sample_cleanup("t", settings, sandboxes, False)

    return anyio.run(start)


@in_both
def test_nothing_inside_can_kill_stop_or_read_the_supervisor() -> None:
    async def attack(box: SandboxEnvironment) -> str:
        await box.exec(["sh", "-c", "kill -9 1; kill -STOP 1; kill -TERM 1; kill -INT 1; kill -9 -1"])
        peek = await box.exec(["sh", "-c", "cat /proc/1/environ /proc/1/mem; ls /proc/1/fd; echo x > /proc/1/fd/1"])
        assert not peek.success
        return (await box.exec(["echo", "alive"])).stdout

    assert within(attack) == "alive\n"


@in_both
def test_background_processes_live_as_long_as_the_sample_and_no_longer() -> None:
    async def leave(box: SandboxEnvironment) -> str:
        await box.exec(["sh", "-c", f"nohup sleep {NAP} >/dev/null 2>&1 &"])
        return (await box.exec(["sh", "-c", f"ps ax -o args | grep -c '[s]leep {NAP}'"])).stdout

    assert within(leave) == "1\n"
    assert until(lambda: f"sleep {NAP}" not in commands())


@in_both
def test_a_restart_leaves_no_process_and_no_file() -> None:
    async def restart(box: BubblewrapSandbox) -> str:
        await box.exec(["sh", "-c", f"touch left.txt; nohup setsid sleep {NAP} >/dev/null 2>&1 &"])
        await box.restart()
        return (await box.exec(["sh", "-c", f"ls; ps ax -o args | grep '[s]leep {NAP}'"])).stdout

    assert within(restart) == ""
    assert until(lambda: f"sleep {NAP}" not in commands())


@in_both
def test_a_used_up_process_limit_does_not_break_the_sandbox() -> None:
    async def exhaust(box: SandboxEnvironment) -> str:
        await box.exec(["sh", "-c", "for i in $(seq 100); do sleep 6000 & done; true"], timeout=HANG_S)
        starved = await box.exec(["echo", "still here"])
        assert starved.stdout in ("", "still here\n")  # it may not fork, but it answers
        await box.exec(["true"])
        return "answered"

    assert within(exhaust, Bubblewrap(limits=Limits(processes=30))) == "answered"


@in_both
def test_a_fifo_does_not_hang_a_read() -> None:
    async def read(box: SandboxEnvironment) -> str:
        await box.exec(["mkfifo", "pipe"])
        return await box.read_file("pipe")

    assert within(read) == ""


@in_both
def test_output_keeps_its_end() -> None:
    async def flood(box: SandboxEnvironment) -> str:
        return (await box.exec(["sh", "-c", "yes x | head -c 30000000; echo the end"])).stdout

    text = within(flood)
    assert isinstance(text, str) and text.endswith("the end\n") and len(text) <= 10 * 1024**2


@solver
def look(*names: str) -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.metadata["seen"] = [await sandbox().read_file(name) for name in names]
        return state

    return solve


def test_inspect_builds_it_by_name_and_its_own_tools_work_inside(tmp_path: Path) -> None:
    # The tools are brought into the sandbox, which needs to know the distribution, and run there as a server.
    calls: list[tuple[str, dict[str, Any]]] = [
        ("bash_session", {"action": "type_submit", "input": "cd /tmp && export X=5"}),
        ("bash_session", {"action": "type_submit", "input": "echo again $X $PWD by $(whoami)"}),
        ("text_editor", {"command": "create", "path": "/work/f.txt", "file_text": "hello"}),
    ]
    outputs = [ModelOutput.for_tool_call("mockllm/model", name, arguments) for name, arguments in calls]
    outputs.append(ModelOutput.from_content("mockllm/model", "done"))
    for output in outputs:
        output.usage = ModelUsage()  # otherwise Inspect counts tokens with a vocabulary from the network
    solvers = [use_tools(bash_session(), text_editor()), generate(), look("a.txt", "f.txt")]
    task = Task(dataset=[Sample(input="x", files={"a.txt": "a file"})], solver=solvers, sandbox="bubblewrap")
    model = get_model("mockllm/model", custom_outputs=outputs, memoize=False)
    [log] = inspect_eval(task, model=model, display="none", log_dir=str(tmp_path))
    assert log.status == "success" and log.samples, log.error
    assert log.samples[0].metadata["seen"] == ["a file", "hello"], log.samples[0].metadata
    replies = [message for message in log.samples[0].messages if message.role == "tool"]
    assert len(replies) == 3 and not any(reply.error for reply in replies), replies
    assert "again 5 /tmp by sandbox" in replies[1].text, replies[1]


def test_a_config_survives_the_log() -> None:
    spec = SandboxEnvironmentSpec("bubblewrap", Bubblewrap(network="host", limits=Limits(processes=7)))
    again = SandboxEnvironmentSpec.model_validate_json(spec.model_dump_json())
    assert BubblewrapSandbox.config_deserialize(dict(again.config)) == spec.config  # type: ignore[call-overload]


def test_the_provider_that_really_works_is_chosen() -> None:
    assert choosing.choose("auto") == choosing.BUBBLEWRAP


def test_there_is_no_way_to_run_without_a_sandbox() -> None:
    with pytest.raises(SandboxError, match="unknown sandbox 'none'"):
        choosing.choose("none")
    with pytest.raises(SandboxError, match="'local' isolates nothing"):
        choosing.choose("local")


def test_no_text_mentions_an_option_for_running_without_a_sandbox() -> None:
    root = Path(__file__).parents[2]
    pages = [*root.glob("*.md"), *root.glob("docs/**/*.md"), *root.glob("design/*.md"), root / "action.yml"]
    sources = [*root.glob("src/**/*.py"), *root.glob("src/**/*.md"), *root.glob("src/**/*.yaml")]
    option = "unsafe" + "-no-sandbox"
    assert [path for path in (*pages, *sources) if option in path.read_text("utf-8").replace("_", "-")] == []


def test_without_bubblewrap_and_docker_it_refuses_with_the_cure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    choosing.try_bubblewrap.cache_clear()
    choosing.docker_works.cache_clear()
    try:
        with pytest.raises(SandboxError, match="apt-get install bubblewrap"):
            choosing.choose("auto")
    finally:
        choosing.try_bubblewrap.cache_clear()
        choosing.docker_works.cache_clear()


def test_a_signal_from_outside_is_a_fault_of_the_sandbox_and_one_from_inside_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert shell("kill -9 $$").returncode == 128 + 9
    start = process.start

    def killed(*words: Any, **options: Any) -> subprocess.Popen[bytes]:
        child = start(*words, **options)
        child.kill()
        return child

    monkeypatch.setattr(process, "start", killed)
    with pytest.raises(SandboxError, match="signal 9 ended the sandbox"):
        shell("true")
