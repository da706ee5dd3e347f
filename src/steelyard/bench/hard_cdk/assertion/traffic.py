"""Where the listener of a load balancer sends a request.

It goes to the target of the rule with the lowest priority whose conditions all hold, else to the listener's default.
AWS refuses a rule with more than five values in its conditions, and two rules of one priority.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from steelyard.bench.cdk_synth.intent.pattern import numeric
from steelyard.bench.cdk_synth.intent.statement import glob
from steelyard.bench.cdk_synth.shape import listing, mapping
from steelyard.bench.hard_cdk.assertion.clause import Visit
from steelyard.bench.hard_cdk.assertion.proviso import Undecided, within
from steelyard.bench.hard_cdk.deploy import Deployment

CLIENT = "203.0.113.9"
"""The address of whoever sends a request."""
MAX_VALUES = 5
"""Values in the conditions of one rule of a listener."""
_CONFIGS = {
    "host-header": "HostHeaderConfig",
    "path-pattern": "PathPatternConfig",
    "http-request-method": "HttpRequestMethodConfig",
    "http-header": "HttpHeaderConfig",
    "source-ip": "SourceIpConfig",
}


def destination(visit: Visit, deployment: Deployment) -> str:
    """ARN of the target group that gets the request; empty if none does."""
    rules = [
        item.properties
        for item in deployment.resources
        if item.type == "AWS::ElasticLoadBalancingV2::ListenerRule"
        and item.properties.get("ListenerArn") == visit.listener
    ]
    priorities = [numeric(rule.get("Priority")) for rule in rules]
    if len({*priorities}) < len(priorities):
        raise Undecided("two rules of one priority")
    for rule in sorted(rules, key=lambda rule: numeric(rule.get("Priority")) or 0):
        conditions = [_Condition(mapping(part)) for part in listing(rule.get("Conditions"))]
        if sum(len(part.values) for part in conditions) > MAX_VALUES:
            raise Undecided(f"a rule with more than {MAX_VALUES} values")
        if conditions and all(part.holds(visit) for part in conditions):
            return _target(rule.get("Actions"))
    listener = next((item for item in deployment.resources if item.identity.ref == visit.listener), None)
    return "" if listener is None else _target(listener.properties.get("DefaultActions"))


def _target(actions: Any) -> str:
    for action in map(mapping, listing(actions)):
        groups = listing(mapping(action.get("ForwardConfig")).get("TargetGroups"))
        if action.get("Type") == "forward":
            return str(action.get("TargetGroupArn") or mapping(next(iter(groups), None)).get("TargetGroupArn"))
    return ""


class _Condition:
    """One condition of a rule."""

    def __init__(self, written: Mapping[str, Any]) -> None:
        self._field = str(written.get("Field"))
        if self._field not in _CONFIGS:
            raise Undecided(f"the condition {self._field}")
        config = mapping(written.get(_CONFIGS[self._field]))
        self._header = str(config.get("HttpHeaderName", "")).lower()
        self.values = [str(value) for value in listing(config.get("Values", written.get("Values")))]

    def holds(self, visit: Visit) -> bool:
        actual = {
            "host-header": [visit.host],
            "path-pattern": [visit.path],
            "http-request-method": [visit.method],
            "http-header": [value for name, value in visit.headers.items() if name.lower() == self._header],
            "source-ip": [CLIENT],
        }
        return any(self._fits(value, text) for text in actual[self._field] for value in self.values)

    def _fits(self, value: str, actual: str) -> bool:
        if self._field == "source-ip":
            return within(value, actual)
        if self._field == "http-request-method":
            return value == actual
        # Unlike paths, host names and headers are compared without regard to case.
        return glob(value, actual) if self._field == "path-pattern" else glob(value.lower(), actual.lower())
