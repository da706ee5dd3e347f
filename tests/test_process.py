"""One limited, killable subprocess, tried with real processes."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import pytest

from steelyard import process
from steelyard.errors import ToolchainError


def python(code: str, **options: object) -> process.Finished:
    return process.run([sys.executable, "-c", code], **{"timeout_s": 20, **options})  # type: ignore[arg-type]


def test_output_and_exit_code() -> None:
    done = python("import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)")
    assert (done.returncode, done.stdout, done.stderr, done.ok) == (3, "out\n", "err\n", False)


def test_stdin_arrives_whole() -> None:
    done = python("import sys; print(len(sys.stdin.buffer.read()))", stdin=b"x" * 3_000_000)
    assert done.stdout == "3000000\n"


def test_a_child_that_does_not_read_its_input_is_no_error() -> None:
    assert python("print('done')", stdin=b"x" * 3_000_000).ok


def test_the_time_limit_kills_grandchildren_too(tmp_path: Path) -> None:
    mark = tmp_path / "alive"
    grandchild = f"import time, pathlib; time.sleep(1.5); pathlib.Path({str(mark)!r}).touch()"
    code = f"import subprocess, sys, time; subprocess.Popen([sys.executable, '-c', {grandchild!r}]); time.sleep(60)"
    done = python(code, timeout_s=0.7)
    assert done.timed_out and not done.ok
    # Wait past the grandchild's own time with a process that must end: had it lived, the mark would stand.
    python("import time; time.sleep(1.5)")
    assert not mark.exists()


def test_a_background_child_does_not_outlive_its_run(tmp_path: Path) -> None:
    done = process.run(["/bin/sh", "-c", "sleep 30 & echo started"], timeout_s=20)
    assert done.stdout == "started\n" and done.seconds < 15


LEAVES = """
import subprocess, sys
child = subprocess.Popen(["sleep", "600"], start_new_session=True)
print(child.pid)
"""


def test_whoever_holds_the_pipes_is_not_waited_for_and_dies_by_its_mark() -> None:
    done = python(LEAVES, env={**os.environ, "MARKED": "by-this-test"}, mark="MARKED=by-this-test")
    assert done.ok and done.seconds < 15
    deadline = time.monotonic() + 60  # a killed process may take a moment to go
    while alive(int(done.stdout)) and time.monotonic() < deadline:
        os.sched_yield()
    assert not alive(int(done.stdout))


def alive(pid: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_without_a_mark_the_output_still_comes_soon() -> None:
    done = python(LEAVES)
    os.kill(int(done.stdout), signal.SIGKILL)
    assert done.ok and done.seconds < 10  # two seconds for the pipes; it was fifteen


def test_a_flood_is_cut_and_does_not_block() -> None:
    done = python("import sys\nfor _ in range(200): sys.stdout.write('x' * 100_000)", output_limit=1000)
    assert done.ok and done.truncated and len(done.stdout) == 1000


def test_the_environment_is_exactly_what_is_named() -> None:
    done = process.run(["/usr/bin/env"], timeout_s=10, env={"ONLY": "this"})
    assert done.stdout == "ONLY=this\n"


def test_bytes_that_are_no_text_are_replaced() -> None:
    assert python("import os; os.write(1, b'\\xff\\xfe')").stdout == "\ufffd\ufffd"


@pytest.mark.parametrize("argv", [["/no/such/program"], ["bad\0name"]])
def test_what_cannot_start_is_said_in_one_line(argv: list[str]) -> None:
    with pytest.raises(ToolchainError, match="cannot start"):
        process.run(argv, timeout_s=5)
