"""Templates that name the right resources and do not work: who may act, what reaches what, and what else is said.

`subtle` says what a change is.
"""

from __future__ import annotations

from typing import Any

from .subtle import STATEMENT, Change

Json = dict[str, Any]


def _arn(logical_id: str) -> Json:
    return {"Fn::GetAtt": [logical_id, "Arn"]}


def _refs(*logical_ids: str) -> list[Json]:
    return [{"Ref": name} for name in logical_ids]


def _trusts(service: str) -> Json:
    return {"Statement": [{"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"Service": service}}]}


ROLE, POLICY, PERMISSION = "AWS::IAM::Role", "AWS::IAM::Policy", "AWS::Lambda::Permission"
QUEUE_POLICY, TOPIC_POLICY, BUCKET_POLICY = "AWS::SQS::QueuePolicy", "AWS::SNS::TopicPolicy", "AWS::S3::BucketPolicy"
GROUP, EGRESS, INGRESS = "AWS::EC2::SecurityGroup", "AWS::EC2::SecurityGroupEgress", "AWS::EC2::SecurityGroupIngress"
ENDPOINT, ROUTE, SUBNET, VPC = "AWS::EC2::VPCEndpoint", "AWS::EC2::Route", "AWS::EC2::Subnet", "AWS::EC2::VPC"
FUNCTION, ALARM, RULE, ACL = (
    "AWS::Lambda::Function",
    "AWS::CloudWatch::Alarm",
    "AWS::Events::Rule",
    "AWS::WAFv2::WebACL",
)
SCHEDULE, TASK, BALANCER = (
    "AWS::Scheduler::Schedule", "AWS::ECS::TaskDefinition", "AWS::ElasticLoadBalancingV2::LoadBalancer",
)  # fmt: skip
ASSOCIATION = "AWS::EC2::SubnetRouteTableAssociation"
MAPPING, MACHINE, BUCKET = "AWS::Lambda::EventSourceMapping", "AWS::StepFunctions::StateMachine", "AWS::S3::Bucket"
SOURCE_ARN = "Condition.ArnEquals.aws:SourceArn"
NOWHERE = [{"CidrIp": "255.255.255.255/32", "IpProtocol": "icmp", "FromPort": 252, "ToPort": 86}]
EVERYBODY_OUT = {"Effect": "Deny", "Principal": "*", "Action": "sqs:*", "Resource": "*"}
LONG_AGO = {"DateLessThan": {"aws:CurrentTime": "2020-01-01T00:00:00Z"}}
FROM_OFFICE = {"IpAddress": {"aws:SourceIp": "203.0.113.0/24"}}
OF_THE_ACCOUNT = {"StringEquals": {"aws:ResourceAccount": {"Ref": "AWS::AccountId"}}}
PUBLIC_006 = _refs("NetworkpublicSubnet1RouteTableF689B3E1", "NetworkpublicSubnet2RouteTableA35C5737")
ISOLATED_006 = _refs("NetworkisolatedSubnet1RouteTable4B1EE298", "NetworkisolatedSubnet2RouteTable57227E19")
PUBLIC_037 = _refs(
    "NetworkedgeSubnet1RouteTableB7BBE940",
    "NetworkedgeSubnet2RouteTableAB200DA1",
    "NetworkedgeSubnet3RouteTableD0E31912",
)
APPS_037 = _refs(
    "NetworkappSubnet1RouteTable934178D4",
    "NetworkappSubnet2RouteTable77A965CC",
    "NetworkappSubnet3RouteTable86E83581",
)
PRIVATE_018 = PRIVATE_026 = _refs("NetworkPrivateSubnet1SubnetC4D46731", "NetworkPrivateSubnet2SubnetB345BF84")
NAT_A, NAT_B = _refs("NetworkedgeSubnet1NATGateway28EC6F36", "NetworkedgeSubnet2NATGatewayCC207970")
S3_037 = ("ServiceName", {"Fn::Join": ["", ["com.amazonaws.", {"Ref": "AWS::Region"}, ".s3"]]})
EVERY_QUARTER: Json = {
    "ScheduleExpression": "rate(15 minutes)", "FlexibleTimeWindow": {"Mode": "OFF"},
    "Target": {"Arn": _arn("ProbeB22986FB"), "RoleArn": _arn("Added2"),
               "DeadLetterConfig": {"Arn": _arn("UndeliveredF3CF66A9")},
               "RetryPolicy": {"MaximumRetryAttempts": 2, "MaximumEventAgeInSeconds": 3600}},
}  # fmt: skip
INVOKES = [{"PolicyName": "Invoke", "PolicyDocument": {"Statement": [
    {"Effect": "Allow", "Action": "lambda:InvokeFunction", "Resource": _arn("ProbeB22986FB")}]}}]  # fmt: skip
SENDS = [{"PolicyName": "Send", "PolicyDocument": {"Statement": [
    {"Effect": "Allow", "Action": "sqs:SendMessage", "Resource": _arn("UndeliveredF3CF66A9")}]}}]  # fmt: skip
SCHEDULER = {"AssumeRolePolicyDocument": _trusts("scheduler.amazonaws.com"), "Policies": INVOKES + SENDS}


def _schedule(breaks: str | None, role: Json = SCHEDULER, **more: Any) -> Change:
    """cdk-005 with a schedule instead of a rule."""
    added = Change("cdk-005", None, SCHEDULE, "+", EVERY_QUARTER | more), Change("cdk-005", None, ROLE, "+", role)
    return Change("cdk-005", breaks, RULE, "-", None, also=added)


RENDERER: Json = {
    "Name": "renderer", "Image": "public.ecr.aws/docker/library/python:3.13-slim", "Essential": True,
    "Environment": [{"Name": "QUEUE_URL", "Value": {"Ref": "JobsDF1CC2D4"}}],
    "Secrets": [{"Name": "LICENCE_KEY", "ValueFrom": {"Ref": "Licence7A5B595C"}}],
    "LogConfiguration": {"LogDriver": "awslogs", "Options": {"awslogs-group": {"Ref": "RenderLogsCAA7F269"}}},
}  # fmt: skip


def _containers(breaks: str | None, *moved: str) -> Change:
    """cdk-038 with a sidecar that has what the worker should have."""
    worker = {key: value for key, value in RENDERER.items() if key not in moved}
    sidecar = {"Name": "sidecar", "Image": "public.ecr.aws/docker/library/busybox:1"}
    sidecar |= {key: RENDERER[key] for key in moved}
    return Change("cdk-038", breaks, TASK, "ContainerDefinitions", [worker, sidecar])


ALLOW_FIRST = {"Name": "in", "Priority": -1, "Action": {"Allow": {}},
               "Statement": {"GeoMatchStatement": {"CountryCodes": ["US"]}}}  # fmt: skip

CHANGES = (
    # What was asked for, and ends or never applies.
    _schedule(None),
    _schedule("dead-letters", SCHEDULER | {"Policies": INVOKES}),
    _schedule("scheduled", SCHEDULER | {"Policies": SENDS}),
    _schedule("scheduled", EndDate="2025-01-01T00:00:00Z"),
    _schedule("scheduled", StartDate="2099-01-01T00:00:00Z"),
    _schedule("scheduled dead-letters", SCHEDULER | {"AssumeRolePolicyDocument": _trusts("events.amazonaws.com")}),
    Change("cdk-007", "alarm", ALARM, "Unit", "Milliseconds"),
    Change("cdk-007", None, ALARM, "Unit", "None"),
    Change("cdk-007", None, ALARM, "Unit", "Count", also=(
        Change("cdk-007", None, "AWS::Logs::MetricFilter", "MetricTransformations.0.Unit", "Count"),)),
    Change("cdk-007", "alarm", ALARM, "Unit", "Count"),
    Change("cdk-009", "generated", "AWS::SecretsManager::Secret", "GenerateSecretString.IncludeSpace", True),
    Change("cdk-009", None, "AWS::SecretsManager::Secret", "GenerateSecretString.IncludeSpace", False),
    Change("cdk-015", "archived", "AWS::Events::Archive", "EventPattern.source", ["shop.orders", "shop.returns"]),
    Change("cdk-015", "archived", "AWS::Events::Archive", "EventPattern.region", ["eu-west-1"]),
    Change("cdk-015", "matches", RULE, "EventPattern.account", ["123456789012"]),
    Change("cdk-015", "matches", RULE, "EventPattern.detail.country", ["DE"]),
    Change("cdk-016", "publishes", MACHINE, "DefinitionString.Fn::Join.1.6",
           ':states:::sns:publish.waitForTaskToken","Parameters":{"TopicArn":"'),
    Change("cdk-016", "invokes", MACHINE, "DefinitionString.Fn::Join.1.2",
           ':states:::lambda:invoke.waitForTaskToken","Parameters":{"FunctionName":"'),
    Change("cdk-033", "rate-limit", ACL, "Rules.-1", ALLOW_FIRST),
    Change("cdk-033", "managed-rules", ACL, "Rules.0.Statement.ManagedRuleGroupStatement.RuleActionOverrides",
           [{"Name": "NoUserAgent_HEADER", "ActionToUse": {"Count": {}}}]),
    # Networks.
    Change("cdk-006", "s3-endpoint", ENDPOINT, "RouteTableIds", PUBLIC_006),
    Change("cdk-006", None, ENDPOINT, "RouteTableIds", ISOLATED_006),
    Change("cdk-006", "internet-side", ASSOCIATION, "RouteTableId", PUBLIC_006[0], ("RouteTableId", ISOLATED_006[0])),
    Change("cdk-018", "balanced", BALANCER, "Subnets", PRIVATE_018),
    Change("cdk-037", "subnets nat-per-zone", ASSOCIATION, "RouteTableId", PUBLIC_037[0],
           ("RouteTableId", APPS_037[0])),
    Change("cdk-037", "gateway-endpoints", ENDPOINT, "RouteTableIds", PUBLIC_037, S3_037),
    Change("cdk-037", None, ENDPOINT, "RouteTableIds", APPS_037, S3_037),
    Change("cdk-037", "nat-per-zone", ROUTE, "NatGatewayId", {"Ref": "Other"}, ("NatGatewayId", NAT_A), also=(
        Change("cdk-037", None, ROUTE, "NatGatewayId", NAT_A, ("NatGatewayId", NAT_B)),
        Change("cdk-037", None, ROUTE, "NatGatewayId", NAT_B, ("NatGatewayId", {"Ref": "Other"})))),
    Change("cdk-026", "balanced", BALANCER, "Subnets", PRIVATE_026),
    Change("cdk-026", "balanced", BALANCER, "Subnets", NO_VALUE := {"Ref": "AWS::NoValue"}, also=(
        Change("cdk-026", None, BALANCER, "SubnetMappings", [{"SubnetId": item} for item in PRIVATE_026]),)),
    Change("cdk-026", None, BALANCER, "Subnets", NO_VALUE, also=(
        Change("cdk-026", None, BALANCER, "SubnetMappings", [{"SubnetId": item} for item in _refs(
            "NetworkPublicSubnet1Subnet5B78347B", "NetworkPublicSubnet2SubnetC3758C96")]),)),
    Change("cdk-022", "function-reaches-cache", FUNCTION, "VpcConfig.SecurityGroupIds",
           [{"Fn::GetAtt": ["CacheGroupEE23E18C", "GroupId"]}], also=(
        Change("cdk-022", None, INGRESS, "SourceSecurityGroupId", {"Fn::GetAtt": ["CacheGroupEE23E18C", "GroupId"]}),)),
    Change("cdk-022", "function-reaches-cache", GROUP, "SecurityGroupEgress", NOWHERE),
    Change("cdk-022", None, GROUP, "SecurityGroupEgress", NOWHERE, also=(
        Change("cdk-022", None, EGRESS, "+", {
            "GroupId": {"Fn::GetAtt": ["ReaderGroupF7671F30", "GroupId"]}, "IpProtocol": "tcp", "FromPort": 6379,
            "ToPort": 6379, "DestinationSecurityGroupId": {"Fn::GetAtt": ["CacheGroupEE23E18C", "GroupId"]}}),)),
    Change("cdk-022", None, GROUP, "SecurityGroupEgress", NO_VALUE),
    Change("cdk-023", "reachable", FUNCTION, "VpcConfig.SubnetIds", _refs("Added1"), also=(
        Change("cdk-023", None, SUBNET, "+", {"VpcId": {"Ref": "Added2"}, "CidrBlock": "10.9.0.0/24"}),
        Change("cdk-023", None, VPC, "+", {"CidrBlock": "10.9.0.0/16"}))),
    _containers("secret-injected", "Secrets"),
    _containers("queue-known", "Environment"),
    _containers("logs", "LogConfiguration"),
    _containers(None),
    # Who may.
    Change("cdk-011", "reads-and-writes", ROLE, "AssumeRolePolicyDocument", _trusts("ec2.amazonaws.com")),
    Change("cdk-011", "reads-and-writes", POLICY, f"{STATEMENT}.Condition", LONG_AGO),
    Change("cdk-011", "reads-and-writes", POLICY, f"{STATEMENT}.Condition", FROM_OFFICE),
    Change("cdk-011", None, POLICY, f"{STATEMENT}.Condition", OF_THE_ACCOUNT),
    Change("cdk-011", "nothing-more", POLICY, f"{STATEMENT}.Action",
           ["dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:PartiQLDelete"]),
    Change("cdk-011", "post-notes", PERMISSION, "Action", "lambda:GetFunction"),
    Change("cdk-011", "post-notes", PERMISSION, "SourceArn", "arn:aws:execute-api:us-east-1:123456789012:abc/*/*/*"),
    Change("cdk-005", "scheduled", PERMISSION, "Action", "lambda:InvokeFunctionUrl"),
    Change("cdk-005", None, PERMISSION, "Action", "lambda:*"),
    Change("cdk-005", "scheduled", PERMISSION, "SourceArn", _arn("Added1"), also=(
        Change("cdk-005", None, RULE, "+", {"EventPattern": {"source": ["x"]}}),)),
    Change("cdk-005", "dead-letters", QUEUE_POLICY, f"{STATEMENT}.{SOURCE_ARN}", _arn("Added1"), also=(
        Change("cdk-005", None, RULE, "+", {"EventPattern": {"source": ["x"]}}),)),
    Change("cdk-005", "dead-letters", QUEUE_POLICY, f"{STATEMENT}.Resource", "arn:aws:sqs:us-east-1:123456789012:q"),
    Change("cdk-010", "publish-allowed", TOPIC_POLICY, "PolicyDocument.Statement.-1",
           {"Effect": "Deny", "Principal": {"Service": "budgets.amazonaws.com"}, "Action": "*", "Resource": "*"}),
    Change("cdk-010", None, TOPIC_POLICY, f"{STATEMENT}.Condition",
           {"StringEquals": {"aws:SourceAccount": {"Ref": "AWS::AccountId"}},
            "ArnLike": {"aws:SourceArn": {"Fn::Sub": "arn:aws:budgets::${AWS::AccountId}:*"}}}),
    Change("cdk-012", "served", PERMISSION, "Action", "lambda:GetFunction"),
    Change("cdk-013", "may-send", QUEUE_POLICY, "PolicyDocument.Statement.-1", EVERYBODY_OUT),
    Change("cdk-013", None, QUEUE_POLICY, "PolicyDocument.Statement.-1",
           EVERYBODY_OUT | {"Condition": {"Bool": {"aws:SecureTransport": "false"}}}),
    Change("cdk-013", "may-send", QUEUE_POLICY, f"{STATEMENT}.Condition", {"StringEquals": {"aws:SourceOrgID": "o-1"}}),
    Change("cdk-014", "notified", PERMISSION, "SourceAccount", "not-an-account"),
    Change("cdk-015", "may-send", QUEUE_POLICY, f"{STATEMENT}.{SOURCE_ARN}", "arn:aws:events:us-east-1:1:rule/other",
           ("Queues", _refs("LargeOrders2948D230"))),
    Change("cdk-015", None, QUEUE_POLICY, f"{STATEMENT}.{SOURCE_ARN}",
           {"Fn::Sub": "arn:aws:events:*:${AWS::AccountId}:rule/*"}, ("Queues", _refs("LargeOrders2948D230"))),
    Change("cdk-017", "cloudfront-reads", BUCKET_POLICY, "PolicyDocument.Statement.-1",
           {"Effect": "Deny", "Principal": "*", "Action": "s3:GetObject", "Resource": "*"}),
    Change("cdk-020", "post-confirmation", PERMISSION, "Action", "lambda:GetFunction"),
    Change("cdk-020", "post-confirmation", PERMISSION, "SourceArn", "arn:aws:cognito-idp:us-east-1:1:userpool/other"),
)  # fmt: skip
