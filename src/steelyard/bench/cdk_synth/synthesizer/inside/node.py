# Plain calls on purpose: this code is forked and loads nothing it does not need.
# ruff: noqa: SIM905
"""Node with the jsii kernel: started once per kernel, with `aws_cdk` loaded into it.

jsii's own launcher starts a second Node between Python and its kernel; ours talks to that directly over one
socket, and hands the same objects to jsii so that `import aws_cdk` loads its assemblies through it.
"""

from __future__ import annotations

import importlib
import json
import os
import platform
import re
import socket
import subprocess
import sys
import types
from collections.abc import Iterable
from typing import Any, BinaryIO, cast

from .relay import ENVIRONMENT, GUARD, Relay

PROGRAM = "/synthesizer/runtime/lib/program.js"
MODULES = "/kernel/modules"
"""Where jsii's kernel links its packages; read-only for apps, and locked by the guard once everything is loaded."""


STANDARD = tuple(
    """argparse ast asyncio base64 collections concurrent.futures contextlib copy csv dataclasses datetime decimal email
    enum functools glob hashlib importlib.metadata inspect io ipaddress itertools json logging math operator os pathlib
    platform pprint random re secrets shutil signal socket string subprocess sys tempfile textwrap threading time
    traceback types typing unittest.mock urllib.parse uuid warnings zipfile""".split()
)
"""Standard modules that apps and their packages use; imported once instead of once per app."""


_CHEAP_START = ("--single-threaded-gc",)
"""The library's validation engine is 9 MB of WebAssembly with 200 MB of memory: parallel garbage collection doubles the
CPU time of loading it."""
_WORD = re.compile(rb"\w+")


class Node:
    """Node, its pipes, and the relay in front of it."""

    def __init__(self, node: str, heap_mb: int, environment: dict[str, str]) -> None:
        os.mkdir(MODULES)
        ours, theirs = socket.socketpair()
        # `--preserve-symlinks`, as in jsii's own launcher: packages are linked, not copied.
        words = [node, f"--max-old-space-size={heap_mb}", *_CHEAP_START, "--preserve-symlinks"]
        words += ["--require", "/synthesizer/inside/boot.js", PROGRAM]
        # jsii's kernel speaks on descriptor 3.
        shell = ["/bin/sh", "-c", 'exec 3<&0 </dev/null; exec "$@"', "sh", *words]
        # Not our own output: Node would make it non-blocking, and the app's prints would fail.
        quiet = subprocess.DEVNULL
        self.process = subprocess.Popen(
            shell, stdin=theirs.fileno(), stdout=quiet, stderr=quiet, env=environment, cwd="/work"
        )
        theirs.close()
        self.to_node: BinaryIO = ours.makefile("wb")
        self.from_node: BinaryIO = ours.makefile("rb")
        self.relay = Relay(self.to_node, self.from_node)

    def adopt(self) -> None:
        """Make jsii in this process use this Node."""
        # jsii has no public way to pass in a Node of ours.
        from jsii._kernel.providers import process

        node = self

        def start(self: Any) -> None:
            self._process = types.SimpleNamespace(stdin=node.to_node, stdout=node.from_node)
            self.handshake()

        process._NodeProcess.start = start  # type: ignore[method-assign]
        process._NodeProcess.stop = lambda self: None  # type: ignore[method-assign]

    def load(self, guard_tarball: str) -> None:
        """Import the packages in Python and in Node, our guard last."""
        for module in STANDARD:
            importlib.import_module(module)
        # The standard library has its bytecode beside it; packages have theirs in the prepared folder, for apps too.
        sys.pycache_prefix = "/synthesizer/bytecode"
        importlib.import_module("aws_cdk")
        # jsii would otherwise import this when it checks the first argument.
        importlib.import_module("jsii._type_checking").check_type("warm", "warm", str)
        reply = self.relay.ask({"api": "load", "name": GUARD, "version": "1.0.0", "tarball": guard_tarball})
        if "ok" not in reply:
            raise RuntimeError(f"the guard could not be loaded: {reply.get('error')}")

    def guard(self, method: str, *words: str) -> str:
        """Call our own code inside Node."""
        reply = self.relay.ask({"api": "sinvoke", "fqn": f"{GUARD}.Guard", "method": method, "args": list(words)})
        if "ok" not in reply:
            raise RuntimeError(f"the guard failed: {reply.get('error')}")
        return reply["ok"]["result"]

    def written(self) -> dict[str, str]:
        """Path → SHA-256 of the JSON files that synthesis wrote for the last app."""
        return json.loads(self.guard("written"))

    def exit_reason(self) -> str | None:
        """How Node ended; None if it is still running."""
        try:
            code = self.process.wait(5)
        except subprocess.TimeoutExpired:
            return None
        # V8 aborts when its heap is full; nothing else makes it do so.
        return "out of memory" if code in (-6, -5, 134, 133) else f"exit status {code}"

    def sweep(self) -> dict[str, Any]:
        """Undo the last app's changes in Node; returns the remaining `problems` and Node's memory in `rss_mb`."""
        return json.loads(self.guard("sweep"))


def preload(texts: Iterable[bytes], modules: Iterable[str]) -> None:
    """Import those `modules` of aws_cdk that the texts name: once per kernel instead of once per app."""
    words = {word for text in texts for word in _WORD.findall(text)}
    for module in modules:
        if module.encode() in words:
            try:
                importlib.import_module(f"aws_cdk.{module}")
            except ModuleNotFoundError:
                continue  # another release of aws-cdk-lib may not have it


def redirect(channel: socket.socket) -> None:
    """In the app's process: connect jsii to the relay instead of Node."""
    from jsii._runtime import kernel

    pipes = types.SimpleNamespace(stdin=channel.makefile("wb"), stdout=channel.makefile("rb"))
    kernel.provider._process._process = pipes  # type: ignore[attr-defined]


def announce(variables: dict[str, str | None]) -> None:
    """In the app's process: what it changed in the environment that stock Node would start with."""
    if variables:
        from jsii._runtime import kernel

        pipes = cast("Any", kernel.provider)._process._process
        pipes.stdin.write(json.dumps({"api": ENVIRONMENT, "variables": variables}).encode() + b"\n")
        pipes.stdin.flush()
        pipes.stdout.readline()


def environment(home: str, terms: dict[str, Any]) -> dict[str, str]:
    """Node's environment: exactly the variables the CLI sets, the paths of its own files, and how to start programs."""
    kept = {name: value for name, value in os.environ.items() if name.startswith("CDK_") or name in ("PATH", "LANG")}
    return {
        **kept,
        "HOME": home,
        # jsii's kernel links its packages there; the guard changes it to /tmp once they are loaded.
        "TMPDIR": MODULES,
        "JSII_RUNTIME_PACKAGE_CACHE_ROOT": "/synthesizer/packages",
        # As jsii sets it: the CDK writes it into the metadata of templates.
        "JSII_AGENT": f"Python/{platform.python_version()}",
        "STEELYARD_PYTHON": sys.executable,
        "STEELYARD_TERMS": json.dumps(terms),
    }
