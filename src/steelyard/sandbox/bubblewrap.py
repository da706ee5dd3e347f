"""`bubblewrap`: an Inspect sandbox provider for machines without Docker, useful on its own.

Each sample has one sandbox for its whole life, so background processes and Inspect's own tools (`bash_session`,
editors) work. At the end of the sample everything is killed and removed.

    Task(..., sandbox="bubblewrap")
    Task(..., sandbox=SandboxEnvironmentSpec("bubblewrap", Bubblewrap(network="host")))
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any, Literal, cast, overload

import anyio
import anyio.to_thread
from inspect_ai.util import (
    ExecResult,
    OutputLimitExceededError,
    SandboxEnvironment,
    SandboxEnvironmentConfigType,
    SandboxEnvironmentLimits,
    SandboxUserUnsupportedError,
    sandboxenv,
)
from pydantic import BaseModel, Field
from typing_extensions import override

from steelyard.errors import InputError
from steelyard.sandbox.host import Host, decoded, encoded
from steelyard.sandbox.jail import WORK, Jail, Network
from steelyard.sandbox.limits import Limits
from steelyard.yamlfile import Strict, read

NAME = "bubblewrap"

_ERRORS: Mapping[str, type[OSError]] = {
    "ENOENT": FileNotFoundError,
    "EISDIR": IsADirectoryError,
    "EACCES": PermissionError,
    "EPERM": PermissionError,
    "EROFS": PermissionError,
}


class Bubblewrap(Strict):
    """Settings of one sandbox."""

    network: Network = "none"
    limits: Limits = Field(default_factory=Limits)
    read_only: dict[str, str] = Field(default_factory=dict)
    """Path inside → path on the host."""
    hide: tuple[str, ...] = ()
    """Paths inside that show an empty folder."""
    environment: dict[str, str] = Field(default_factory=dict)
    """In addition to PATH, HOME, LANG and TMPDIR; nothing of the host's environment is passed on."""

    @override
    def __hash__(self) -> int:
        # Inspect uses configurations as dictionary keys, and two of the fields are dictionaries themselves.
        return hash(self.model_dump_json())

    def jail(self) -> Jail:
        """These settings as a `Jail`."""
        binds = tuple((Path(host), inside) for inside, host in self.read_only.items())
        return Jail(binds, (), self.hide, self.network, self.environment, WORK, self.limits)


@sandboxenv(name=NAME)
class BubblewrapSandbox(SandboxEnvironment):
    """One running sandbox behind Inspect's interface."""

    def __init__(self, host: Host) -> None:
        super().__init__()
        self.host = host
        """The host's end of it."""

    @classmethod
    @override
    def config_deserialize(cls, config: dict[str, Any]) -> BaseModel:
        return Bubblewrap.model_validate(config)

    @classmethod
    @override
    def default_concurrency(cls) -> int | None:
        return 2 * (os.cpu_count() or 1)

    @classmethod
    @override
    async def sample_init(
        cls, task_name: str, config: SandboxEnvironmentConfigType | None, metadata: dict[str, str]
    ) -> dict[str, SandboxEnvironment]:
        settings = _settings(config)
        host = await anyio.to_thread.run_sync(Host, settings.jail())
        return {"default": cls(host)}

    @classmethod
    @override
    async def sample_cleanup(
        cls,
        task_name: str,
        config: SandboxEnvironmentConfigType | None,
        environments: dict[str, SandboxEnvironment],
        interrupted: bool,
    ) -> None:
        for environment in environments.values():
            # Not in a thread: an interrupted sample must not leave its processes behind.
            environment.as_type(cls).host.close()

    @override
    async def exec(
        self,
        cmd: list[str],
        input: str | bytes | None = None,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        user: str | None = None,
        timeout: int | None = None,
        timeout_retry: bool = True,
        concurrency: bool = True,
    ) -> ExecResult[str]:
        if user is not None:
            # Inspect asks whether its tools may run as root; this error makes it use the sandbox's own user instead.
            raise SandboxUserUnsupportedError(f"a bubblewrap sandbox has one user; it cannot be {user!r}")
        reply = await self._reply(
            do="exec",
            argv=cmd,
            input=encoded(input),
            cwd=_inside(cwd),
            env=env or {},
            timeout_s=timeout,
            keep=SandboxEnvironmentLimits.MAX_EXEC_OUTPUT_SIZE,
        )
        if "error" in reply:
            return _not_started(cmd, reply)
        if reply["timed_out"]:
            raise TimeoutError(f"the command did not end within {timeout} s")
        out, err = (decoded(reply, name).decode("utf-8", "replace") for name in ("stdout", "stderr"))
        code = int(reply["returncode"])
        # As a shell does: a signal is reported as 128 + its number.
        code = 128 - code if code < 0 else code
        return ExecResult(code == 0, code, out, err)

    @override
    async def write_file(self, file: str, contents: str | bytes) -> None:
        reply = await self._reply(do="write", path=_inside(file), data=encoded(contents))
        _raise_for(reply, file)

    @overload
    async def read_file(self, file: str, text: Literal[True] = True) -> str: ...

    @overload
    async def read_file(self, file: str, text: Literal[False]) -> bytes: ...

    @override
    async def read_file(self, file: str, text: bool = True) -> str | bytes:
        limit = SandboxEnvironmentLimits.MAX_READ_FILE_SIZE
        reply = await self._reply(do="read", path=_inside(file), keep=limit)
        if reply.get("error") == "EFBIG":
            raise OutputLimitExceededError(SandboxEnvironmentLimits.MAX_READ_FILE_SIZE_STR, None)
        _raise_for(reply, file)
        data = decoded(reply, "data")
        # Strict, unlike the output of commands: Inspect expects a UnicodeDecodeError for a file that is not text.
        return data.decode("utf-8") if text else data

    def start(self, cmd: list[str], env: dict[str, str]) -> Background:
        """Start a command that runs beside the others until it ends or is killed."""
        return Background(self.host, self.host.ask(do="exec", argv=cmd, cwd=WORK, env=env, keep=100_000))

    async def restart(self) -> None:
        """End everything inside and begin anew with empty folders."""
        self.host.close()
        self.host = await anyio.to_thread.run_sync(Host, self.host.jail)

    async def _reply(self, **request: Any) -> dict[str, Any]:
        future = self.host.ask(**request)
        try:
            return await _result(future)
        except BaseException:
            # Cancelling only abandons the waiting thread; the command inside would go on running.
            self.host.kill(future)
            raise


@dataclass(frozen=True, slots=True)
class Background:
    """A command in the background."""

    host: Host
    reply: Future[dict[str, Any]]

    async def ended(self) -> int:
        """Its exit code, once it has ended."""
        # Without an exit code it could not be started, which a shell reports as 127.
        return int((await _result(self.reply)).get("returncode", 127))

    def kill(self) -> None:
        """End it, if it still runs."""
        self.host.kill(self.reply)


async def _result(future: Future[dict[str, Any]]) -> dict[str, Any]:
    """Wait in a thread: the future is resolved by another thread, which knows neither asyncio nor trio."""
    return await anyio.to_thread.run_sync(future.result, abandon_on_cancel=True, limiter=_waiters())


@cache
def _waiters() -> anyio.CapacityLimiter:
    """Separate from Inspect's own threads, which must not wait behind commands that take minutes."""
    return anyio.CapacityLimiter(512)


def _settings(config: SandboxEnvironmentConfigType | None) -> Bubblewrap:
    if config is None:
        return Bubblewrap()
    if isinstance(config, Bubblewrap):
        return config
    if isinstance(config, str):
        return read(Path(config)).validated(Bubblewrap)
    raise InputError(f"a bubblewrap sandbox cannot be configured by {type(config).__name__}")


def _inside(path: str | None) -> str:
    return str(PurePosixPath(WORK) / (path or ""))


def _not_started(cmd: list[str], reply: dict[str, Any]) -> ExecResult[str]:
    """The result of a command that cannot be started, as a shell reports it."""
    code = cast(str, reply["error"])
    # Inspect expects an exception for a file that may not be executed, but an exit code for a missing one.
    if code in ("EACCES", "EPERM"):
        raise PermissionError(f"permission denied: {cmd[0]}")
    return ExecResult(False, 127 if code == "ENOENT" else 126, "", f"{reply['text']}\n")


def _raise_for(reply: dict[str, Any], file: str) -> None:
    if "error" in reply:
        kind = _ERRORS.get(cast(str, reply["error"]), OSError)
        raise kind(f"{reply['text']} ({file})")
