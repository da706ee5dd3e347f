"""Verifies apps in any Inspect sandbox: runs the pinned `cdk synth` there and applies the same rules to its output.

The sandbox must have `cdk` (pinned) and a Python with `aws-cdk-lib` on its PATH. `sandbox_spec` gives both to a
`bubblewrap` or `docker` sandbox, from what `steelyard setup` has prepared on this machine; any other must bring them.
"""

from __future__ import annotations

import json
import re
import secrets
import time
from pathlib import Path
from typing import Any, cast

from inspect_ai.util import (
    ExecResult,
    OutputLimitExceededError,
    SandboxEnvironment,
    SandboxEnvironmentSpec,
    sandbox,
)

from steelyard import artifact, toolchain
from steelyard.bench.cdk_synth.assembly import read_assembly
from steelyard.bench.cdk_synth.classify import Ending, Failure, classify
from steelyard.bench.cdk_synth.engine import packages
from steelyard.bench.cdk_synth.engine.prepare import INSIDE, SCRIPTS, SITE, prepared
from steelyard.bench.cdk_synth.engine.worker_sandbox import other_packages
from steelyard.bench.cdk_synth.intent.stacks import templates
from steelyard.bench.cdk_synth.verify import TIMEOUT_S, Verdict, encoded, stacks_of
from steelyard.errors import one_line
from steelyard.sandbox.bubblewrap import Bubblewrap
from steelyard.sandbox.choose import choose
from steelyard.sandbox.provider import specification

STARTUP_S = 180
"""Seconds on top of the app's own limit for a cold CLI and a cold Node."""
BUSY_S = 15.0
"""Starting the CLI takes a second or two. Where it takes this long, a time limit says nothing of an app."""
FILES = Path(__file__).parent / "sandbox"
"""The shipped scripts."""
_ENV = {
    "PATH": "/opt/steelyard/bin:/usr/local/bin:/usr/bin:/bin",
    "PYTHONPATH": SITE,
    "PYTHONPYCACHEPREFIX": "/opt/steelyard/bytecode",
    "PYTHONDONTWRITEBYTECODE": "1",
    # The package cache is read-only, and jsii tries to write to it.
    "NODE_OPTIONS": "--require /opt/steelyard/cache.js",
    "JSII_RUNTIME_PACKAGE_CACHE_ROOT": "/opt/steelyard/packages",
    "AWS_EC2_METADATA_DISABLED": "true",
    "CDK_DISABLE_CLI_TELEMETRY": "true",
}
_APP_EXIT = re.compile(r"Subprocess exited with error (\d+|null)")
_NO_ACCOUNT = re.compile(
    r"Need to perform AWS calls for account|no credentials have been configured|Unable to resolve AWS"
)


def sandbox_spec(kind: str) -> SandboxEnvironmentSpec:
    """The sandbox of a task that uses `cdk_verify`, with this machine's toolchain bound read-only; see `choose`."""
    place, home = choose(kind), prepared()
    tools = {"node": toolchain.node(), "aws-cdk": toolchain.node_modules() / "aws-cdk", "cache.js": INSIDE / "cache.js"}
    read_only = {f"/opt/steelyard/{name}": str(host) for name, host in tools.items()}
    read_only |= {f"/opt/steelyard/bin/{name}": str(_executable(name)) for name in ("cdk", "python", "node")}
    read_only |= {"/opt/steelyard/packages": str(home / "packages"), "/opt/steelyard/bytecode": str(home / "bytecode")}
    read_only |= {f"{SITE}/{name}": str(host) for host, name in packages.installed().entries}
    environment = {**_ENV, "STEELYARD_PYTHON": place.python}
    return specification(place, Bubblewrap(read_only=read_only, hide=other_packages(), environment=environment))


def _executable(name: str) -> Path:
    """Node, or one of the shipped scripts with its executable bit set."""
    if name == "node":
        return toolchain.node()
    target, script = prepared() / SCRIPTS / name, (FILES / name).read_bytes()
    if not target.is_file() or target.read_bytes() != script:
        target.parent.mkdir(exist_ok=True)
        artifact.write_bytes(target, script)
    target.chmod(0o755)
    return target


async def verify_in_sandbox(code: str | bytes) -> Verdict:
    """Run one app in the sandbox of the current sample."""
    box = sandbox()
    folder = f"/tmp/cdk-{secrets.token_hex(8)}"
    started = time.monotonic()
    # Before the app, which could break the CLI: one that does not start now is our failure.
    if (problem := await _cli_problem(box)) is not None:
        return Verdict(False, "engine_error", f"cdk does not start in the sandbox: {problem}", seconds=_since(started))
    startup = _since(started)
    try:
        await box.write_file(f"{folder}/app.py", encoded(code))
        synth = ["cdk", "synth", "--quiet", "--no-notices", "-a", "python app.py"]
        done = await box.exec(synth, cwd=folder, timeout=int(TIMEOUT_S) + STARTUP_S, timeout_retry=False)
        files = await _files(box, folder)
    except TimeoutError:
        if startup > BUSY_S:
            message = f"the machine is too busy for a time limit: starting the CLI alone took {startup:.0f} s"
            return Verdict(False, "engine_error", message, seconds=_since(started))
        return Verdict(False, "timeout", "the app did not end within its time limit", seconds=_since(started))
    except OutputLimitExceededError:
        return Verdict(False, "resource_limit", "the app printed more than allowed", seconds=_since(started))
    except (OSError, ValueError, RuntimeError) as error:
        return Verdict(False, "engine_error", f"the sandbox failed: {error}", seconds=_since(started))
    finding = stock_finding(done.returncode, done.stdout + "\n" + done.stderr, files)
    message = "" if finding is None else finding.message
    klass = None if finding is None else finding.klass
    return Verdict(finding is None, klass, message, templates(files), _since(started), stacks=stacks_of(files))


async def _cli_problem(box: SandboxEnvironment) -> str | None:
    """Why the CLI does not start; None if it does."""
    try:
        version = await box.exec(["cdk", "--version"], timeout=STARTUP_S, timeout_retry=False)
    except TimeoutError:
        return f"no answer within {STARTUP_S} s"
    except (OSError, ValueError, RuntimeError) as error:
        return one_line(error, 200)
    if version.returncode == 0:
        return None
    lines = [line for line in f"{version.stdout}\n{version.stderr}".splitlines() if line.strip()]
    named = next((line for line in lines if "Error" in line), None)
    return one_line(named or (lines[-1] if lines else f"exit code {version.returncode}"), 200)


def stock_finding(returncode: int, output: str, files: dict[str, str]) -> Failure | None:
    """Why a run of the stock CLI failed; None if it passed."""
    app_exit = _APP_EXIT.search(output)
    app_code: int | None = 0 if app_exit is None else (None if app_exit[1] == "null" else int(app_exit[1]))
    ending = Ending(app_code, signal=9 if app_code is None else None, output=_APP_EXIT.sub("", output))
    assembly = read_assembly(files)
    # The CLI leaves the assembly of its last run; context still missing there could not be looked up.
    unresolved = () if assembly is None else assembly.missing or _credentials(output)
    finding = classify(ending, assembly, unresolved)
    if returncode != 0 and finding is None:
        last = [line for line in output.strip().splitlines() if line.strip()][-3:]
        return Failure("annotation_error", "\n".join(["the CLI refused the assembly:", *last]))
    return finding


def _credentials(output: str) -> tuple[str, ...]:
    return ("credentials of an account",) if _NO_ACCOUNT.search(output) else ()


async def _files(box: SandboxEnvironment, folder: str) -> dict[str, str]:
    script = (INSIDE / "harvest.py").read_text("utf-8")
    await box.write_file(f"{folder}/.harvest.py", script)
    done: ExecResult[str] = await box.exec(["python", "-I", f"{folder}/.harvest.py", f"{folder}/cdk.out"], timeout=60)
    files: Any = json.loads(done.stdout) if done.returncode == 0 else {}
    return cast("dict[str, str]", files)


def _since(started: float) -> float:
    return time.monotonic() - started
