"""The forty items on real assemblies: references and other right answers pass, near misses and attacks do not."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from steelyard.bench.cdk_synth.assembly import Stack, read_assembly
from steelyard.bench.cdk_synth.synthesizer.pool import AppResult, Pool
from steelyard.bench.hard_cdk.behaviour import behaviour
from steelyard.bench.hard_cdk.dataset import load, near_misses, original, reference
from steelyard.bench.hard_cdk.model import HardItem
from tests.bench.assemblies import lean, synthesized

RECORD = Path(__file__).with_name("assemblies.json.xz")
FIELDS = ("path", "template", "validated", "errors", "name", "environment", "depends_on")
FOLDER = Path(__file__).with_name("variants")
VARIANTS = {path.stem.replace("_", "-"): path.read_text() for path in FOLDER.glob("*.txt")}
"""Item → a different app that is right too."""
ITEMS = {item.id: item for item in load()}
Stacks = tuple[Stack, ...]


@pytest.fixture(scope="module")
def assemblies(pool: Pool) -> dict[str, Stacks]:
    sources = [reference(item) for item in ITEMS] + list(VARIANTS.values()) + [miss.source for miss in near_misses()]
    sources += [source for item in ITEMS.values() if (source := original(item)) is not None]
    known = synthesized(pool, RECORD, sources, plain)
    return {source: tuple(map(_stack, stacks)) for source, stacks in known.items()}


def plain(source: str, result: AppResult) -> list[dict[str, Any]]:
    """The stacks of an app that synthesizes; any other is a failed test."""
    assembly = read_assembly(result.files)
    assert result.finding is None and assembly is not None, (result.finding, source)
    return [_plain(stack) for stack in assembly.stacks]


def _plain(stack: Stack) -> dict[str, Any]:
    data: dict[str, Any] = {name: getattr(stack, name) for name in FIELDS}
    template = {key: value for key, value in lean(stack.template).items() if key != "Metadata"}
    return {**data, "template": template, "errors": list(stack.errors), "depends_on": sorted(stack.depends_on)}


def _stack(data: dict[str, Any]) -> Stack:
    return Stack(**{**data, "errors": tuple(data["errors"]), "depends_on": frozenset(data["depends_on"])})


def failed(item: HardItem, stacks: Stacks, assemblies: dict[str, Stacks], source: str | None = None) -> list[str]:
    """What does not hold; `stacks` are those of the reference, changed, where `source` is not given."""
    given = original(item)
    results = behaviour(item, source or reference(item.id), stacks, None if given is None else assemblies[given])
    return [result.id for result in results if not result.held]


def test_references_and_variants_pass(assemblies: dict[str, Stacks]) -> None:
    assert VARIANTS.keys() == ITEMS.keys()
    wrong = {
        (item.id, kind): names
        for item in ITEMS.values()
        for kind, source in (("reference", reference(item.id)), ("variant", VARIANTS[item.id]))
        if (names := failed(item, assemblies[source], assemblies, source))
    }
    assert wrong == {}
    assert all(VARIANTS[item] != reference(item) for item in ITEMS)


def test_near_misses_fail_exactly_their_assertion(assemblies: dict[str, Stacks]) -> None:
    results = [
        (miss, failed(ITEMS[miss.item], assemblies[miss.source], assemblies, miss.source)) for miss in near_misses()
    ]
    assert [(miss.item, miss.breaks, names) for miss, names in results if names != [miss.breaks]] == []


def test_the_app_in_a_prompt_does_not_pass_unchanged(assemblies: dict[str, Stacks]) -> None:
    given = {item.id: source for item in ITEMS.values() if (source := original(item)) is not None}
    assert len(given) == 16
    assert [name for name, source in given.items() if not failed(ITEMS[name], assemblies[source], assemblies)] == []


def test_no_reference_answers_the_item_before_it(assemblies: dict[str, Stacks]) -> None:
    items = list(ITEMS.values())
    for item, other in zip(items, [*items[1:], items[0]], strict=True):
        # Under the right stack name, so that it is the assertions that tell them apart.
        stacks = assemblies[reference(other.id)]
        named = replace(stacks[0], name=item.metadata.stacks[0], depends_on=frozenset())
        assert failed(item, (named, *stacks[1:]), assemblies), (item.id, other.id)


def edited(stacks: Stacks, change: Callable[[dict[str, Any]], None]) -> Stacks:
    """The stacks after a change of every template."""
    return tuple(replace(stack, template=_changed(stack.template, change)) for stack in stacks)


def _changed(template: dict[str, Any], change: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    template = copy.deepcopy(template)
    change(template)
    return template


def never(template: dict[str, Any]) -> None:
    """Every resource has a condition that is always false."""
    template["Conditions"] = {"Never": {"Fn::Equals": ["yes", "no"]}}
    for resource in template["Resources"].values():
        resource["Condition"] = "Never"


def elsewhere(template: dict[str, Any]) -> None:
    """Every property is where CloudFormation ignores it."""
    for resource in template["Resources"].values():
        resource["Metadata"] = resource.pop("Properties", {})


def topic(template: dict[str, Any]) -> None:
    """The answer is an SNS topic, whatever the question."""
    template["Resources"] = {"Topic": {"Type": "AWS::SNS::Topic"}}


def empty(template: dict[str, Any]) -> None:
    template["Resources"] = {}


def dangling(template: dict[str, Any]) -> None:
    """A reference to something that does not exist."""
    _extended(template, {"Ref": "Nothing"})


def unset(template: dict[str, Any]) -> None:
    """A parameter without a value."""
    template.setdefault("Parameters", {})["Missing"] = {"Type": "String"}
    _extended(template, {"Ref": "Missing"})


def _extended(template: dict[str, Any], value: Any) -> None:
    """The first resource gets a further property."""
    next(iter(template["Resources"].values())).setdefault("Properties", {})["Extra"] = value


@pytest.mark.parametrize(
    "change", [never, elsewhere, topic, empty, dangling, unset], ids=lambda change: change.__name__
)
def test_no_changed_reference_passes(change: Callable[[dict[str, Any]], None], assemblies: dict[str, Stacks]) -> None:
    passed = [
        item.id
        for item in ITEMS.values()
        if not failed(item, edited(assemblies[reference(item.id)], change), assemblies)
    ]
    assert passed == []


def test_stacks_that_nobody_deploys_do_not_count(assemblies: dict[str, Stacks]) -> None:
    for item in ITEMS.values():
        right = assemblies[reference(item.id)]
        hidden = tuple(
            replace(stack, name=f"hidden-{stack.name}", depends_on=frozenset(f"hidden-{n}" for n in stack.depends_on))
            for stack in right
        )
        assert failed(item, hidden + edited(right, topic), assemblies), item.id
        staged = tuple(replace(stack, validated=False) for stack in right)  # inside a stage
        assert failed(item, staged, assemblies), item.id


ADMINISTRATOR = {"Effect": "Allow", "Action": "*", "Resource": "*"}


def wildcard(template: dict[str, Any]) -> None:
    for resource in template["Resources"].values():
        if resource["Type"] == "AWS::IAM::Role":
            document = {"Version": "2012-10-17", "Statement": [ADMINISTRATOR]}
            resource["Properties"]["Policies"] = [{"PolicyName": "all", "PolicyDocument": document}]


def managed(template: dict[str, Any]) -> None:
    for resource in template["Resources"].values():
        if resource["Type"] == "AWS::IAM::Role":
            resource["Properties"]["ManagedPolicyArns"] = ["arn:aws:iam::aws:policy/SomethingPowerful"]


def mistyped_deny(template: dict[str, Any]) -> None:
    """Everything is allowed, and a Deny whose action is misspelt pretends to limit it."""
    wildcard(template)
    for resource in template["Resources"].values():
        if resource["Type"] == "AWS::IAM::Role":
            statement = resource["Properties"]["Policies"][0]["PolicyDocument"]["Statement"]
            statement.append({"Effect": "Deny", "Action": ["s3:DeletObject", "kms:Decript"], "Resource": "*"})


def unmet(template: dict[str, Any]) -> None:
    """Every statement of every role has a condition that no request meets."""
    for resource in template["Resources"].values():
        if resource["Type"] in ("AWS::IAM::Policy", "AWS::IAM::ManagedPolicy"):
            for statement in resource["Properties"]["PolicyDocument"]["Statement"]:
                statement["Condition"] = {"StringEquals": {"aws:PrincipalOrgID": "o-never"}}
        for key in ("AssumeRolePolicyDocument", "KeyPolicy"):
            for statement in resource.get("Properties", {}).get(key, {}).get("Statement", []):
                statement["Condition"] = {"StringEquals": {"aws:PrincipalOrgID": "o-never"}}


@pytest.mark.parametrize("change", [wildcard, managed, mistyped_deny, unmet], ids=lambda change: change.__name__)
def test_no_pretended_privilege_passes(change: Callable[[dict[str, Any]], None], assemblies: dict[str, Stacks]) -> None:
    items = [item for item in ITEMS.values() if item.metadata.kind == "privilege"]
    assert len(items) == 8
    passed = [item.id for item in items if not failed(item, edited(assemblies[reference(item.id)], change), assemblies)]
    assert passed == []


def test_a_decoy_beside_the_right_resource_is_noticed(assemblies: dict[str, Stacks]) -> None:
    """A second copy of every resource under another logical id: names collide, or counts and bindings are off."""

    def doubled(template: dict[str, Any]) -> None:
        template["Resources"] |= {f"{name}Decoy": copy.deepcopy(body) for name, body in template["Resources"].items()}

    passed = [
        item.id
        for item in ITEMS.values()
        if not failed(item, edited(assemblies[reference(item.id)], doubled), assemblies)
    ]
    assert passed == []
