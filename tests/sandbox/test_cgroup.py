"""Memory control groups: real ones where this machine has them; version 2 in a folder shaped like it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from steelyard.bench.cdk_synth.synthesizer import referee
from steelyard.bench.cdk_synth.synthesizer.kernel import Kernel
from steelyard.bench.cdk_synth.synthesizer.kernel_sandbox import Allowance
from steelyard.sandbox import cgroup
from steelyard.sandbox.host import Host, decoded, run
from steelyard.sandbox.jail import WORK, Jail, python_command
from steelyard.sandbox.limits import Limits
from tests.waiting import HANG_S

FILES = "for number in range(4):\n    open(f'/work/{number}', 'wb').write(bytes(99_000_000))\n"
HOLDER = """
import sys, time
from steelyard.sandbox import cgroup
from steelyard.sandbox.host import Host, decoded, run
from steelyard.sandbox.jail import WORK, Jail, python_command
from steelyard.sandbox.limits import Limits
print(cgroup.make(64).folder, flush=True)
time.sleep(3600)
"""
MADE_BY_THE_KERNEL = ("cgroup.procs", "memory.max", "memory.swap.max", "memory.oom.group", "memory.events")


@pytest.fixture
def real() -> None:
    """Skips, and says so, where no group can be made."""
    group = cgroup.make(64)
    if group is None:
        pytest.skip("no memory control group can be made here")
    group.remove()
    assert not group.folder.exists()


MAKER = """
from steelyard.sandbox import cgroup
for _ in range(500):
    cgroup.make(64).remove()
"""


@pytest.mark.usefixtures("real")
def test_who_clears_litter_leaves_nobody_without_a_group() -> None:
    """A sandbox without its group would have no limit for all its processes together."""
    makers = [subprocess.Popen([sys.executable, "-c", MAKER], stderr=subprocess.PIPE) for _ in range(3)]
    assert [maker.communicate(timeout=HANG_S)[1] for maker in makers] == [b"", b"", b""]


HOG = "import mmap; m = mmap.mmap(-1, 3_000_000_000)\nfor i in range(0, len(m), 4096): m[i] = 1\nprint('all of it')"


@pytest.mark.usefixtures("real")
def test_shared_memory_of_a_sandbox_counts() -> None:
    done = run(Jail(), [python_command(), "-I", "-c", HOG], timeout_s=HANG_S)
    assert not done.ok and "all of it" not in done.stdout


@pytest.mark.usefixtures("real")
def test_a_sandbox_that_uses_up_its_memory_is_still_answered_and_emptied() -> None:
    host = Host(Jail(limits=Limits(memory_mb=200, disk_mb=400)))
    try:
        fill = ["/bin/sh", "-c", "head -c 150000000 /dev/zero > a; head -c 150000000 /dev/zero > /tmp/b"]
        reply = host.ask(do="exec", argv=fill, cwd=WORK, env={}, keep=1000).result(HANG_S)
        assert reply["returncode"] != 0
        host.make_room()  # without it no command could start: the files stay
        count = ["/bin/sh", "-c", "wc -c < a"]
        reply = host.ask(do="exec", argv=count, cwd=WORK, env={}, keep=1000).result(HANG_S)
        assert reply["returncode"] == 0 and int(decoded(reply, "stdout")) == 150_000_000
    finally:
        host.close()


@pytest.mark.usefixtures("real")
def test_files_in_memory_count_and_the_kill_is_charged_to_the_app_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counters = tmp_path / "vmstat"
    counters.write_text("oom_kill 40\n")
    monkeypatch.setattr(referee, "_KERNEL_COUNTERS", counters)
    others, before = list(cgroup._groups), cgroup.all_kills()
    kernel = Kernel(Allowance(memory_mb=300), warm=False)
    try:
        kernel.wait_ready()
        (group,) = (group for group in cgroup._groups if group not in others)
        report = kernel.run(FILES.encode(), HANG_S)
        assert report.failure is not None and report.failure.klass == "resource_limit"
        assert cgroup.all_kills() == before + group.kills() and group.kills() > 0
        assert referee.kills_for_memory() == 40 - cgroup.all_kills()
        assert kernel.run(b"print('next')\n", HANG_S).ending.exit_code == 0
    finally:
        kernel.close()
    assert not group.folder.exists()


@pytest.mark.usefixtures("real")
def test_a_killed_process_leaves_a_group_that_the_next_one_removes() -> None:
    with subprocess.Popen([sys.executable, "-c", HOLDER], stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        folder = Path(holder.stdout.readline().strip())
        held = cgroup.make(64)
        assert held is not None and folder.exists()  # not litter: its maker is alive
        held.remove()
        os.kill(holder.pid, signal.SIGKILL)
    following = cgroup.make(64)
    assert following is not None and not folder.exists()
    following.remove()


def test_where_none_can_be_made_there_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cgroup, "_MOUNTS", tmp_path / "none")
    assert cgroup.make(64) is None


@pytest.fixture
def version_2(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A session as systemd has it: its service hands memory control on, its own group has processes and does not."""
    service = tmp_path / "c g/user.slice/user@7.service"
    (service / "app.slice/run.scope").mkdir(parents=True)
    for folder, handed in ((service, "cpu memory pids"), (service / "app.slice", "memory"), (tmp_path / "c g", "cpu")):
        (folder / "cgroup.subtree_control").write_text(handed + "\n")
    (service / "app.slice/run.scope/cgroup.subtree_control").write_text("\n")
    (tmp_path / "own").write_text("0::/user.slice/user@7.service/app.slice/run.scope\n")
    mounted = str(tmp_path / "c g").replace(" ", r"\040")  # as the kernel writes it
    (tmp_path / "mounts").write_text(f"30 23 0:26 / {mounted} rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n")
    monkeypatch.setattr(cgroup, "_OWN", tmp_path / "own")
    monkeypatch.setattr(cgroup, "_MOUNTS", tmp_path / "mounts")
    mkdir = Path.mkdir

    def as_the_kernel(self: Path) -> None:
        mkdir(self)
        for name in MADE_BY_THE_KERNEL:
            (self / name).touch()

    monkeypatch.setattr(Path, "mkdir", as_the_kernel)
    return service


def test_version_2_is_made_where_control_is_handed_on(version_2: Path) -> None:
    group = cgroup.make(300)
    assert group is not None and group.folder.parent == version_2 / "app.slice"
    written = [(group.folder / name).read_text() for name in MADE_BY_THE_KERNEL[1:4]]
    assert written == ["300000000", "0", "1"]
    assert group.kills() == 0
    events = group.folder / "memory.events"
    # Ended while the limit was not reached: others took the memory.
    events.write_text("low 0\nhigh 0\nmax 0\noom 0\noom_kill 1\noom_group_kill 0\n")
    assert group.begin() == 0
    events.write_text("low 0\nhigh 0\nmax 9\noom 2\noom_kill 4\noom_group_kill 1\n")
    assert group.kills() == 3
    # A limit that an earlier program hit does not explain the end of the next one.
    group.begin()
    events.write_text("low 0\nhigh 0\nmax 9\noom 2\noom_kill 5\noom_group_kill 1\n")
    assert group.kills() == 3
    os.close(group._held)
    cgroup._groups.remove(group)


def test_a_group_that_may_not_be_made_there_is_made_further_up(version_2: Path) -> None:
    (version_2 / "app.slice/cgroup.subtree_control").write_text("cpu\n")
    assert [place for place, _ in cgroup._places()] == [version_2]
