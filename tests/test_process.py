"""One limited, killable subprocess, tried with real processes."""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from steelyard import process
from steelyard.errors import ToolchainError
from tests.waiting import HANG_S, alive, gone


def python(code: str, **options: object) -> process.Finished:
    return process.run([sys.executable, "-c", code], **{"timeout_s": HANG_S, **options})  # type: ignore[arg-type]


def test_output_and_exit_code() -> None:
    done = python("import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)")
    assert (done.returncode, done.stdout, done.stderr, done.ok) == (3, "out\n", "err\n", False)


def test_stdin_arrives_whole() -> None:
    done = python("import sys; print(len(sys.stdin.buffer.read()))", stdin=b"x" * 3_000_000)
    assert done.stdout == "3000000\n"


def test_a_child_that_does_not_read_its_input_is_no_error() -> None:
    assert python("print('done')", stdin=b"x" * 3_000_000).ok


def test_the_time_limit_kills_grandchildren_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pids = tmp_path / "pids"
    code = f"""
import os, pathlib, subprocess, sys
grandchild = subprocess.Popen(["sleep", "600"])
pathlib.Path({str(pids)!r} + ".part").write_text(f"{{os.getpid()}} {{grandchild.pid}}")
os.rename({str(pids)!r} + ".part", {str(pids)!r})
grandchild.wait()
"""
    # The limit passes when both are there, however long that takes; `stop` makes the run look at the clock.
    monkeypatch.setattr(process, "time", SimpleNamespace(monotonic=lambda: 1000.0 if pids.exists() else 0.0))
    done = python(code, stop=threading.Event())
    assert done.timed_out and not done.ok
    assert gone(map(int, pids.read_text().split()))


def test_a_background_child_does_not_outlive_its_run() -> None:
    done = process.run(["/bin/sh", "-c", "sleep 6000 & echo $!"], timeout_s=HANG_S)
    assert done.ok and gone([int(done.stdout)])


LEAVES = """
import subprocess, sys
child = subprocess.Popen(["sleep", "6000"], start_new_session=True)
print(child.pid)
"""


def test_whoever_holds_the_pipes_is_not_waited_for_and_dies_by_its_mark() -> None:
    done = python(LEAVES, env={**os.environ, "MARKED": "by-this-test"}, mark="MARKED=by-this-test")
    assert done.ok and gone([int(done.stdout)])


def test_without_a_mark_the_output_is_whole_and_its_holder_is_not_waited_for() -> None:
    done = python(LEAVES + "print('x' * 60_000)")
    pid, text = done.stdout.split()
    assert done.ok and len(text) == 60_000 and alive(int(pid))  # so nobody waited for it
    os.kill(int(pid), signal.SIGKILL)


def test_a_flood_from_someone_who_outlives_the_child_does_not_hold_up_the_result() -> None:
    # It writes to the child's stderr until nobody reads there any more.
    done = python(LEAVES.replace('["sleep", "6000"]', '["yes"], stdout=2'))
    assert done.ok and gone([int(done.stdout)])


def test_a_flood_is_cut_and_does_not_block() -> None:
    done = python("import sys\nfor _ in range(200): sys.stdout.write('x' * 100_000)", output_limit=1000)
    assert done.ok and done.truncated and len(done.stdout) == 1000


def test_the_environment_is_exactly_what_is_named() -> None:
    done = process.run(["/usr/bin/env"], timeout_s=HANG_S, env={"ONLY": "this"})
    assert done.stdout == "ONLY=this\n"


def test_bytes_that_are_no_text_are_replaced() -> None:
    assert python("import os; os.write(1, b'\\xff\\xfe')").stdout == "\ufffd\ufffd"


@pytest.mark.parametrize("argv", [["/no/such/program"], ["bad\0name"]])
def test_what_cannot_start_is_said_in_one_line(argv: list[str]) -> None:
    with pytest.raises(ToolchainError, match="cannot start"):
        process.run(argv, timeout_s=5)
