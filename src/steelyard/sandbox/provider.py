"""Sandboxes as Inspect starts them: one of a chosen kind for each sample.

`docker_run` is the provider behind `docker`. Process 1 of its container is the supervisor of `bubblewrap`, so the two
behave alike and one process serves a sandbox. Inspect's own provider starts a program for each request, and needs
Compose.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from inspect_ai.util import SandboxEnvironmentSpec, sandboxenv
from pydantic import BaseModel
from typing_extensions import override

from steelyard.sandbox import bubblewrap
from steelyard.sandbox.bubblewrap import Bubblewrap, BubblewrapSandbox
from steelyard.sandbox.choose import Sandbox
from steelyard.sandbox.jail import Jail

DOCKER = "docker_run"


class Docker(Bubblewrap):
    """Settings of one sandbox in a container."""

    image: str
    """The system inside."""

    @override
    def jail(self) -> Jail:
        return replace(super().jail(), image=self.image)


@sandboxenv(name=DOCKER)
class DockerSandbox(BubblewrapSandbox):
    """One running container behind Inspect's interface."""

    @classmethod
    @override
    def config_deserialize(cls, config: dict[str, Any]) -> BaseModel:
        return Docker.model_validate(config)


def specification(sandbox: Sandbox, settings: Bubblewrap) -> SandboxEnvironmentSpec:
    """A sandbox with these settings for Inspect; one that only Inspect knows has its own."""
    if sandbox.image is not None:
        return SandboxEnvironmentSpec(DOCKER, Docker(**dict(settings), image=sandbox.image))
    if sandbox.foreign:
        return SandboxEnvironmentSpec(sandbox.name, sandbox.config)
    return SandboxEnvironmentSpec(bubblewrap.NAME, settings)
