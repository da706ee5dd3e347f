"""The sandbox around one kernel, and the settings it starts with.

In addition to the rules of `steelyard.sandbox.jail`: an app gets the environment that the pinned CLI would give it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steelyard import pythons, toolchain
from steelyard.bench.cdk_synth.synthesizer import packages
from steelyard.bench.cdk_synth.synthesizer.prepare import INSIDE, SITE, prepared
from steelyard.sandbox.jail import Jail, argv, python_command
from steelyard.sandbox.limits import Limits
from steelyard.sandbox.seccomp import program

CLI_VERSION = "2.1147.0"
"""The pinned aws-cdk CLI whose verdict is reproduced."""
ASSEMBLY_VERSION = "55.0.0"
"""Cloud assembly schema that this CLI understands."""
_PATH = "/usr/local/bin:/usr/bin:/bin"
NODE, PACKAGES = "/synthesizer/node", "/synthesizer/packages"
"""Their paths inside the sandbox."""
START_TIMEOUT_S = 600.0
"""Seconds until a kernel must be ready; long enough that only a hung kernel exceeds it, even on a busy machine."""
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
    """Resource limits of one app."""

    memory_mb: int = 1_500
    """For the app's processes together, beyond what they share with the kernel; with a control group, for the files in
    its folders too."""
    heap_mb: int = 1_500
    """Node's heap."""
    processes: int = 128
    file_mb: int = 100
    disk_mb: int = 400
    """For the working folder, and as much again for the temp folder."""
    open_files: int = 512


def command_line(allowance: Allowance, warm: bool, group: tuple[int, ...] = ()) -> list[str]:
    """The command that starts a kernel; a `warm` one runs the control app before it reports ready.

    `group` are two descriptors of a memory control group, if there is one: apps enter by the first, the other counts.

    Built separately for every kernel: each sandbox has its own user id, so that process limits are never shared.
    """
    home = prepared()
    read_only = [(toolchain.node(), NODE), (home / "runtime", "/synthesizer/runtime")]
    read_only += [(home / "packages", PACKAGES), (home / "bytecode", "/synthesizer/bytecode")]
    read_only += [(home / "guard.tgz", "/synthesizer/guard.tgz"), (INSIDE, "/synthesizer/inside")]
    read_only += [(host, f"{SITE}/{name}") for host, name in packages.installed().entries]
    # These hold for the kernel and Node too, which need room of their own; an app's limits are set inside.
    limits = Limits(
        memory_mb=2 * allowance.heap_mb,
        processes=2 * allowance.processes,
        file_mb=allowance.file_mb,
        disk_mb=allowance.disk_mb,
        open_files=allowance.open_files,
        # A kernel outlives its apps, each of which has a time limit of its own.
        cpu_s=None,
    )
    jail = Jail(
        read_only=tuple(read_only),
        hide=other_packages(),
        # Forked apps share the kernel's hash seed: a fixed one gives sets the same order in every kernel.
        environment={**cli_environment(), "PYTHONPATH": f"{SITE}:/synthesizer", "PYTHONHASHSEED": "0", "PATH": _PATH},
        limits=limits,
        # Mounts of their own: an app cannot replace `cdk.out`, and `/kernel`, where Node links its packages, can be
        # made read-only for apps.
        folders=("/work/cdk.out", "/kernel"),
        # Every app gets namespaces of its own inside.
        nested=True,
        whole_system=False,
    )
    settings = _settings(allowance, warm) | dict(zip(("group", "events"), group or (None, None), strict=True))
    # -P: the kernel must not import from the working folder, where apps write.
    python = [python_command(), "-P", "-s", "-B", "-m", "inside.kernel", json.dumps(settings)]
    return argv(jail, python)


def other_packages() -> tuple[str, ...]:
    """Package folders of the Python that runs inside, hidden from apps: Steelyard itself may be installed there."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    roots = {sys.base_prefix, "/usr", "/usr/local"}
    folders = [Path(root) / "lib" / name / kind for root in sorted(roots) for name in (version, "python3")
               for kind in ("site-packages", "dist-packages")]  # fmt: skip
    return tuple(str(path) for path in folders if path.is_dir() and not path.is_symlink())


def cli_environment() -> dict[str, str]:
    """The variables that the CLI sets for an app."""
    return {
        "CDK_OUTDIR": "cdk.out",
        "CDK_CLI_VERSION": CLI_VERSION,
        "CDK_CLI_ASM_VERSION": ASSEMBLY_VERSION,
        "CDK_DEFAULT_REGION": "us-east-1",
        "CDK_ERROR_FILE": "cdk.out/error.txt",
        "CDK_PERF_COUNTERS_FILE": "cdk.out/performance-counters.json",
        "CDK_CONTEXT_JSON": context_json(()),
    }


def context_json(missing: Iterable[str], context: Mapping[str, Any] | None = None) -> str:
    """The context that the CLI passes (by default without `cdk.json`), with an error for each key it cannot look up."""
    failed = {key: {"$providerError": "no AWS account in the sandbox", "$dontSaveContext": True} for key in missing}
    return json.dumps({**(_CONTEXT if context is None else context), **failed}, separators=(",", ":"))


def _settings(allowance: Allowance, warm: bool) -> dict[str, Any]:
    app = {"PATH": _PATH, "HOME": "/home/sandbox", "LANG": "C.UTF-8", "TMPDIR": "/tmp"}
    # For programs that the app starts and that import the library themselves.
    app |= {"PYTHONPATH": SITE, "JSII_NODE": NODE, "JSII_RUNTIME_PACKAGE_CACHE_ROOT": PACKAGES}
    app |= {"NODE_OPTIONS": "--require=/synthesizer/inside/cache.js"}
    return {
        "node": NODE,
        "guard": "/synthesizer/guard.tgz",
        "heap_mb": allowance.heap_mb,
        "modules": packages.MODULES,
        # Tracebacks without colours, because `classify` reads them.
        "app_environment": {**app, **cli_environment(), "PYTHONIOENCODING": "utf-8", "FORCE_COLOR": "0"}
        | pythons.PLAIN_TRACEBACKS,
        "limits": {
            "DATA": allowance.memory_mb * 1_000_000,
            "NPROC": allowance.processes,
            "FSIZE": allowance.file_mb * 1_000_000,
            "NOFILE": allowance.open_files,
            "CORE": 0,
        },
        "calls": program(namespaces=False, shared_memory=False).hex(),
        "memory_mb": allowance.memory_mb,
        "warm": warm,
        "private_mb": 16,
        "start_s": START_TIMEOUT_S,
    }
