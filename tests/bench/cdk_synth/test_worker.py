"""One worker: the time limit holds for all runs of an app, and what an app may leave in Node retires it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from steelyard.bench.cdk_synth.classify import Ending
from steelyard.bench.cdk_synth.engine.inside import app
from steelyard.bench.cdk_synth.engine.inside.relay import Relay, Traffic
from steelyard.bench.cdk_synth.engine.worker import LOOKUP_LIMIT, Report, Worker

RAN = Report(Ending(0), {}, (), False, 1, 100, 7.0)


class Asking(Worker):
    """A worker whose app asks for another key every time it runs."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.limits: list[float] = []

    def _run(self, order: dict[str, Any], timeout_s: float) -> Report:
        self.limits.append(timeout_s)
        missing = [{"key": f"ssm:{len(self.limits)}"}]
        return replace(RAN, files={"manifest.json": json.dumps({"missing": missing})}, seconds=self.seconds)


def test_an_app_that_asks_for_ever_ends_with_its_time() -> None:
    worker = Asking(seconds=7.0)
    report = worker.run(b"", 20.0)
    # 20 s, then what is left after 7 and after 14; after 21 s there is nothing left.
    assert worker.limits == [20.0, 13.0, 6.0]
    assert report.ending.stopped == "time" and not report.files and report.seconds == 21.0


def test_an_app_that_asks_fast_is_stopped_too() -> None:
    worker = Asking(seconds=0.0)
    assert worker.run(b"", 20.0).ending.stopped == "time"
    assert len(worker.limits) == LOOKUP_LIMIT + 1


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


def test_static_methods_that_change_the_library_retire_the_worker() -> None:
    call = {"api": "sinvoke", "fqn": "aws-cdk-lib.aws_lambda.DockerImageFunction", "method": "classifyVersionProperty"}
    assert tainted(call)
    assert tainted({**call, "method": "_configureSingleton"})
    assert not tainted({**call, "method": "fromFunctionName"})
    assert not tainted({"api": "invoke", "objref": {"$jsii.byref": "x@1"}, "method": "register"})


def test_the_environment_of_node_is_set_once_at_the_start() -> None:
    changed = {"api": "environment", "variables": {"CDK_OUTDIR": "/tmp"}}
    assert tainted(changed) == ["the app's environment"]
    assert tainted({"api": "stats"}, changed) == []
