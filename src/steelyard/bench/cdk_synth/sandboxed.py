"""Verifies apps in any Inspect sandbox: runs the pinned `cdk synth` there and applies the same rules to its output.

The sandbox must have `cdk` (pinned) and a Python with `aws-cdk-lib` on its PATH. `sandbox_spec` gives both to a
`bubblewrap` or `docker` sandbox, from what `steelyard setup` has prepared on this machine; any other must bring them.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import time
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from inspect_ai.util import (
    ExecResult,
    OutputLimitExceededError,
    SandboxEnvironment,
    SandboxEnvironmentSpec,
    concurrency,
    sandbox,
)

from steelyard import artifact, toolchain
from steelyard.bench.cdk_synth.assembly import read_assembly
from steelyard.bench.cdk_synth.classify import Ending, Failure, classify
from steelyard.bench.cdk_synth.synthesizer import packages
from steelyard.bench.cdk_synth.synthesizer.kernel_sandbox import other_packages
from steelyard.bench.cdk_synth.synthesizer.prepare import INSIDE, SCRIPTS, SITE, prepared
from steelyard.bench.cdk_synth.verify import TIMEOUT_S, Verdict, encoded, judged
from steelyard.errors import SandboxError, one_line
from steelyard.sandbox.bubblewrap import Bubblewrap, BubblewrapSandbox
from steelyard.sandbox.choose import choose
from steelyard.sandbox.provider import specification

STARTUP_S = 180
"""Seconds on top of the app's own limit for a cold CLI and a cold Node."""
USUAL_S = 6.0
"""The CLI starts in a second or two. Where it takes longer than this, the time limit of an app grows in proportion."""
ATTEMPTS = 3
"""Runs of an app on a machine that becomes slower each time; then there is no verdict."""
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
_BUSY = f"the machine is too busy for a time limit: it became slower in {ATTEMPTS} attempts"
# At most nine digits: an app may print this itself, with thousands of them, and `int` raises on those.
_APP_EXIT = re.compile(r"Subprocess exited with error (\d{1,9}|null)")
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
    """One of the shipped scripts with its executable bit set."""
    target, script = prepared() / SCRIPTS / name, (FILES / name).read_bytes()
    if not target.is_file() or target.read_bytes() != script:
        target.parent.mkdir(exist_ok=True)
        artifact.write_bytes(target, script)
    target.chmod(0o755)
    return target


async def verify_in_sandbox(code: str | bytes) -> Verdict:
    """Run one app in the sandbox of the current sample; no more at once than there are processors."""
    box = sandbox()
    async with concurrency("cdk_verify", os.cpu_count() or 1, visible=False):
        started = time.monotonic()
        try:
            verdict = await _verdict(box, encoded(code))
        except OutputLimitExceededError:
            verdict = Verdict(False, "resource_limit", "the app printed more than allowed")
        except (OSError, ValueError, RuntimeError, SandboxError) as error:
            verdict = Verdict(False, "engine_error", f"the sandbox failed: {error}")
        return replace(verdict, seconds=time.monotonic() - started)


async def _verdict(box: SandboxEnvironment, code: bytes) -> Verdict:
    """A time limit counts if starting the CLI took no longer after the app than the limit allows for."""
    # Before the app, which could break the CLI: one that does not start now is our failure.
    startup = await _startup(box)
    for _ in range(ATTEMPTS):
        if isinstance(startup, str):
            return Verdict(False, "engine_error", f"cdk does not start in the sandbox: {startup}")
        allowed = max(startup, USUAL_S)
        try:
            return await _synthesized(box, code, round((TIMEOUT_S + STARTUP_S) * allowed / USUAL_S))
        except TimeoutError:
            # Where nothing can be ended, a slow start may be the app's own doing, and its time limit counts.
            startup = await _startup(box) if await _emptied(box) else 0.0
            if not isinstance(startup, str) and startup <= allowed:
                return Verdict(False, "timeout", "the app did not end within its time limit")
    return Verdict(False, "engine_error", _BUSY)


async def _synthesized(box: SandboxEnvironment, code: bytes, limit_s: int) -> Verdict:
    # A new one each time: a run that was stopped may have left files in its own.
    folder = f"/tmp/cdk-{secrets.token_hex(8)}"
    await box.write_file(f"{folder}/app.py", code)
    synth = ["cdk", "synth", "--quiet", "--no-notices", "-a", "python app.py"]
    # Without `timeout_retry=False`, Inspect runs a command that timed out again.
    done = await box.exec(synth, cwd=folder, timeout=limit_s, timeout_retry=False)
    files = await _files(box, folder, limit_s)
    return judged(stock_finding(done.returncode, f"{done.stdout}\n{done.stderr}", files), files)


async def _emptied(box: SandboxEnvironment) -> bool:
    """End what an app left behind, which could pass for a busy machine; whether that is possible in this sandbox."""
    try:
        own = box.as_type(BubblewrapSandbox)
    except TypeError:
        return False
    await own.restart()
    return True


async def _startup(box: SandboxEnvironment) -> float | str:
    """The seconds that the CLI takes to start, or why it does not."""
    started = time.monotonic()
    try:
        version = await box.exec(["cdk", "--version"], timeout=STARTUP_S, timeout_retry=False)
    except TimeoutError:
        return f"no answer within {STARTUP_S} s"
    except (OSError, ValueError, RuntimeError) as error:
        return one_line(error, 200) or type(error).__name__
    if version.returncode == 0:
        return time.monotonic() - started
    lines = [line for line in f"{version.stdout}\n{version.stderr}".splitlines() if line.strip()]
    named = next((line for line in lines if "Error" in line), None)
    return one_line(named or (lines[-1] if lines else f"exit code {version.returncode}"), 200)


def stock_finding(returncode: int, output: str, files: dict[str, str]) -> Failure | None:
    """Why a run of the stock CLI failed; None if it passed."""
    app_exit = _APP_EXIT.search(output)
    app_code = 0 if app_exit is None else None if app_exit[1] == "null" else int(app_exit[1])
    # "null": a signal ended the app, and the CLI does not say which.
    ending = Ending(app_code, signal=9 if app_code is None else None, output=_APP_EXIT.sub("", output))
    assembly = read_assembly(files)
    # The CLI leaves the assembly of its last run; context still missing there could not be looked up.
    credentials = ("credentials of an account",) if _NO_ACCOUNT.search(output) else ()
    unresolved = () if assembly is None else assembly.missing or credentials
    finding = classify(ending, assembly, unresolved)
    if returncode != 0 and finding is None:
        last = [line for line in output.strip().splitlines() if line.strip()][-3:]
        return Failure("annotation_error", "\n".join(["the CLI refused the assembly:", *last]))
    return finding


async def _files(box: SandboxEnvironment, folder: str, limit_s: int) -> dict[str, str]:
    # Isolated: modules that the app left behind must not be imported here. Not from a file: an app can lock its folder
    # or fill the disk, and that would look like our failure.
    harvest = ["python", "-I", "-c", (INSIDE / "harvest.py").read_text("utf-8"), f"{folder}/cdk.out"]
    done: ExecResult[str] = await box.exec(harvest, timeout=limit_s, timeout_retry=False)
    files: Any = json.loads(done.stdout) if done.returncode == 0 else {}
    return cast("dict[str, str]", files)
