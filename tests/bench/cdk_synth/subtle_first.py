"""More templates that look right, and some that look strange and are right; `subtle` says what a change is."""

from __future__ import annotations

from typing import Any

from .subtle import STATEMENT, Change


def _arn(logical_id: str) -> dict[str, Any]:
    return {"Fn::GetAtt": [logical_id, "Arn"]}


ALARM, POLICY, FILTER = "AWS::CloudWatch::Alarm", "AWS::IAM::Policy", "AWS::Logs::MetricFilter"
RULE, FUNCTION, SUBSCRIPTION = "AWS::Events::Rule", "AWS::Lambda::Function", "AWS::SNS::Subscription"
BUDGET, TOPIC_POLICY, HTTP_API = "AWS::Budgets::Budget", "AWS::SNS::TopicPolicy", "AWS::ApiGatewayV2::Api"
PROBE = {"Arn": _arn("ProbeB22986FB"), "Id": "Probe"}
RETRY = {"RetryPolicy": {"MaximumEventAgeInSeconds": 3600, "MaximumRetryAttempts": 2}}
LETTERS = {"DeadLetterConfig": {"Arn": _arn("UndeliveredF3CF66A9")}}
SPARE = {"Arn": _arn("UndeliveredF3CF66A9"), "Id": "Spare", **RETRY, **LETTERS}
READ_ONLY = "arn:aws:iam::aws:policy/AmazonS3ReadOnlyAccess"
NO_VALUE = {"Ref": "AWS::NoValue"}
NOTIFICATION = "NotificationsWithSubscribers.{}.Notification.ComparisonOperator"
TO_BILLING = ("FilterPolicy", {"kind": ["placed", "refunded"]})
TO_SHIPPING = ("FilterPolicy", {"kind": ["placed"]})
BILLING = ("RedrivePolicy", {"deadLetterTargetArn": _arn("BillingFailed6FDA4A43"), "maxReceiveCount": 3})
QUEUE_POLICY, MACHINE = "AWS::SQS::QueuePolicy", "AWS::StepFunctions::StateMachine"
STREAM = "AWS::KinesisFirehose::DeliveryStream"
DECISION = (
    '","Payload.$":"$"}},"Decide":{"Type":"Choice","Choices":[{"Variable":"$.score","%s":650,"Next":"%s"}],'
    '"Default":"%s"},"NotifyRejection":{"End":true,"Type":"Task","Resource":"arn:'
)
DEFINITION = "DefinitionString.Fn::Join.1"
TARGET_GROUP = "CatalogueLBPublicListenerECSGroup22D078C7"
INGRESS, DATABASE_GROUP = "AWS::EC2::SecurityGroupIngress", ("GroupDescription", "Security group for Ledger database")
CLIENT_GROUP = ("GroupDescription", "May connect to the ledger")
WEB = {"IpProtocol": "tcp", "FromPort": 443, "ToPort": 443}

CHANGES = (
    Change("cdk-002", "device-index", "AWS::DynamoDB::Table", "AttributeDefinitions.2.AttributeType", "N"),
    Change("cdk-002", "device-index", "AWS::DynamoDB::Table", "GlobalSecondaryIndexes.0.KeySchema",
           [{"AttributeName": "userId", "KeyType": "HASH"}, {"AttributeName": "deviceId", "KeyType": "RANGE"}]),
    Change("cdk-002", None, "AWS::DynamoDB::Table", "PointInTimeRecoverySpecification.RecoveryPeriodInDays", 35),
    Change("cdk-004", "logs-two-weeks", FUNCTION, "LoggingConfig.LogGroup", "/another"),
    Change("cdk-004", "logs-two-weeks", FUNCTION, "LoggingConfig", NO_VALUE),
    Change("cdk-004", "signed-url", "AWS::Lambda::Url", "TargetFunctionArn", "another"),
    Change("cdk-004", None, "AWS::Logs::LogGroup", "LogGroupName", "/greeter"),
    Change("cdk-005", "scheduled", RULE, "State", "DISABLED"),
    Change("cdk-005", "scheduled", "AWS::Lambda::Permission", "FunctionName", "another"),
    Change("cdk-005", "retries", RULE, "Targets",
           [{**PROBE, **LETTERS, "RetryPolicy": {"MaximumEventAgeInSeconds": 3600}}, SPARE]),
    Change("cdk-005", "dead-letters", RULE, "Targets", [{**PROBE, **RETRY}, SPARE]),
    Change("cdk-005", None, RULE, "ScheduleExpression", "cron(0,15,30,45 * ? * * *)"),
    Change("cdk-005", None, RULE, "State", NO_VALUE),
    Change("cdk-007", "metric-filter", FILTER, "LogGroupName", "/shop/another"),
    Change("cdk-007", "metric-filter", FILTER, "FilterPattern", '-"ERROR"'),
    Change("cdk-007", "metric-filter", FILTER, "FilterPattern", '{ $.level != "ERROR" }'),
    Change("cdk-007", "metric-filter", FILTER, "FilterPattern", "?INFO ?ERROR"),
    Change("cdk-007", "metric-filter", FILTER, "MetricTransformations.0.MetricValue", "0"),
    Change("cdk-007", "alarm", ALARM, "Dimensions", [{"Name": "LogGroup", "Value": "/shop/application"}]),
    Change("cdk-007", "notifies", ALARM, "ActionsEnabled", False),
    Change("cdk-007", None, FILTER, "LogGroupName", "/shop/application"),
    Change("cdk-007", None, FILTER, "FilterPattern", '?"ERROR"'),
    Change("cdk-007", None, ALARM, "ActionsEnabled", True),
    Change("cdk-008", "reads", POLICY, "PolicyDocument.Statement.1.Resource", _arn("Reports65402A0A")),
    Change("cdk-008", "reads", "AWS::IAM::Role", "ManagedPolicyArns.-1", READ_ONLY),
    Change("cdk-008", "reads-only", POLICY, "PolicyDocument.Statement.1.Action", ["s3:GetObject", "s3:DeleteObjectV*"]),
    Change("cdk-008", None, POLICY, "PolicyDocument.Statement.1.Action", ["s3:GetObject*"]),
    Change("cdk-010", "actual", BUDGET, NOTIFICATION.format(0), "LESS_THAN"),
    Change("cdk-010", "forecast", BUDGET, NOTIFICATION.format(1), "EQUAL_TO"),
    Change("cdk-010", "publish-allowed", TOPIC_POLICY, "Topics", ["another"]),
    Change("cdk-010", "publish-allowed", TOPIC_POLICY, f"{STATEMENT}.Resource", "arn:aws:sns:eu-west-1:1:another"),
    Change("cdk-010", "limit", BUDGET, "Budget.CostFilters", {"Service": ["Amazon Simple Storage Service"]}),
    Change("cdk-010", None, TOPIC_POLICY, f"{STATEMENT}.Resource", "*"),
    Change("cdk-012", "served", "AWS::ApiGatewayV2::Route", "Target", "integrations/another"),
    Change("cdk-012", "served", "AWS::Lambda::Permission", "FunctionName", "another"),
    Change("cdk-012", "protected-route", "AWS::ApiGatewayV2::Route", "ApiId", "another"),
    Change("cdk-012", "trusts-pool", "AWS::ApiGatewayV2::Authorizer", "ApiId", "another"),
    Change("cdk-012", "trusts-pool", "AWS::Cognito::UserPoolClient", "UserPoolId", "another"),
    Change("cdk-012", "cors", HTTP_API, "CorsConfiguration.AllowOrigins", ["https://app.example.com", "*"]),
    Change("cdk-012", None, HTTP_API, "CorsConfiguration.AllowMethods", ["GET", "OPTIONS"]),
    Change("cdk-012", None, "AWS::ApiGatewayV2::Authorizer", "JwtConfiguration.Issuer",
           {"Fn::GetAtt": ["Users0A0EEA89", "ProviderURL"]}),
    Change("cdk-013", "billing-filter", SUBSCRIPTION, "FilterPolicyScope", "MessageBody", TO_BILLING),
    Change("cdk-013", "billing-filter", SUBSCRIPTION, "FilterPolicy.kind.-1", "cancelled", TO_BILLING),
    Change("cdk-013", "shipping-filter", SUBSCRIPTION, "FilterPolicy.kind.-1", "cancelled", TO_SHIPPING),
    Change("cdk-013", "dead-letters", "AWS::SQS::Queue", "RedrivePolicy.deadLetterTargetArn", _arn("Shipping768E971C"),
           BILLING),
    Change("cdk-013", "fan-out", SUBSCRIPTION, "Endpoint", _arn("AuditFailedFDCFFD8A"), TO_BILLING),
    Change("cdk-013", "may-send", QUEUE_POLICY, "Queues", [{"Ref": "BillingFailed6FDA4A43"}]),
    Change("cdk-013", "may-send", QUEUE_POLICY, f"{STATEMENT}.Principal", {"Service": "events.amazonaws.com"}),
    Change("cdk-013", None, QUEUE_POLICY, f"{STATEMENT}.Principal", "*"),
    Change("cdk-013", None, SUBSCRIPTION, "FilterPolicyScope", "MessageAttributes"),
    Change("cdk-015", "to-queue", RULE, "State", "DISABLED"),
    Change("cdk-015", "dead-letters", RULE, "Targets.0.DeadLetterConfig.Arn", _arn("LargeOrders2948D230")),
    Change("cdk-015", "matches", RULE, "EventPattern.detail-type", ["OrderPlaced", "OrderCancelled"]),
    Change("cdk-015", "archived", "AWS::Events::Archive", "EventPattern.detail-type", ["OrderPlaced"]),
    Change("cdk-015", "may-send", QUEUE_POLICY, "Queues", [{"Ref": "UndeliveredF3CF66A9"}]),
    Change("cdk-015", None, RULE, "EventBusName", "orders"),
    Change("cdk-015", None, RULE, "State", NO_VALUE),
    Change("cdk-016", "decides", MACHINE, f"{DEFINITION}.4",
           DECISION % ("NumericGreaterThanEquals", "NotifyRejection", "RecordApproval")),
    Change("cdk-016", "decides", MACHINE, f"{DEFINITION}.4",
           DECISION % ("NumericLessThan", "RecordApproval", "NotifyRejection")),
    Change("cdk-016", "decides", MACHINE, f"{DEFINITION}.4",
           DECISION % ("NumericGreaterThan", "RecordApproval", "NotifyRejection")),
    Change("cdk-016", "decides", MACHINE, "StateMachineType", "EXPRESS"),
    Change("cdk-016", "records", MACHINE, f"{DEFINITION}.11", "another"),
    Change("cdk-016", "publishes", MACHINE, f"{DEFINITION}.7", "arn:aws:sns:eu-west-1:123456789012:another"),
    Change("cdk-016", "times-out", MACHINE, f"{DEFINITION}.12", '"},"TimeoutSeconds":600}}}'),
    Change("cdk-016", None, MACHINE, f"{DEFINITION}.4",
           DECISION % ("NumericLessThan", "NotifyRejection", "RecordApproval")),
    Change("cdk-016", None, MACHINE, f"{DEFINITION}.12", '"}}},\n "Comment": "Loans",\n "TimeoutSeconds": 600\n}\n'),
    Change("cdk-016", None, MACHINE, "StateMachineType", "STANDARD"),
    Change("cdk-018", "fargate-task", "AWS::ECS::Service", "TaskDefinition", "another"),
    Change("cdk-018", "service", "AWS::ECS::Service", "LaunchType", "EC2"),
    Change("cdk-018", "balanced", "AWS::ElasticLoadBalancingV2::Listener", "DefaultActions",
           [{"Type": "fixed-response", "FixedResponseConfig": {"StatusCode": "200"}}]),
    Change("cdk-018", "scales", "AWS::ApplicationAutoScaling::ScalableTarget", "ResourceId", "service/another/one"),
    Change("cdk-018", "scales", "AWS::ApplicationAutoScaling::ScalingPolicy", "ScalingTargetId", "another"),
    Change("cdk-018", "insights", "AWS::ECS::Service", "Cluster", "another"),
    Change("cdk-018", None, "AWS::ElasticLoadBalancingV2::Listener", "DefaultActions", [{"Type": "forward",
           "ForwardConfig": {"TargetGroups": [{"TargetGroupArn": {"Ref": TARGET_GROUP}}]}}]),
    Change("cdk-018", None, "AWS::ApplicationAutoScaling::ScalableTarget", "ResourceId",
           {"Fn::Sub": "service/${ClusterEB0386A7}/${CatalogueService9B918289.Name}"}),
    Change("cdk-019", "clients-only", "AWS::RDS::DBInstance", "VPCSecurityGroups",
           [{"Fn::GetAtt": ["LedgerClients2F693C76", "GroupId"]}]),
    Change("cdk-019", "clients-only", INGRESS, "SourceSecurityGroupId",
           {"Fn::GetAtt": ["LedgerSecurityGroup0B29ABF5", "GroupId"]}),
    Change("cdk-019", "clients-only", INGRESS, "ToPort", 65535),
    Change("cdk-019", "clients-only", INGRESS, "IpProtocol", "udp"),
    Change("cdk-019", "clients-only", "AWS::EC2::SecurityGroup", "SecurityGroupIngress",
           [{**WEB, "CidrIpv6": "::/0"}], DATABASE_GROUP),
    Change("cdk-019", "hidden", "AWS::EC2::Subnet", "MapPublicIpOnLaunch", True),
    Change("cdk-019", "generated-password", "AWS::SecretsManager::Secret", "GenerateSecretString", NO_VALUE),
    Change("cdk-019", None, "AWS::EC2::SecurityGroup", "SecurityGroupIngress",
           [{**WEB, "CidrIp": "10.0.0.0/16"}], CLIENT_GROUP),
    Change("cdk-021", "reads-stream", STREAM, "DeliveryStreamType", "DirectPut"),
    Change("cdk-021", "reads-stream", STREAM, "KinesisStreamSourceConfiguration.RoleARN",
           _arn("DeliveryS3DestinationRoleE56BCF36")),
    Change("cdk-021", "writes-bucket", STREAM, "ExtendedS3DestinationConfiguration.RoleARN",
           _arn("DeliveryServiceRole262EE3F9")),
    Change("cdk-021", "writes-bucket", POLICY, f"{STATEMENT}.Resource", _arn("Lake5F1B88EA"),
           ("PolicyName", "DeliveryS3DestinationRoleDefaultPolicy6771D479")),
    Change("cdk-021", None, STREAM, "ExtendedS3DestinationConfiguration.BucketARN",
           {"Fn::Sub": "arn:aws:s3:::${Lake5F1B88EA}"}),
)  # fmt: skip
