"""Conditions of an Allow: whether the grant can be relied on.

A grant under a condition counts if the templates themselves meet it: the ARN of the resource that acts or a wildcard
that covers it, an account, TLS, or a value that the deployment supplies. Keys of a single service (`kms:ViaService`)
say how an action is used, and count too. What depends on the time, the caller's address or a literal that nothing in
the templates has does not.
"""

from __future__ import annotations

import re

from steelyard.bench.cdk_synth.intent.shape import listing, mapping
from steelyard.bench.cdk_synth.intent.template import Address, Templates

_ACCOUNTS = ("aws:sourceaccount", "aws:resourceaccount", "aws:principalaccount")
_ANY_ACCOUNT = re.compile(r"\$\{AWS::AccountId\}|\d{12}|\*")
_OF_THE_DEPLOYMENT = re.compile(r"\$\{AWS::(?!StackName)\w+\}")
_ANY_OF_A_KIND = re.compile(
    r"((rule|userpool|distribution|budget|schedule|stateMachine)[/:]|/)?(\*|\$\{AWS::StackName\}.*\*).*"
    r"|schedule-group/.*"
)
"""The end of an ARN that covers all resources of a kind, of the stack, or of a group of schedules."""


def met(condition: object, source: Address | None, stack: str, templates: Templates) -> bool:
    """Whether every part of a condition is met when the source acts (None: a role, which has no source)."""
    return all(
        _part_met(operator.lower(), key.lower(), value, source, stack, templates)
        for operator, keys in mapping(condition).items()
        for key, value in mapping(keys).items()
    )


def _part_met(operator: str, key: str, value: object, source: Address | None, stack: str, templates: Templates) -> bool:
    texts = [templates.text(part, stack) for part in listing(value)]
    if not key.startswith("aws:"):
        return True
    if "not" in operator or not texts:
        return False
    if key == "aws:securetransport":
        return texts == ["true"]
    if key in _ACCOUNTS:
        return any(map(_ANY_ACCOUNT.fullmatch, texts))
    if key == "aws:sourcearn" and source is not None:
        named = templates.mentions(value, stack)
        return source in named or (not named and any(map(_covers_any, texts)))
    return any("${" in text for text in texts)


def _covers_any(arn: str) -> bool:
    parts = _OF_THE_DEPLOYMENT.sub("-", arn).split(":", 5)
    return arn == "*" or _ANY_OF_A_KIND.fullmatch(parts[-1]) is not None
