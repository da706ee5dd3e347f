"""Inspect's bridge to a client in a sandbox, and its quick start in sandboxes of our own.

As it comes, the bridge unpacks its tools into every sandbox, starts a server for them, starts the model proxy through
that server, and looks for requests every two seconds: five seconds of processor time, and up to two seconds of waiting
for each call. bubblewrap and docker share files of the host, so there the tools are unpacked once into the cache and
bound read-only, the proxy is a plain command, and requests are looked for ten times a second. In any other sandbox, or
with an Inspect whose bridge is built differently, the bridge works as it comes.
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

from steelyard.gate.agents.client import LAUNCHER, TOOLS
from steelyard.sandbox.bubblewrap import Background, BubblewrapSandbox

_POLL_S = 0.1
"""Seconds between two looks for requests."""
_LISTENING = """
import socket, sys, time
for _ in range(6000):
    try:
        socket.create_connection(("127.0.0.1", int(sys.argv[1]))).close()
        break
    except OSError:
        time.sleep(0.02)
"""


@asynccontextmanager
async def bridge(box: SandboxEnvironment, *, quick: bool) -> AsyncGenerator[SandboxAgentBridge]:
    """The bridge of this sandbox; `quick` if its tools are bound in the sandbox."""
    here = _Bridged.of(box) if quick and _shorten() else None
    token = _QUICK.set(here)
    try:
        async with sandbox_agent_bridge(AgentState(messages=[])) as opened:
            if here is not None:
                await here.exec([here.host.python, "-I", "-S", "-c", _LISTENING, str(opened.port)])
            yield opened
    finally:
        _QUICK.reset(token)


class _Bridged(BubblewrapSandbox):
    """A sandbox in which the tools are bound: a command in the background needs no server."""

    @classmethod
    def of(cls, box: SandboxEnvironment) -> _Bridged | None:
        try:
            return cls(box.as_type(BubblewrapSandbox).host)
        except TypeError:
            return None

    @override
    def default_polling_interval(self) -> float:
        return _POLL_S

    @override
    async def exec_remote(self, cmd: list[str], options: Any = None, *, stream: bool = True) -> Any:
        return _Proxy(self.start([f"{TOOLS}/{LAUNCHER}", *cmd[1:]], options.env or {}))


@dataclass(frozen=True, slots=True)
class _Proxy:
    """The model proxy in the background, as the bridge expects it."""

    command: Background

    async def kill(self) -> None:
        self.command.kill()

    async def __aiter__(self) -> AsyncGenerator[ExecCompleted]:
        yield ExecCompleted(await self.command.ended())


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
