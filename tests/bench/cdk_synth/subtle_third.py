"""Templates as another author writes them, and such as a reviewer sends back; `subtle` says what a change is."""

from __future__ import annotations

import json
import re
import string
from typing import Any

from .subtle import STATEMENT, Change


def _arn(logical_id: str) -> dict[str, Any]:
    return {"Fn::GetAtt": [logical_id, "Arn"]}


def _gone(item: str, kind: str, where: tuple[str, Any] | None = None) -> Change:
    return Change(item, None, kind, "-", None, where)


BUCKET, QUEUE, ALARM, FUNCTION = "AWS::S3::Bucket", "AWS::SQS::Queue", "AWS::CloudWatch::Alarm", "AWS::Lambda::Function"
RULE, SCHEDULE, PERMISSION = "AWS::Events::Rule", "AWS::Scheduler::Schedule", "AWS::Lambda::Permission"
QUEUE_POLICY, ROLE, POLICY = "AWS::SQS::QueuePolicy", "AWS::IAM::Role", "AWS::IAM::Policy"
SUBNET, BUDGET, LOGS = "AWS::EC2::Subnet", "AWS::Budgets::Budget", "AWS::Logs::LogGroup"
NO_VALUE = {"Ref": "AWS::NoValue"}
FIRST_ZONE = {"Fn::Select": [0, {"Fn::GetAZs": ""}]}
OLD_VERSIONS = "LifecycleConfiguration.Rules.0"
DOCUMENTS = {"Fn::Sub": "arn:${AWS::Partition}:s3:::${Documents7E5B2978}/*"}
TLS = {"Effect": "Deny", "Principal": "*", "Action": "s3:*", "Resource": "*",
       "Condition": {"Bool": {"aws:SecureTransport": False}}}  # fmt: skip
INVOICES = ("VisibilityTimeout", 120)
FIVE_TIMES = '{"deadLetterTargetArn": "%s", "maxReceiveCount": 5}'
PROBE, UNDELIVERED = _arn("ProbeB22986FB"), _arn("UndeliveredF3CF66A9")
REPORTS = {"Fn::Sub": "${Reports65402A0A.Arn}/*"}
SPENT = "NotificationsWithSubscribers.{}.Notification"


def _scheduled(breaks: str | None, action: str) -> Change:
    """A schedule in place of the rule, with a role that may do this to the function."""
    rights = [{"Effect": "Allow", "Action": action, "Resource": PROBE},
              {"Effect": "Allow", "Action": "sqs:SendMessage", "Resource": UNDELIVERED}]  # fmt: skip
    target = {"Arn": PROBE, "RoleArn": _arn("Added1"), "DeadLetterConfig": {"Arn": UNDELIVERED},
              "RetryPolicy": {"MaximumEventAgeInSeconds": 3600, "MaximumRetryAttempts": 2}}  # fmt: skip
    properties = {"FlexibleTimeWindow": {"Mode": "OFF"}, "ScheduleExpression": "rate(15 minutes)", "Target": target}
    policies = [{"PolicyName": "start", "PolicyDocument": {"Statement": rights}}]
    others = [_gone("cdk-005", kind) for kind in (RULE, PERMISSION, QUEUE_POLICY)]
    return Change("cdk-005", breaks, SCHEDULE, "+", properties,
                  also=(Change("cdk-005", None, ROLE, "+", {"Policies": policies}), *others))  # fmt: skip


SUBSCRIPTION, METHOD, STAGE = "AWS::SNS::Subscription", "AWS::ApiGateway::Method", "AWS::ApiGateway::Stage"
ROUTE, API, BODY = "AWS::ApiGatewayV2::Route", "AWS::ApiGatewayV2::Api", "AWS::ApiGatewayV2::Integration"
GROUP, INGRESS = "AWS::EC2::SecurityGroup", "AWS::EC2::SecurityGroupIngress"
DISTRIBUTION, DELIVERY = "AWS::CloudFront::Distribution", "DistributionConfig.DefaultCacheBehavior"
MACHINE, POOL, CLIENT = "AWS::StepFunctions::StateMachine", "AWS::Cognito::UserPool", "AWS::Cognito::UserPoolClient"
TARGETS, SCALING = "AWS::ElasticLoadBalancingV2::TargetGroup", "AWS::ApplicationAutoScaling::ScalingPolicy"
TRACKING = "TargetTrackingScalingPolicyConfiguration"
TO_BILLING = ("FilterPolicy", {"kind": ["placed", "refunded"]})
TO_SHIPPING = ("FilterPolicy", {"kind": ["placed"]})
NOTICES = "NotificationConfiguration.LambdaFunctionConfigurations"
PUT_ITEM, PUBLISH, DECISION = ":states:::dynamodb:putItem", ":states:::sns:publish", "NumericGreaterThanEquals"


def _workflow(breaks: str | None, choice: dict[str, Any], start: str = "Score", form: str = "text") -> Change:
    """A definition whose choice comes last in it, as text or as an object."""
    tasks = {"Approve": (PUT_ITEM, {"TableName": "${Loans06669F46}"}),
             "Reject": (PUBLISH, {"TopicArn": "${RejectedFE7646AC}"}),
             "Score": (":states:::lambda:invoke", {"FunctionName": "${Scorer2C234F2E.Arn}"})}  # fmt: skip
    states = {name: {"Type": "Task", "Resource": f"arn:aws{service}", "Parameters": parameters, "End": True}
              for name, (service, parameters) in tasks.items()}  # fmt: skip
    del states["Score"]["End"]
    states |= {"Score": {**states["Score"], "Next": "Decide"}, "Decide": {"Type": "Choice", **choice}}
    text = json.dumps({"StartAt": start, "States": states, "TimeoutSeconds": 600}, indent=1)
    names = re.findall(r"\$\{([^}]*)\}", text)
    given = {name.replace(".", ""): {"Fn::Sub": f"${{{name}}}"} for name in names}
    values: dict[str, Any] = {"text": {"Fn::Sub": text}, "object": NO_VALUE, "given": re.sub(r"\.Arn", "Arn", text)}
    also = {
        "object": ("Definition", json.loads(text, object_hook=_referring)),
        "given": ("DefinitionSubstitutions", given),
    }
    return Change("cdk-016", breaks, MACHINE, "DefinitionString", values[form],
                  also=tuple(Change("cdk-016", None, MACHINE, *also[form]) for _ in (1,) if form in also))  # fmt: skip


def _referring(pairs: dict[str, Any]) -> dict[str, Any]:
    return {key: {"Fn::Sub": value} if str(value).startswith("${") else value for key, value in pairs.items()}


def _score(next_state: str, default: str, **rule: Any) -> dict[str, Any]:
    return {"Choices": [{"Next": next_state, "Variable": "$.score", **rule}], "Default": default}


PROFILE = {
    "paths": {"/profile": {"get": {"security": [{"tokens": []}], "x-amazon-apigateway-integration": {
        "type": "aws_proxy", "httpMethod": "POST", "uri": _arn("ProfileHandler493DBCF6")}}}},
    "components": {"securitySchemes": {"tokens": {"type": "oauth2", "x-amazon-apigateway-authorizer": {
        "type": "jwt", "jwtConfiguration": {
            "issuer": {"Fn::Sub": "https://cognito-idp.${AWS::Region}.amazonaws.com/${Users0A0EEA89}"},
            "audience": [{"Ref": "UsersWebA39D1A70"}]}}}}},
    "x-amazon-apigateway-cors": {"allowOrigins": ["https://app.example.com"], "allowMethods": ["GET"]},
}  # fmt: skip
WITHOUT_SECURITY = {**PROFILE, "paths": {"/profile": {"get": {
    key: value for key, value in PROFILE["paths"]["/profile"]["get"].items() if key != "security"}}}}  # fmt: skip


def _described(breaks: str | None, body: dict[str, Any]) -> Change:
    kinds = (ROUTE, BODY, "AWS::ApiGatewayV2::Authorizer")
    return Change("cdk-012", breaks, API, "$Properties", {"Body": body},
                  also=tuple(_gone("cdk-012", kind) for kind in kinds))  # fmt: skip


CHANGES = (
    Change("cdk-001", "old-versions-expire", BUCKET, f"{OLD_VERSIONS}.Prefix", "drafts/"),
    Change("cdk-001", "old-versions-expire", BUCKET, f"{OLD_VERSIONS}.ExpirationInDays", 30),
    Change("cdk-001", "old-versions-expire", BUCKET,
           f"{OLD_VERSIONS}.NoncurrentVersionExpiration.NewerNoncurrentVersions", 5),
    Change("cdk-001", "tls-only", "AWS::S3::BucketPolicy", f"{STATEMENT}.Resource", _arn("Documents7E5B2978")),
    Change("cdk-001", None, BUCKET, OLD_VERSIONS,
           {"Status": "Enabled", "Prefix": "", "NoncurrentVersionExpirationInDays": "90"}),
    Change("cdk-001", None, "AWS::S3::BucketPolicy", "PolicyDocument.Statement", TLS),
    Change("cdk-001", None, "AWS::S3::BucketPolicy", f"{STATEMENT}.Resource", [_arn("Documents7E5B2978"), DOCUMENTS]),
    Change("cdk-003", "alarm", ALARM, "EvaluationPeriods", 3),
    Change("cdk-003", "alarm", ALARM, "Statistic", "Minimum"),
    Change("cdk-003", None, ALARM, "EvaluationPeriods", 3,
           also=(Change("cdk-003", None, ALARM, "DatapointsToAlarm", 1),)),
    Change("cdk-003", None, QUEUE, "RedrivePolicy",
           {"Fn::Sub": FIVE_TIMES % "${FailedInvoices5AA8DC80.Arn}"}, INVOICES),
    Change("cdk-003", None, QUEUE, "RedrivePolicy",
           {"Fn::Join": ["", [FIVE_TIMES.split("%s")[0], _arn("FailedInvoices5AA8DC80"), FIVE_TIMES.split("%s")[1]]]},
           INVOICES),
    Change("cdk-004", "logs-two-weeks", LOGS, "LogGroupName", "/aws/lambda/greeting", also=(
           Change("cdk-004", None, FUNCTION, "FunctionName", "greeter"),
           Change("cdk-004", None, FUNCTION, "LoggingConfig", NO_VALUE))),
    Change("cdk-004", None, LOGS, "LogGroupName", "/aws/lambda/greeter", also=(
           Change("cdk-004", None, FUNCTION, "FunctionName", "greeter"),
           Change("cdk-004", None, FUNCTION, "LoggingConfig", NO_VALUE))),
    Change("cdk-004", None, LOGS, "LogGroupName", {"Fn::Sub": "/aws/lambda/${AWS::StackName}-greeter"}, also=(
           Change("cdk-004", None, FUNCTION, "FunctionName", {"Fn::Sub": "${AWS::StackName}-greeter"}),
           Change("cdk-004", None, FUNCTION, "LoggingConfig", NO_VALUE))),
    _scheduled(None, "lambda:InvokeFunction"),
    _scheduled("scheduled", "lambda:GetFunction"),
    Change("cdk-005", "dead-letters", QUEUE_POLICY, f"{STATEMENT}.Principal", {"Service": "sns.amazonaws.com"}),
    Change("cdk-005", "dead-letters", QUEUE_POLICY, "-", None),
    Change("cdk-005", None, QUEUE_POLICY, f"{STATEMENT}.Principal", {"AWS": "*"}),
    Change("cdk-006", "subnets", SUBNET, "AvailabilityZone", FIRST_ZONE),
    Change("cdk-006", "subnets", SUBNET, "AvailabilityZone", FIRST_ZONE, ("MapPublicIpOnLaunch", True)),
    Change("cdk-006", "internet-side", "AWS::EC2::EgressOnlyInternetGateway", "+",
           {"VpcId": {"Ref": "Network1C6012B5"}}),
    Change("cdk-006", None, SUBNET, "AvailabilityZone", NO_VALUE),
    Change("cdk-006", None, SUBNET, "MapPublicIpOnLaunch", NO_VALUE),
    Change("cdk-007", "alarm", ALARM, "ComparisonOperator", "GreaterThanOrEqualToThreshold"),
    Change("cdk-007", None, ALARM, "ComparisonOperator", "GreaterThanOrEqualToThreshold",
           also=(Change("cdk-007", None, ALARM, "Threshold", 11),)),
    Change("cdk-008", "reads", POLICY, f"{STATEMENT}.Resource", REPORTS),
    Change("cdk-008", "reads", POLICY, "PolicyDocument.Statement.1.Resource", "arn:aws:s3:::*/*"),
    Change("cdk-008", None, POLICY, "PolicyDocument.Statement", [
           {"Effect": "Allow", "Action": "s3:Get*", "Resource": {"Fn::Sub": "${Reports65402A0A.Arn}*"}},
           {"Effect": "Allow", "Action": "s3:List*", "Resource": {"Fn::Sub": "${Reports65402A0A.Arn}"}}]),
    Change("cdk-009", "rotating-key", "AWS::KMS::Key", "RotationPeriodInDays", 90),
    Change("cdk-009", None, "AWS::KMS::Key", "RotationPeriodInDays", 365),
    Change("cdk-009", None, "AWS::SecretsManager::Secret", "GenerateSecretString.ExcludePunctuation", NO_VALUE, also=(
           Change("cdk-009", None, "AWS::SecretsManager::Secret", "GenerateSecretString.ExcludeCharacters",
                  string.punctuation),)),
    Change("cdk-009", "generated", "AWS::SecretsManager::Secret", "GenerateSecretString.ExcludePunctuation", NO_VALUE,
           also=(Change("cdk-009", None, "AWS::SecretsManager::Secret", "GenerateSecretString.ExcludeCharacters",
                        "\"@/\\"),)),
    Change("cdk-010", "actual", BUDGET, f"{SPENT.format(0)}.ThresholdType", "ABSOLUTE_VALUE"),
    Change("cdk-010", None, BUDGET, f"{SPENT.format(0)}.ThresholdType", "ABSOLUTE_VALUE",
           also=(Change("cdk-010", None, BUDGET, f"{SPENT.format(0)}.Threshold", 400),)),
    Change("cdk-011", "nothing-more", POLICY, f"{STATEMENT}.Action.-1", "dynamodb:Query"),
    Change("cdk-011", "nothing-more", POLICY, f"{STATEMENT}.Action.-1", "dynamodb:Update*"),
    Change("cdk-011", "reads-and-writes", POLICY, "PolicyDocument.Statement.-1",
           {"Effect": "Allow", "Action": "dynamodb:GetItem", "Resource": {
               "Fn::Sub": "arn:aws:dynamodb:${AWS::Region}:${AWS::AccountId}:table/*"}}),
    Change("cdk-011", "stage", STAGE, "MethodSettings.0.ResourcePath", "/notes/{id}"),
    Change("cdk-011", "stage", STAGE, "RestApiId", "another"),
    Change("cdk-011", "table", "AWS::DynamoDB::Table", "AttributeDefinitions.0.AttributeType", "N"),
    Change("cdk-011", "table-name", FUNCTION, "Environment.Variables.TABLE_NAME", _arn("Notes5BB3582F")),
    Change("cdk-011", "get-note", METHOD, "Integration.IntegrationHttpMethod", "GET", ("HttpMethod", "GET")),
    Change("cdk-011", "post-notes", PERMISSION, "-", None),
    Change("cdk-011", None, STAGE, "-", None, also=(
           Change("cdk-011", None, "AWS::ApiGateway::Deployment", "StageName", "v1"),
           Change("cdk-011", None, "AWS::ApiGateway::Deployment", "StageDescription",
                  {"TracingEnabled": True, "ThrottlingRateLimit": 50, "ThrottlingBurstLimit": 100}))),
    Change("cdk-011", None, STAGE, "MethodSettings", [
           {"HttpMethod": verb, "ResourcePath": path, "ThrottlingBurstLimit": "100", "ThrottlingRateLimit": "50"}
           for verb, path in (("POST", "/notes"), ("GET", "/notes/{id}"))]),
    _described(None, PROFILE),
    _described("protected-route", WITHOUT_SECURITY),
    Change("cdk-012", "protected-route", ROUTE, "+", {"ApiId": {"Ref": "ProfileApiABF5D3F3"}, "RouteKey": "$default",
           "Target": {"Fn::Sub": "integrations/${ProfileApiGETprofileProfileCBFFE5F6}"}}),
    Change("cdk-012", "served", "AWS::ApiGatewayV2::Stage", "-", None),
    Change("cdk-013", "may-send", QUEUE_POLICY, f"{STATEMENT}.Condition",
           {"ArnEquals": {"aws:SourceArn": "arn:aws:sns:eu-west-1:123456789012:another"}}),
    Change("cdk-013", None, SUBSCRIPTION, "FilterPolicy", '{"kind": ["refunded", "placed"]}', TO_BILLING),
    Change("cdk-013", None, QUEUE_POLICY, f"{STATEMENT}.Condition",
           {"StringEquals": {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}}),
    Change("cdk-014", "notified", PERMISSION, "-", None),
    Change("cdk-014", "filtered", "Custom::S3BucketNotifications", f"{NOTICES}.-1",
           {"Events": ["s3:ObjectCreated:*"], "LambdaFunctionArn": _arn("Indexer47D496A9")}),
    Change("cdk-014", "filtered", "Custom::S3BucketNotifications", f"{NOTICES}.0.Events", ["s3:ObjectCreated:Copy"]),
    Change("cdk-014", "writes-table", FUNCTION, "Environment.Variables.TABLE_NAME", _arn("Catalogue6D2BB205"),
           ("Timeout", 60)),
    Change("cdk-014", "reads-objects", POLICY, f"{STATEMENT}.Resource", _arn("Uploads4F6EB0FD"),
           ("PolicyName", "IndexerServiceRoleDefaultPolicy09E12902")),
    Change("cdk-014", None, POLICY, f"{STATEMENT}.Resource", {"Fn::Sub": "${Uploads4F6EB0FD.Arn}/incoming/*"},
           ("PolicyName", "IndexerServiceRoleDefaultPolicy09E12902")),
    Change("cdk-015", "dead-letters", QUEUE_POLICY, "-", None, ("Queues", [{"Ref": "UndeliveredF3CF66A9"}])),
    Change("cdk-015", None, QUEUE_POLICY, f"{STATEMENT}.Principal", "*"),
    Change("cdk-015", None, RULE, "EventPattern", json.dumps({"source": ["shop.orders"], "detail-type": ["OrderPlaced"],
           "detail": {"total": [{"numeric": [">=", 1000]}]}})),
    _workflow(None, _score("Approve", "Reject", NumericGreaterThanEquals=650)),
    _workflow(None, _score("Reject", "Approve", NumericLessThan=650), form="object"),
    _workflow(None, _score("Approve", "Reject", NumericGreaterThanEquals=650), form="given"),
    _workflow(None, {"Choices": [{"Condition": "{% $states.input.score >= 650 %}", "Next": "Approve"}],
                     "Default": "Reject"}),
    _workflow(None, {"Choices": [{"Not": {"Variable": "$.score", "NumericLessThan": 650}, "Next": "Approve"}],
                     "Default": "Reject"}),
    _workflow("decides", _score("Reject", "Approve", NumericGreaterThanEquals=650)),
    _workflow("decides", _score("Approve", "Reject", NumericLessThan=650), form="object"),
    _workflow("decides", {"Choices": [{"Condition": "{% $states.input.score >= 650 %}", "Next": "Reject"}],
                          "Default": "Approve"}),
    _workflow("decides", _score("Approve", "Approve", NumericGreaterThanEquals=650)),
    _workflow("decides", _score("Approve", "Reject", NumericGreaterThanEquals=650), start="Decide"),
    Change("cdk-017", "security-headers", DISTRIBUTION, f"{DELIVERY}.ResponseHeadersPolicyId",
           "60669652-455b-4ae9-85a4-c4c02393f86c"),
    Change("cdk-017", None, DISTRIBUTION, f"{DELIVERY}.ResponseHeadersPolicyId",
           "eaab4381-ed33-4a86-88ca-d9558dc6cd63"),
    Change("cdk-017", None, DISTRIBUTION, f"{DELIVERY}.ResponseHeadersPolicyId", {"Ref": "Added1"}, also=(
           Change("cdk-017", None, "AWS::CloudFront::ResponseHeadersPolicy", "+", {"ResponseHeadersPolicyConfig": {
               "Name": "strict", "SecurityHeadersConfig": {"ContentTypeOptions": {"Override": True}}}}),)),
    Change("cdk-017", "origin-access-control", "AWS::CloudFront::OriginAccessControl",
           "OriginAccessControlConfig.SigningBehavior", "never"),
    Change("cdk-017", "cloudfront-reads", "AWS::S3::BucketPolicy", "PolicyDocument.Statement.1.Condition",
           {"StringEquals": {"AWS:SourceArn": "arn:aws:cloudfront::123456789012:distribution/EANOTHER"}}),
    Change("cdk-017", "single-page", DISTRIBUTION, "DistributionConfig.Enabled", False),
    Change("cdk-017", "https", DISTRIBUTION, "DistributionConfig.CacheBehaviors",
           [{"PathPattern": "/assets/*", "ViewerProtocolPolicy": "allow-all"}]),
    Change("cdk-017", None, DISTRIBUTION, "DistributionConfig.Origins.0.DomainName",
           "app-files.s3.eu-west-1.amazonaws.com", also=(Change("cdk-017", None, BUCKET, "BucketName", "app-files"),)),
    Change("cdk-018", "one-nat", SUBNET, "AvailabilityZone", FIRST_ZONE),
    Change("cdk-018", "health-check", TARGETS, "HealthCheckEnabled", False),
    Change("cdk-018", "balanced", "AWS::ElasticLoadBalancingV2::LoadBalancer", "Subnets",
           [{"Ref": "NetworkPrivateSubnet1SubnetC4D46731"}, {"Ref": "NetworkPrivateSubnet2SubnetB345BF84"}]),
    Change("cdk-018", "balanced", INGRESS, "IpProtocol", "udp"),
    Change("cdk-018", "balanced", INGRESS, "-", None),
    Change("cdk-018", None, INGRESS, "SourceSecurityGroupId", NO_VALUE,
           also=(Change("cdk-018", None, INGRESS, "CidrIp", "10.0.0.0/16"),)),
    Change("cdk-018", None, "AWS::ECS::TaskDefinition", "Cpu", ".5 vCPU",
           also=(Change("cdk-018", None, "AWS::ECS::TaskDefinition", "Memory", "1GB"),)),
    Change("cdk-018", None, "AWS::ApplicationAutoScaling::ScalableTarget", "ResourceId", "service/shop/catalogue",
           also=(Change("cdk-018", None, "AWS::ECS::Service", "ServiceName", "catalogue"),)),
    Change("cdk-018", None, SCALING, TRACKING, {"TargetValue": 60, "CustomizedMetricSpecification": {
           "MetricName": "CPUUtilization", "Namespace": "AWS/ECS", "Statistic": "Average",
           "Dimensions": [{"Name": "ServiceName", "Value": {"Fn::GetAtt": ["CatalogueService9B918289", "Name"]}}]}}),
    Change("cdk-019", "hidden", SUBNET, "AvailabilityZone", FIRST_ZONE),
    Change("cdk-019", "hidden", "AWS::EC2::Route", "+", {
           "RouteTableId": {"Ref": "NetworkdataSubnet1RouteTableBAFAD511"},
           "DestinationCidrBlock": "0.0.0.0/0", "GatewayId": {"Ref": "NetworkIGW094D9CE3"}}),
    Change("cdk-019", "clients-only", INGRESS, "+", {"IpProtocol": "tcp", "FromPort": 5432, "ToPort": 5432,
           "GroupId": {"Fn::GetAtt": ["LedgerSecurityGroup0B29ABF5", "GroupId"]},
           "SourceSecurityGroupId": {"Fn::GetAtt": ["LedgerSecurityGroup0B29ABF5", "GroupId"]}}),
    Change("cdk-019", None, INGRESS, "-", None, also=(
           Change("cdk-019", None, GROUP, "SecurityGroupIngress", [{
                  "IpProtocol": "6", "FromPort": "5432", "ToPort": "5432",
                  "SourceSecurityGroupId": {"Ref": "LedgerClients2F693C76"}}],
                  ("GroupDescription", "Security group for Ledger database")),)),
    Change("cdk-020", "mfa", POOL, "EnabledMfas.-1", "EMAIL_OTP"),
    Change("cdk-020", "email-sign-in", POOL, "UsernameAttributes.-1", "phone_number"),
    Change("cdk-020", "public-client", CLIENT, "AllowedOAuthScopes.-1", "aws.cognito.signin.user.admin"),
    Change("cdk-020", "public-client", CLIENT, "CallbackURLs.-1", "http://localhost:3000"),
    Change("cdk-020", "public-client", CLIENT, "AllowedOAuthFlowsUserPoolClient", False),
    Change("cdk-020", "public-client", CLIENT, "SupportedIdentityProviders", ["Google"]),
    Change("cdk-020", "domain", "AWS::Cognito::UserPoolDomain", "UserPoolId", "another"),
    Change("cdk-020", None, POOL, "UsernameAttributes", NO_VALUE,
           also=(Change("cdk-020", None, POOL, "AliasAttributes", ["email"]),)),
    Change("cdk-020", None, CLIENT, "SupportedIdentityProviders", NO_VALUE),
    Change("cdk-001", "tls-only", "AWS::S3::BucketPolicy", f"{STATEMENT}.Condition.StringEquals",
           {"aws:PrincipalOrgID": "o-1"}),
    Change("cdk-001", "tls-only", "AWS::S3::BucketPolicy", "Bucket", {"Ref": "Added1"},
           also=(Change("cdk-001", None, BUCKET, "+", {}),)),
    Change("cdk-005", "scheduled", PERMISSION, "SourceArn", "arn:aws:events:eu-west-1:123456789012:rule/another"),
    Change("cdk-005", None, PERMISSION, "SourceArn", NO_VALUE),
    Change("cdk-006", "subnets", SUBNET, "AvailabilityZone", {"Fn::Select": [2, {"Fn::GetAZs": ""}]},
           ("CidrBlock", "10.20.3.0/24")),
    Change("cdk-010", "publish-allowed", BUDGET, "NotificationsWithSubscribers.1.Subscribers.0.Address",
           {"Ref": "Added1"}, also=(Change("cdk-010", None, "AWS::SNS::Topic", "+", {}),)),
    Change("cdk-013", "fan-out", SUBSCRIPTION, "TopicArn", {"Ref": "Added1"}, TO_BILLING,
           also=(Change("cdk-013", None, "AWS::SNS::Topic", "+", {}),)),
    Change("cdk-014", "notified", PERMISSION, "SourceArn", "arn:aws:s3:::another"),
    Change("cdk-014", "writes-table", "AWS::DynamoDB::Table", "AttributeDefinitions.0.AttributeType", "N"),
    _workflow("decides", {"Choices": [{"Variable": "$.amount", DECISION: 650, "Next": "Approve"}],
                          "Default": "Reject"}),
    Change("cdk-017", "cloudfront-reads", "AWS::S3::BucketPolicy", "PolicyDocument.Statement.1.Resource",
           _arn("SiteE53D7754")),
    Change("cdk-018", "one-nat", "AWS::EC2::Route", "NatGatewayId", NO_VALUE),
)  # fmt: skip
