"""Synthesized templates as one graph: resources, and which of them a value mentions.

Templates come from untrusted programs: a value of the wrong type counts as empty, an intrinsic that leads nowhere
mentions nothing, and nothing here raises. A value mentions a resource through `Ref` and `Fn::GetAtt`, across
stacks through imports, outputs and parameters of nested stacks, and through its physical name, alone or in an ARN, a
URL, an id or a dynamic reference. A resource that only represents another one (`REPRESENTS`) mentions that one too.
What is never deployed is not there, and substitutions are joins of their parts (`settle`); what can be written in
several ways is read in one form (`canonical`).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple, TypeVar, cast

from steelyard.bench.cdk_synth.intent import canonical
from steelyard.bench.cdk_synth.intent.settle import Settler
from steelyard.bench.cdk_synth.shape import attribute, intrinsic, is_flat, listing, mapping

MAX_DEPTH = 60
"""How deep values are followed; anything deeper is ignored."""
MAX_TEXT = 200_000
"""Characters of a rendered value that patterns see."""
MAX_RESOURCES = 2_500
"""Resources of an assembly that are read: five stacks of the largest size CloudFormation allows."""
MAX_STEPS = 20_000
"""Values visited while following one reference."""
MAX_WORK = 3_000_000
"""Steps for all requirements together, some seconds of work; counted, so that the answer is the same on any machine."""

PROVIDERS = re.compile(
    r"^(BucketNotificationsHandler|LogRetention[0-9a-f]{32}|AWS[0-9a-f]{32}|Custom\w*CustomResourceProvider)"
)
"""Logical ids of the functions and roles that the CDK adds for its own custom resources; not part of the design."""

SEPARATOR = re.compile(r"[:/](?![^{}]*\})")
"""What stands between the parts of an ARN or a URL; the colons in `${AWS::Region}` do not."""
PSEUDO = re.compile(r"\$\{AWS::\w+\}")
"""Account, region or stack in a name: the same wherever the name is written."""
NAMING = ("arn:", "https://sqs.", "s3://", "service/", "/aws/lambda/")
"""How a text begins that names resources: ARNs, URLs, the id of a service for scaling, log groups of functions."""
BUCKET_HOST = re.compile(r"([a-z0-9][a-z0-9.-]{2,62})\.s3[.-]")
"""The name of a bucket at the beginning of its address."""
STORED = re.compile(r"\{\{resolve:(?:ssm|ssm-secure|secretsmanager):([^:}]+)")
"""The name of a parameter or secret that CloudFormation looks up when it deploys."""

TEXTUAL = ("Fn::Join", "Fn::ImportValue", "Fn::GetStackOutput")
"""Intrinsics that build or fetch text."""

REPRESENTS = {
    "AWS::Lambda::Alias": "FunctionName",
    "AWS::Lambda::Version": "FunctionName",
    "AWS::IAM::InstanceProfile": "Roles",
    "AWS::KMS::Alias": "TargetKeyId",
    "AWS::SecretsManager::SecretTargetAttachment": "SecretId",
    "AWS::S3::AccessPoint": "Bucket",
    "AWS::SSM::Parameter": "Value",
}
"""Types that represent another resource, and the property that names it."""


T = TypeVar("T")


class Address(NamedTuple):
    """The location of a resource."""

    stack: str
    logical_id: str


@dataclass(frozen=True)
class Resource:
    """One resource of one template."""

    address: Address
    """Stack and logical id."""
    type: str
    """CloudFormation type."""
    properties: dict[str, Any] = field(compare=False)
    """Its `Properties`."""
    attributes: dict[str, Any] = field(compare=False)
    """Everything else: `DeletionPolicy`, `DependsOn`, …"""

    @property
    def provider(self) -> bool:
        """Whether the CDK added it for its own custom resources."""
        return bool(PROVIDERS.match(self.address.logical_id))


class TooMuchWork(Exception):
    """The templates are so large or so entangled that their evaluation would take minutes."""


class Templates:
    """All templates of one assembly, nested ones included."""

    def __init__(self, templates: object) -> None:
        self.stacks: dict[str, dict[str, Any]] = {name: mapping(body) for name, body in mapping(templates).items()}
        """Stack name → template."""
        self._budget = MAX_STEPS
        bound = frozenset(_bound_parameters(self.stacks.values()))
        self._settlers = {name: Settler(body, bound) for name, body in self.stacks.items()}
        self.resources: dict[Address, Resource] = {item.address: item for item in islice(self._read(), MAX_RESOURCES)}
        """Every resource with a type."""
        self._work = MAX_WORK
        self._known: dict[tuple[object, ...], Any] = {}
        self._exports: dict[str, list[tuple[Any, str]]] = defaultdict(list)
        self._outputs: dict[str, list[tuple[Any, str]]] = defaultdict(list)
        self._bindings: dict[str, list[tuple[Any, str]]] = defaultdict(list)
        self._names: dict[str, list[Address]] = defaultdict(list)
        # Last: reading names and exports follows references through everything above.
        self._index()

    def of(self, types: str | Iterable[str], added: bool = False) -> list[Resource]:
        """Resources of these types (`*`: all); those the CDK added for itself only if `added`."""
        names = (types,) if isinstance(types, str) else tuple(types)
        return self.once(
            ("of", names, added),
            lambda: [
                item
                for item in self.resources.values()
                if ("*" in names or item.type in names) and (added or not item.provider)
            ],
        )

    def renew(self) -> None:
        """Allow as much work again as at first."""
        self._work = MAX_WORK

    def spend(self) -> None:
        """Count one step of work on these templates; raises `TooMuchWork` at the limit."""
        self._work -= 1
        if self._work < 0:
            raise TooMuchWork

    def once(self, key: tuple[object, ...], make: Callable[[], T]) -> T:
        """The result of `make`, computed once per key: relations need the same for every pair of resources."""
        self.spend()
        if key not in self._known:
            self._known[key] = make()
        return self._known[key]

    def mentions(self, value: object, stack: str) -> set[Address]:
        """Every resource that a `value` in `stack` leads to."""
        mentioned: set[Address] = set()
        queue: list[tuple[Any, str]] = [(value, stack)]
        # Bounded: parameters may refer to each other in circles.
        for _ in range(MAX_STEPS):
            if not queue:
                break
            self.spend()
            item, home = queue.pop()
            for address in self._direct(item, home) - mentioned:
                mentioned.add(address)
                other = self.resources[address]
                if other.type in REPRESENTS:
                    queue.append((other.properties.get(REPRESENTS[other.type]), address.stack))
            queue.extend(self._onward(item, home))
        return mentioned

    def choices(self, value: object, stack: str, depth: int = 0) -> Iterator[Any]:
        """The possible values of `value`: plain values of a parameter, the branches of an unknown condition."""
        self.spend()
        self._budget = MAX_STEPS if depth == 0 else self._budget - 1
        call = intrinsic(value)
        if call is None or depth > MAX_DEPTH or self._budget < 0:
            yield value
        elif call[0] == "Ref" and call[1] == "AWS::NoValue":
            return
        elif call[0] == "Ref" and (values := self._parameter_values(call[1], stack)):
            # An expression of another stack has no meaning here: keep the reference, to be followed later.
            yield from (item if isinstance(item, str | int | float) else value for item, _ in values)
        elif call[0] == "Fn::If":
            for branch in self._branches(call[1], stack):
                yield from self.choices(branch, stack, depth + 1)
        else:
            yield value

    def _branches(self, argument: object, stack: str) -> list[Any]:
        """The branches of an `Fn::If` that may be deployed."""
        parts = listing(argument)
        truth = self._settlers[stack].holds(parts[0]) if parts and stack in self._settlers else None
        return parts[1:3] if truth is None else parts[1:2] if truth else parts[2:3]

    def plain(self, value: object, stack: str) -> object:
        """`value`, or its text if an intrinsic builds it from pieces."""
        call = intrinsic(value)
        return self.text(value, stack) if call and call[0] in TEXTUAL else value

    def text(self, value: object, stack: str, depth: int = 0) -> str:
        """`value` as text: joins joined, references as `${LogicalId}`, objects as compact JSON."""
        self._budget = MAX_STEPS if depth == 0 else self._budget
        return self._text(value, stack, depth, False)[:MAX_TEXT]

    def _text(self, value: object, stack: str, depth: int, quoted: bool) -> str:
        self.spend()
        self._budget -= 1
        if depth > MAX_DEPTH or self._budget < 0:
            return "…"
        if isinstance(value, str):
            return f'"{value}"' if quoted else value
        if value is None or isinstance(value, bool):
            return {None: "null", True: "true", False: "false"}[value]
        call = intrinsic(value)
        if call is not None:
            return self._called(call[0], call[1], stack, depth)
        if isinstance(value, dict):
            pairs = mapping(cast(object, value)).items()
            return "{" + _cut(",", (f'"{key}":{self._text(item, stack, depth + 1, True)}' for key, item in pairs)) + "}"
        if isinstance(value, (list, tuple)):
            items = listing(cast(object, value))
            return "[" + _cut(",", (self._text(item, stack, depth + 1, True) for item in items)) + "]"
        return str(value) if isinstance(value, int | float) else "…"

    def _called(self, name: str, argument: object, stack: str, depth: int) -> str:
        values = self._elsewhere(name, argument, stack, depth + 1)
        if values:
            return self.text(*values[0], depth + 1)
        if name == "Ref":
            return f"${{{argument if isinstance(argument, str) else ''}}}"
        if values is not None:
            return ""
        if name == "Fn::GetAtt":
            return "${" + ".".join(attribute(argument)) + "}"
        if name == "Fn::If":
            return ",".join(self.text(branch, stack, depth + 1) for branch in self._branches(argument, stack))
        parts = listing(argument)
        if name == "Fn::Join" and len(parts) == 2 and isinstance(parts[0], str):
            return _cut(parts[0], (self.text(part, stack, depth + 1) for part in listing(parts[1])))
        return _cut(",", (self.text(part, stack, depth + 1) for part in parts))

    def _direct(self, value: object, stack: str) -> set[Address]:
        """Resources named by the value itself, not by its parts."""
        call = intrinsic(value)
        if isinstance(value, str):
            return self._in_address(value) | set(self._names.get(value, ()))
        if call is None:
            return set()
        name, argument = call
        if name == "Fn::Join" and is_flat(argument):
            return self._direct(self.text(value, stack), stack)
        named = Address(stack, attribute(argument)[0])
        return {named} if name in ("Ref", "Fn::GetAtt") and named in self.resources else set()

    def _onward(self, value: object, stack: str) -> list[tuple[Any, str]]:
        """What to visit next: the parts of a value, or the values an intrinsic refers to."""
        call = intrinsic(value)
        if call is None:
            parts = listing(cast(object, value)) if isinstance(value, (list, tuple)) else mapping(value).values()
            return [(part, stack) for part in parts]
        name, argument = call
        values = self._elsewhere(name, argument, stack, 0)
        if values is not None:
            return values
        if name == "Fn::If":
            return [(branch, stack) for branch in self._branches(argument, stack)]
        if name == "Fn::GetAtt":
            output = attribute(argument)[1]
            return self._outputs.get(output.removeprefix("Outputs."), []) if output.startswith("Outputs.") else []
        return [(part, stack) for part in listing(argument)]

    def _elsewhere(self, name: str, argument: object, stack: str, depth: int) -> list[tuple[Any, str]] | None:
        """What a parameter, an export or an output has as values, with their stacks; None for any other function.

        Outputs of this name are only those of the named stack, if it has any.
        """
        if name == "Ref":
            return self._parameter_values(argument, stack)
        if name == "Fn::ImportValue":
            return self._exports.get(self.text(argument, stack, depth), [])
        if name != "Fn::GetStackOutput":
            return None
        named = mapping(argument)
        output, owner = named.get("OutputName"), named.get("StackName")
        outputs = self._outputs.get(output, []) if isinstance(output, str) else []
        return [item for item in outputs if item[1] == owner] or outputs

    def _parameter_values(self, name: object, stack: str) -> list[tuple[Any, str]]:
        """Values of a parameter: those the parent binds to it, else its default."""
        if not isinstance(name, str) or Address(stack, name) in self.resources:
            return []
        parameters = mapping(self.stacks.get(stack, {}).get("Parameters"))
        if name not in parameters:
            return []
        default = mapping(parameters[name]).get("Default")
        # Bindings are found by the parameter's name alone; a stack does not bind its own parameters.
        return [binding for binding in self._bindings.get(name, []) if binding[1] != stack] or (
            [] if default is None else [(default, stack)]
        )

    def _in_address(self, text: str) -> set[Address]:
        host = BUCKET_HOST.match(text[:2048]) or STORED.match(text[:2048])
        tokens = SEPARATOR.split(text[:2048]) if text.startswith(NAMING) else [host[1]] if host else []
        return {address for token in tokens for address in self._names.get(token, ())}

    def _read(self) -> Iterator[Resource]:
        for stack, template in self.stacks.items():
            for logical_id, body in mapping(template.get("Resources")).items():
                parts = mapping(body)
                kind, settler = parts.get("Type"), self._settlers[stack]
                # A condition that is unknown (None) may hold.
                never = settler.holds(parts.get("Condition")) is False
                if isinstance(kind, str) and not never:
                    rest = {key: value for key, value in parts.items() if key != "Properties"}
                    written = canonical.properties(kind, settler.settled(mapping(parts.get("Properties"))))
                    yield Resource(Address(stack, logical_id), kind, written, rest)
                    for name, other, properties in canonical.described(logical_id, kind, written):
                        yield Resource(Address(stack, name), other, properties, {})

    def _index(self) -> None:
        for stack, template in self.stacks.items():
            for name, output in mapping(template.get("Outputs")).items():
                settler = self._settlers[stack]
                if settler.holds(mapping(output).get("Condition")) is False:
                    continue
                value = settler.settled(mapping(output)).get("Value")
                self._outputs[name].append((value, stack))
                if isinstance(export := mapping(mapping(output).get("Export")).get("Name"), str):
                    self._exports[export].append((value, stack))
        for item in self.resources.values():
            if item.type == "AWS::CloudFormation::Stack":
                for name, value in mapping(item.properties.get("Parameters")).items():
                    self._bindings[name].append((value, item.address.stack))
            for key, value in item.properties.items():
                if key == "Name" or key.endswith("Name"):
                    name = self.plain(value, item.address.stack)
                    # Short names would be found anywhere by accident, and so would those that are known only in part.
                    if isinstance(name, str) and len(PSEUDO.sub("", name)) > 2 and "${" not in PSEUDO.sub("", name):
                        self._names[name].append(item.address)


def _bound_parameters(templates: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Names of parameters that a stack sets for a nested one."""
    for template in templates:
        for body in mapping(template.get("Resources")).values():
            if mapping(body).get("Type") == "AWS::CloudFormation::Stack":
                yield from mapping(mapping(mapping(body).get("Properties")).get("Parameters"))


def _cut(separator: str, texts: Iterable[str]) -> str:
    """Joined texts, as far as they are read: each may be long, and they may be many."""
    found: list[str] = []
    size = 0
    for text in texts:
        found.append(text)
        size += len(text) + len(separator)
        if size > MAX_TEXT:
            break
    return separator.join(found)
