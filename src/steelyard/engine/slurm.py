"""Slurm: a job array with one worker per task, submitted with `sbatch` and followed with `scontrol`.

The folder of the logs must be on a file system that every node shares, and so must the Python environment. The state of
the array is asked again and again: the controller forgets a task some minutes after its end (`MinJobAge`), and a
cluster without accounting knows nothing else. An array is named after the folder of its run, so a driver that was
killed and started again finds what it had submitted. Nothing is exported to it: the controller would keep every key.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from steelyard import artifact, process
from steelyard.engine import environment
from steelyard.engine.definition import worker_command
from steelyard.engine.processes import last_line
from steelyard.engine.protocol import PATIENCE_S, Ended, EngineOptions, Job, Problem
from steelyard.errors import InputError, ToolchainError, one_line
from steelyard.process import isolated

if TYPE_CHECKING:
    from steelyard.location import Location

SCRIPT = "array.sh"
"""The script of the job array, beside the selections."""

ASK_S = 2.0
"""Seconds between two questions about the array."""

SILENT_S = 600.0
"""How long the controller may be unreachable before we give up; the array goes on without us."""

GRACE_S = 60
"""Seconds before its time limit at which a worker is interrupted, so that it writes its log."""

_ALIVE = frozenset({"PENDING", "RUNNING", "CONFIGURING", "COMPLETING", "REQUEUED", "RESIZING", "SUSPENDED", "STOPPED"})
_LOST = frozenset({"NODE_FAIL", "BOOT_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "TIMEOUT"})
"""States of a worker that went away; another one may go on with its task."""

_RANGE = re.compile(r"(\d+)(?:-(\d+)(?::([1-9]\d*))?)?")


class Slurm:
    """Submits a job array, waits for its tasks, and submits those of lost workers again."""

    def __init__(self, options: EngineOptions) -> None:
        self._options = options

    def run(self, jobs: Sequence[Job], ended: Ended) -> None:
        """Submit the jobs as an array until each has ended; the logs say which of them are done."""
        if shutil.which("sbatch") is None:
            raise ToolchainError(
                "the command sbatch was not found",
                cure="start this on a login node of the cluster, or print the job array with --dry-run",
            )
        folder = self._folder(jobs)
        environment.write(folder)
        try:
            while jobs:
                jobs = self._array(list(jobs), ended)
        finally:
            environment.remove(folder / environment.FILE)

    def rejoin(self, folder: Location, waiting: Callable[[], None]) -> None:
        """Wait for the arrays that an earlier driver submitted; they are cancelled on Ctrl-C like our own."""
        arrays = _arrays(folder) if isinstance(folder, Path) and shutil.which("squeue") is not None else ()
        if not arrays:
            return
        assert isinstance(folder, Path)
        waiting()
        # Tasks that still wait for their turn read their variables from it.
        environment.write(folder)
        try:
            while any(_ALIVE & set(_states(number).values()) for number in arrays):
                time.sleep(ASK_S)
        except BaseException:
            for number in arrays:
                _cancel(number)
            raise
        finally:
            environment.remove(folder / environment.FILE)

    def preview(self, jobs: Sequence[Job]) -> str:
        """The script, and the command that submits it."""
        if not jobs:
            return "nothing is left to run\n"
        budget = "# a budget is kept by the command that waits; each task of an array that you submit has all of it\n"
        path = self._write(jobs, submitted=False)
        return (
            f"{artifact.read_text(path)}\n# submit it with:\n#   sbatch --wait {shlex.quote(str(path))}\n"
            f"{budget if jobs[0].stop is not None else ''}"
        )

    def close(self) -> None:
        """Nothing waits: the array has ended."""

    def script(self, jobs: Sequence[Job], *, submitted: bool = True) -> str:
        """The script of the array: its task number chooses the selection.

        One that is `submitted` here takes its variables from a file; one that a person submits, from the login on the
        node.
        """
        folder = self._folder(jobs)
        options = ("--environment", str(folder / environment.FILE)) if submitted else ()
        at_a_time = f"%{self._options.workers}" if self._options.workers else ""
        selections = "\n".join(f"  {shlex.quote(str(job.selection))}" for job in jobs)
        *command, _ = worker_command(jobs[0].definition, jobs[0].selection, *options)
        stop = jobs[0].stop
        return (
            "#!/bin/bash\n"
            f"#SBATCH --job-name={_name(folder)}\n"
            # NIL passes nothing on. NONE also loads the login environment, which a job submitted by a person needs.
            f"#SBATCH --export={'NIL' if submitted else 'NONE'}\n"
            # The worker enters the folder of the run by itself; until then, nothing there may be imported.
            "#SBATCH --chdir=/\n"
            f"#SBATCH --array=0-{len(jobs) - 1}{at_a_time}\n"
            f"#SBATCH --cpus-per-task={max(1, round(self._options.cpus))}\n"
            f"{self._memory()}"
            f"#SBATCH --output={shlex.quote(_pattern(str(jobs[0].selection.parent)))}\n"
            # The script becomes the worker, so the batch step (B:) is the one to interrupt before the time is up.
            f"#SBATCH --signal=B:INT@{GRACE_S}\n"
            # Slurm would start it from the beginning; the driver hands it out again with the log to go on from.
            "#SBATCH --no-requeue\n"
            f"selections=(\n{selections}\n)\n"
            + (f"[ -e {shlex.quote(str(stop))} ] && exit 0\n" if stop is not None else "")
            + "".join(f"export {name}={shlex.quote(value)}\n" for name, value in _searched().items())
            + f'exec {shlex.join(command)} "${{selections[$SLURM_ARRAY_TASK_ID]}}"\n'
        )

    def _array(self, jobs: list[Job], ended: Ended) -> list[Job]:
        """Run one array to its end; returns what another one must go on with."""
        number = _submit(self._write(jobs, submitted=True))
        again: list[Job] = []
        open_tasks = dict(enumerate(jobs))
        try:
            while open_tasks:
                time.sleep(ASK_S)
                states = _states(number)
                for task in [task for task in open_tasks if states.get(task, "GONE") not in _ALIVE]:
                    job = open_tasks.pop(task)
                    output = jobs[0].selection.parent / f"slurm-{number}_{task}.txt"
                    if (more := ended(job, _problem(states.get(task, "GONE"), Path(str(output))))) is not None:
                        again.append(more)
        except BaseException:
            _cancel(number)
            raise
        return again

    def _memory(self) -> str:
        memory = self._options.memory_gb
        return f"#SBATCH --mem={round(memory * 1024)}M\n" if memory else ""

    def _write(self, jobs: Sequence[Job], *, submitted: bool) -> Path:
        path = self._folder(jobs) / SCRIPT
        artifact.write_text(path, self.script(jobs, submitted=submitted))
        return path

    def _folder(self, jobs: Sequence[Job]) -> Path:
        if not isinstance(jobs[0].selection, Path):
            raise InputError(
                "the engine slurm needs a log folder that is not a URL", cure="a folder that all nodes share"
            )
        return jobs[0].selection.parent


def _name(folder: Path) -> str:
    """The name of the arrays of a run, by which a later driver finds them."""
    return f"steelyard-{hashlib.sha256(os.fsencode(folder.resolve())).hexdigest()[:16]}"


def _searched() -> dict[str, str]:
    """What the worker's Python needs before it can read its environment."""
    return {**isolated.searched(), **{name: os.environ[name] for name in ("LD_LIBRARY_PATH",) if name in os.environ}}


def _arrays(folder: Path) -> tuple[str, ...]:
    """The numbers of the arrays of a run that have not ended."""
    # %F is the number of the array, the same for all of its tasks.
    done = _call("squeue", "--me", "--noheader", f"--name={_name(folder)}", "--format=%F")
    if not done.ok:
        raise ToolchainError(f"Slurm does not answer: {one_line(done.stderr, 200)}", cure="try again when it does")
    return tuple(dict.fromkeys(done.stdout.split()))


def _pattern(folder: str) -> str:
    """Where a task of the array writes what it prints; Slurm would take a % of the folder for a placeholder."""
    return f"{folder.replace('%', '%%')}/slurm-%A_%a.txt"


def _call(*command: str) -> process.Finished:
    """Run a command of Slurm, without the keys of providers: `sbatch` would export them."""
    # 0: a list of tasks is printed whole; it would be cut after 64 bytes, and what is not listed counts as ended.
    env = {**isolated.environment("SLURM_", "SBATCH_"), "SLURM_BITSTR_LEN": "0"}
    return process.run(command, timeout_s=SILENT_S, env=env)


def _submit(script: Path) -> str:
    """The number of the array."""
    done = _call("sbatch", "--parsable", "--export=NIL", str(script))
    if not done.ok:
        raise ToolchainError(f"sbatch refuses the job array: {one_line(done.stderr, 300)}")
    # In a federation of clusters the output is NUMBER;CLUSTER.
    return done.stdout.strip().partition(";")[0]


def _states(number: str) -> Mapping[int, str]:
    """The state of each task of an array that the controller still remembers."""
    deadline = time.monotonic() + SILENT_S
    while True:
        done = _call("scontrol", "--oneliner", "show", "job", number)
        # If the controller has forgotten the array, that is an answer too.
        if done.ok or "Invalid job id" in done.stderr:
            return parse_states(done.stdout)
        if time.monotonic() > deadline:
            raise ToolchainError(
                f"Slurm does not answer: {one_line(done.stderr, 200)}",
                cure=f"the array {number} may still run; run the same command when it has ended",
            )
        time.sleep(ASK_S)


def parse_states(text: str) -> dict[int, str]:
    """Task number → state, from the one-line records of `scontrol`; those that wait are one list of ranges."""
    states: dict[int, str] = {}
    for line in text.splitlines():
        fields = dict(re.findall(r"(\w+)=(\S*)", line))
        for part in fields.get("ArrayTaskId", "").partition("%")[0].split(","):
            # Slurm writes regular gaps as a step (0-12:4), also in an array that was submitted without one.
            if (range_ := _RANGE.fullmatch(part)) is not None:
                first, last, step = range_.groups()
                for task in range(int(first), int(last or first) + 1, int(step or 1)):
                    states[task] = _state(fields)
    return states


def _state(fields: Mapping[str, str]) -> str:
    """The state; a worker that a signal ended is lost."""
    # SIGINT (2) and SIGTERM (15) end a run on purpose; any other signal means that the worker was lost.
    state, signalled = fields.get("JobState", ""), fields.get("ExitCode", "0:0").partition(":")[2]
    return "NODE_FAIL" if state == "FAILED" and signalled not in ("0", "2", "15") else state


def _problem(state: str, output: Path) -> Problem | None:
    if state in ("COMPLETED", "GONE"):  # forgotten long after its end: the logs say what it did
        return None
    if state in _LOST:
        return Problem(f"its worker was lost ({state.lower().replace('_', ' ')})", lost=True)
    return Problem(last_line(output, f"its worker ended as {state.lower()}"))


def _cancel(number: str) -> None:
    """Interrupt the workers, so that they write their logs, drop what waits, and cancel the rest after a while."""
    _call("scancel", "--state=PENDING", number)
    _call("scancel", "--batch", "--signal=INT", number)
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        if not _ALIVE & set(parse_states(_call("scontrol", "--oneliner", "show", "job", number).stdout).values()):
            return
        time.sleep(ASK_S)
    _call("scancel", number)


def create(options: EngineOptions) -> Slurm:
    """The engine; whether Slurm is there is asked only when something is submitted."""
    return Slurm(options)
