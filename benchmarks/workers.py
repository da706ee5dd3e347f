"""Engines: the same board from any number of workers, how much faster many are, and what lost workers cost.

    python benchmarks/workers.py same | speed | kill | all  [--tasks 16] [--samples 40] [--workers 1,4,16] [--kills 5]

The subjects are a server on this machine that answers after 200 ms, so a run waits as one of a provider does. `same`
compares the JSON of the board after 1, 4 and 16 workers, on `processes` and on a Ray cluster of two nodes, but for
names, times and paths. `speed` compares one Ray worker with eight. `kill` ends a random worker with SIGKILL five times
in a run and counts the calls that were made twice.
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
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import psutil
from figures import known, record

LATENCY_S = 0.2
CALLS: Counter[str] = Counter()
"""Calls by model and prompt."""


class Handler(BaseHTTPRequestHandler):
    """A Messages API that answers slowly, and always the same to the same question."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        prompt = json.dumps(request["messages"])
        CALLS[f"{request['model']} {hashlib.sha256(prompt.encode()).hexdigest()}"] += 1
        time.sleep(LATENCY_S)
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

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": processors, "include_dashboard": False})
    cluster.add_node(num_cpus=processors)
    try:
        yield str(cluster.address)
    finally:
        cluster.shutdown()


def run(folder: Path, engine: str, workers: int, options: argparse.Namespace, address: str | None) -> float:
    """Run the tasks; seconds from the first answer that was asked for to the end of the last log."""
    from datetime import datetime

    from inspect_ai.log import list_eval_logs, read_eval_log

    from steelyard import api
    from steelyard.engine.protocol import EngineOptions

    done = api.bench(
        [f"anthropic/waiting-{number}" for number in range(options.tasks)],
        folder,
        categories=["practice_exam"],
        limit=options.samples,
        max_connections=1,
        model_args={"streaming": False},
        generate_config={"max_tokens": 500},
        images="no",
        engine=None
        if engine == "local"
        else EngineOptions(engine, workers, ray_address=address if engine == "ray" else None),
    )
    if done.problems:
        sys.exit(f"{engine} with {workers} workers: {done.problems[0]}")
    logs = [read_eval_log(info, header_only=True) for info in list_eval_logs(str(folder))]
    begun = min(datetime.fromisoformat(str(log.stats.started_at)) for log in logs)
    ended = max(datetime.fromisoformat(str(log.stats.completed_at)) for log in logs)
    return (ended - begun).total_seconds()


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


def same(options: argparse.Namespace, folder: Path, address: str) -> dict[str, Any]:
    """Whether every number of workers gives the same board."""
    boards: dict[str, str] = {}
    for engine in ("processes", "ray"):
        for workers in options.workers:
            logs = folder / f"{engine}-{workers}"
            run(logs, engine, workers, options, address)
            boards[logs.name] = hashlib.sha256(board(logs).encode()).hexdigest()[:16]
            print(f"  {logs.name}: board {boards[logs.name]}", flush=True)
    equal = len(set(boards.values())) == 1
    print(f"same: {'equal' if equal else 'DIFFERENT'} boards from {', '.join(boards)}")
    return {"same_boards": equal, "same_tasks": options.tasks, "same_samples": options.samples}


def speed(options: argparse.Namespace, folder: Path, address: str) -> dict[str, Any]:
    """How much faster eight workers are than one."""
    one = run(folder / "one", "ray", 1, options, address)
    eight = run(folder / "eight", "ray", 8, options, address)
    print(f"speed: one Ray worker {one:.1f} s, eight {eight:.1f} s, ratio {one / eight:.2f} (promise: 6)")
    return {"one_worker_s": one, "eight_workers_s": eight, "speedup": one / eight, "load": os.getloadavg()[0]}


def kill(options: argparse.Namespace, folder: Path, address: str) -> dict[str, Any]:
    """What five lost workers cost."""
    undisturbed = folder / "undisturbed"
    run(undisturbed, "local", 1, options, address)
    CALLS.clear()
    over = threading.Event()
    killed: list[int] = []
    thread = threading.Thread(target=_killer, args=(over, killed, options))
    thread.start()
    run(folder / "killed", "ray", 4, options, address)
    over.set()
    thread.join()
    twice = sum(CALLS.values()) - len(CALLS)
    equal = board(undisturbed) == board(folder / "killed")
    print(f"kill: {len(killed)} workers lost, {twice} of {len(CALLS)} calls made again, boards equal: {equal}")
    return {"killed": len(killed), "calls": len(CALLS), "calls_again": twice, "killed_same_board": equal}


def _killer(over: threading.Event, killed: list[int], options: argparse.Namespace) -> None:
    """End a worker at a sixth, two sixths, … of the calls."""
    calls = options.tasks * options.samples
    while len(killed) < options.kills and not over.wait(0.05):
        if len(CALLS) < calls * (len(killed) + 1) / (options.kills + 1):
            continue
        workers = [process for process in psutil.process_iter(["cmdline"]) if _is_busy(process)]
        if workers:
            victim = random.choice(workers)
            victim.kill()
            killed.append(victim.pid)


def _is_busy(process: psutil.Process) -> bool:
    return "ray::_Worker.work" in " ".join(process.info["cmdline"] or [])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("part", nargs="?", choices=["same", "speed", "kill", "all"], default="all")
    parser.add_argument("--tasks", type=int, default=16)
    parser.add_argument("--samples", type=int, default=40)
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--workers", type=lambda text: [int(part) for part in text.split(",")], default=[1, 4, 16])
    options = parser.parse_args()
    parts = {"same": same, "speed": speed, "kill": kill}
    chosen = parts if options.part == "all" else {options.part: parts[options.part]}
    with tempfile.TemporaryDirectory() as folder, serving(), two_nodes(max(8, *options.workers)) as address:
        figures: dict[str, Any] = {}
        for name, part in chosen.items():
            figures |= part(options, Path(folder, name), address)
            record("workers", {**known("workers"), **figures})
    if not (figures.get("same_boards", True) and figures.get("killed_same_board", True)):
        sys.exit("the boards differ")


if __name__ == "__main__":
    main()
