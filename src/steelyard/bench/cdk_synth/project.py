"""Reads a CDK project: a folder with `cdk.json` and the files of an app, as `cdk synth` finds it.

The command must run Python, by a script or a module of the folder; it may set variables, but no shell expands any.
Version control, virtual environments, bytecode and the output of earlier runs are left out. A link is kept if it stays
inside the folder. Whatever `cdk.json` asks for that cannot be done here is an error, not a verdict.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import dropwhile, takewhile
from pathlib import Path, PurePosixPath
from typing import Any, cast

from steelyard.errors import InputError

SIZE_LIMIT = 50_000_000
"""Bytes of a project, all files together."""
FILE_LIMIT = 5_000
"""Files and folders of a project."""
APP = "app.py"
"""The script of a folder without `cdk.json`."""
_SETTINGS, _RECORDED = "cdk.json", "cdk.context.json"
_ALONE = "verify a folder that holds the app alone"
_ONE_COMMAND = 'only apps that Python runs can be verified: "app" must be one command, such as `python app.py`'
_METADATA = {
    "pathMetadata": "aws:cdk:enable-path-metadata",
    "assetMetadata": "aws:cdk:enable-asset-metadata",
    "versionReporting": "aws:cdk:version-reporting",
}
"""Setting of `cdk.json` → the context by which an app learns of it."""
_LEFT_OUT = frozenset({".git", ".hg", ".svn", "__pycache__", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".tox"})
_OUTPUT = "cdk.out"
_ENVIRONMENT = "pyvenv.cfg"
"""The file that marks a virtual environment."""
_RUNNERS = (("poetry", "run"), ("pipenv", "run"), ("uv", "run"), ("pdm", "run"), ("hatch", "run"), ("rye", "run"))
"""Programs that only choose an environment for the Python they start."""
_RUNNER_FLAGS = frozenset({"--frozen", "--locked", "--no-sync", "--no-dev", "--offline", "--quiet", "-q"})
_FLAGS = re.compile("-[uBsEq]+")
"""Options of Python that change nothing here (`-u`, `-sE`); `-W` and `-X` have an argument."""
_VARIABLE = re.compile(r"(?!PATH=|HOME=|CDK_|JSII_|NODE_|PYTHON|LD_)[A-Za-z_]\w*=.*", re.DOTALL)
"""A variable that a command may set; those that steer Python, the CLI or the system are none of an app's."""
_QUOTED = re.compile(r"'[^']*'|\\.")
_EXPANDED, _EXPANDED_UNQUOTED = frozenset("$`"), frozenset("*?[")


@dataclass(frozen=True, slots=True)
class Entry:
    """What to run: `python SCRIPT ARGUMENTS`, or `python -m MODULE ARGUMENTS`."""

    target: str
    """The script, relative to the project, or the module."""
    module: bool = False
    arguments: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    """Variables that the command sets."""


@dataclass(frozen=True, slots=True)
class Project:
    """An app of several files."""

    files: Mapping[str, bytes]
    """Relative path → content."""
    executable: frozenset[str]
    """Paths of the files that can be executed."""
    links: Mapping[str, str]
    """Relative path of a symbolic link → its target, relative to the link."""
    folders: frozenset[str]
    """Relative paths of the folders that are empty."""
    entry: Entry
    context: Mapping[str, Any]
    """What the CLI passes to the app: `cdk.context.json`, the context of `cdk.json`, and its settings."""


def read_project(folder: Path) -> Project:
    """The project in a folder; `InputError` if it cannot be read, is too large, or is not a Python app."""
    try:
        files, executable, links, folders = _contents(folder)
    except OSError as error:
        raise InputError(f"cannot read {error.filename or folder}: {error.strerror or error}") from error
    settings, recorded = _object(folder, _SETTINGS, files), _object(folder, _RECORDED, files)
    entry, context = _entry(folder, settings, files), _context(folder, settings, recorded)
    return Project(files, executable, links, folders, entry, context)


def _contents(folder: Path) -> tuple[dict[str, bytes], frozenset[str], dict[str, str], frozenset[str]]:
    files: dict[str, bytes] = {}
    executable: set[str] = set()
    links: dict[str, str] = {}
    folders: set[str] = set()
    size = 0
    for count, (path, relative) in enumerate(_walk(folder, ""), start=1):
        if count > FILE_LIMIT:
            raise InputError(f"{folder} has more than {FILE_LIMIT} files", cure=_ALONE)
        status = path.lstat()
        if stat.S_ISLNK(status.st_mode):
            links[relative] = _link(folder, path)
        elif stat.S_ISDIR(status.st_mode):
            folders.add(relative)
        elif stat.S_ISREG(status.st_mode):
            size += status.st_size
            if size > SIZE_LIMIT:
                raise InputError(f"{folder} is larger than {SIZE_LIMIT // 1_000_000} MB", cure=_ALONE)
            files[relative] = path.read_bytes()
            if status.st_mode & stat.S_IXUSR:
                executable.add(relative)
        else:
            # Reading a pipe or a device may never end.
            raise InputError(f"{path} is neither a file nor a folder", cure="remove it from the project")
    return files, frozenset(executable), links, frozenset(folders)


def _walk(folder: Path, prefix: str) -> Iterator[tuple[Path, str]]:
    """The files and links of a folder, and the folders in it that are empty."""
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        relative = f"{prefix}{entry.name}"
        # The CLI's output lies at the top; a folder of that name further down is the app's own.
        if relative == _OUTPUT or entry.name in _LEFT_OUT:
            continue
        if not entry.is_dir(follow_symlinks=False):
            yield Path(entry.path), relative
        elif not Path(entry.path, _ENVIRONMENT).exists():
            inner = _walk(Path(entry.path), f"{relative}/")
            # A folder without files stands for itself; it would be lost otherwise.
            yield next(inner, (Path(entry.path), relative))
            yield from inner


def _link(folder: Path, path: Path) -> str:
    # One step only: a link that it leads to is met by the walk as well.
    target = Path(os.path.normpath(path.parent.resolve() / os.readlink(path)))
    root = folder.resolve()
    if not target.is_relative_to(root):
        raise InputError(f"{path} links to {os.readlink(path)}, outside the project", cure="copy what it links to")
    return os.path.relpath(target, path.parent.resolve())


def _object(folder: Path, name: str, files: Mapping[str, bytes]) -> dict[str, Any]:
    if name not in files:
        return {}
    try:
        # Some editors put a byte order mark in front.
        data: object = json.loads(files[name].decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{folder / name} is not JSON: {error}") from error
    if not isinstance(data, dict):
        raise InputError(f"{folder / name} must be a JSON object")
    return cast("dict[str, Any]", data)


def _entry(folder: Path, settings: Mapping[str, Any], files: Mapping[str, bytes]) -> Entry:
    where = folder / _SETTINGS
    if settings.get("build"):
        raise InputError(f"{where} asks for a build command, which does not run here", cure="build first, then verify")
    if _SETTINGS not in files and APP not in files:
        raise InputError(f"{folder} has neither {_SETTINGS} nor {APP}")
    command: object = settings.get("app") if _SETTINGS in files else f"python {APP}"
    if not isinstance(command, str) or not command.strip():
        raise InputError(f'{where} has no "app", the command that runs the app')
    entry = _python(command, files)
    if entry is None:
        raise InputError(f"{where}: cannot run {command!r} here", cure=_ONE_COMMAND)
    if not entry.module and entry.target not in files:
        raise InputError(f"{where}: the app {entry.target} is not in {folder}")
    return entry


def _python(command: str, files: Mapping[str, bytes]) -> Entry | None:
    """The script or module that a command runs with Python; None if it does something else."""
    # Operators become words of their own, also without spaces around them (`a;b`).
    shell = shlex.shlex(command, posix=True, punctuation_chars=True)
    shell.whitespace_split = True
    try:
        words = list(shell)
    except ValueError:
        return None
    if any(word and set(word) <= set(shell.punctuation_chars) for word in words) or _expanded(command):
        return None  # several commands, a redirection, or something that only a shell knows
    if words[:1] == ["env"]:
        words = words[1:]
    variables = list(takewhile(_VARIABLE.fullmatch, words))
    words = words[len(variables) :]
    if tuple(words[:2]) in _RUNNERS:
        words = list(dropwhile(_RUNNER_FLAGS.__contains__, words[2:]))
    if words and words[0].rpartition("/")[2].rstrip("0123456789.") == "python":
        words = words[1:]
    elif not words or not words[0].endswith(".py"):  # like the CLI, which finds the interpreter by the name
        return None
    while words and (words[0] in ("-W", "-X") or _FLAGS.fullmatch(words[0])):
        words = words[2:] if words[0] in ("-W", "-X") else words[1:]
    # Python also takes the module in the same word: `-minfra.main`.
    if words and words[0].startswith("-m") and len(words[0]) > 2:
        words = ["-m", words[0][2:], *words[1:]]
    environment = tuple((name, value) for name, _, value in (variable.partition("=") for variable in variables))
    if len(words) > 1 and words[0] == "-m":
        return Entry(words[1], True, tuple(words[2:]), environment)
    if not words or words[0].startswith("-"):
        return None
    target = str(PurePosixPath(os.path.normpath(words[0])))
    main = os.path.normpath(f"{target}/__main__.py")
    return Entry(main if target not in files and main in files else target, False, tuple(words[1:]), environment)


def _expanded(command: str) -> bool:
    """Whether a shell would put something else in place of a word: a variable, or the names of files."""
    written = _QUOTED.sub("", command.split(" #")[0])
    # Between double quotes a shell replaces variables and commands, but no patterns of file names.
    return not (_EXPANDED.isdisjoint(written) and _EXPANDED_UNQUOTED.isdisjoint(re.sub('"[^"]*"', "", written)))


def _context(folder: Path, settings: Mapping[str, Any], recorded: Mapping[str, Any]) -> dict[str, Any]:
    own: object = settings.get("context") if settings.get("context") is not None else {}
    if not isinstance(own, dict):
        raise InputError(f'{folder / _SETTINGS}: "context" must be an object')
    # As in the CLI, `cdk.json` wins over what was looked up before.
    context = {**recorded, **cast("dict[str, Any]", own)}
    context |= {name: True for key, name in _METADATA.items() if settings.get(key, True)}
    if not settings.get("versionReporting", True):
        context["aws:cdk:disable-version-reporting"] = True
    if not settings.get("staging", True):
        context["aws:cdk:disable-asset-staging"] = True
    return context | {"aws:cdk:bundling-stacks": ["**"], "@aws-cdk/core:failSynthOnValidationErrors": False}
