"""Engines: the same board from any number of workers, how much faster many are, and what lost workers cost.

    python benchmarks/workers.py same | speed | kill | all  [--engines processes,ray]
        [--tasks N] [--samples N] [--workers 1,4,16] [--kills 5]

The subjects are a server on this machine that answers after 200 ms, so a run waits as one of a provider does. `same`
compares the JSON of the board after 1, 4 and 16 workers, on `processes` and on a Ray cluster of two nodes, but for
names, times and paths. `speed` compares one Ray worker with eight and wants a quiet machine. `kill` ends a random
worker of its own with SIGKILL five times in a run and counts the calls that were made twice. Each takes a few minutes.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import re
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import psutil
from figures import known, record

LATENCY_S = 0.2
CALLS: Counter[str] = Counter()
"""Calls by model and prompt."""

WAITING: list[str] = []
"""Calls that have not been answered."""

BARRIER: threading.Barrier | None = None
"""Holds answers back until this many calls wait."""


class Handler(BaseHTTPRequestHandler):
    """A Messages API that answers slowly, and always the same to the same question."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        prompt = json.dumps(request["messages"])
        call = f"{request['model']} {hashlib.sha256(prompt.encode()).hexdigest()}"
        CALLS[call] += 1
        WAITING.append(call)
        if BARRIER is not None:
            BARRIER.wait()
        time.sleep(LATENCY_S)
        WAITING.remove(call)
        letter = "ABCD"[hashlib.sha256(f"{request['model']} {prompt}".encode()).digest()[0] % 4]
        body = json.dumps(
            {
                "id": "msg_1",
                "type": "message",
                "role": "assistant",
                "model": request["model"],
                "stop_reason": "end_turn",
                "stop_sequence": None,
                "content": [{"type": "text", "text": f"ANSWER: {letter}"}],
                "usage": {"input_tokens": 30, "output_tokens": 12},
            }
        ).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        pass


class Server(ThreadingHTTPServer):
    """Takes as many calls at a time as come."""

    daemon_threads = True
    request_queue_size = 256


@contextmanager
def serving() -> Iterator[None]:
    """Let Inspect's Anthropic provider talk to the server here."""
    with Server(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        os.environ["ANTHROPIC_BASE_URL"] = f"http://127.0.0.1:{server.server_port}"
        os.environ["ANTHROPIC_API_KEY"] = "none"
        yield
        server.shutdown()


@contextmanager
def two_nodes(processors: int) -> Iterator[str]:
    """A Ray cluster of two nodes on this machine; its address."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    from ray.cluster_utils import Cluster

    cluster = Cluster()
    try:
        for _ in range(2):
            _add_node(cluster, processors)
        yield str(cluster.address)
    finally:
        cluster.shutdown()


def _add_node(cluster: Any, processors: int) -> None:
    """Start a node; Ray gives up on it after 30 seconds, which a busy machine needs now and then."""
    for attempt in range(5):
        try:
            cluster.add_node(num_cpus=processors, include_dashboard=False)
            return
        except Exception:
            if attempt == 4:
                raise


def run(folder: Path, engine: str, workers: int, options: argparse.Namespace, address: str | None) -> None:
    """Run the tasks; ends the program if one of them is not finished."""
    from steelyard import api

    done = api.bench(
        [f"anthropic/waiting-{number}" for number in range(options.tasks)],
        folder,
        categories=["practice_exam"],
        limit=options.samples,
        max_connections=1,
        model_args={"streaming": False},
        generate_config={"max_tokens": 500},
        images="no",
        engine=engine,
        workers=workers,
        ray_address=address if engine == "ray" else None,
    )
    if done.problems:
        sys.exit(f"{engine} with {workers} workers: {done.problems[0]}")


def board(folder: Path) -> str:
    """The board as JSON, without names of runs, times and paths."""
    from steelyard import api

    text = json.dumps(_plain(json.loads(api.bench_report(api.leaderboard([folder]), "json"))), sort_keys=True)
    return re.sub(re.escape(str(folder)), "LOGS", text)


VOLATILE = re.compile(
    r"(_at|_id|^id|time|date|seconds|latency|path|^log|^logs|created|^run|^runs|duration)$|latency|_s$"
)
"""Fields that name a run, or say when it was, how long it took or where its log is."""


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(entry) for name, entry in value.items() if not VOLATILE.search(name)}
    return [_plain(entry) for entry in value] if isinstance(value, list) else value


def same(options: argparse.Namespace, folder: Path, address: str | None) -> dict[str, Any]:
    """Whether every number of workers gives the same board."""
    boards: dict[str, str] = {}
    for engine in options.engines:
        for workers in options.workers:
            logs = folder / f"{engine}-{workers}"
            run(logs, engine, workers, options, address)
            boards[logs.name] = hashlib.sha256(board(logs).encode()).hexdigest()[:16]
            print(f"  {logs.name}: board {boards[logs.name]}", flush=True)
    equal = len(set(boards.values())) == 1
    print(f"same: {'equal' if equal else 'DIFFERENT'} boards from {', '.join(boards)}")
    figures = {f"same_{engine}_boards": equal for engine in options.engines}
    return {**figures, "same_tasks": options.tasks, "same_samples": options.samples}


class Warm:
    """An engine that stays for a second run. Mutable: it keeps how long its last run took."""

    def __init__(self, engine: Any) -> None:
        self._engine = engine
        self.seconds = 0.0
        self.close = lambda: None
        self.dismiss = engine.close

    def run(self, jobs: Any, ended: Any) -> None:
        begun = time.monotonic()
        self._engine.run(jobs, ended)
        self.seconds = time.monotonic() - begun


def speed(options: argparse.Namespace, folder: Path, address: str | None) -> dict[str, Any]:
    """How much faster eight workers are than one, once they have started, and with their start."""
    one, one_start = _timed(1, options, folder, address)
    eight, eight_start = _timed(8, options, folder, address)
    whole = (one + one_start) / (eight + eight_start)
    calls = options.tasks * options.samples
    print(
        f"speed: {options.tasks} tasks of {options.samples} samples, {calls} calls of {LATENCY_S * 1000:.0f} ms, "
        "one call at a time per worker.\n"
        "  Measured from handing the first task to warm workers until the last one has ended. They were started\n"
        "  before, in a run of one sample each that the server answers when all of them have asked.\n"
        f"  one Ray worker {one:.1f} s, eight {eight:.1f} s: ratio {one / eight:.2f} (promise: 6)\n"
        f"  with the start of the workers ({one_start:.1f} s and {eight_start:.1f} s): ratio {whole:.2f}\n"
        f"  load of the machine at the end: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors"
    )
    return {
        "one_worker_s": one,
        "eight_workers_s": eight,
        "speedup": one / eight,
        "one_start_s": one_start,
        "eight_start_s": eight_start,
        "speedup_with_start": whole,
        "speed_calls": calls,
        "speed_load": os.getloadavg()[0],
    }


def _timed(workers: int, options: argparse.Namespace, folder: Path, address: str | None) -> tuple[float, float]:
    """Seconds that the tasks took on warm workers, and seconds that warming them took."""
    from steelyard import engine as engines
    from steelyard.engine.protocol import EngineOptions

    global BARRIER
    find = engines.find_engine
    warm = Warm(find(EngineOptions("ray", workers, ray_address=address)))
    engines.find_engine = lambda options: warm  # type: ignore[assignment]
    try:
        BARRIER = threading.Barrier(workers)
        first = argparse.Namespace(**{**vars(options), "tasks": workers, "samples": 1})
        run(folder / f"{workers}-start", "ray", workers, first, address)
        BARRIER, start = None, warm.seconds
        run(folder / f"{workers}", "ray", workers, options, address)
        return warm.seconds, start
    finally:
        BARRIER, engines.find_engine = None, find
        warm.dismiss()


def kill(options: argparse.Namespace, folder: Path, address: str | None) -> dict[str, Any]:
    """What lost workers cost: on `processes` and on Ray, the same board and no more calls than were in flight."""
    undisturbed = folder / "undisturbed"
    run(undisturbed, "local", 1, options, address)
    calls = set(CALLS)
    figures: dict[str, Any] = {"kill_calls": len(calls)}
    for engine in options.engines:
        CALLS.clear()
        over, killed = threading.Event(), Killed([], [])
        thread = threading.Thread(target=_killer, args=(engine, over, killed, options))
        thread.start()
        run(folder / engine, engine, 4, options, address)
        over.set()
        thread.join()
        again = sum(CALLS.values()) - len(CALLS)
        equal = board(undisturbed) == board(folder / engine) and set(CALLS) == calls
        print(
            f"kill: {engine}: {len(killed.pids)} workers lost, {again} of {len(calls)} calls made again "
            f"({', '.join(map(str, killed.in_flight))} calls were in flight on all workers), board equal: {equal}"
        )
        figures |= {
            f"kill_{engine}_lost": len(killed.pids),
            f"kill_{engine}_again": again,
            f"kill_{engine}_equal": equal and len(killed.pids) == options.kills and again <= IN_FLIGHT * options.kills,
        }
    return figures


IN_FLIGHT = 2
"""Samples that a worker with one connection has in flight: one waits for its answer, one may be about to be written."""


class Killed(NamedTuple):
    """Which workers were killed, and how many calls waited for an answer then."""

    pids: list[int]
    in_flight: list[int]


def _killer(engine: str, over: threading.Event, killed: Killed, options: argparse.Namespace) -> None:
    """End a worker at a sixth, two sixths, … of the calls."""
    calls = options.tasks * options.samples
    while len(killed.pids) < options.kills and not over.wait(0.02):
        if len(CALLS) < calls * (len(killed.pids) + 1) / (options.kills + 1):
            continue
        workers = _workers(engine)
        if workers:
            victim = random.choice(workers)
            killed.in_flight.append(len(WAITING))
            victim.kill()
            killed.pids.append(victim.pid)


def _workers(engine: str) -> list[psutil.Process]:
    """The workers that this program has started itself, here or through its own Ray nodes."""
    title = "ray::_Worker.work" if engine == "ray" else "steelyard.worker"
    found: list[psutil.Process] = []
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            if title in " ".join(process.cmdline()):
                found.append(process)
    return found


PARTS = {"same": same, "speed": speed, "kill": kill}

SIZES = {"same": (16, 4), "speed": (16, 40), "kill": (8, 30)}
"""Tasks and samples of each part."""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("part", nargs="?", choices=[*PARTS, "all"], default="all")
    parser.add_argument("--tasks", type=int)
    parser.add_argument("--samples", type=int)
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--workers", type=lambda text: [int(part) for part in text.split(",")], default=[1, 4, 16])
    parser.add_argument("--engines", type=lambda text: text.split(","), default=["processes", "ray"])
    options = parser.parse_args()
    chosen = PARTS if options.part == "all" else {options.part: PARTS[options.part]}
    figures: dict[str, Any] = {}
    needs_ray = "ray" in options.engines or "speed" in chosen
    cluster = two_nodes(max(8, *options.workers)) if needs_ray else nullcontext(None)
    with tempfile.TemporaryDirectory() as folder, serving(), cluster as address:
        for name, part in chosen.items():
            tasks, samples = SIZES[name]
            sized = {**vars(options), "tasks": options.tasks or tasks, "samples": options.samples or samples}
            begun = time.monotonic()
            figures |= part(argparse.Namespace(**sized), Path(folder, name), address)
            print(f"  ({name} took {time.monotonic() - begun:.0f} s)", flush=True)
            record("workers", {**known("workers"), **figures})
    if not all(value for name, value in figures.items() if name.endswith(("_boards", "_equal"))):
        sys.exit("the boards differ, or a lost worker cost more than its samples in flight")


if __name__ == "__main__":
    main()
