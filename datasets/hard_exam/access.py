"""Policies of several layers, and event patterns."""

from fnmatch import fnmatchcase
from typing import Any

from scenario import Claim, Scenario, scenario, truth

Statement = tuple[str, str, str, list[str], list[str], list[tuple[str, str, list[str]]]]
"""Layer, effect, `Action` or `NotAction`, actions, resources, conditions."""


def _condition(test: tuple[str, str, list[str]], context: dict[str, Any]) -> bool:
    operator, key, values = test
    present = key in context
    if operator == "Null":
        return (not present) == (values == ["true"])
    if_exists = operator.endswith("IfExists")
    operator = operator.removesuffix("IfExists")
    if operator.startswith("ForAllValues:"):
        sent = context.get(key, [])
        return all(any(fnmatchcase(value, wanted) for wanted in values) for value in sent)
    if operator.startswith("ForAnyValue:"):
        return any(any(fnmatchcase(value, wanted) for wanted in values) for value in context.get(key, []))
    if not present:
        return if_exists or operator in ("StringNotEquals", "StringNotLike")
    matches = any(fnmatchcase(str(context[key]), wanted) for wanted in values)
    return not matches if operator in ("StringNotEquals", "StringNotLike") else matches


def _applies(statement: Statement, action: str, resource: str, context: dict[str, Any]) -> bool:
    _, _, kind, actions, resources, conditions = statement
    named = any(fnmatchcase(action, wanted) for wanted in actions)
    if named == (kind == "NotAction"):
        return False
    inverse = resources[:1] == ["NOT"]
    covered = any(fnmatchcase(resource, wanted) for wanted in resources[inverse:])
    return covered != inverse and all(_condition(test, context) for test in conditions)


def allowed(statements: list[Statement], action: str, resource: str, context: dict[str, Any]) -> tuple[bool, str]:
    """Whether a request passes all layers, and what decides."""
    applying = [s for s in statements if _applies(s, action, resource, context)]
    for number, statement in enumerate(statements, start=1):
        if statement in applying and statement[1] == "Deny":
            return False, f"Statement {number} denies it."
    for layer in dict.fromkeys(s[0] for s in statements):
        if not any(s[0] == layer and s[1] == "Allow" for s in applying):
            return False, f"No statement of the {layer} allows it."
    return True, "Every layer allows it and no statement denies it."


def _line(number: int, statement: Statement) -> str:
    layer, effect, kind, actions, resources, conditions = statement
    word = "NotResource" if resources[:1] == ["NOT"] else "Resource"
    tests = "".join(f"; {operator} {key} {values}" for operator, key, values in conditions)
    named = resources[1:] if resources[:1] == ["NOT"] else resources
    return f"{number}. {layer}: {effect}, {kind} {actions}, {word} {named}{tests}".replace("'", '"')


LAKE: list[Statement] = [
    ("SCP", "Allow", "Action", ["*"], ["*"], []),
    (
        "SCP",
        "Deny",
        "NotAction",
        ["iam:*", "sts:*", "kms:Decrypt"],
        ["*"],
        [("StringNotEquals", "aws:RequestedRegion", ["eu-west-1", "eu-central-1"])],
    ),
    ("SCP", "Deny", "Action", ["s3:Delete*", "s3:PutBucket*"], ["NOT", "scratch-*"], []),
    ("boundary", "Allow", "Action", ["s3:*", "kms:*", "dynamodb:*Item", "dynamodb:Query"], ["*"], []),
    ("boundary", "Allow", "Action", ["iam:PassRole", "glue:*"], ["glue-*"], []),
    ("boundary", "Deny", "Action", ["kms:ScheduleKeyDeletion", "kms:PutKeyPolicy"], ["*"], []),
    (
        "identity policy",
        "Allow",
        "Action",
        ["s3:Get*", "s3:Put*", "s3:List*", "s3:DeleteObject"],
        ["lake/*", "lake", "scratch-*"],
        [],
    ),
    (
        "identity policy",
        "Allow",
        "Action",
        ["dynamodb:*"],
        ["runs", "runs/index/*"],
        [("ForAllValues:StringEquals", "dynamodb:Attributes", ["id", "state", "size"])],
    ),
    (
        "identity policy",
        "Allow",
        "NotAction",
        ["iam:*", "kms:Create*", "s3:*", "dynamodb:*"],
        ["*"],
        [("StringEqualsIfExists", "aws:PrincipalTag/team", ["data", "ml"])],
    ),
    (
        "identity policy",
        "Allow",
        "Action",
        ["iam:PassRole"],
        ["glue-*"],
        [("StringEquals", "iam:PassedToService", ["glue.amazonaws.com"])],
    ),
    (
        "identity policy",
        "Deny",
        "Action",
        ["s3:PutObject"],
        ["lake/*"],
        [
            ("Null", "s3:x-amz-server-side-encryption", ["false"]),
            ("StringNotEquals", "s3:x-amz-server-side-encryption", ["aws:kms"]),
        ],
    ),
    (
        "identity policy",
        "Deny",
        "Action",
        ["s3:GetObject"],
        ["lake/restricted/*"],
        [("BoolIfExists", "aws:MultiFactorAuthPresent", ["false"])],
    ),
    (
        "session policy",
        "Allow",
        "Action",
        ["s3:*Object", "s3:ListBucket", "dynamodb:*", "kms:*", "glue:Start*"],
        ["*"],
        [],
    ),
    ("session policy", "Allow", "Action", ["iam:PassRole"], ["NOT", "glue-admin*"], []),
]
LAKE_REQUESTS: list[tuple[str, str, dict[str, Any]]] = [
    ("s3:PutObject", "lake/day/1", {"aws:RequestedRegion": "eu-west-1"}),
    ("s3:PutObject", "lake/day/1", {"aws:RequestedRegion": "eu-west-1", "s3:x-amz-server-side-encryption": "AES256"}),
    (
        "s3:PutObject",
        "scratch-7/tmp",
        {"aws:RequestedRegion": "eu-central-1", "s3:x-amz-server-side-encryption": "AES256"},
    ),
    ("s3:DeleteObject", "scratch-7/tmp", {"aws:RequestedRegion": "eu-west-1"}),
    ("s3:DeleteObject", "lake/day/1", {"aws:RequestedRegion": "eu-west-1"}),
    ("s3:GetObject", "lake/restricted/x", {"aws:RequestedRegion": "eu-west-1"}),
    (
        "s3:GetObject",
        "lake/restricted/x",
        {"aws:RequestedRegion": "eu-central-1", "aws:MultiFactorAuthPresent": "true"},
    ),
    ("dynamodb:Query", "runs", {"aws:RequestedRegion": "eu-west-1"}),
    ("dynamodb:Query", "runs", {"aws:RequestedRegion": "eu-west-1", "dynamodb:Attributes": ["id", "owner"]}),
    ("dynamodb:Scan", "runs", {"aws:RequestedRegion": "eu-central-1", "dynamodb:Attributes": ["id"]}),
    ("kms:Decrypt", "key-1", {"aws:RequestedRegion": "us-east-1"}),
    ("kms:GenerateDataKey", "key-1", {"aws:RequestedRegion": "us-east-1"}),
    ("kms:Decrypt", "key-1", {"aws:RequestedRegion": "eu-west-1", "aws:PrincipalTag/team": "web"}),
    ("iam:PassRole", "glue-nightly", {"aws:RequestedRegion": "us-east-1", "iam:PassedToService": "glue.amazonaws.com"}),
    ("iam:PassRole", "glue-admin-2", {"aws:RequestedRegion": "eu-west-1", "iam:PassedToService": "glue.amazonaws.com"}),
    ("glue:StartJobRun", "glue-nightly", {"aws:RequestedRegion": "eu-central-1", "aws:PrincipalTag/team": "ml"}),
    ("glue:StartJobRun", "nightly", {"aws:RequestedRegion": "eu-central-1"}),
]
FLEET: list[Statement] = [
    ("SCP", "Allow", "Action", ["ec2:*", "ssm:*", "iam:*", "sts:*", "cloudwatch:*"], ["*"], []),
    (
        "SCP",
        "Deny",
        "Action",
        ["ec2:RunInstances"],
        ["instance/*"],
        [("StringNotEquals", "aws:RequestTag/owner", ["ops", "web", "data"])],
    ),
    (
        "SCP",
        "Deny",
        "Action",
        ["ec2:*Snapshot*", "ec2:ModifyImageAttribute"],
        ["*"],
        [("StringNotLike", "aws:PrincipalArn", ["*:role/backup-*"])],
    ),
    ("boundary", "Allow", "NotAction", ["iam:*", "organizations:*", "ec2:Purchase*"], ["*"], []),
    ("boundary", "Allow", "Action", ["iam:PassRole"], ["role/app-*"], []),
    ("boundary", "Deny", "Action", ["ssm:StartSession"], ["*"], [("Bool", "aws:MultiFactorAuthPresent", ["false"])]),
    (
        "identity policy",
        "Allow",
        "Action",
        ["ec2:Run*", "ec2:Start*", "ec2:Describe*", "ec2:Create*", "cloudwatch:Put*"],
        ["*"],
        [],
    ),
    (
        "identity policy",
        "Allow",
        "Action",
        ["ec2:TerminateInstances", "ec2:StopInstances"],
        ["instance/*"],
        [("StringEquals", "aws:ResourceTag/owner", ["ops"])],
    ),
    ("identity policy", "Allow", "Action", ["ssm:*Session", "iam:PassRole"], ["*"], []),
    (
        "identity policy",
        "Deny",
        "Action",
        ["ec2:CreateTags"],
        ["*"],
        [("ForAnyValue:StringEquals", "aws:TagKeys", ["owner", "billing"]), ("Null", "ec2:CreateAction", ["true"])],
    ),
    (
        "identity policy",
        "Deny",
        "NotAction",
        ["ec2:Describe*", "ssm:*", "cloudwatch:*", "iam:PassRole"],
        ["*"],
        [("StringNotEqualsIfExists", "aws:RequestedRegion", ["eu-north-1"])],
    ),
    ("session policy", "Allow", "Action", ["*"], ["NOT", "instance/i-prod*"], []),
    ("session policy", "Allow", "Action", ["ec2:Describe*", "ssm:StartSession"], ["instance/i-prod*"], []),
]
FLEET_REQUESTS: list[tuple[str, str, dict[str, Any]]] = [
    ("ec2:RunInstances", "instance/new", {"aws:RequestedRegion": "eu-north-1"}),
    ("ec2:RunInstances", "instance/new", {"aws:RequestedRegion": "eu-north-1", "aws:RequestTag/owner": "web"}),
    ("ec2:RunInstances", "subnet/s-1", {"aws:RequestedRegion": "eu-north-1"}),
    ("ec2:TerminateInstances", "instance/i-12", {"aws:RequestedRegion": "eu-north-1", "aws:ResourceTag/owner": "ops"}),
    (
        "ec2:TerminateInstances",
        "instance/i-prod1",
        {"aws:RequestedRegion": "eu-north-1", "aws:ResourceTag/owner": "ops"},
    ),
    ("ec2:StopInstances", "instance/i-12", {"aws:RequestedRegion": "eu-north-1"}),
    (
        "ec2:CreateSnapshot",
        "volume/v-1",
        {"aws:RequestedRegion": "eu-north-1", "aws:PrincipalArn": "arn:aws:iam::1:role/ops"},
    ),
    (
        "ec2:CreateSnapshot",
        "volume/v-1",
        {"aws:RequestedRegion": "eu-north-1", "aws:PrincipalArn": "arn:aws:iam::1:role/backup-7"},
    ),
    ("ec2:DescribeInstances", "instance/i-prod1", {"aws:RequestedRegion": "us-east-1"}),
    ("ec2:StartInstances", "instance/i-12", {"aws:RequestedRegion": "us-east-1"}),
    ("ec2:StartInstances", "instance/i-12", {}),
    ("ssm:StartSession", "instance/i-prod1", {"aws:RequestedRegion": "us-east-1"}),
    ("ssm:StartSession", "instance/i-12", {"aws:RequestedRegion": "eu-north-1", "aws:MultiFactorAuthPresent": "false"}),
    ("iam:PassRole", "role/app-web", {"aws:RequestedRegion": "us-east-1"}),
    ("iam:PassRole", "role/web", {"aws:RequestedRegion": "eu-north-1"}),
    ("ec2:CreateTags", "instance/i-12", {"aws:RequestedRegion": "eu-north-1", "aws:TagKeys": ["owner"]}),
    (
        "ec2:CreateTags",
        "instance/i-12",
        {"aws:RequestedRegion": "eu-north-1", "aws:TagKeys": ["owner"], "ec2:CreateAction": "RunInstances"},
    ),
    ("cloudwatch:PutMetricData", "*", {"aws:RequestedRegion": "us-east-1"}),
    ("ssm:ResumeSession", "session/9", {"aws:RequestedRegion": "us-east-1"}),
    ("ec2:PurchaseHostReservation", "*", {"aws:RequestedRegion": "eu-north-1"}),
]


@scenario((LAKE, LAKE_REQUESTS, 0), (LAKE, LAKE_REQUESTS, 1), (FLEET, FLEET_REQUESTS, 0), (FLEET, FLEET_REQUESTS, 1))
def layers(setting: tuple[list[Statement], list[tuple[str, str, dict[str, Any]]], int]) -> Scenario:
    statements, requests, half = setting
    claims = []
    for action, resource, context in requests[half::2] if len(requests) > 18 else requests[half * 7 : half * 7 + 10]:
        shown = ", ".join(f"{key}={value}" for key, value in context.items()).replace("'", '"') or "no context keys"
        holds, why = allowed(statements, action, resource, context)
        claims.append(
            truth(
                f"{action} on {resource} with {shown} {{}}.",
                holds,
                ("is allowed", "is denied"),
                "overlooks a layer or an absent key",
                why,
            )
        )
    lines = "\n".join(_line(number, statement) for number, statement in enumerate(statements, start=1))
    text = f"""{("A role session is", "The session that a night job assumes is")[half]} subject to these statements of four layers. Resources are shortened; * in a name stands for any characters. There is no resource-based policy, and context keys that are not named in a request are absent from it.

{lines}

A request needs an allow in every layer and no deny in any. A positive operator does not match an absent key unless it ends in IfExists; a negated one does; all tests of a statement must match; ForAllValues matches when no value is sent. Each line below is a request."""
    return Scenario(
        "security",
        ["AWS IAM", "AWS Organizations"],
        "IAM User Guide: Policy evaluation logic; Condition operators",
        text,
        claims,
        "Explicit deny first, then an allow in every layer; absent keys decide most of these requests.",
    )


@scenario(1, 2)
def patterns(setting: int) -> Scenario:
    bounds = {1: (120.5, 480, "RE", ["test", "dev"]), 2: (75, 310.25, "CAN", ["sandbox", "qa"])}[setting]
    low, high, prefix, excluded = bounds
    wanted = ["A1", "B2", "C3"]

    def matches(event: dict[str, Any]) -> bool:
        detail = event["detail"]
        status = detail.get("status", "")
        region = detail.get("region")
        tags = detail.get("tags", [])
        return (
            event["source"].startswith("shop.")
            and (status == "PAID" or status.startswith(prefix))
            and isinstance(detail.get("amount"), (int, float))
            and low < detail["amount"] <= high
            and "coupon" not in detail
            and region is not None
            and region not in excluded
            and any(sku in wanted for sku in detail.get("skus", []))
            and any(tag.startswith("prio-") for tag in tags)
        )

    def event(source: str, **detail: Any) -> dict[str, Any]:
        return {"source": source, "detail": detail}

    base: dict[str, Any] = {"status": "PAID", "amount": 200, "region": "eu", "skus": ["B2"], "tags": ["prio-1"]}
    variants: list[dict[str, Any]] = [
        event("shop.orders", **{**base, "amount": high}),
        event("shop.orders", **{**base, "amount": low}),
        event("shop.orders", **{**base, "status": f"{prefix}ED", "skus": ["X9", "C3"]}),
        event("shop.web", **{**base, "status": prefix.title()}),
        event("shop.web", **{**base, "coupon": None}),
        event("shop.web", **{**base, "region": excluded[0].upper()}),
        event("shop.orders", **{**base, "region": excluded[1]}),
        event("shop.orders", **{**base, "tags": ["low", "prio-3"], "amount": 130.75}),
        event("shop.orders", **{**base, "tags": ["PRIO-1"]}),
        event("shops.orders", **base),
        event("shop.returns", **{**base, "amount": "200"}),
        event("shop.orders", **{**base, "skus": ["a1", "b2"]}),
        event("shop.orders", **{k: v for k, v in base.items() if k != "region"}),
        event("shop.x", **{**base, "status": "PAID", "skus": ["A1", "Z"], "tags": ["prio-", "x"], "amount": 301}),
    ]
    chosen = variants[:10] if setting == 1 else variants[4:]
    claims = []
    for made in chosen:
        shown = (
            ", ".join(f"{key} {value!r}" for key, value in made["detail"].items())
            .replace("'", '"')
            .replace("None", "null")
        )
        claims.append(
            truth(
                f"source {made['source']}, {shown} {{}}.",
                matches(made),
                ("matches", "does not match"),
                "overlooks one field",
                "Every field was compared.",
            )
        )
    text = f"""An EventBridge rule has this event pattern: {{"source": [{{"prefix": "shop."}}], "detail": {{"status": ["PAID", {{"prefix": "{prefix}"}}], "amount": [{{"numeric": [">", {low}, "<=", {high}]}}], "coupon": [{{"exists": false}}], "region": [{{"anything-but": {excluded}}}], "skus": {wanted}, "tags": [{{"prefix": "prio-"}}]}}}}

Values of a field are alternatives, all fields must match, of an array one matching element is enough, matching is case-sensitive, a numeric test matches numbers only, a field with the value null exists, and anything-but needs the field. Each line below is an event.""".replace(
        "'", '"'
    )
    return Scenario(
        "operations",
        ["Amazon EventBridge"],
        "Amazon EventBridge User Guide: Comparison operators in event patterns",
        text,
        claims,
        "All fields must match; bounds, case, null and absent fields decide.",
    )


__all__ = ["Claim", "allowed", "layers", "patterns"]
