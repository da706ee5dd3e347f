"""The sandbox around one worker, and the settings it starts with.

On top of the room's law: the app's own environment is what the pinned CLI would give it, the root folder is
read-only, and two folders (`/kernel`, `/work/cdk.out`) are mounts of their own so that an app can be kept from
writing them.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import Any

from steelyard import toolchain
from steelyard.bench.cdk_synth.engine import packages
from steelyard.bench.cdk_synth.engine.prepare import INSIDE, SITE, prepared
from steelyard.sandbox import room as rooms
from steelyard.sandbox.limits import Limits
from steelyard.sandbox.room import Room

CLI_VERSION = "2.1147.0"
"""The pinned aws-cdk CLI whose verdict is reproduced."""
ASSEMBLY_VERSION = "55.0.0"
"""Cloud assembly schema that this CLI understands."""
START_TIMEOUT_S = 120.0
"""Seconds until a worker must be ready."""
_CONTEXT = {
    "aws:cdk:enable-path-metadata": True,
    "aws:cdk:enable-asset-metadata": True,
    "aws:cdk:version-reporting": True,
    "aws:cdk:bundling-stacks": ["**"],
    "@aws-cdk/core:failSynthOnValidationErrors": False,
}
"""What the CLI passes to an app in a folder without `cdk.json`."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """What one app may use at most."""

    memory_mb: int = 1_500
    """The app's processes together, beyond what they share with the worker."""
    heap_mb: int = 1_500
    """Node's heap."""
    processes: int = 128
    file_mb: int = 100
    disk_mb: int = 400
    """The working folder, and the same for the temp folder."""
    open_files: int = 512


@cache
def command_line(allowance: Allowance, warm: bool) -> tuple[str, ...]:
    """Everything that starts a worker; a `warm` one has run the canary before it says it is ready."""
    home = prepared()
    read_only = [(toolchain.node(), "/engine/node"), (home / "runtime", "/engine/runtime")]
    read_only += [(home / "packages", "/engine/packages"), (home / "bytecode", "/engine/bytecode")]
    read_only += [(home / "guard.tgz", "/engine/guard.tgz"), (INSIDE, "/engine/inside")]
    read_only += [(host, f"{SITE}/{name}") for host, name in packages.installed().entries]
    limits = Limits(
        memory_mb=2 * allowance.heap_mb,
        processes=2 * allowance.processes,
        file_mb=allowance.file_mb,
        disk_mb=allowance.disk_mb,
        open_files=allowance.open_files,
        cpu_s=None,
    )
    room = Room(read_only=tuple(read_only), environment=_worker_environment(), limits=limits)
    python = [rooms.python_command(), "-s", "-B", "-m", "inside.worker", json.dumps(_settings(allowance, warm))]
    return tuple(_furnish(rooms.argv(room, python), allowance))


def _furnish(words: list[str], allowance: Allowance) -> list[str]:
    """Add the mounts a worker needs, and let it make namespaces for its apps."""
    end = words.index("--")
    size = str(allowance.disk_mb * 1_000_000)
    mounts = ["--perms", "0777", "--size", size, "--tmpfs", "/work/cdk.out", "--perms", "0777", "--tmpfs", "/kernel"]
    head = [word for word in words[:end] if word != "--disable-userns"]
    return [*head, *mounts, "--remount-ro", "/", *words[end:]]


def _worker_environment() -> dict[str, str]:
    return {
        **cli_environment(),
        "PYTHONPATH": f"{SITE}:/engine",
        "PYTHONHASHSEED": "0",
        "PATH": "/usr/local/bin:/usr/bin:/bin",
    }


def cli_environment() -> dict[str, str]:
    """The variables that the CLI sets for an app."""
    return {
        "CDK_OUTDIR": "cdk.out",
        "CDK_CLI_VERSION": CLI_VERSION,
        "CDK_CLI_ASM_VERSION": ASSEMBLY_VERSION,
        "CDK_DEFAULT_REGION": "us-east-1",
        "CDK_ERROR_FILE": "cdk.out/error.txt",
        "CDK_PERF_COUNTERS_FILE": "cdk.out/performance-counters.json",
        "CDK_CONTEXT_JSON": json.dumps(_CONTEXT, separators=(",", ":")),
    }


def _settings(allowance: Allowance, warm: bool) -> dict[str, Any]:
    app = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/home/sandbox", "LANG": "C.UTF-8", "TMPDIR": "/tmp"}
    return {
        "node": "/engine/node",
        "guard": "/engine/guard.tgz",
        "heap_mb": allowance.heap_mb,
        "modules": packages.MODULES,
        "app_environment": {**app, **cli_environment(), "PYTHONIOENCODING": "utf-8", "FORCE_COLOR": "0"},
        "limits": {
            "DATA": allowance.memory_mb * 1_000_000,
            "NPROC": allowance.processes,
            "FSIZE": allowance.file_mb * 1_000_000,
            "NOFILE": allowance.open_files,
            "CORE": 0,
        },
        "memory_mb": allowance.memory_mb,
        "warm": warm,
        "private_mb": 16,
        "start_s": START_TIMEOUT_S,
    }
