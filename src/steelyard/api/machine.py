"""This machine: what works on it, what to install, and a first look at everything."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from steelyard.api.spec import Location, Notify, Progress, silent, sources, texts

if TYPE_CHECKING:
    from steelyard.demo import Demo
    from steelyard.doctor import Examination
    from steelyard.report.document import Document
    from steelyard.status.model import Status


Show = Callable[["Document"], None]
"""Called with a result as a document."""


def doctor(*, notify: Notify = silent) -> Examination:
    """Try every part of Steelyard on this machine.

    Args:
        notify: Called with the name of each part before it is tried.

    Returns:
        The state of each part, with the cure for what does not work.
    """
    from steelyard.doctor import examine

    return examine(notify)


def setup(*, agents: str | Iterable[str] = (), agent_version: str | None = None, notify: Notify = silent) -> Path:
    """Install the pinned Node tools and the embedded model, as far as the installed extras need them.

    Args:
        agents: Install the pinned clients of these agents (`claude-code`, `codex`, `gemini-cli`, `opencode`) instead.
        agent_version: The version of the client; the pinned one if absent. Only for a single agent.
        notify: Called with each line of progress.

    Returns:
        The cache folder that holds them.

    Raises:
        ToolchainError: No extra is installed, or a download or its checksum fails.
        InputError: A version is given without exactly one agent.
    """
    import importlib.util

    from steelyard import toolchain
    from steelyard.errors import InputError
    from steelyard.toolchain import clients

    names = texts(agents)
    if agent_version is not None and len(names) != 1:
        raise InputError("a version belongs to one agent", cure="--agent NAME --agent-version VERSION")
    if names:
        for agent in names:
            notify(f"{agent}: {clients.install_client(agent, notify, agent_version)}, starts")
        return toolchain.cache_folder()
    toolchain.setup(notify)
    if importlib.util.find_spec("aws_cdk") is not None:
        from steelyard.bench.cdk_synth.synthesizer import packages, prepare

        packages.check(thorough=True)
        repaired = prepare.prepare(thorough=True)  # now, so that the first verification does not wait for it
        notify(f"CDK synthesizer: {repaired}; prepared again" if repaired else "CDK synthesizer: prepared and intact")
    return toolchain.cache_folder()


def clean(*, notify: Notify = silent) -> int:
    """Remove from the cache folder what this version does not use.

    That is what interrupted installations left, and Node tools and prepared CDK synthesizers of other versions. Another
    version that is still in use installs its parts again.

    Args:
        notify: Called with each folder that is removed and its size.

    Returns:
        The bytes freed.

    Raises:
        ToolchainError: A folder cannot be removed.
    """
    import importlib.util

    from steelyard import toolchain

    keep = ()
    if importlib.util.find_spec("aws_cdk") is not None:
        from steelyard.bench.cdk_synth.synthesizer.prepare import home

        keep = (home(),)
    return toolchain.clean(keep, notify)


def demo(
    out: str | Path = "steelyard-demo", *, notify: Notify = silent, progress: Progress = silent, show: Show = silent
) -> Demo:
    """Run all three wings on embedded subjects, offline, and write the results into a folder.

    Args:
        out: Folder for pages, JSON and logs; run again with the same folder to continue.
        notify: Called with each line of progress.
        progress: Called as samples end.
        show: Called with each result, as a document, as soon as it exists.

    Returns:
        Board, audit and gate, what is not finished, and the page to open.

    Raises:
        ToolchainError: An extra is not installed.
        SandboxError: No sandbox is available.
    """
    from steelyard.demo import Watcher
    from steelyard.demo import demo as run

    return run(Path(out), Watcher(progress, notify, show))


def status(logs: str | Location | Iterable[str | Location]) -> Status:
    """Count what has ended, what runs and what is left in folders of logs, also while they are written.

    Args:
        logs: Folders, files, globs, or anything else that Inspect can read.

    Returns:
        One line per subject and category, or per arm and round, and the logs that could not be read.

    Raises:
        LogError: No log was found.
    """
    return next(watch_status(logs))


def watch_status(logs: str | Location | Iterable[str | Location]) -> Iterator[Status]:
    """Take the status again and again; a log that has not changed is not read again.

    Args:
        logs: Folders, files, globs, or anything else that Inspect can read.

    Returns:
        The status at the moment of each step of the iterator, without end.

    Raises:
        LogError: No log was found.
    """
    from datetime import UTC, datetime

    from steelyard.status.cost import cost
    from steelyard.status.read import LogReader
    from steelyard.status.weigh import weigh

    reader = LogReader(sources(logs))
    while True:
        yield weigh(reader.read(), datetime.now(UTC), cost)
