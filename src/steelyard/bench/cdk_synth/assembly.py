"""Reads a cloud assembly the way the pinned CLI does. Pure.

As in the CLI's `synth`: the stacks of the main assembly are validated, and of the others only those that request
it (`validateOnSynth`); stacks inside stages are synthesized, not validated. Error annotations and failed validation
reports of validated stacks fail the run; warnings do not. Missing context needs an AWS account.
Our addition: `AWS::CDK::Metadata` is bookkeeping, not a resource.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
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
    validated: bool
    """Whether the CLI validates it."""
    errors: tuple[str, ...]
    """Error annotations."""
    name: str = ""
    """Name of the deployed stack."""
    environment: str = ""
    """`aws://account/region`, where either may be unknown."""
    depends_on: frozenset[str] = frozenset()
    """Names of the stacks that are deployed before it."""

    @property
    def resources(self) -> int:
        """How many resources CloudFormation would create."""
        return resource_count(self.template)


@dataclass(frozen=True, slots=True)
class Assembly:
    """The parts of an assembly that decide the verdict."""

    stacks: tuple[Stack, ...]
    missing: tuple[str, ...]
    """Context keys that only an AWS account could provide."""
    failures: tuple[str, ...] = field(default=())
    """Violations in failed reports of validation plugins, for the validated stacks."""


def resource_count(template: object) -> int:
    """How many resources CloudFormation would create; what the CDK adds about itself does not count."""
    resources = _mapping(_mapping(template).get("Resources"))
    return sum(_mapping(entry).get("Type") != METADATA_TYPE for entry in resources.values())


def read_assembly(files: Mapping[str, str]) -> Assembly | None:
    """The assembly in `files` (relative path → text); None if there is no readable one."""
    manifest = _json(files, "manifest.json")
    if manifest is None:
        return None
    stacks = tuple(_stacks(files, "", manifest, top=True))
    missing = tuple(str(_mapping(entry).get("key")) for entry in _list(manifest.get("missing")))
    return Assembly(stacks, missing, tuple(_failures(files, stacks)))


def _stacks(files: Mapping[str, str], folder: str, manifest: Json, *, top: bool) -> Iterator[Stack]:
    names = dict(_stack_names(manifest))
    for name, entry in _mapping(manifest.get("artifacts")).items():
        artifact = _mapping(entry)
        properties = _mapping(artifact.get("properties"))
        if artifact.get("type") == "aws:cloudformation:stack":
            stack = _stack(files, folder, name, artifact, top=top)
            before = frozenset(
                names[other] for other in map(str, _list(artifact.get("dependencies"))) if other in names
            )
            yield replace(stack, name=names[name], depends_on=before)
        elif artifact.get("type") == "cdk:cloud-assembly":
            inner = _join(folder, str(properties.get("directoryName")))
            nested = _json(files, _join(inner, "manifest.json"))
            if nested is not None:
                yield from _stacks(files, inner, nested, top=False)


def _stack_names(manifest: Json) -> Iterator[tuple[str, str]]:
    """Artifact id and stack name of every stack that the manifest lists."""
    for name, entry in _mapping(manifest.get("artifacts")).items():
        if _mapping(entry).get("type") == "aws:cloudformation:stack":
            yield name, str(_mapping(_mapping(entry).get("properties")).get("stackName") or name)


def _stack(files: Mapping[str, str], folder: str, name: str, artifact: Json, *, top: bool) -> Stack:
    properties = _mapping(artifact.get("properties"))
    metadata = _mapping(artifact.get("metadata"))
    if isinstance(further := artifact.get("additionalMetadataFile"), str):
        metadata = {**metadata, **(_json(files, _join(folder, further)) or {})}
    return Stack(
        path=str(artifact.get("displayName") or name).split(" (")[0],
        template=_json(files, _join(folder, str(properties.get("templateFile")))) or {},
        validated=top or properties.get("validateOnSynth") is True,
        errors=tuple(_errors(metadata)),
        environment=str(artifact.get("environment") or ""),
    )


def _errors(metadata: Json) -> Iterator[str]:
    for path, entries in metadata.items():
        for entry in map(_mapping, _list(entries)):
            if entry.get("type") == _ERROR:
                yield f"{path}: {entry.get('data')}"


def _failures(files: Mapping[str, str], stacks: tuple[Stack, ...]) -> Iterator[str]:
    """Violations in failed plugin reports that concern a validated stack; like the CLI, from the main report only."""
    validated = [stack.path for stack in stacks if stack.validated]
    report = _json(files, "validation-report.json") or {}
    for plugin in map(_mapping, _list(report.get("pluginReports"))):
        if plugin.get("conclusion") != "failure":
            continue
        for violation in map(_mapping, _list(plugin.get("violations"))):
            if _touches(violation, validated):
                yield f"{plugin.get('pluginName')}: {violation.get('description')}"


def _touches(violation: Json, validated: list[str]) -> bool:
    constructs = [_mapping(entry).get("constructPath") for entry in _list(violation.get("violatingConstructs"))]
    if not constructs:
        return True
    return any(not path or _inside(str(path), validated) for path in constructs)


def _inside(path: str, stacks: list[str]) -> bool:
    return any(path == stack or path.startswith(f"{stack}/") for stack in stacks)


def annotated(assembly: Assembly) -> tuple[str, ...]:
    """The errors for which the CLI rejects a finished assembly."""
    errors = tuple(error for stack in assembly.stacks if stack.validated for error in stack.errors)
    return errors + tuple(text for text in assembly.failures if not _repeats(text, errors))


def _repeats(failure: str, errors: tuple[str, ...]) -> bool:
    return failure.startswith(_ANNOTATIONS) and bool(errors)


def _json(files: Mapping[str, str], path: str) -> Json | None:
    text = files.get(path)
    if text is None:
        return None
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return cast(Json, data) if isinstance(data, dict) else None


def _join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _mapping(value: object) -> Json:
    return cast(Json, value) if isinstance(value, dict) else {}


def _list(value: object) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []
