"""How Hypothesis runs in this suite, a cache of its own for a test that may use a judge, and shared servers: CDK, S3.

- No deadline and no health check for slow examples: both measure the machine, and a busy one is not a defect.
- Derandomized: the same commit gives the same answer on every machine (so do the product's draws: `tests/draws.py`).
  `--hypothesis-profile=explore` searches with fresh seeds and ten times as many examples; whatever it finds becomes an
  `@example`.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING
from uuid import uuid4

import anyio
import pytest
from _pytest.nodeid import NodeId
from hypothesis import HealthCheck, settings

from tests import environment

if TYPE_CHECKING:
    from steelyard.bench.cdk_synth.synthesizer.pool import Pool

pytest_plugins = ["tests.clients", "tests.docker", "tests.draws", "tests.lacking"]

gc.set_threshold(100_000, 50, 50)  # what is imported stays: looking through it takes an eighth of the imports' time
environment.settle()

SLOW_MACHINE = [HealthCheck.too_slow]

settings.register_profile("suite", deadline=None, derandomize=True, suppress_health_check=SLOW_MACHINE)
settings.register_profile("explore", deadline=None, max_examples=1000, suppress_health_check=SLOW_MACHINE)
settings.load_profile("suite")


@pytest.fixture(scope="session", autouse=True)
def nothing_drawn_for_nobody() -> Iterator[None]:
    """Inspect draws what no test looks at, which takes longer than the evaluation: a table of results, although its
    display shows nothing, a second copy of every traceback for terminals, and a database of events for whoever watches
    a run. And it looks up anew for each evaluation which package a task comes from, and its own version.
    """
    from inspect_ai._display.rich import display
    from inspect_ai._eval.task import log
    from inspect_ai._util import rich as tracebacks

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(display, "tasks_results", lambda tasks: "")
        patch.setattr(tracebacks, "rich_traceback", lambda *raised, **options: "")
        patch.setattr(log, "resolve_task_distribution", cache(log.resolve_task_distribution))
        patch.setattr(log, "importlib_metadata", SimpleNamespace(version=cache(version)))
        patch.setattr(log, "SampleBufferDatabase", lambda **options: None)  # as with `log_realtime=False`
        yield


@pytest.fixture(scope="session", autouse=True)
def no_long_waits() -> Iterator[None]:
    """Inspect waits 3, 6 and 12 s before it asks a provider again, we 30 s in an outage; here that many thousandths."""
    from inspect_ai.model import _retry

    from steelyard.models import outage

    async def briefly(seconds: float) -> None:
        await anyio.sleep(seconds / 1000)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_retry, "_sleep", briefly)
        patch.setattr(outage, "PAUSE_S", outage.PAUSE_S / 1000)
        yield


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of a fresh cache; verdicts, keys and judges of the machine or of other tests are out of reach."""
    from steelyard.judge.grade import open_cache

    folder = tmp_path / "cache"
    monkeypatch.setenv("STEELYARD_CACHE", str(folder))
    for name in ("STEELYARD_JUDGE", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    yield folder
    open_cache(folder / "judge").close()


@pytest.fixture(scope="session")
def sandboxed() -> None:
    """For a test whose failure without a sandbox would not say so."""
    from steelyard.sandbox.choose import try_bubblewrap

    trial = try_bubblewrap()
    assert trial.works, f"the sandbox does not work here: {trial.detail}"


@pytest.fixture(scope="session")
def pool(sandboxed: None) -> Iterator[Pool]:
    """The real CDK synthesizer with a single slot, so that the next app meets whatever one app leaves behind."""
    from steelyard.bench.cdk_synth.synthesizer.pool import Pool

    synthesizer = Pool(kernels=1, control_share=0.0)
    yield synthesizer
    synthesizer.close()


@pytest.fixture
def shared_synthesizer(pool: Pool, monkeypatch: pytest.MonkeyPatch) -> Pool:
    """The product verifies apps through the synthesizer of the tests."""
    from steelyard.bench.cdk_synth import verify

    monkeypatch.setattr(verify, "pool", lambda isolation="warm": pool)
    return pool


@pytest.fixture(scope="session")
def s3_server() -> Iterator[str]:
    """The address of a real S3 server on this machine."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def bucket(s3_server: str, monkeypatch: pytest.MonkeyPatch, own_cache: Path) -> str:
    """The URL of a new bucket; the product talks to the server of the tests."""
    import boto3

    keys = {"ACCESS_KEY_ID": "k", "SECRET_ACCESS_KEY": "s", "DEFAULT_REGION": "us-east-1"}
    for name, value in {"ENDPOINT_URL": s3_server, **keys}.items():
        monkeypatch.setenv(f"AWS_{name}", value)
    name = f"bucket-{uuid4()}"
    boto3.client("s3").create_bucket(Bucket=name)
    return f"s3://{name}"


def pytest_sessionstart(session: pytest.Session) -> None:
    """Before a worker collects the whole suite, import its modules, each worker beginning at another one.

    Every worker needs them all, and compiling one takes longer than importing it. In a fresh clone workers that go
    through them in the same order compile each module at the same time; so they find most of them compiled.
    """
    root, worker = Path(__file__).parent, getattr(session.config, "workerinput", None)
    if worker is None or [Path(arg).resolve() for arg in session.config.args] != [root]:
        return
    paths = sorted(root.rglob("test_*.py"))
    first = len(paths) * int(worker["workerid"].removeprefix("gw")) // worker["workercount"]
    for path in paths[first:] + paths[:first]:
        with contextlib.suppress(Exception, pytest.skip.Exception):  # if it matters, collection says so
            importlib.import_module(".".join(path.relative_to(root.parent).with_suffix("").parts))


def pytest_collection_finish() -> None:
    """Take what the whole suite has imported out of the reach of the garbage collector.

    It lives until the end, and looking through it again and again takes a tenth of the processor time.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Decide which tests share a worker process and which start first.

    What is made once for many tests (a CDK synthesizer, an S3 server, a folder of logs) costs more than most of them,
    so tests that share it share a worker. The attacks by apps, which wait for limits, have one of their own. The
    tests at the root start whole processes: one of them left to the end would keep one worker busy and the others idle.
    The same holds for tests that are marked as slow.
    """
    root = Path(__file__).parent
    items.sort(key=lambda item: item.path.parent != root and item.get_closest_marker("slow") is None)
    for item in items:
        shared = shared_fixture(item)
        if {"pool", "kernels"} & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.xdist_group("attacks" if item.path.stem == "test_attacks" else "synthesizer"))
        elif item.get_closest_marker("xdist_group") is None and shared is not None:
            item.add_marker(pytest.mark.xdist_group(shared))
        group = item.get_closest_marker("xdist_group")
        if group is not None and getattr(config.option, "loadgroup", False) and "@" not in item.nodeid.split("]")[-1]:
            # pytest 9.2 keeps ids in `_id`; xdist 3.8 still writes the group to `_nodeid`, where nobody reads it.
            item._id = NodeId.parse(f"{item.nodeid}@{group.args[0]}")  # type: ignore[attr-defined]


def shared_fixture(item: pytest.Item) -> str | None:
    """What this test shares with others, by the name of a module or of a fixture for the whole suite; None: nothing."""
    known: dict[str, Sequence[pytest.FixtureDef[object]]] = item._fixtureinfo.name2fixturedefs  # type: ignore[attr-defined]
    for name in sorted({*getattr(item, "fixturenames", ())} - {"nothing_drawn_for_nobody", "no_long_waits"}):
        for fixture in known.get(name, [])[-1:]:
            if fixture.func.__module__.startswith("tests.") and fixture.scope in ("module", "session"):
                return name if fixture.scope == "session" else f"{item.path.parent.name}-{item.path.stem}"
    return None
