"""One kernel: the time limit holds for all runs of an app, and what an app may leave in Node retires it."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from steelyard.bench.cdk_synth.classify import Ending
from steelyard.bench.cdk_synth.synthesizer.inside import app, sweep
from steelyard.bench.cdk_synth.synthesizer.inside import kernel as inside
from steelyard.bench.cdk_synth.synthesizer.inside.relay import Relay, Traffic
from steelyard.bench.cdk_synth.synthesizer.kernel import LOOKUP_LIMIT, Kernel, Report

RAN = Report(Ending(0), {}, (), False, 1, 100, 7.0)


class Asking(Kernel):
    """A kernel whose app asks for another key every time it runs."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.limits: list[float] = []

    def _run(self, order: dict[str, Any], timeout_s: float) -> Report:
        self.limits.append(timeout_s)
        missing = [{"key": f"ssm:{len(self.limits)}"}]
        return replace(RAN, files={"manifest.json": json.dumps({"missing": missing})}, seconds=self.seconds)


def test_an_app_that_asks_for_ever_ends_with_its_time() -> None:
    kernel = Asking(seconds=7.0)
    report = kernel.run(b"", 20.0)
    # 20 s, then what is left after 7 and after 14; after 21 s there is nothing left.
    assert kernel.limits == [20.0, 13.0, 6.0]
    assert report.ending.stopped == "time" and not report.files and report.seconds == 21.0


def test_an_app_that_asks_fast_is_stopped_too() -> None:
    kernel = Asking(seconds=0.0)
    assert kernel.run(b"", 20.0).ending.stopped == "time"
    assert len(kernel.limits) == LOOKUP_LIMIT + 1


@pytest.mark.parametrize(
    ("code", "expected"), [(None, 0), (0, 0), (3, 3), (-1, 255), (256, 0), (2**63 - 1, 255), (2**63, 255), (2**64, 255)]
)
def test_exit_codes_are_those_of_the_interpreter(code: int | None, expected: int) -> None:
    assert app._exit_code(SystemExit(code)) == expected


def test_an_exit_code_that_calls_itself_zero_is_not() -> None:
    class Liar(int):
        def __and__(self, other: object) -> int:
            return 0

    assert app._exit_code(SystemExit(Liar(1))) == 1


def tainted(*requests: dict[str, Any]) -> list[str]:
    import io

    class Silent(Relay):
        def _exchange(self, line: bytes) -> bytes:
            return b'{"ok":{"result":"set"}}\n'

    traffic = Traffic()
    lines = b"".join(json.dumps(request).encode() + b"\n" for request in requests)
    Silent(io.BytesIO(), io.BytesIO()).serve(io.BytesIO(lines), io.BytesIO(), traffic)
    return traffic.tainted


def test_static_methods_that_change_the_library_retire_the_kernel() -> None:
    call = {"api": "sinvoke", "fqn": "aws-cdk-lib.aws_lambda.DockerImageFunction", "method": "classifyVersionProperty"}
    assert tainted(call)
    assert tainted({**call, "method": "_configureSingleton"})
    assert not tainted({**call, "method": "fromFunctionName"})
    assert not tainted({"api": "invoke", "objref": {"$jsii.byref": "x@1"}, "method": "register"})


@pytest.mark.parametrize("name", ["aws_lambda.Runtime", "aws_route53.VpcEndpointServiceDomainName"])
def test_constructors_that_enter_a_list_of_the_library_retire_the_kernel(name: str) -> None:
    fqn = f"aws-cdk-lib.{name}"
    assert tainted({"api": "create", "fqn": fqn})
    assert not tainted({"api": "sget", "fqn": fqn, "property": "ALL"})


def test_the_environment_of_node_is_set_once_at_the_start() -> None:
    changed = {"api": "environment", "variables": {"CDK_OUTDIR": "/tmp"}}
    assert tainted(changed) == ["the app's environment"]
    assert tainted({"api": "stats"}, changed) == []


SPARSE = """
import mmap, sys
no_reserve = 0x4000
reserved = mmap.mmap(-1, 1 << 35, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | no_reserve, mmap.PROT_READ)
reserved.madvise(mmap.MADV_NOHUGEPAGE)
for place in range(0, len(reserved), 1 << 21):
    reserved[place]
print(flush=True)
sys.stdin.read()
"""
"""Reads one byte in each of 16,384 stretches that need a table of 4 KB each, 67 MB together, and writes none."""


def test_tables_of_pages_count_as_memory() -> None:
    with subprocess.Popen([sys.executable, "-c", SPARSE], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout and child.stdout.readline() == b"\n"
        assert inside._resident(child.pid) > 67_000_000
        assert (inside._share(child.pid) or 0) > 67_000_000
        child.communicate()


def test_what_waits_in_sockets_counts_as_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    node: Any = SimpleNamespace(process=SimpleNamespace(pid=0))
    watch = inside.Watch(node, 0.0, 1_000, None)
    monkeypatch.setattr(os, "listdir", lambda folder: [])  # no process holds it
    before = watch._held()
    pairs = [socket.socketpair() for _ in range(300)]
    after = watch._held()
    for end in (end for pair in pairs for end in pair):
        end.close()
    # Other programs on this machine open and close sockets too, hundreds of them while other tests run.
    assert after - before > 100 * inside._socket_bytes() > 0


def test_files_are_counted_in_a_folder_that_cannot_be_reached_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "work").mkdir()
    monkeypatch.setattr(inside, "_COUNTED", (str(tmp_path / "work"),))
    monkeypatch.setattr(sweep, "ENTRY_LIMIT", 0)
    node: Any = SimpleNamespace(process=SimpleNamespace(pid=0), relay=SimpleNamespace(in_flight=False))
    with inside.Watch(node, float("inf"), 1 << 60, None) as watch:
        (tmp_path / "work").rename(tmp_path / "elsewhere")
        watch._tick()
    assert watch.reason == "files"


def test_a_folder_that_an_app_locked_is_opened_and_emptied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outer, inner = tmp_path / "work", tmp_path / "work" / "cdk.out"
    inner.mkdir(parents=True)
    monkeypatch.setattr(sweep, "FOLDERS", (str(inner), str(outer)))
    monkeypatch.setattr(sweep, "KEEP", {str(outer): ("cdk.out",)})
    monkeypatch.setattr(sweep, "_before", {})
    sweep.remember()
    (inner / "left").touch()
    inner.chmod(0)
    outer.chmod(0)
    assert sweep.sweep() is None
    assert not list(inner.iterdir())
