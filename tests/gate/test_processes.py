"""Gate runs as processes: interrupted, killed, and two at a time on one folder."""

import multiprocessing
import os
import signal
from collections.abc import Callable
from multiprocessing.context import ForkServerContext
from pathlib import Path

import pytest
from click.testing import CliRunner

from steelyard import api
from steelyard.cli.main import main
from steelyard.errors import LogError
from steelyard.gate.model import Comparison
from steelyard.gate.run.plan import RunSpec
from steelyard.logs.read import read_logs
from tests.waiting import HANG_S, until

SCRIPT = """
if [ "$MODE" = hang ] && grep -q last $STEELYARD_PROMPT; then sleep 6000; fi
grep -q new $STEELYARD_CONFIG/RULES && echo yes > answer.txt
exit 0
"""


def finished(folder: Path) -> int:
    """Runs that are in the logs of a folder."""
    try:
        return sum(len(row.runs) for row in read_logs([folder]).rows)
    except LogError:  # not there yet, or being written
        return 0


@pytest.fixture(scope="module")
def beside() -> ForkServerContext:
    """Processes are forks of one that has loaded what every run loads, which takes longer than the runs."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["steelyard._registry", "steelyard.cli.main", "anthropic", "openai", "acp"])
    return context


def steelyard(words: list[str], environment: dict[str, str], said: Path) -> None:
    """The command line in a process of its own, in a session of its own."""
    os.setsid()
    os.dup2(os.open(said, os.O_WRONLY | os.O_CREAT), 2)
    os.environ.clear()
    os.environ.update(environment)
    # A suite started in the background ignores Ctrl-C, and its children inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    main(words, prog_name="steelyard")


@pytest.mark.slow
@pytest.mark.parametrize(("kill", "code"), [(signal.SIGINT, 130), (signal.SIGKILL, -signal.SIGKILL)])
def test_a_run_that_was_stopped_in_mid_round_continues(
    gate_spec: Callable[..., RunSpec],
    suite: Callable[..., Path],
    tmp_path: Path,
    beside: ForkServerContext,
    kill: signal.Signals,
    code: int,
) -> None:
    tasks = suite("one", "two")
    last = tasks / "two" / "task.yaml"
    last.write_text(last.read_text().replace("Write yes", "At last, write yes"))
    spec = gate_spec(SCRIPT, tasks=tasks)
    words = ["gate", "run", "--tasks", str(tasks), "--baseline", str(spec.baseline), "--candidate", spec.candidate]
    words += ["--agent", "command", "--agent-command", f"sh '{tmp_path / 'agent.sh'}'", "--agent-env", "MODE"]
    words += ["--judge", "none", "--rounds", "2", "--policy", "evidence", "--log-dir", str(spec.log_dir)]
    words += ["--max-samples", "4"]
    said = tmp_path / "said"
    process = beside.Process(target=steelyard, args=(words, {**os.environ, "MODE": "hang"}, said))
    process.start()
    assert process.pid is not None
    try:
        assert until(lambda: finished(spec.log_dir) == 2 or process.exitcode is not None)
        assert process.exitcode is None, said.read_text()
        second = CliRunner().invoke(main, words)
        assert second.exit_code == 2 and len(second.stderr.splitlines()) == 1
        assert "another process is adding runs to" in second.stderr and "--log-dir" in second.stderr
        os.kill(process.pid, kill)
        process.join(HANG_S)
    finally:
        process.kill()
        process.join()
    assert process.exitcode == code
    unfinished = CliRunner().invoke(main, ["gate", "compare", str(spec.log_dir)])
    assert unfinished.exit_code == 2 and "run the same" in unfinished.stdout
    done = CliRunner().invoke(main, words)
    assert "already done" in done.stderr and done.exit_code == 3  # two tasks that never vary: undecided, not promoted
    outcome = api.compare([spec.log_dir]).outcome
    assert isinstance(outcome, Comparison) and outcome.contract == "improved"
    passed = {
        delta.task: (delta.baseline.passed, delta.candidate and delta.candidate.passed) for delta in outcome.tasks
    }
    assert passed == {"one": (0, 2), "two": (0, 2)}
    rows = read_logs([spec.log_dir]).rows
    assert all(row.stamp and row.stamp.extra["interleaved"] for row in rows)
