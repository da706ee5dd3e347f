"""What a cloud assembly says, read the way the pinned CLI reads it. Pure.

Law of the CLI's `synth`, reproduced: stacks of the main assembly are looked at, and beyond them only those that ask for
it (`validateOnSynth`); stacks inside stages are synthesized, not validated. Error annotations and failed validation
reports of the stacks looked at fail the run; warnings do not. Context that is missing needs an AWS account.
Ours on top: `AWS::CDK::Metadata` is bookkeeping, not a resource.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

METADATA_TYPE = "AWS::CDK::Metadata"
_ERROR = "aws:cdk:error"
_ANNOTATIONS = "Construct Annotations"
Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Stack:
    """One stack of the assembly."""

    path: str
    """Construct path, `Stage/Stack` for a stack inside a stage."""
    template: Json
    looked_at: bool
    """Whether the CLI validates it."""
    errors: tuple[str, ...]
    """Error annotations."""

    @property
    def resources(self) -> int:
        """Resources that CloudFormation would make."""
        found = _mapping(self.template.get("Resources"))
        return sum(_mapping(entry).get("Type") != METADATA_TYPE for entry in found.values())


@dataclass(frozen=True, slots=True)
class Assembly:
    """Everything the verdict needs."""

    stacks: tuple[Stack, ...]
    missing: tuple[str, ...]
    """Keys of context that only an account could provide."""
    failures: tuple[str, ...] = field(default=())
    """What failed reports of validation plugins say about the stacks looked at."""


def read_assembly(files: Mapping[str, str]) -> Assembly | None:
    """The assembly in `files` (relative path → text); None when there is none that can be read."""
    manifest = _json(files, "manifest.json")
    if manifest is None:
        return None
    stacks = tuple(_stacks(files, "", manifest, top=True))
    missing = tuple(str(_mapping(entry).get("key")) for entry in _list(manifest.get("missing")))
    return Assembly(stacks, missing, tuple(_failures(files, stacks)))


def _stacks(files: Mapping[str, str], folder: str, manifest: Json, *, top: bool) -> Iterator[Stack]:
    for name, entry in _mapping(manifest.get("artifacts")).items():
        artifact = _mapping(entry)
        properties = _mapping(artifact.get("properties"))
        if artifact.get("type") == "aws:cloudformation:stack":
            yield _stack(files, folder, name, artifact, top=top)
        elif artifact.get("type") == "cdk:cloud-assembly":
            inner = _join(folder, str(properties.get("directoryName")))
            nested = _json(files, _join(inner, "manifest.json"))
            if nested is not None:
                yield from _stacks(files, inner, nested, top=False)


def _stack(files: Mapping[str, str], folder: str, name: str, artifact: Json, *, top: bool) -> Stack:
    properties = _mapping(artifact.get("properties"))
    metadata = _mapping(artifact.get("metadata"))
    if isinstance(further := artifact.get("additionalMetadataFile"), str):
        metadata = {**metadata, **(_json(files, _join(folder, further)) or {})}
    return Stack(
        path=str(artifact.get("displayName") or name).split(" (")[0],
        template=_json(files, _join(folder, str(properties.get("templateFile")))) or {},
        looked_at=top or properties.get("validateOnSynth") is True,
        errors=tuple(_errors(metadata)),
    )


def _errors(metadata: Json) -> Iterator[str]:
    for path, entries in metadata.items():
        for entry in map(_mapping, _list(entries)):
            if entry.get("type") == _ERROR:
                yield f"{path}: {entry.get('data')}"


def _failures(files: Mapping[str, str], stacks: tuple[Stack, ...]) -> Iterator[str]:
    """Violations of failed plugin reports that touch a stack looked at; the CLI reads the main assembly's report."""
    looked_at = [stack.path for stack in stacks if stack.looked_at]
    report = _json(files, "validation-report.json") or {}
    for plugin in map(_mapping, _list(report.get("pluginReports"))):
        if plugin.get("conclusion") != "failure":
            continue
        for violation in map(_mapping, _list(plugin.get("violations"))):
            if _touches(violation, looked_at):
                yield f"{plugin.get('pluginName')}: {violation.get('description')}"


def _touches(violation: Json, looked_at: list[str]) -> bool:
    constructs = [_mapping(entry).get("constructPath") for entry in _list(violation.get("violatingConstructs"))]
    if not constructs:
        return True
    return any(not path or _inside(str(path), looked_at) for path in constructs)


def _inside(path: str, stacks: list[str]) -> bool:
    return any(path == stack or path.startswith(f"{stack}/") for stack in stacks)


def annotated(assembly: Assembly) -> tuple[str, ...]:
    """Everything that makes the CLI refuse a finished assembly."""
    errors = tuple(error for stack in assembly.stacks if stack.looked_at for error in stack.errors)
    return errors + tuple(text for text in assembly.failures if not _repeats(text, errors))


def _repeats(failure: str, errors: tuple[str, ...]) -> bool:
    return failure.startswith(_ANNOTATIONS) and bool(errors)


def _json(files: Mapping[str, str], path: str) -> Json | None:
    text = files.get(path)
    if text is None:
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return cast(Json, found) if isinstance(found, dict) else None


def _join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _mapping(value: object) -> Json:
    return cast(Json, value) if isinstance(value, dict) else {}


def _list(value: object) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []
