"""Templates that a person would reject by the words of the prompt, and honest ones, for cdk-021 to cdk-040.

`subtle` says what a change is.
"""

from __future__ import annotations

import json
from typing import Any

from .subtle import STATEMENT, Change

Json = dict[str, Any]


def _arn(logical_id: str) -> Json:
    return {"Fn::GetAtt": [logical_id, "Arn"]}


def _trusts(service: str) -> Json:
    return {"Statement": [{"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"Service": service}}]}


SUBNET, NAT, ROLE, POLICY = "AWS::EC2::Subnet", "AWS::EC2::NatGateway", "AWS::IAM::Role", "AWS::IAM::Policy"
GROUP, FLEET, TEMPLATE = "AWS::EC2::SecurityGroup", "AWS::AutoScaling::AutoScalingGroup", "AWS::EC2::LaunchTemplate"
BUCKET, TABLE, ALARM = "AWS::S3::Bucket", "AWS::DynamoDB::Table", "AWS::CloudWatch::Alarm"
RECORD, SELECTION = "AWS::Route53::RecordSet", "AWS::Backup::BackupSelection"
NO_VALUE = {"Ref": "AWS::NoValue"}
FIRST_ZONE = {"Fn::Select": [0, {"Fn::GetAZs": ""}]}
IMAGE = "{{resolve:ssm:/aws/service/ami-amazon-linux-latest/%s}}"
EXPIRES = ("LifecycleConfiguration", {"Rules": [{"ExpirationInDays": 7, "Status": "Enabled"}]})
LAUNCHED = {"LaunchTemplateId": {"Ref": "Template576A9730"},
            "Version": {"Fn::GetAtt": ["Template576A9730", "LatestVersionNumber"]}}  # fmt: skip
PUBLIC = [{"Ref": "NetworkPublicSubnet1Subnet5B78347B"}, {"Ref": "NetworkPublicSubnet2SubnetC3758C96"}]
BALANCER = {"DNSName": {"Fn::GetAtt": ["Intranet2AFC488E", "DNSName"]},
            "HostedZoneId": {"Fn::GetAtt": ["Intranet2AFC488E", "CanonicalHostedZoneID"]}}  # fmt: skip
RECORDS = [{"Name": "intranet.corp.internal", "Type": "A", "AliasTarget": BALANCER},
           {"Name": "wiki.corp.internal", "Type": "CNAME", "TTL": 300,
            "ResourceRecords": ["intranet.corp.internal."]}]  # fmt: skip
LANDING = {"Ref": "referencetoPipelineLandingF9282082Arn"}
QUEUE_POLICY, RESOLVER, PIPELINE = "AWS::SQS::QueuePolicy", "AWS::AppSync::Resolver", "AWS::CodePipeline::Pipeline"
ASSOCIATION, PROJECT, ROUTE = "AWS::WAFv2::WebACLAssociation", "AWS::CodeBuild::Project", "AWS::EC2::Route"
RULE, MACHINE, COMPOSITE = "AWS::Events::Rule", "AWS::StepFunctions::StateMachine", "AWS::CloudWatch::CompositeAlarm"
BALANCERS, LISTENER = "AWS::ElasticLoadBalancingV2::LoadBalancer", "AWS::ElasticLoadBalancingV2::Listener"
AVERAGE_CPU = {"TargetValue": 50, "CustomizedMetricSpecification": {
    "MetricName": "CPUUtilization", "Namespace": "AWS/EC2", "Statistic": "Average"}}  # fmt: skip
BUILT = "version: 0.2\nphases:\n  build:\n    commands:\n      {}\n      - make\n"
DEPLOYED = "Stages.3.Actions.0.Configuration"
RATE_ALARM, SLOW_ALARM = ("Threshold", 2), ("Threshold", 3000)
PUSHES_LOGS = ("ManagedPolicyArns", [{"Fn::Join": ["", ["arn:", {"Ref": "AWS::Partition"},
               ":iam::aws:policy/service-role/AWSAppSyncPushToCloudWatchLogs"]]}])  # fmt: skip
ABOUT_BUCKET = {"source": ["aws.s3"], "detail-type": ["Object Created"], "resources": [_arn("Documents7E5B2978")]}


def _tagged(*tags: str) -> list[Json]:
    return [{"ConditionKey": f"aws:ResourceTag/{tag}", "ConditionValue": "yes"} for tag in tags]


def _invoked(function: str, **more: Any) -> Json:
    retry = {"ErrorEquals": ["States.TaskFailed"], "IntervalSeconds": 5, "MaxAttempts": 2, "BackoffRate": 2}
    called = {"FunctionName": f"${{{function}.Arn}}"}
    return {"Type": "Task", "Resource": "arn:aws:states:::lambda:invoke", "Parameters": called, "Retry": [retry]} | more


def _saga(caught: str = "CancelHotel", last: str = "TripFailed", at_tasks: bool = False, waits: bool = True) -> Json:
    """The workflow of cdk-035 as text: where errors lead, how undoing ends, who catches, whether approval times out."""
    catch: Json = {"Catch": [{"ErrorEquals": ["States.ALL"], "Next": caught}]}
    limit: Json = {"TimeoutSeconds": 86400}
    flight, hotel = (
        {"StartAt": "Book", "States": {"Book": _invoked(name, End=True, **(catch if at_tasks else {}))}}
        for name in ("BookFlightFunction9DC22D7E", "BookHotelFunctionA9B0BF82")
    )
    message = {"QueueUrl": "${Approvals8537C562}", "MessageBody": {"token.$": "$$.Task.Token"}}
    approval = {"Type": "Task", "Resource": "arn:aws:states:::sqs:sendMessage.waitForTaskToken", "Parameters": message}
    states = {
        "Ask": approval | {"Next": "Bookings"} | (limit if waits else {}),
        "Bookings": {"Type": "Parallel", "Branches": [flight, hotel], "Next": "Booked"} | ({} if at_tasks else catch),
        "CancelHotel": _invoked("CancelHotelFunction94F39F82", Next="CancelFlight", **({} if waits else limit)),
        "CancelFlight": _invoked("CancelFlightFunction2521DD58", Next=last),
        "Booked": {"Type": "Succeed"},
        "TripFailed": {"Type": "Fail"},
    }
    return {"Fn::Sub": json.dumps({"StartAt": "Ask", "States": states, "TimeoutSeconds": 172800}, indent=1)}


CHANGES = (
    Change("cdk-021", "writes-bucket", POLICY, f"{STATEMENT}.Resource", _arn("Lake5F1B88EA"),
           ("PolicyName", "DeliveryS3DestinationRoleDefaultPolicy6771D479")),
    Change("cdk-021", None, POLICY, f"{STATEMENT}.Resource", {"Fn::Sub": "${Lake5F1B88EA.Arn}/clicks/*"},
           ("PolicyName", "DeliveryS3DestinationRoleDefaultPolicy6771D479")),
    Change("cdk-022", "private", SUBNET, "AvailabilityZone", FIRST_ZONE),
    Change("cdk-022", None, SUBNET, "AvailabilityZone", NO_VALUE),
    Change("cdk-022", "failover", "AWS::ElastiCache::ReplicationGroup", "Engine", "memcached"),
    Change("cdk-023", "two-mount-targets", SUBNET, "AvailabilityZone", FIRST_ZONE),
    Change("cdk-023", "two-mount-targets", NAT, "+", {"SubnetId": {"Ref": "NetworkprivateSubnet1Subnet31A2179A"}}),
    Change("cdk-023", "two-mount-targets", "AWS::EC2::InternetGateway", "+", {}),
    Change("cdk-024", "results-expire", BUCKET, "LifecycleConfiguration.Rules.0.ObjectSizeGreaterThan", 1_000_000,
           EXPIRES),
    Change("cdk-024", None, BUCKET, "BucketName", "acme-sales", ("LifecycleConfiguration", None), also=(
        Change("cdk-024", None, BUCKET, "BucketName", "acme-results", EXPIRES),
        Change("cdk-024", None, "AWS::Glue::Table", "TableInput.StorageDescriptor.Location", "s3://acme-sales/orders/"),
        Change("cdk-024", None, "AWS::Athena::WorkGroup",
               "WorkGroupConfiguration.ResultConfiguration.OutputLocation", "s3://acme-results/"))),
    Change("cdk-025", "selection", ROLE, "AssumeRolePolicyDocument", _trusts("lambda.amazonaws.com")),
    Change("cdk-025", "selection", SELECTION, "BackupSelection.ListOfTags", NO_VALUE, also=(
        Change("cdk-025", None, SELECTION, "BackupSelection.Conditions.StringEquals", _tagged("backup", "night")),)),
    Change("cdk-025", None, SELECTION, "BackupSelection.ListOfTags", NO_VALUE, also=(
        Change("cdk-025", None, SELECTION, "BackupSelection.Conditions.StringEquals", _tagged("backup")),)),
    Change("cdk-026", "fleet-size", FLEET, "VPCZoneIdentifier", PUBLIC),
    Change("cdk-026", "fleet-size", NAT, "+", {"SubnetId": PUBLIC[1]}),
    Change("cdk-026", "fleet-size", SUBNET, "AvailabilityZone", FIRST_ZONE),
    Change("cdk-026", "imdsv2", TEMPLATE, "LaunchTemplateData.ImageId", IMAGE % "amzn2-ami-hvm-x86_64-gp2"),
    Change("cdk-026", "imdsv2", TEMPLATE, "LaunchTemplateData.ImageId", IMAGE % "al2023-ami-kernel-default-arm64"),
    Change("cdk-026", None, TEMPLATE, "LaunchTemplateData.ImageId", IMAGE % "al2023-ami-kernel-default-x86_64"),
    Change("cdk-026", None, FLEET, "LaunchTemplate", NO_VALUE, also=(
        Change("cdk-026", None, FLEET, "MixedInstancesPolicy.LaunchTemplate.LaunchTemplateSpecification", LAUNCHED),)),
    Change("cdk-026", "session-manager", TEMPLATE, "LaunchTemplateData.IamInstanceProfile", NO_VALUE),
    Change("cdk-026", "balanced", BALANCERS, "Type", "network"),
    Change("cdk-026", "balanced", LISTENER, "DefaultActions.0.TargetGroupArn", {"Ref": "Added1"}, also=(
        Change("cdk-026", None, "AWS::ElasticLoadBalancingV2::TargetGroup", "+", {"Port": 80}),)),
    Change("cdk-026", None, FLEET, "TargetGroupARNs", NO_VALUE, also=(
        Change("cdk-026", None, FLEET, "TrafficSources",
               [{"Identifier": {"Ref": "BalancerHttpWebGroupE4BA856F"}, "Type": "elbv2"}]),)),
    Change("cdk-026", None, "AWS::AutoScaling::ScalingPolicy", "TargetTrackingConfiguration", AVERAGE_CPU),
    Change("cdk-027", "internal", SUBNET, "AvailabilityZone", FIRST_ZONE),
    Change("cdk-027", "internal", BALANCERS, "Type", "network"),
    Change("cdk-027", "fixed-response", "AWS::ElasticLoadBalancingV2::ListenerRule", "+",
           {"ListenerArn": {"Ref": "IntranetHttpA9661AEA"}, "Priority": 1,
            "Actions": [{"Type": "fixed-response", "FixedResponseConfig": {"StatusCode": "503"}}]}),
    Change("cdk-027", None, RECORD, "-", None, also=(
        Change("cdk-027", None, "AWS::Route53::RecordSetGroup", "+",
               {"HostedZoneId": {"Ref": "ZoneA5DE4B68"}, "RecordSets": RECORDS}),)),
    Change("cdk-028", "three-stacks", SUBNET, "AvailabilityZone", FIRST_ZONE),
    Change("cdk-029", "two-stages", TABLE, "KeySchema.-1", {"AttributeName": "at", "KeyType": "RANGE"}),
    Change("cdk-029", "tagged", "AWS::Logs::LogGroup", "+", {"RetentionInDays": 7}),
    Change("cdk-029", None, "AWS::Logs::LogGroup", "+", {"Tags": [{"Key": "stage", "Value": "prod"}]}),
    Change("cdk-029", None, TABLE, "$DeletionPolicy", None, ("DeletionProtectionEnabled", False)),
    Change("cdk-030", "may-put", POLICY, "PolicyDocument.Statement.1.Resource", LANDING),
    Change("cdk-030", None, POLICY, "PolicyDocument.Statement.1.Resource",
           {"Fn::Sub": "arn:${AWS::Partition}:s3:::${referencetoPipelineLandingF9282082Ref}/*"}),
    Change("cdk-030", "alarm", ALARM, "Statistic", "SampleCount"),
    Change("cdk-030", "alarm", ALARM, "Dimensions.0.Name", "Queue"),
    Change("cdk-031", "tls-only", QUEUE_POLICY, f"{STATEMENT}.Resource", _arn("OrdersFailed019DA5B3"),
           ("Queues", [{"Ref": "ReturnsQueue4E10B6EE"}])),
    Change("cdk-031", None, QUEUE_POLICY, f"{STATEMENT}.Resource", "*"),
    Change("cdk-031", "encrypted", "AWS::SQS::Queue", "KmsMasterKeyId", "alias/aws/sqs"),
    Change("cdk-032", "mutation", RESOLVER, "DataSourceName", "Nothing", ("TypeName", "Mutation"), also=(
        Change("cdk-032", None, "AWS::AppSync::DataSource", "+", {"Name": "Nothing", "Type": "NONE"}),)),
    Change("cdk-032", "data-source", TABLE, "KeySchema.-1", {"AttributeName": "title", "KeyType": "RANGE"}),
    Change("cdk-032", "query", RESOLVER, "ApiId", "another", ("TypeName", "Query")),
    Change("cdk-032", "schema", "AWS::AppSync::GraphQLSchema", "ApiId", "another"),
    Change("cdk-032", "logged", ROLE, "AssumeRolePolicyDocument", _trusts("lambda.amazonaws.com"), PUSHES_LOGS),
    Change("cdk-033", "associated", ASSOCIATION, "ResourceArn",
           {"Fn::Sub": "arn:aws:apigateway:${AWS::Region}::/restapis/another/stages/${Added1}"}, also=(
        Change("cdk-033", None, "AWS::ApiGateway::Stage", "+", {"RestApiId": "another", "StageName": "prod"}),)),
    Change("cdk-033", None, ASSOCIATION, "ResourceArn",
           {"Fn::Sub": "arn:aws:apigateway:${AWS::Region}::/restapis/${ApiF70053CD}/stages/prod"}),
    Change("cdk-033", "managed-rules", "AWS::WAFv2::WebACL",
           "Rules.0.Statement.ManagedRuleGroupStatement.ScopeDownStatement",
           {"GeoMatchStatement": {"CountryCodes": ["AQ"]}}),
    Change("cdk-034", "source", PIPELINE, "Stages.0.Actions.0.Configuration.S3Bucket",
           {"Ref": "PipelineArtifactsBucket22248F97"}),
    Change("cdk-034", "build", PIPELINE, "Stages.1.Actions.0.Configuration.ProjectName", {"Ref": "Added1"}, also=(
        Change("cdk-034", None, PROJECT, "+", {"TimeoutInMinutes": 20, "Source": {"BuildSpec": BUILT.format("")}}),)),
    Change("cdk-034", "tests", PROJECT, "Source.BuildSpec", BUILT.format("# - python -m pytest")),
    Change("cdk-034", None, PROJECT, "Source.BuildSpec", BUILT.format("- pip install pytest && python -m pytest -q")),
    Change("cdk-034", None, PROJECT, "Source.BuildSpec", BUILT.format("- python -m pytest || exit 1")),
    Change("cdk-034", "deploy", PIPELINE, f"{DEPLOYED}.TemplatePath", "Source::template.json"),
    Change("cdk-034", "deploy", PIPELINE, f"{DEPLOYED}.RoleArn", NO_VALUE),
    Change("cdk-034", "deploy", PIPELINE, f"{DEPLOYED}.ActionMode", "DELETE_ONLY"),
    Change("cdk-034", None, PIPELINE, f"{DEPLOYED}.ActionMode", "CHANGE_SET_REPLACE"),
    Change("cdk-035", "compensated", MACHINE, "DefinitionString", _saga(caught="TripFailed")),
    Change("cdk-035", "compensated", MACHINE, "DefinitionString", _saga(last="Booked")),
    Change("cdk-035", "compensated", MACHINE, "DefinitionString", _saga(at_tasks=True)),
    Change("cdk-035", "callback", MACHINE, "DefinitionString", _saga(waits=False)),
    Change("cdk-035", None, MACHINE, "DefinitionString", _saga()),
    Change("cdk-036", "aggregates", "AWS::Kinesis::Stream", "StreamModeDetails.StreamMode", "ON_DEMAND"),
    Change("cdk-036", "failures", POLICY, f"{STATEMENT}.Action", "sqs:GetQueueUrl",
           ("PolicyName", "AggregatorServiceRoleDefaultPolicyEBDCB410")),
    Change("cdk-036", "writes-table", TABLE, "KeySchema.-1", {"AttributeName": "at", "KeyType": "RANGE"}),
    Change("cdk-037", "nat-per-zone", ROUTE, "NatGatewayId", {"Ref": "NetworkedgeSubnet1NATGateway28EC6F36"},
           ("NatGatewayId", {"Ref": "NetworkedgeSubnet2NATGatewayCC207970"})),
    Change("cdk-037", "nat-per-zone", ROUTE, "+", {
        "RouteTableId": {"Ref": "NetworkdataSubnet3RouteTable04C324A2"}, "DestinationCidrBlock": "0.0.0.0/0",
        "NatGatewayId": {"Ref": "NetworkedgeSubnet3NATGateway203E0EF0"}}),
    Change("cdk-037", None, "AWS::EC2::NetworkAclEntry", "CidrBlock",
           {"Fn::GetAtt": ["Network1C6012B5", "CidrBlock"]}),
    Change("cdk-037", "data-group", "AWS::EC2::SecurityGroupIngress", "SourceSecurityGroupId",
           {"Fn::GetAtt": ["DataGroupFB50DC36", "GroupId"]}),
    Change("cdk-037", "data-group", "AWS::EC2::SecurityGroupIngress", "IpProtocol", "udp"),
    Change("cdk-037", "interface-endpoints", "AWS::EC2::VPCEndpoint", "SubnetIds", [], ("PrivateDnsEnabled", True)),
    Change("cdk-038", "no-balancer", NAT, "+", {"SubnetId": PUBLIC[1]}),
    Change("cdk-038", "no-balancer", NAT, "-", None),
    Change("cdk-038", "spot", "AWS::ECS::ClusterCapacityProviderAssociations", "-", None),
    Change("cdk-038", "scales", "AWS::ApplicationAutoScaling::ScalingPolicy",
           "StepScalingPolicyConfiguration.StepAdjustments", [{"ScalingAdjustment": -1}]),
    Change("cdk-038", "logs", "AWS::ECS::TaskDefinition", "ContainerDefinitions.0.LogConfiguration.LogDriver",
           "journald"),
    Change("cdk-038", None, "AWS::ECS::TaskDefinition", "Cpu", "1 vCPU", also=(
        Change("cdk-038", None, "AWS::ECS::TaskDefinition", "Memory", "2 GB"),)),
    Change("cdk-039", "error-rate", ALARM, "Metrics.0.Expression", "100 * m2 / m1", RATE_ALARM, also=(
        Change("cdk-039", None, ALARM, "Metrics.1.Id", "m1", RATE_ALARM),
        Change("cdk-039", None, ALARM, "Metrics.2.Id", "m2", RATE_ALARM))),
    Change("cdk-039", None, ALARM, "Metrics.0.Expression", "100 * m2 / m1", RATE_ALARM, also=(
        Change("cdk-039", None, ALARM, "Metrics.1.Id", "m2", RATE_ALARM),
        Change("cdk-039", None, ALARM, "Metrics.2.Id", "m1", RATE_ALARM))),
    Change("cdk-039", "error-rate", ALARM, "Metrics.0.ReturnData", False, RATE_ALARM),
    Change("cdk-039", "error-rate", ALARM, "Metrics.0.Expression", "100 * errors * invocations", RATE_ALARM),
    Change("cdk-039", "error-rate", ALARM, "Metrics.0.Expression", "100 - 100 * errors / invocations", RATE_ALARM),
    Change("cdk-039", None, ALARM, "Metrics.0.Expression", "100 * errors / MAX([errors, invocations])", RATE_ALARM),
    Change("cdk-039", None, ALARM, "AlarmName", "failing", RATE_ALARM, also=(
        Change("cdk-039", None, ALARM, "AlarmName", "slow", SLOW_ALARM),
        Change("cdk-039", None, COMPOSITE, "AlarmRule", 'ALARM("failing") OR ALARM(slow)'))),
    Change("cdk-039", "composite", COMPOSITE, "AlarmRule", 'ALARM("failing") OR ALARM(slow)'),
    Change("cdk-040", "events", RULE, "EventPattern.detail-type.-1", "Object Deleted"),
    Change("cdk-040", "events", RULE, "State", "DISABLED"),
    Change("cdk-040", "events", RULE, "EventBusName", "documents"),
    Change("cdk-040", "events", "AWS::Lambda::Permission", "-", None),
    Change("cdk-040", "events", RULE, "EventPattern.detail", NO_VALUE),
    Change("cdk-040", None, RULE, "EventPattern", ABOUT_BUCKET),
    Change("cdk-040", "function-access", POLICY, f"{STATEMENT}.Resource", _arn("Documents7E5B2978"),
           ("PolicyName", "IndexerServiceRoleDefaultPolicy09E12902")),
    Change("cdk-040", "boundary", "AWS::IAM::ManagedPolicy", f"{STATEMENT}.Action", ["s3:*", "dynamodb:*", "kms:*"]),
)  # fmt: skip
