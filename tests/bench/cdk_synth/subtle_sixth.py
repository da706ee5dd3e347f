"""Templates with everything that was asked for, and one thing more that undoes it.

`subtle` says what a change is.
"""

from __future__ import annotations

from typing import Any

from .subtle import ELSEWHERE, STATEMENT, Change

Json = dict[str, Any]


def _arn(logical_id: str) -> Json:
    return {"Fn::GetAtt": [logical_id, "Arn"]}


def _trusts(service: str, **more: Any) -> Json:
    allowed = {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"Service": service}}
    return {"Statement": [allowed | more]}


BUCKET, QUEUE, KEY, ALARM = "AWS::S3::Bucket", "AWS::SQS::Queue", "AWS::KMS::Key", "AWS::CloudWatch::Alarm"
FUNCTION, MAPPING, RULE, ROLE = (
    "AWS::Lambda::Function", "AWS::Lambda::EventSourceMapping", "AWS::Events::Rule", "AWS::IAM::Role",
)  # fmt: skip
ENDPOINT, ROUTE, VPC, ENTRY = (
    "AWS::EC2::VPCEndpoint", "AWS::EC2::Route", "AWS::EC2::VPC", "AWS::EC2::NetworkAclEntry",
)  # fmt: skip
SCALABLE, SCALING = "AWS::ApplicationAutoScaling::ScalableTarget", "AWS::ApplicationAutoScaling::ScalingPolicy"
RULES, SUBSCRIPTION, GATEWAY = "LifecycleConfiguration.Rules", "AWS::SNS::Subscription", "AWS::EC2::InternetGateway"
DISTRIBUTION, FLEET, PIPELINE = (
    "AWS::CloudFront::Distribution", "AWS::AutoScaling::AutoScalingGroup", "AWS::CodePipeline::Pipeline",
)  # fmt: skip
DENY_ALL = {"redrivePermission": "denyAll"}
BY_QUEUE = {"redrivePermission": "byQueue", "sourceQueueArns": [_arn("InvoicesF0222E8D")]}
OTHER_DIMENSION = {"Name": "Region", "Value": "x"}
LONG_AGO = {"DateLessThan": {"aws:CurrentTime": "2020-01-01T00:00:00Z"}}
FILTERED = {"Filters": [{"Pattern": '{"body": {"kind": ["never"]}}'}]}
METRIC = {
    "MetricName": "ApproximateNumberOfMessagesVisible",
    "Namespace": "AWS/SQS",
    "Dimensions": [{"Name": "QueueName", "Value": {"Fn::GetAtt": ["FailedInvoices5AA8DC80", "QueueName"]}}],
}
NO_READING = {"Statement": [{"Effect": "Deny", "Principal": "*", "Action": "s3:GetObject", "Resource": "*"}]}
NO_METRICS = {"Ref": "AWS::NoValue"}
OUTSIDE = {"Id": "outside", "DomainName": "example.com", "CustomOriginConfig": {"OriginProtocolPolicy": "https-only"}}
DATA_TABLES = [{"Ref": "NetworkdataSubnet1RouteTableBAFAD511"}, {"Ref": "NetworkdataSubnet2RouteTable47CCE8F8"}]
PRIVATE_027 = {"Ref": "NetworkprivateSubnet1RouteTable02079FE3"}
EDGE_037 = [
    {"Ref": name}
    for name in (
        "NetworkedgeSubnet1Subnet4DC3E630",
        "NetworkedgeSubnet2Subnet9E41EF34",
        "NetworkedgeSubnet3SubnetFACEF603",
    )
]
DATA_037 = [
    {"Ref": name}
    for name in (
        "NetworkdataSubnet1Subnet23818A56",
        "NetworkdataSubnet2Subnet57A56744",
        "NetworkdataSubnet3Subnet0BDE4D04",
    )
]
ACL_OF = "AWS::EC2::SubnetNetworkAclAssociation"
FOR_SNS = {
    "Effect": "Allow",
    "Principal": {"Service": "sns.amazonaws.com"},
    "Resource": "*",
    "Action": ["kms:GenerateDataKey*", "kms:Decrypt"],
}


def _metrics(operator: str) -> Change:
    """cdk-003 with an alarm on metric math."""
    stat = {"Id": "m", "MetricStat": {"Metric": METRIC, "Period": 60, "Stat": "Maximum"}, "ReturnData": False}
    math = [{"Id": "e", "Expression": "FILL(m, 0)"}, stat]
    unset = tuple(
        Change("cdk-003", None, ALARM, name, NO_METRICS)
        for name in ("MetricName", "Namespace", "Dimensions", "Statistic", "Period")
    )
    breaks = None if operator == "GreaterThanOrEqualToThreshold" else "alarm"
    return Change(
        "cdk-003",
        breaks,
        ALARM,
        "Metrics",
        math,
        also=(Change("cdk-003", None, ALARM, "ComparisonOperator", operator), *unset),
    )


CHANGES = (
    Change("cdk-001", "old-versions-expire", BUCKET, f"{RULES}.0.ObjectSizeGreaterThan", 1_000_000),
    Change("cdk-001", "old-versions-expire", BUCKET, f"{RULES}.-1",
           {"NoncurrentVersionExpiration": {"NoncurrentDays": 1}, "Status": "Enabled"}),
    Change("cdk-001", "old-versions-expire", BUCKET, f"{RULES}.-1",
           {"ExpirationDate": "2027-01-01T00:00:00Z", "Status": "Enabled"}),
    Change("cdk-001", None, BUCKET, f"{RULES}.-1",
           {"AbortIncompleteMultipartUpload": {"DaysAfterInitiation": 7}, "Status": "Enabled"}),
    Change("cdk-001", "tls-only", "AWS::S3::BucketPolicy", f"{STATEMENT}.Resource", ELSEWHERE),
    Change("cdk-003", "alarm", ALARM, "Dimensions.-1", OTHER_DIMENSION),
    Change("cdk-003", "alarm", ALARM, "Unit", "Seconds"),
    Change("cdk-003", None, ALARM, "Unit", "Count"),
    _metrics("LessThanThreshold"),
    _metrics("GreaterThanOrEqualToThreshold"),
    Change("cdk-003", "redrive", QUEUE, "RedriveAllowPolicy", DENY_ALL, ("MessageRetentionPeriod", 1209600)),
    Change("cdk-003", None, QUEUE, "RedriveAllowPolicy", BY_QUEUE, ("MessageRetentionPeriod", 1209600)),
    Change("cdk-003", "encrypted", QUEUE, "KmsMasterKeyId", "alias/aws/sqs"),
    Change("cdk-004", "signed-url", "AWS::Lambda::Permission", "+",
           {"Action": "lambda:InvokeFunctionUrl", "FunctionName": {"Ref": "GreeterA41DC22A"}, "Principal": "*",
            "FunctionUrlAuthType": "NONE"}),
    Change("cdk-004", "sized", FUNCTION, "ReservedConcurrentExecutions", 0),
    Change("cdk-004", None, FUNCTION, "ReservedConcurrentExecutions", 5),
    Change("cdk-005", "scheduled", FUNCTION, "ReservedConcurrentExecutions", 0),
    Change("cdk-005", "dead-letters", QUEUE, "KmsMasterKeyId", "alias/aws/sqs"),
    Change("cdk-006", "flow-log", "AWS::EC2::FlowLog", "ResourceType", "Subnet"),
    Change("cdk-006", "flow-log", ROLE, "AssumeRolePolicyDocument", _trusts("ec2.amazonaws.com")),
    Change("cdk-006", "s3-endpoint", ENDPOINT, "PolicyDocument",
           {"Statement": [{"Effect": "Deny", "Principal": "*", "Action": "*", "Resource": "*"}]}),
    Change("cdk-008", "assumed-by-ec2", ROLE, "AssumeRolePolicyDocument",
           _trusts("ec2.amazonaws.com", Condition=LONG_AGO)),
    Change("cdk-009", "rotating-key", KEY, "KeySpec", "RSA_2048"),
    Change("cdk-009", None, KEY, "KeySpec", "SYMMETRIC_DEFAULT"),
    Change("cdk-009", "rotating-key", KEY, "Origin", "EXTERNAL"),
    Change("cdk-009", "generated", "AWS::SecretsManager::Secret", "GenerateSecretString.SecretStringTemplate",
           '{"other": {"username": "broker"}}'),
    Change("cdk-009", None, "AWS::SecretsManager::Secret", "GenerateSecretString.SecretStringTemplate",
           '{ "host": "broker.internal", "username" : "broker" }'),
    Change("cdk-010", "limit", "AWS::Budgets::Budget", "Budget.TimePeriod.End", "1600000000"),
    Change("cdk-010", "limit", "AWS::Budgets::Budget", "Budget.AutoAdjustData", {"AutoAdjustType": "HISTORICAL"}),
    Change("cdk-011", "stage", "AWS::ApiGateway::Stage", "MethodSettings.-1",
           {"HttpMethod": "GET", "ResourcePath": "/~1notes~1{id}", "ThrottlingRateLimit": 1}),
    Change("cdk-012", "cors", "AWS::ApiGatewayV2::Api", "CorsConfiguration.AllowOrigins.-1", "https://evil.example"),
    Change("cdk-012", "served", "AWS::ApiGatewayV2::Stage", "AutoDeploy", False),
    Change("cdk-012", "served", "AWS::ApiGatewayV2::Api", "DisableExecuteApiEndpoint", True),
    Change("cdk-013", "billing-filter", SUBSCRIPTION, "FilterPolicy", {"kind": ["placed", "refunded"], "eu": ["yes"]},
           ("FilterPolicy", {"kind": ["placed", "refunded"]})),
    Change("cdk-013", "dead-letters", QUEUE, "RedriveAllowPolicy", DENY_ALL),
    Change("cdk-013", "may-send", QUEUE, "KmsMasterKeyId", "alias/aws/sqs"),
    Change("cdk-013", "may-send", QUEUE, "KmsMasterKeyId", _arn("Added1"), also=(
        Change("cdk-013", None, KEY, "+", {"KeyPolicy": {"Statement": []}}),)),
    Change("cdk-013", None, QUEUE, "KmsMasterKeyId", _arn("Added1"), also=(
        Change("cdk-013", None, KEY, "+", {"KeyPolicy": {"Statement": [FOR_SNS]}}),)),
    Change("cdk-014", "reads-objects", "AWS::S3::BucketPolicy", "+",
           {"Bucket": {"Ref": "Uploads4F6EB0FD"}, "PolicyDocument": NO_READING}),
    Change("cdk-015", "to-queue", RULE, "Targets.0.Input", "{}"),
    Change("cdk-015", None, RULE, "Targets.0.InputPath", "$.detail"),
    Change("cdk-017", "origin-access-control", DISTRIBUTION, "DistributionConfig.Origins.-1", OUTSIDE, also=(
        Change("cdk-017", None, DISTRIBUTION, "DistributionConfig.DefaultCacheBehavior.TargetOriginId", "outside"),)),
    Change("cdk-017", None, DISTRIBUTION, "DistributionConfig.Origins.-1", OUTSIDE),
    Change("cdk-018", "scales", SCALABLE, "SuspendedState.DynamicScalingOutSuspended", True),
    Change("cdk-018", None, SCALABLE, "SuspendedState.DynamicScalingOutSuspended", False),
    Change("cdk-018", "scales", SCALING, "TargetTrackingScalingPolicyConfiguration.DisableScaleIn", True),
    Change("cdk-019", "hidden", ROUTE, "+", {"RouteTableId": DATA_TABLES[0], "DestinationCidrBlock": "0.0.0.0/0",
                                            "GatewayId": {"Ref": "Added1"}}, also=(
        Change("cdk-019", None, GATEWAY, "+", {}),)),
    Change("cdk-022", "encrypted", "AWS::ElastiCache::ReplicationGroup", "TransitEncryptionMode", "preferred"),
    Change("cdk-022", None, "AWS::ElastiCache::ReplicationGroup", "TransitEncryptionMode", "required"),
    Change("cdk-026", "tracks-cpu", "AWS::AutoScaling::ScalingPolicy", "TargetTrackingConfiguration.DisableScaleIn",
           True),
    Change("cdk-027", "internal", ROUTE, "+", {"RouteTableId": PRIVATE_027, "DestinationCidrBlock": "0.0.0.0/0",
                                              "GatewayId": {"Ref": "Added1"}}, also=(
        Change("cdk-027", None, GATEWAY, "+", {}),)),
    Change("cdk-030", "fed", MAPPING, "FilterCriteria", FILTERED),
    Change("cdk-030", "alarm", ALARM, "Dimensions.-1", OTHER_DIMENSION),
    Change("cdk-031", "tls-only", "AWS::SQS::QueuePolicy", f"{STATEMENT}.Condition.StringEquals",
           {"aws:PrincipalTag/team": "x"}),
    Change("cdk-033", "logged", "AWS::WAFv2::LoggingConfiguration", "LogDestinationConfigs", [_arn("Added1")], also=(
        Change("cdk-033", None, "AWS::Logs::LogGroup", "+", {"LogGroupName": "aws-waf-logs-other"}),)),
    Change("cdk-034", "approval", PIPELINE, "DisableInboundStageTransitions",
           [{"StageName": "Deploy", "Reason": "later"}]),
    Change("cdk-036", "aggregates", MAPPING, "FilterCriteria", FILTERED, ("BatchSize", 200)),
    Change("cdk-036", "failures", MAPPING, "MaximumRecordAgeInSeconds", 60, ("BatchSize", 200)),
    Change("cdk-036", None, MAPPING, "MaximumRecordAgeInSeconds", -1, ("BatchSize", 200)),
    Change("cdk-036", "watched", MAPPING, "FilterCriteria.Filters.0.Pattern",
           '{"eventName":["MODIFY"],"userIdentity":{"type":["x"]}}', ("BatchSize", 100)),
    Change("cdk-036", None, MAPPING, "FilterCriteria.Filters.0.Pattern", '{ "eventName": [ "MODIFY" ] }',
           ("BatchSize", 100)),
    Change("cdk-036", "one-key", KEY, "Enabled", False),
    Change("cdk-037", "data-acl", ENTRY, "+",
           {"NetworkAclId": {"Ref": "DataAcl3153E067"}, "CidrBlock": "10.40.0.0/16", "Egress": False, "Protocol": 6,
            "PortRange": {"From": 3306, "To": 3306}, "RuleAction": "deny", "RuleNumber": 50}),
    Change("cdk-037", None, ENTRY, "+",
           {"NetworkAclId": {"Ref": "DataAcl3153E067"}, "CidrBlock": "0.0.0.0/0", "Egress": False, "Protocol": -1,
            "RuleAction": "deny", "RuleNumber": 200}),
    Change("cdk-037", "data-acl", ACL_OF, "SubnetId", EDGE_037[0], ("SubnetId", DATA_037[0]), also=(
        Change("cdk-037", None, ACL_OF, "SubnetId", EDGE_037[1], ("SubnetId", DATA_037[1])),
        Change("cdk-037", None, ACL_OF, "SubnetId", EDGE_037[2], ("SubnetId", DATA_037[2])))),
    Change("cdk-037", "interface-endpoints", VPC, "EnableDnsSupport", False),
    Change("cdk-038", "scales", SCALABLE, "SuspendedState.DynamicScalingOutSuspended", True),
    Change("cdk-039", "notifies", "AWS::CloudWatch::CompositeAlarm", "ActionsSuppressor", "another-alarm"),
    Change("cdk-039", "slow", ALARM, "Unit", "Count", ("Threshold", 3000)),
    Change("cdk-039", "slow", ALARM, "Dimensions.-1", OTHER_DIMENSION, ("Threshold", 3000)),
    Change("cdk-040", "events", RULE, "EventPattern.detail.object", {"key": [{"prefix": "never/"}]}),
    Change("cdk-040", "events", RULE, "EventPattern.account", ["123456789012"]),
    Change("cdk-040", "shared-key", KEY, "Enabled", False),
)  # fmt: skip
