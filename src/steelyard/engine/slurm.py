"""Slurm: a job array with one worker per task, submitted with `sbatch --wait`.

The folder of the logs must be on a file system that every node shares, and so must the Python environment.
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from steelyard import artifact
from steelyard.engine.definition import worker_command
from steelyard.engine.protocol import Ended, EngineOptions, Job, Problem
from steelyard.errors import InputError, ToolchainError, one_line

SCRIPT = "array.sh"
"""The script of the job array, beside the selections."""


class Slurm:
    """Submits one job array and waits for it."""

    def __init__(self, options: EngineOptions) -> None:
        self._options = options

    def run(self, jobs: Sequence[Job], ended: Ended) -> None:
        """Submit the array; the logs say which of its tasks are done."""
        if shutil.which("sbatch") is None:
            raise ToolchainError(
                "the command sbatch was not found",
                cure="start this on a login node of the cluster, or print the job array with --dry-run",
            )
        path = self._write(jobs)
        process = subprocess.run(["sbatch", "--wait", str(path)], capture_output=True, text=True)
        reason = one_line(process.stderr or "a task of the array failed", 300)
        for job in jobs:
            ended(job, None if process.returncode == 0 else Problem(reason))

    def preview(self, jobs: Sequence[Job]) -> str:
        """The script, and the command that submits it."""
        if not jobs:
            return "nothing is left to run\n"
        return f"{self.script(jobs)}\n# submit it with:\n#   sbatch --wait {shlex.quote(str(self._write(jobs)))}\n"

    def close(self) -> None:
        """Nothing waits: the array has ended."""

    def script(self, jobs: Sequence[Job]) -> str:
        """The script of the array: its task number chooses the selection."""
        at_a_time = f"%{self._options.workers}" if self._options.workers else ""
        selections = "\n".join(f"  {shlex.quote(str(job.selection))}" for job in jobs)
        *command, _ = worker_command(jobs[0].definition, jobs[0].selection)
        output = shlex.quote(str(jobs[0].selection.parent / "slurm-%A_%a.txt"))
        return (
            "#!/bin/bash\n"
            "#SBATCH --job-name=steelyard\n"
            f"#SBATCH --array=0-{len(jobs) - 1}{at_a_time}\n"
            f"#SBATCH --cpus-per-task={max(1, round(self._options.cpus))}\n"
            f"{self._memory()}"
            f"#SBATCH --output={output}\n"
            "#SBATCH --signal=INT@60\n"
            f"selections=(\n{selections}\n)\n"
            f'exec {shlex.join(command)} "${{selections[$SLURM_ARRAY_TASK_ID]}}"\n'
        )

    def _memory(self) -> str:
        memory = self._options.memory_gb
        return f"#SBATCH --mem={round(memory * 1024)}M\n" if memory else ""

    def _write(self, jobs: Sequence[Job]) -> Path:
        if not isinstance(jobs[0].selection, Path):
            raise InputError(
                "the engine slurm needs a log folder that is not a URL", cure="a folder that all nodes share"
            )
        path = jobs[0].selection.parent / SCRIPT
        artifact.write_text(path, self.script(jobs))
        return path


def create(options: EngineOptions) -> Slurm:
    """The engine; whether Slurm is there is asked only when something is submitted."""
    return Slurm(options)
