"""Ray: workers that stay warm and take task after task, on a running cluster or on one that is started here.

Starting Inspect costs seconds, so a worker is an actor that keeps its process. A task is given only to a worker that
has been placed: on a full cluster the others wait for room while the tasks go on. A task that failed is tried again on
another node if there is one: a full disk is the fault of one node.
"""

from __future__ import annotations

import os
import signal
import socket
from collections import deque
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from steelyard.engine.definition import WORKER
from steelyard.engine.protocol import PATIENCE_S, Ended, EngineOptions, Job, Problem
from steelyard.errors import InputError, ToolchainError, boundary, one_line
from steelyard.process import isolated
from steelyard.secrets import redact

if TYPE_CHECKING:
    from collections.abc import Callable

    from steelyard.location import Location

CONNECT_S = 10.0
"""How long a cluster has to answer."""

PLACE_S = 120.0
"""How long the cluster has to place the first worker."""

MOST_LOST = 20
"""Workers that may be lost before they have done anything."""


_SETTINGS = b"\0\0\0\4\0\0\0\0\0"
"""An empty frame of HTTP/2 settings; the fourth byte is the kind of a frame."""


class _Place(NamedTuple):
    """Where a worker is."""

    node: str
    pid: int
    host: str


class _Worker:
    """Runs selections in one process, one after another; an actor on the cluster."""

    def place(self) -> _Place:
        return _Place(import_module("ray").get_runtime_context().get_node_id(), os.getpid(), socket.gethostname())

    def work(self, definition: str, selection: str) -> str | None:
        # Ray starts its processes with interrupts blocked, and with a handler that whoever started it may have set.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        try:
            problems = import_module(WORKER).problems_of(definition, selection)
        except KeyboardInterrupt:
            return "interrupted"
        return problems[0] if problems else None


def _interrupt(pid: int) -> None:
    os.kill(pid, signal.SIGINT)


class RayCluster:
    """Actors on a cluster. Mutable: it knows its workers and what they do."""

    def __init__(self, ray: Any, options: EngineOptions) -> None:
        self._ray = ray
        self._options = options
        self._doing: dict[Any, tuple[Any, Job | None]] = {}
        """Promise → the worker that made it, and its job; no job while the worker is being placed."""
        self._idle: list[Any] = []
        self._places: dict[Any, _Place] = {}
        self._failed: dict[str, str] = {}
        """Job → the node on which it failed last."""
        self._elsewhere: str | None = None
        """The node for further workers, if one has been chosen."""
        self._lost = 0

    def run(self, jobs: Sequence[Job], ended: Ended) -> None:
        """Give each job to the next worker that is free."""
        waiting = deque(jobs)
        try:
            while waiting or any(job is not None for _, job in self._doing.values()):
                self._hire(len(waiting))
                self._hand_out(waiting, ended)
                if self._doing:
                    self._collect(waiting, ended)
                elif waiting:
                    self._move(waiting[0])
        except BaseException:
            self._end()
            raise

    def preview(self, jobs: Sequence[Job]) -> str:
        """Where the jobs would run."""
        resources = self._ray.cluster_resources()
        nodes = sum(node["Alive"] for node in self._ray.nodes())
        return (
            f"{len(jobs)} tasks for at most {min(len(jobs), self._workers())} workers on {nodes} nodes with "
            f"{resources.get('CPU', 0):g} processors\n" + "".join(f"  {job.title}\n" for job in jobs)
        )

    def rejoin(self, folder: Location, waiting: Callable[[], None]) -> None:
        """Nothing to find: Ray ends the workers of a driver that is gone."""

    def close(self) -> None:
        """Dismiss the workers; a cluster that was started here ends."""
        self._ray.shutdown()

    def _workers(self) -> int:
        room = int(self._ray.cluster_resources().get("CPU", 1) / self._options.cpus) if self._options.cpus else 1
        return self._options.workers or max(1, room)

    def _hand_out(self, waiting: deque[Job], ended: Ended) -> None:
        """Give each free worker a job, but none that has just failed on its node."""
        for worker in list(self._idle):
            node = self._places[worker].node
            while (job := next((job for job in waiting if self._failed.get(job.key) != node), None)) is not None:
                waiting.remove(job)
                if not job.stopped:
                    self._idle.remove(worker)
                    self._doing[worker.work.remote(str(job.definition), str(job.selection))] = worker, job
                    break
                ended(job, None)

    def _move(self, job: Job) -> None:
        """Dismiss the free workers, so that others begin on another node; the job has failed where they are."""
        # Forget the failure, so that the job can run here again if there is no other node.
        failed = self._failed.pop(job.key)
        nodes = (node["NodeID"] for node in _large_enough(self._ray, self._options))
        self._elsewhere = next((node for node in nodes if node != failed), None)
        while self._elsewhere is not None and self._idle:
            self._ray.kill(self._idle.pop())

    def _hire(self, waiting: int) -> None:
        """Ask for workers, as many as there are jobs and no more than wanted."""
        actor = self._ray.remote(_Worker)
        wishes: dict[str, Any] = {"num_cpus": self._options.cpus}
        if self._options.memory_gb:
            wishes["memory"] = int(self._options.memory_gb * 2**30)
        if self._elsewhere is not None:
            # Soft: if that node has no room, any other will do.
            wishes["scheduling_strategy"] = _on_node(self._elsewhere, soft=True)
        arriving = sum(job is None for _, job in self._doing.values())
        for _ in range(min(self._workers() - len(self._doing) - len(self._idle), waiting - arriving - len(self._idle))):
            worker = actor.options(**wishes).remote()
            self._doing[worker.place.remote()] = worker, None
        self._elsewhere = None

    def _collect(self, waiting: deque[Job], ended: Ended) -> None:
        """Wait until a worker has been placed, has done its job, or is lost."""
        done, _ = self._ray.wait(list(self._doing), num_returns=1, timeout=PLACE_S)
        if not done and not self._places:
            raise ToolchainError(
                f"no worker could be placed on the Ray cluster within {PLACE_S:g} s",
                cure=f"each needs {self._options.cpus:g} processors; lower --worker-cpus, or add nodes",
            )
        for promise in done:
            worker, job = self._doing.pop(promise)
            problem = self._answer(promise, worker, job)
            if job is None:
                continue
            again = ended(job, problem)
            if again is not None:
                waiting.append(again)

    def _answer(self, promise: Any, worker: Any, job: Job | None) -> Problem | None:
        """What became of a promise; a worker that kept it is free."""
        errors = self._ray.exceptions
        answer: Any
        try:
            answer = self._ray.get(promise)
        except (errors.RayActorError, errors.NodeDiedError, errors.OutOfMemoryError):
            self._places.pop(worker, None)
            # Only workers without a job; the driver counts the losses of each job.
            self._lost += job is None
            if self._lost > MOST_LOST:
                raise ToolchainError("the workers on the Ray cluster end as soon as they are placed") from None
            return Problem("its worker was lost", lost=True)
        except errors.RayError as error:
            answer = one_line(redact(str(error).splitlines()[-1]), 300)
            if job is None:
                raise ToolchainError(
                    f"a worker on the Ray cluster cannot start: {answer}",
                    cure="install the same version of Steelyard on every node",
                ) from None
        self._idle.append(worker)
        if job is None:
            self._places[worker] = answer
            return None
        if answer is None:
            return None
        node, _, host = self._places[worker]
        self._failed[job.key] = node
        return Problem(f"on {host}, {answer}")

    def _end(self) -> None:
        """Interrupt the workers, so that they write their logs, and wait a while for that."""
        interrupt = self._ray.remote(_interrupt)
        sent: list[Any] = []
        for worker, job in self._doing.values():
            if job is not None and (place := self._places.get(worker)) is not None:
                where = _on_node(place.node, soft=False)
                # It asks for no processor, because the workers hold all of them.
                sent.append(interrupt.options(num_cpus=0, scheduling_strategy=where, max_retries=0).remote(place.pid))
        busy = [promise for promise, (_, job) in self._doing.items() if job is not None]
        for promises in (sent, busy):  # in turn: to reach a worker may take the start of a process on its node
            if promises:
                self._ray.wait(promises, num_returns=len(promises), timeout=PATIENCE_S)
        self._doing.clear()


def create(options: EngineOptions) -> RayCluster:
    """Connect to the cluster that is named or running, or start one on this machine."""
    ray = _library()
    address = options.ray_address or os.environ.get("RAY_ADDRESS")
    if address is not None:
        require_reachable(address)
    where, cure = "Ray", "try again when this machine is less busy, or name a cluster with --ray-address"
    if address:
        where, cure = f"the Ray cluster at {address}", "check --ray-address"
    with boundary(ToolchainError, f"cannot use {where}", cure=cure):
        _connect(ray, address, options)
    _room(ray, options)
    return RayCluster(ray, options)


def _connect(ray: Any, address: str | None, options: EngineOptions) -> None:
    how: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR", "configure_logging": False}
    # Ray lets workers search the folder in which it is called for modules, and starts its own processes there.
    how["runtime_env"] = {"env_vars": isolated.searched()}
    with isolated.neutral_folder():
        try:
            ray.init(address=address or "auto", **how)
        except ConnectionError:
            if address is not None:
                raise
            ray.init(address="local", num_cpus=_processors(options), include_dashboard=False, **how)


def _library() -> Any:
    # Nothing about a run is reported to anybody, and the defaults of the next version hold today.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    try:
        return import_module("ray")
    except ImportError as error:
        raise ToolchainError("the engine ray needs Ray", cure="pip install 'steelyard[ray]'") from error


def _processors(options: EngineOptions) -> int:
    """Enough for the workers that a person wants, or those that this machine has."""
    wanted = int((options.workers or 0) * options.cpus + 0.999)
    return max(wanted, os.cpu_count() or 1)


def require_reachable(address: str) -> None:
    """Raise at once if nobody listens: Ray itself tries for minutes."""
    if address in ("auto", "local"):
        return
    parts = urlsplit(address if "://" in address else f"ray-gcs://{address}")
    try:
        host, port = parts.hostname, parts.port or 10001
    except ValueError:
        host, port = None, 0
    if not host:
        raise InputError(f"{address} is not the address of a Ray cluster", cure="HOST:6379, ray://HOST:10001 or auto")
    try:
        with socket.create_connection((host, port), timeout=CONNECT_S) as connection:
            if not _speaks_grpc(connection):
                raise OSError("what listens there is not Ray")
    except OSError as error:
        raise ToolchainError(
            f"the Ray cluster at {address} cannot be reached: {error.strerror or error}",
            cure="check --ray-address, or leave it out to start a cluster on this machine",
        ) from error


def _speaks_grpc(connection: socket.socket) -> bool:
    """Whether the other side answers as Ray does: with the settings of HTTP/2. Behind TLS that cannot be seen."""
    if os.environ.get("RAY_USE_TLS", "0") != "0":
        return True
    connection.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + _SETTINGS)
    return connection.recv(len(_SETTINGS))[3:4] == _SETTINGS[3:4]


def _on_node(node: str, *, soft: bool) -> Any:
    return import_module("ray.util.scheduling_strategies").NodeAffinitySchedulingStrategy(node, soft=soft)


def _large_enough(ray: Any, options: EngineOptions) -> list[Any]:
    """The nodes that have room for one worker when nothing else runs there."""
    memory = (options.memory_gb or 0) * 2**30

    def fits(has: Mapping[str, float]) -> bool:
        return has.get("CPU", 0) >= options.cpus and has.get("memory", 0) >= memory

    return [node for node in ray.nodes() if node["Alive"] and fits(node["Resources"])]


def _room(ray: Any, options: EngineOptions) -> None:
    """Raise if no node is large enough for one worker."""
    if not _large_enough(ray, options):
        ray.shutdown()
        raise InputError(
            f"no node of the Ray cluster has room for a worker: {options.cpus:g} processors"
            + (f" and {options.memory_gb:g} GB" if options.memory_gb else ""),
            cure="lower --worker-cpus or --worker-memory-gb",
        )
