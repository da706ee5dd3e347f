"""Resource limits for untrusted code.

They are the kernel's resource limits, set before the code starts and inherited by everything it starts. Memory is
RLIMIT_DATA, which counts what a process really allocates; an address-space limit would also count the terabytes that
V8 merely reserves. It does not count shared memory, nor several processes together: for that, a sandbox is a control
group (`cgroup`) wherever the kernel lets us make one. Processes are counted per sandbox, because each sandbox runs
under a user id of its own.
"""

from __future__ import annotations

from pydantic import Field

from steelyard.yamlfile import Strict

PRLIMIT = "/usr/bin/prlimit"
_MB = 1_000_000


class Limits(Strict):
    """Limits of one sandbox; None means unlimited."""

    memory_mb: int | None = Field(default=2_048, gt=0)
    """Of each process; in a control group also of all of them together, with the files in their folders."""
    processes: int | None = Field(default=256, gt=0)
    """Processes and threads in the whole sandbox."""
    file_mb: int | None = Field(default=256, gt=0)
    """Largest single file."""
    disk_mb: int = Field(default=1_024, gt=0)
    """Working folder, and the same again for home and temp together; they are in memory and vanish with the sandbox."""
    cpu_s: int | None = Field(default=None, gt=0)
    """CPU seconds per process."""
    open_files: int | None = Field(default=1_024, gt=0)

    def command(self) -> list[str]:
        """The command-line prefix that starts a command under these limits."""
        limits = {**self.per_process(), **({} if self.processes is None else {"nproc": self.processes})}
        return [PRLIMIT, *(f"--{name}={value}" for name, value in limits.items()), "--"]

    def per_process(self) -> dict[str, int]:
        """The kernel's resource limits that hold for each process."""
        limits = {
            "data": None if self.memory_mb is None else self.memory_mb * _MB,
            "fsize": None if self.file_mb is None else self.file_mb * _MB,
            "cpu": self.cpu_s,
            "nofile": self.open_files,
            "core": 0,
        }
        return {name: value for name, value in limits.items() if value is not None}
