"""Reads a cloud assembly the way the pinned CLI does. Pure.

As in the CLI's `synth`: the stacks of the main assembly are validated, and of the others only those that request
it (`validateOnSynth`); stacks inside stages are synthesized, not validated. Error annotations and failed validation
reports of validated stacks fail the run; warnings do not. Missing context needs an AWS account.
Our addition: `AWS::CDK::Metadata` is bookkeeping, not a resource.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from steelyard.bench.cdk_synth.shape import is_list, is_mapping, mapping, unpacked

METADATA_TYPE = "AWS::CDK::Metadata"
_MANIFEST, _NESTED, _STACK = "manifest.json", ".nested.template.json", "aws:cloudformation:stack"
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
    resources = mapping(mapping(template).get("Resources"))
    return sum(mapping(entry).get("Type") != METADATA_TYPE for entry in resources.values())


def read_assembly(files: Mapping[str, str]) -> Assembly | None:
    """The assembly in `files` (relative path → text); None if there is no readable one."""
    manifest = _json(files, _MANIFEST)
    if manifest is None:
        return None
    stacks = tuple(_stacks(files, "", manifest, top=True))
    missing = tuple(str(mapping(entry).get("key")) for entry in _list(manifest.get("missing")))
    return Assembly(stacks, missing, tuple(_failures(files, stacks)))


def templates(files: Mapping[str, str]) -> dict[str, Json]:
    """Stack name → template, in stages too; nested stacks go by the names of their files. Without unreadable files."""
    by_stack: dict[str, Json] = {}
    for path in sorted(files):
        folder, _, file = path.rpartition("/")
        if file == _MANIFEST:
            for name, artifact in _of_type(_STACK, _json(files, path) or {}):
                own = _stack_name(name, artifact)
                if (template := _template(files, folder, artifact)) is not None:
                    # Two stages may hold stacks of the same name.
                    by_stack[own if own not in by_stack else f"{folder or '.'}/{own}"] = template
        elif path.endswith(_NESTED) and (nested := _json(files, path)) is not None:
            by_stack[file.removesuffix(_NESTED)] = nested
    return by_stack


def _stacks(files: Mapping[str, str], folder: str, manifest: Json, *, top: bool) -> Iterator[Stack]:
    names = {name: _stack_name(name, artifact) for name, artifact in _of_type(_STACK, manifest)}
    for name, entry in mapping(manifest.get("artifacts")).items():
        artifact = mapping(entry)
        if name in names:
            yield _stack(files, folder, name, artifact, names, top=top)
        elif artifact.get("type") == "cdk:cloud-assembly":
            inner = _join(folder, str(mapping(artifact.get("properties")).get("directoryName")))
            nested = _json(files, _join(inner, _MANIFEST))
            if nested is not None:
                yield from _stacks(files, inner, nested, top=False)


def _of_type(kind: str, manifest: Json) -> Iterator[tuple[str, Json]]:
    for name, entry in mapping(manifest.get("artifacts")).items():
        if mapping(entry).get("type") == kind:
            yield name, mapping(entry)


def _stack_name(name: str, artifact: Json) -> str:
    return str(mapping(artifact.get("properties")).get("stackName") or name)


def _template(files: Mapping[str, str], folder: str, artifact: Json) -> Json | None:
    return _json(files, _join(folder, str(mapping(artifact.get("properties")).get("templateFile"))))


def _stack(
    files: Mapping[str, str], folder: str, name: str, artifact: Json, names: Mapping[str, str], *, top: bool
) -> Stack:
    metadata = mapping(artifact.get("metadata"))
    if isinstance(further := artifact.get("additionalMetadataFile"), str):
        metadata = {**metadata, **(_json(files, _join(folder, further)) or {})}
    return Stack(
        path=str(artifact.get("displayName") or name).split(" (")[0],
        template=_template(files, folder, artifact) or {},
        validated=top or mapping(artifact.get("properties")).get("validateOnSynth") is True,
        errors=tuple(_errors(metadata)),
        name=names[name],
        environment=str(artifact.get("environment") or ""),
        # Stacks depend on their assets too, which have no name here.
        depends_on=frozenset(names[other] for other in map(str, _list(artifact.get("dependencies"))) if other in names),
    )


def _errors(metadata: Json) -> Iterator[str]:
    for path, entries in metadata.items():
        for entry in map(mapping, _list(entries)):
            if entry.get("type") == "aws:cdk:error":
                yield f"{path}: {entry.get('data')}"


def _failures(files: Mapping[str, str], stacks: tuple[Stack, ...]) -> Iterator[str]:
    """Violations in failed plugin reports that concern a validated stack; like the CLI, from the main report only."""
    validated = [stack.path for stack in stacks if stack.validated]
    report = _json(files, "validation-report.json") or {}
    for plugin in map(mapping, _list(report.get("pluginReports"))):
        for violation in map(mapping, _list(plugin.get("violations"))):
            if plugin.get("conclusion") == "failure" and _touches(violation, validated):
                yield f"{plugin.get('pluginName')}: {violation.get('description')}"


def _touches(violation: Json, validated: list[str]) -> bool:
    def inside(path: str | None) -> bool:
        return not path or any(str(path) == stack or str(path).startswith(f"{stack}/") for stack in validated)

    constructs = _list(violation.get("violatingConstructs"))
    return not constructs or any(inside(mapping(entry).get("constructPath")) for entry in constructs)


def annotated(assembly: Assembly) -> tuple[str, ...]:
    """The errors for which the CLI rejects a finished assembly, each of them once."""
    errors = tuple(error for stack in assembly.stacks if stack.validated for error in stack.errors)
    # The validation report repeats the annotations, as those of a plugin.
    return errors + tuple(text for text in assembly.failures if not (errors and text.startswith(_ANNOTATIONS)))


def _json(files: Mapping[str, str], path: str) -> Json | None:
    data = unpacked(files.get(path))
    return data if is_mapping(data) else None


def _join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _list(value: object) -> list[Any]:
    return value if is_list(value) else []
