"""Inspect's bridge to a client in a sandbox, and its quick start in sandboxes of our own.

As it comes, the bridge unpacks its tools into every sandbox, starts a server for them, starts the model proxy through
that server, and looks for requests every two seconds: five seconds of processor time, and up to two seconds of waiting
for each call. bubblewrap and docker share files of the host, so there the tools are unpacked once into the cache and
bound read-only, the proxy is a plain command beside which the client starts, and requests are looked for ten times a
second. In any other sandbox, or with an Inspect whose bridge is built differently, the bridge works as it comes.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from inspect_ai.agent import AgentState, SandboxAgentBridge, sandbox_agent_bridge
from inspect_ai.util import ExecCompleted, SandboxEnvironment
from typing_extensions import override

from steelyard.errors import SandboxError
from steelyard.gate.agents.client import LAUNCHER, TOOLS
from steelyard.gate.agents.signature import readable_signatures
from steelyard.sandbox.bubblewrap import Background, BubblewrapSandbox

_POLL_S = 0.1
"""Seconds between two looks for requests."""
# It forks, so that the command that starts it returns with the port while the door stays open.
_DOOR = """
import os, socket, sys, threading, time
proxy, up = ("127.0.0.1", int(sys.argv[1])), threading.Event()
door = socket.create_server(("127.0.0.1", 0), backlog=64)
print(door.getsockname()[1], flush=True)
if os.fork():
    os._exit(0)
for number in range(3):
    os.dup2(os.open(os.devnull, os.O_RDWR), number)

def reach():
    for _ in range(6000):
        try:
            found = socket.create_connection(proxy)
            up.set()
            return found
        except OSError:
            if up.is_set():
                os._exit(0)
            time.sleep(0.02)

def pump(source, target):
    try:
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

def serve(client):
    with client, reach() or socket.socket() as found:
        for end in (client, found):
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        back = threading.Thread(target=pump, args=(found, client))
        back.start()
        pump(client, found)
        back.join()

while True:
    threading.Thread(target=serve, args=(door.accept()[0],), daemon=True).start()
"""
"""Passes connections on to the proxy, the first ones once it listens: a client may start while the proxy does."""


@asynccontextmanager
async def bridge(box: SandboxEnvironment, *, quick: bool) -> AsyncGenerator[tuple[SandboxAgentBridge, int]]:
    """The bridge of this sandbox and the port of its API; `quick` if its tools are bound in the sandbox."""
    here = _Bridged.of(box) if quick and _shorten() else None
    token = _QUICK.set(here)
    try:
        async with sandbox_agent_bridge(AgentState(messages=[]), filter=readable_signatures) as opened:
            yield opened, opened.port if here is None else await here.door(opened.port)
    finally:
        _QUICK.reset(token)


class _Bridged(BubblewrapSandbox):
    """A sandbox in which the tools are bound: a command in the background needs no server."""

    @classmethod
    def of(cls, box: SandboxEnvironment) -> _Bridged | None:
        try:
            return cls(box.as_type(BubblewrapSandbox).host)
        # A sandbox of another kind, in which nothing is bound.
        except TypeError:
            return None

    async def door(self, proxy: int) -> int:
        """The port of a door to the proxy, which may not listen yet."""
        opened = await self.exec([self.host.python, "-I", "-S", "-c", _DOOR, str(proxy)])
        if not opened.success:
            raise SandboxError(f"the bridge cannot be reached: {opened.stderr.strip()[-300:]}")
        return int(opened.stdout)

    @override
    def default_polling_interval(self) -> float:
        return _POLL_S

    @override
    async def exec_remote(self, cmd: list[str], options: Any = None, *, stream: bool = True) -> Any:
        # The first word is the program where Inspect itself would have unpacked it.
        return _Proxy(self.start([f"{TOOLS}/{LAUNCHER}", *cmd[1:]], options.env or {}))


@dataclass(frozen=True, slots=True)
class _Proxy:
    """The model proxy in the background, as the bridge expects it."""

    command: Background

    async def kill(self) -> None:
        self.command.kill()

    async def __aiter__(self) -> AsyncGenerator[ExecCompleted]:
        yield ExecCompleted(await self.command.ended())


# By context, because samples run side by side, each with a sandbox of its own.
_QUICK: ContextVar[_Bridged | None] = ContextVar("steelyard_quick_bridge", default=None)


@functools.cache
def _shorten() -> bool:
    """Make Inspect's bridge ask `_QUICK` for a sandbox that already has the tools, and for how often to look.

    False, and nothing is replaced, if this Inspect does not have the two functions, or not in this form.
    """
    try:
        opening: Any = import_module("inspect_ai.agent._bridge.sandbox.bridge")
        serving: Any = import_module("inspect_ai.agent._bridge.sandbox.service")
        inject, serve = opening.sandbox_with_injected_tools, serving.sandbox_service
        known = {*inspect.signature(serve).parameters, *inspect.signature(SandboxEnvironment.exec_remote).parameters}
    except (ImportError, AttributeError, TypeError, ValueError):
        return False
    if not {"polling_interval", "cmd", "options"} <= known:
        return False

    async def injected(*place: Any, **names: Any) -> Any:
        return _QUICK.get() or await inject(*place, **names)

    async def served(*place: Any, **options: Any) -> Any:
        return await serve(*place, **{**options, **({"polling_interval": _POLL_S} if _QUICK.get() else {})})

    opening.sandbox_with_injected_tools, serving.sandbox_service = injected, served
    return True
