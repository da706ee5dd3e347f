"""Inspects a configuration: its artifacts by kind, parse errors with their line, differences, secrets.

An *error* (an artifact cannot be parsed, or contains a secret) makes a configuration invalid; a *warning* (an absolute
path, which may exist on one machine only, or an artifact that the agent does not load) is worth a look.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from steelyard.gate.config import Config, kind_of
from steelyard.gate.config.artifacts import artifacts_of, ignored
from steelyard.gate.config.imports import imports
from steelyard.markdown import FRONT_MATTER
from steelyard.pythons import json_fault
from steelyard.secrets import decoded, secrets_in
from steelyard.tree import File, changes
from steelyard.yamlfile import Entry, YamlError, parse_foreign

_ABSOLUTE = re.compile(
    r"(?<![\w.~/:-])(?:/(?:home|Users|root|mnt|tmp|var|opt|srv)/[\w.@-]+[\w./@-]*|[A-Za-z]:\\[\w.\\-]+)"
)
_LFS = b"version https://git-lfs.github.com/spec/"
_NEEDED = {"skill": ("name", "description"), "agent": ("name", "description")}


@dataclass(frozen=True, slots=True)
class Finding:
    """One error or warning about an artifact."""

    level: Literal["error", "warning"]
    path: str
    line: int | None
    message: str

    def __str__(self) -> str:
        return f"{self.path}{'' if self.line is None else f':{self.line}'} {self.message}"


@dataclass(frozen=True, slots=True)
class Inspection:
    """The result of `gate check`."""

    label: str
    kinds: dict[str, list[str]]
    """Kind → paths."""
    findings: tuple[Finding, ...]
    changes: dict[str, str] | None
    """Path → added, removed or changed against a baseline, if one was given."""

    @property
    def valid(self) -> bool:
        """Whether there is no error."""
        return not self.errors

    @property
    def errors(self) -> list[str]:
        """The errors, one line each, with the place."""
        return [str(finding) for finding in self.findings if finding.level == "error"]


def inspect_config(config: Config, baseline: Config | None = None, agent: str | None = None) -> Inspection:
    """Look at every artifact of a configuration, for an agent if one is named."""
    kinds: dict[str, list[str]] = {}
    for path, artifact in artifacts_of(sorted(config.tree)).items():
        kinds.setdefault(artifact.kind, []).append(path)
    findings = [finding for path, file in sorted(config.tree.items()) for finding in _findings(path, file)]
    findings += [
        Finding("warning", path, None, "is ignored by git or a repository of its own, so it is left out")
        for path in config.left_out
    ]
    left_out = "is a submodule, whose files are not part of the configuration"
    findings += [Finding("warning", path.partition(" at ")[0], None, left_out) for path in config.submodules]
    findings += not_loaded(config, agent)
    differing = None if baseline is None else changes(baseline.tree, config.tree)
    return Inspection(config.label, kinds, tuple(findings), differing)


def not_loaded(config: Config, agent: str | None) -> Iterator[Finding]:
    """Artifacts that steer nothing, and what is there by name only: pointers, and imports that lead to no file."""
    for path, file in sorted(config.tree.items()):
        if file.data.startswith(_LFS):
            yield Finding("warning", path, None, "is a Git LFS pointer: the agent gets that, and not the content")
    brought = imports(config.tree, agent)
    reached = {one.target for one in brought}
    for path, why in ignored(sorted(config.tree), agent).items():
        # A file that instructions import or link to is loaded after all.
        if path not in reached:
            yield Finding("warning", path, None, why)
    for one in brought:
        if one.target not in config.tree:
            why = f"imports {one.target}, which is not in the configuration: only a task's fixture can bring it"
            yield Finding("warning", one.path, one.line, why)


def _findings(path: str, file: File) -> Iterator[Finding]:
    yield from _secrets(path, path, "has a name that contains", line=False)
    if file.link is not None:
        yield from _secrets(path, file.link, "leads to a name that contains", line=False)
        return
    try:
        text = file.data.decode("utf-8")
    except UnicodeDecodeError:
        # Any other file may be binary, such as an image.
        if kind_of(path) != "other":
            yield Finding("error", path, None, "is not UTF-8 text")
        letters = file.data.replace(b"\0", b"").decode("ascii", "replace")  # UTF-16 is read by this, too
        yield from _secrets(path, letters, "contains", line=False)
        return
    yield from _parse(path, text)
    yield from _secrets(path, text, "contains")
    for number, line in enumerate(text.splitlines(), 1):
        for match in _ABSOLUTE.finditer(line):
            yield Finding("warning", path, number, f"contains an absolute path: {match[0][:80]}")


def _secrets(path: str, text: str, where: str, *, line: bool = True) -> Iterator[Finding]:
    """One finding for each line with a secret; a line that says `gitleaks:allow` is an example."""
    lines = text.split("\n")
    found = dict[int, str]()
    for secret in secrets_in(text, path):
        found.setdefault(text.count("\n", 0, secret.start), secret.rule)
    for number, each in enumerate(lines):
        inner = "\n".join(decoded(each))
        for secret in secrets_in(inner, path) if inner else ():
            found.setdefault(number, secret.rule)
    for number, rule in sorted(found.items()):
        if "gitleaks:allow" not in lines[number]:
            yield Finding("error", path, number + 1 if line else None, f"{where} a secret (rule {rule})")


_PARSERS: dict[str, tuple[str, Callable[[str, str], object]]] = {
    ".json": ("JSON", lambda text, _: json.loads(text)),
    ".toml": ("TOML", lambda text, _: tomllib.loads(text)),
    ".yaml": ("YAML", parse_foreign),
    ".yml": ("YAML", parse_foreign),
    # Without the `__future__` imports of this module.
    ".py": ("Python", lambda text, path: compile(text, path, "exec", dont_inherit=True)),
}
"""Ending of a name → what such a file is, and what reads its text."""


def _parse(path: str, text: str) -> Iterator[Finding]:
    name, kind = path.rsplit("/", 1)[-1], kind_of(path)
    ending = next((ending for ending in _PARSERS if name.endswith(ending)), None)
    if ending is not None:
        what, read = _PARSERS[ending]
        try:
            read(text, path)
        except (ValueError, SyntaxError, YamlError, RecursionError, MemoryError) as error:
            line, why = _fault(error)
            yield Finding("error", path, line, f"is not {what}: {why}")
    elif name == "SKILL.md" or (kind in ("agent", "command", "rule") and name.endswith((".md", ".mdc"))):
        yield from _front_matter(path, text, kind)


def _fault(error: Exception) -> tuple[int | None, str]:
    """The line of what a parser could not take, as far as it says, and why."""
    match error:
        case json.JSONDecodeError():
            fault = json_fault(error)
            return fault.lineno, fault.msg
        case tomllib.TOMLDecodeError():
            line = re.search(r"line (\d+)", str(error))
            return int(line[1]) if line else None, str(error)
        case SyntaxError():
            return error.lineno, error.msg
        case YamlError():
            return error.line, error.problem.removeprefix("not valid YAML: ")
        # Python's parser reports a full stack of its own as a lack of memory.
        case RecursionError() | MemoryError():
            return None, "nested too deeply"
        case _:  # such as an integer of too many digits
            return None, str(error).partition(";")[0]


def _front_matter(path: str, text: str, kind: str) -> Iterator[Finding]:
    if not text.startswith("---"):
        if kind in _NEEDED:
            yield Finding("error", path, 1, f"has no front matter ({', '.join(_NEEDED[kind])})")
        return
    front = FRONT_MATTER.match(text)
    if front is None:
        yield Finding("error", path, 1, "has front matter that does not end with ---")
        return
    try:
        document = parse_foreign(front[1], path)
        keys = document.mapping("front matter") if document else {}
    except YamlError as error:
        yield Finding("error", path, error.line + 1, f"is not YAML: {_fault(error)[1]}")
        return
    # opencode takes the name of an agent from its file.
    needed = ("description",) if kind == "agent" and path.startswith(".opencode/") else _NEEDED.get(kind, ())
    missing = [key for key in needed if key not in keys]
    if missing:
        yield Finding("error", path, 1, f"front matter lacks {', '.join(missing)}")
    if path.endswith("/SKILL.md") and "name" in keys:
        yield from _other_title(path, keys["name"])


def _other_title(path: str, name: Entry) -> Iterator[Finding]:
    """A skill whose folder has another name: clients do not agree which counts."""
    folder, title = path.split("/")[-2], str(name.value or "")
    if title != folder:
        how = "claude-code calls it by its folder, other agents by its front matter"
        yield Finding("warning", path, name.line + 1, f"is named {title!r} in a folder {folder!r}: {how}")
