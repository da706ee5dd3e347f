"""The rules of a listener."""

from __future__ import annotations

from typing import Any

import pytest

from steelyard.bench.hard_cdk.assertion.clause import Visit
from steelyard.bench.hard_cdk.assertion.proviso import Undecided
from steelyard.bench.hard_cdk.assertion.traffic import destination
from steelyard.bench.hard_cdk.deploy import Deployed, Deployment
from steelyard.bench.hard_cdk.deploy.physical import Identity

LISTENER = Deployed(
    "S",
    "Listener",
    "AWS::ElasticLoadBalancingV2::Listener",
    {"DefaultActions": [{"Type": "forward", "TargetGroupArn": "default"}]},
    identity=Identity("l", "l", "l"),
)


def rule(priority: int, target: str, *conditions: dict[str, Any]) -> Deployed:
    action = {"Type": "forward", "ForwardConfig": {"TargetGroups": [{"TargetGroupArn": target}]}}
    properties = {"ListenerArn": "l", "Priority": priority, "Conditions": list(conditions), "Actions": [action]}
    return Deployed("S", f"Rule{priority}", "AWS::ElasticLoadBalancingV2::ListenerRule", properties)


HOST = {"Field": "host-header", "HostHeaderConfig": {"Values": ["*.Example.com"]}}
PATH = {"Field": "path-pattern", "Values": ["/a/*", "/?"]}
HEADER = {"Field": "http-header", "HttpHeaderConfig": {"HttpHeaderName": "X-Kind", "Values": ["new*"]}}
METHOD = {"Field": "http-request-method", "HttpRequestMethodConfig": {"Values": ["PUT"]}}
RULES = Deployment((LISTENER, rule(30, "path", PATH), rule(10, "both", HOST, HEADER), rule(20, "host", HOST, METHOD)))


@pytest.mark.parametrize(
    ("fields", "target"),
    [
        ({"path": "/a/b"}, "path"),
        ({"path": "/A/b"}, "default"),
        ({"path": "/x"}, "path"),
        ({"path": "/xy"}, "default"),
        ({"host": "WWW.example.COM", "headers": {"x-kind": "NEWER"}, "path": "/a/b"}, "both"),
        ({"host": "www.example.com", "method": "PUT", "path": "/a/b"}, "host"),
        ({"host": "www.example.com", "method": "put", "path": "/zz"}, "default"),
    ],
)
def test_the_first_rule_whose_conditions_hold_decides(fields: dict[str, Any], target: str) -> None:
    assert destination(Visit(listener="l", to="", **fields), RULES) == target


def test_rules_that_aws_refuses_are_undecided() -> None:
    six = {"Field": "path-pattern", "Values": [f"/{n}" for n in range(6)]}
    for rules in ((rule(1, "a", six),), (rule(1, "a", PATH), rule(1, "b", HOST))):
        with pytest.raises(Undecided):
            destination(Visit(listener="l", to=""), Deployment((LISTENER, *rules)))


@pytest.mark.parametrize(
    ("block", "target"),
    [("203.0.113.0/24", "near"), ("10.0.0.0/8", "default"), ("203.0.113.0/24x", "default"), ("", "default")],
)
def test_a_source_is_in_a_block_or_not(block: str, target: str) -> None:
    source = {"Field": "source-ip", "SourceIpConfig": {"Values": [block]}}
    rules = Deployment((LISTENER, rule(1, "near", source)))
    assert destination(Visit(listener="l", to=""), rules) == target
