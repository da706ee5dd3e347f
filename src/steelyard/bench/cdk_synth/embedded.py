"""Answers of the embedded baselines to a CDK prompt: the ceiling gives the reference, the floor never synthesizes."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from functools import cache

from steelyard.bench.cdk_synth.dataset import load
from steelyard.bench.cdk_synth.dataset import reference as solution
from steelyard.bench.cdk_synth.model import CdkItem

_HEAD = """import aws_cdk as cdk
from aws_cdk import aws_s3 as s3
from constructs import Construct


class {name}(cdk.Stack):
    def __init__(self, scope: Construct, construct_id: str, **kwargs) -> None:
        super().__init__(scope, construct_id, **kwargs)
"""
_BUCKET = '        s3.Bucket(self, "Storage", versioned=True)\n'
_TAIL = '\n\napp = cdk.App()\n{name}(app, "{name}")\n'
_SYNTH = "app.synth()\n"

GUESSES: dict[str, str] = {
    "wrong import": _HEAD.replace("aws_s3 as s3", "aws_simple_storage as s3") + _BUCKET + _TAIL + _SYNTH,
    "old major version": _HEAD.replace("import aws_cdk as", "from aws_cdk import core as") + _BUCKET + _TAIL + _SYNTH,
    "misspelt property": _HEAD + _BUCKET.replace("versioned", "versionned") + _TAIL + _SYNTH,
    "invented construct": _HEAD + _BUCKET.replace("s3.Bucket", "s3.SecureBucket") + _TAIL + _SYNTH,
    "wrong type": _HEAD + _BUCKET.replace("versioned=True", 'lifecycle_rules="90 days"') + _TAIL + _SYNTH,
    "missing synth": _HEAD + _BUCKET + _TAIL,
    "empty stack": _HEAD + "        # the resources go here\n" + _TAIL + _SYNTH,
    "cut off": _HEAD + _BUCKET.removesuffix(")\n"),
}
"""Kind of failure → an app that fails this way; `{name}` is the stack."""

PROSE = "prose"
"""The kind without any code."""


@cache
def _items() -> tuple[CdkItem, ...]:
    """Longest prompt first, so that a prompt contained in another cannot match first."""
    return tuple(sorted(load(), key=lambda item: -len(item.input)))


def _item(prompt: str) -> CdkItem | None:
    return next((item for item in _items() if item.input in prompt), None)


def items() -> Mapping[str, str]:
    """Item id → the text by which its prompts are recognised."""
    return {item.id: item.input for item in _items()}


def reference(prompt: str) -> str | None:
    """The reference as an answer, or None if the prompt is not in the dataset."""
    if (item := _item(prompt)) is None:
        return None
    return f"This app builds the {item.metadata.pattern}.\n\n```python\n{solution(item.id)}```\n"


def guess(prompt: str, rng: random.Random) -> str | None:
    """An answer that looks right and never synthesizes, or None if the prompt is not in the dataset."""
    item = _item(prompt)
    return None if item is None else floor_answer(item.metadata.pattern, item.metadata.aws_services, rng)


def floor_answer(title: str, aws_services: Sequence[str], rng: random.Random) -> str:
    """A floor answer to a task of this title."""
    services = ", ".join(aws_services)
    kind = rng.choice([*GUESSES, PROSE])
    if kind == PROSE:
        return f"For this I would use {services}, one stack, and least privilege throughout. Start with `cdk init`."
    name = "".join(re.findall(r"\w+", title.title())) + "Stack"
    code = GUESSES[kind].replace("{name}", name)
    return f"Here is an app with {services}.\n\n```python\n{code}```\n"
