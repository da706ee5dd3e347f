"""This machine: what works on it, what to install, a first look at everything, and how far runs are."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from dataclasses import KW_ONLY
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from steelyard.api.spec import argument, named, option, parameter, rare, spec, takes
from steelyard.api.values import Notify, Progress, new_folder, silent, sources, texts
from steelyard.errors import InputError

if TYPE_CHECKING:
    from steelyard.demo import Demo
    from steelyard.doctor import Examination
    from steelyard.report.document import Document
    from steelyard.status.model import Status
else:
    Document = object  # the fields of a spec are read with their types

Show = Callable[[Document], None]
"""Called with a result as a document."""


def doctor(*, notify: Notify = silent) -> Examination:
    """Try every part of Steelyard on this machine.

    Args:
        notify: Called with the name of each part before it is tried.

    Returns: The state of each part, with the cure for what does not work.
    """
    from steelyard.doctor import examine

    return examine(notify)


@named
class MachineSetup:
    """What to install."""

    agents: tuple[str, ...] = option(
        "Install the client of this coding agent instead.", "--agent", "NAME", default=(), converter=texts
    )
    agent_version: str | None = rare("Install this version of the client, not the pinned one.", "VERSION", default=None)
    notify: Notify = parameter("Called with each line of progress.", default=silent)


@takes(MachineSetup)
def setup(spec: MachineSetup) -> Path:
    """Install the pinned Node tools and the embedded model, as far as the installed extras need them.

    With `agents` the pinned clients of these agents (`claude-code`, `codex`, `gemini-cli`, `opencode`) instead.

    Returns: The cache folder that holds them.
    """
    from steelyard import toolchain
    from steelyard.toolchain import clients, installing

    if spec.agent_version is not None and len(spec.agents) != 1:
        raise InputError("a version belongs to one agent", cure="--agent NAME --agent-version VERSION")
    if spec.agents:
        for agent in spec.agents:
            spec.notify(f"{agent}: {clients.install_client(agent, spec.notify, spec.agent_version)}, starts")
        return toolchain.cache_folder()
    installing.setup(spec.notify)
    if importlib.util.find_spec("aws_cdk") is not None:
        from steelyard.bench.cdk_synth.synthesizer import packages, prepare

        packages.check(thorough=True)
        repaired = prepare.prepare(thorough=True)  # now, so that the first verification does not wait for it
        spec.notify(
            f"CDK synthesizer: {repaired}; prepared again" if repaired else "CDK synthesizer: prepared and intact"
        )
    return toolchain.cache_folder()


def clean(*, notify: Notify = silent) -> int:
    """Remove from the cache folder what this version does not use.

    That is what interrupted installations left, and Node tools and prepared CDK synthesizers of other versions. Another
    version that is still in use installs its parts again.

    Args:
        notify: Called with each folder that is removed and its size.

    Returns: The bytes freed.
    """
    from steelyard.toolchain import installing

    keep = ()
    if importlib.util.find_spec("aws_cdk") is not None:
        from steelyard.bench.cdk_synth.synthesizer.prepare import home

        keep = (home(),)
    return installing.clean(keep, notify)


@spec
class DemoRun:
    """Where the demo goes, and who hears of it."""

    out: Path = option(
        "Folder for page, JSON and logs; start again with it to continue.", default=Path("steelyard-demo"),
        converter=new_folder,
    )  # fmt: skip
    _: KW_ONLY
    notify: Notify = parameter("Called with each line of progress.", default=silent)
    progress: Progress = parameter("Called as samples end.", default=silent)
    show: Show = parameter("Called with each result, as a document, as soon as it exists.", default=silent)


@takes(DemoRun)
def demo(spec: DemoRun) -> Demo:
    """Run all three wings on embedded subjects, offline, and write the results into a folder.

    Returns: Board, audit and gate, what is not finished, and the page to open.
    """
    from steelyard.demo import Watcher
    from steelyard.demo import demo as run

    return run(spec.out, Watcher(spec.progress, spec.notify, spec.show))


@spec
class LogStatus:
    """Logs of runs that go on, or have ended."""

    logs: tuple[str, ...] = argument(
        "Folders, files, globs, or anything else that Inspect can read.", converter=sources
    )


@takes(LogStatus)
def status(spec: LogStatus) -> Status:
    """Count what has ended, what runs and what is left in folders of logs, also while they are written.

    Returns: One line per subject and category, or per arm and round, and the logs that could not be read.
    """
    return next(watch_status(spec))


@takes(LogStatus)
def watch_status(spec: LogStatus) -> Iterator[Status]:
    """Take the status again and again; a log that has not changed is not read again.

    Returns: The status at the moment of each step of the iterator, without end.
    """
    from steelyard.status.cost import cost
    from steelyard.status.read import LogReader
    from steelyard.status.weigh import weigh

    reader = LogReader(spec.logs)
    while True:
        yield weigh(reader.read(), datetime.now(UTC), cost)
