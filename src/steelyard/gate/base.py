"""What a comparison takes from the base, so that a change cannot loosen the gate that judges it.

The base is a git ref, usually the branch that a pull request goes into. With a base, the settings are those of
`steelyard.yaml` there, and the tasks are those of the same folder there. A base without the file has the default
thresholds, policy and quarantine; a base without the folder has no tasks, so those of the change run. Whatever the
change says otherwise is returned in words, for the top of every report.
"""

from __future__ import annotations

import io
import os
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

from steelyard.artifact import scratch_folder
from steelyard.errors import InputError
from steelyard.gate.config.index import staged
from steelyard.gate.settings import FILE, GateSettings, PolicySettings, SettingsFile, load_settings, resolved
from steelyard.gate.task_folder import Suite, load_suite, read_suite
from steelyard.git import NoFiles, Place, entries_at, git, inside, object_at, settings_text, tree_at
from steelyard.process import on_path
from steelyard.pythons import unpack
from steelyard.tree import to_tar
from steelyard.yamlfile import parse

GIT = "git:"

_RULES = ("thresholds", "quarantine", "accepted_losses", "telemetry", *PolicySettings.model_fields)
"""Settings that a base without a settings file has at their defaults; the others, said in so many words, are those of
the change: somebody has to bring the agent and the tasks."""

_ELSEWHERE = ("quarantine", "accepted_losses", "promote", "noise", "seed")
"""Settings without a line here: entries have lines of their own, the others do not decide."""

_SHOWN = 5
"""Tasks named in one line."""


class BaseSettings(NamedTuple):
    """Settings, and how those of the change differ."""

    settings: GateSettings
    differing: tuple[str, ...]


def ref_of(config: str | None) -> str | None:
    """The ref of a configuration `git:REF[:PATH]`; None for a folder."""
    return config.removeprefix(GIT).partition(":")[0] if config is not None and config.startswith(GIT) else None


def settings_at(path: Path | None, ref: str, repo: Path | None, *, binding: bool = True) -> BaseSettings:
    """The settings that count: those of the base if it is binding, else those of the working tree.

    A settings file outside the repository is not part of any change, so it counts as it is.
    """
    here, repo = load_settings(path), repo or Path()
    if inside(path or Path(FILE), repo) is None:
        return BaseSettings(here, ())
    known, defaults = _settings_there(path or Path(FILE), ref, repo), GateSettings()
    # Without a file at the base, what decides has its defaults and the rest comes from the change.
    there = known or here.model_copy(update={name: getattr(defaults, name) for name in _RULES})
    lines = [*_differences(here.model_dump(), there.model_dump(), ref, binding=binding)]
    if known is None:
        # The base has no settings file, so the report also names what the change itself brings along.
        lines += _differences(there.model_dump(), defaults.model_dump(), ref, binding=False)
    return BaseSettings(there if binding else here, tuple(lines))


def baseline_at(where: str | None, ref: str, repo: Path | None) -> str | None:
    """A baseline as it is at the base, which a change cannot make worse; one that the base does not have stays."""
    repo = repo or Path()
    name = inside(Path(where), repo) if where is not None and ref_of(where) is None else None
    if name in (None, "."):
        return where
    try:
        entries_at(repo, ref, str(name))
    except NoFiles:
        return where
    return f"{GIT}{ref}:{name}"


def suite_at(folder: Path, ref: str, repo: Path | None, tools: Sequence[str] = ()) -> Suite:
    """The tasks of a folder as they are at a commit; those of the working tree if it has no such folder."""
    repo = repo or Path()
    name = inside(folder, repo)
    try:
        tree = tree_at(repo, ref, name) if name else None
    except NoFiles:
        tree = None
    if tree is None:
        return load_suite(folder, tools)
    with scratch_folder("steelyard-base-") as temporary:
        with tarfile.open(fileobj=io.BytesIO(to_tar(tree))) as archive:
            unpack(archive, temporary)
        try:
            suite = load_suite(temporary, tools)
        except InputError as error:
            # A reader knows the ref, not our temporary folder.
            raise InputError(str(error).replace(str(temporary), f"{ref}:{name}")) from error
    return suite._replace(folder=folder)


def task_differences(suite: Suite, folder: Path, ref: str) -> tuple[str, ...]:
    """How the tasks in a folder of the working tree differ from those of the base that run, in words."""
    here = {task.id: task.sha for task in read_suite(folder).tasks} if folder.is_dir() else {}
    there = {task.id: task.sha for task in suite.tasks}
    groups = {
        "changed": sorted(name for name in here.keys() & there.keys() if here[name] != there[name]),
        "added": sorted(here.keys() - there.keys()),
        "removed": sorted(there.keys() - here.keys()),
    }
    words = [f"{word} {_listed(names)}" for word, names in groups.items() if names]
    return (f"tasks differ from {ref}, whose tasks run: {', '.join(words)}",) if words else ()


def _settings_there(path: Path, ref: str, repo: Path) -> GateSettings | None:
    text = settings_text(path, ref, repo)
    if text is None:
        return None
    settings = parse(text, f"{ref}:{path}").validated(SettingsFile).gate if text.strip() else GateSettings()
    _refuse_shadows(path.parent, settings.agent_command or (), ref, repo)
    # A path that the change has deleted must not become one of the current folder.
    return resolved(path.parent, settings, lambda name: os.path.exists(name) or _place_at(name, ref, repo) is not None)


def _refuse_shadows(folder: Path, command: Sequence[str], ref: str, repo: Path) -> None:
    """Raise if the change has added a file that makes a plain word of the base's command a path."""
    for word in _possible_files(command):
        # A file that git does not track is no part of the change.
        if os.path.exists(path := folder / word) and _place_at(path, ref, repo) is None and _tracked(path, repo):
            raise InputError(
                f"{path} is new, and a word of the agent's command in {ref}: a change would be judged by its own agent",
                cure="give the file another name, or merge it first",
            )


def _possible_files(command: Sequence[str]) -> Sequence[str]:
    """The words of an agent's command that are files if there are such files."""
    return command[1:] if command and on_path(command[0]) else command


def _tracked(path: Path, repo: Path) -> bool:
    name = inside(path, repo)
    return name is not None and bool(git(repo, "ls-files", "--", f":(top,literal){name}").stdout)


def program_differences(
    command: Sequence[str], tools: Sequence[str], prices: Path | None, ref: str, repo: Path | None
) -> tuple[str, ...]:
    """Which files and folders of the repository that the agent or a check runs the base does not have, in words; the
    price list is one of them.

    Raises `InputError` for one that it has otherwise: both sides would run the change's own program.
    """
    repo = repo or Path()
    words = dict.fromkeys(_possible_files(command), "the agent's program")
    # A name without a slash is looked up on PATH, where the change has put nothing.
    words |= {name: "the tool" for name in tools if "/" in name}
    words |= {} if prices is None else {str(prices): "the price list"}
    here = {word: Path(word) for word in words if os.path.exists(word) and inside(Path(word), repo) not in (None, ".")}
    there = {word: _place_at(path, ref, repo) for word, path in here.items()}
    for word, place in there.items():
        if place is not None and not _unchanged(place, here[word]):
            raise InputError(
                f"{words[word]} {word} is not the one of {ref}, so a change would be judged by its own",
                cure="change the program and the configuration in two pull requests",
            )
    runs = {"the tool": "checks run", "the agent's program": "the agent runs", "the price list": "costs follow"}
    return tuple(f"{ref} has no {word}: {runs[words[word]]} the one here" for word in there if there[word] is None)


def _unchanged(place: Place, path: Path) -> bool:
    """Whether a file, or what git knows of a folder, is as it was; line ends of a file apart."""
    if place.kind == "blob":
        return path.is_file() and _same(place.contents([place.name])[place.name], path)
    if not path.is_dir():
        return False
    with staged(path) as index:
        # As git would commit them, so that the settings of the clone make no difference.
        return index.entries() == {name: (mode, blob) for mode, blob, name in place.entries()}


def _same(data: bytes, path: Path) -> bool:
    """Whether a file is the same, line ends apart."""
    # git may have changed the line ends when it checked the file out.
    return data.splitlines() == path.read_bytes().splitlines()


def _place_at(path: Path, ref: str, repo: Path) -> Place | None:
    """A file or folder at the base; None if it has none, or the path is outside."""
    name = inside(path, repo)
    return None if name is None else object_at(repo, ref, name)


def _differences(here: Mapping[str, Any], there: Mapping[str, Any], ref: str, *, binding: bool) -> Iterator[str]:
    """One line per setting of the change that differs from the base; the quarantine has lines of its own."""
    for name, other in there.items():
        if name in _ELSEWHERE:
            continue
        one = here[name]
        if isinstance(other, dict):
            nested = cast(dict[str, Any], one), cast(dict[str, Any], other)
            yield from (f"{name}.{line}" for line in _differences(*nested, ref, binding=binding))
        elif one != other:
            counts = f"{_shown(other)} counts" if binding else f"{_shown(one)} counts"
            yield f"{name} is {_shown(one)} here and {_shown(other)} in {ref}: {counts}"


def _shown(value: Any) -> str:
    if isinstance(value, (tuple, list)):
        return ", ".join(map(str, cast(Sequence[Any], value))) or "empty"
    return "unset" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
