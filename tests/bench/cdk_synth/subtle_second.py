"""More templates that look right or strange, in the form of `subtle`: queues, alarms, workflows and firewalls."""

from __future__ import annotations

from .subtle import Change

ALARM, BOARD, TABLE = "AWS::CloudWatch::Alarm", "AWS::CloudWatch::Dashboard", "AWS::DynamoDB::Table"
FUNCTION, MAPPING, QUEUE = "AWS::Lambda::Function", "AWS::Lambda::EventSourceMapping", "AWS::SQS::Queue"
CACHE, GLUE, BUCKET = "AWS::ElastiCache::ReplicationGroup", "AWS::Glue::Table", "AWS::S3::Bucket"
GROUP_OF_WORK, PLAN, PICK = "AWS::Athena::WorkGroup", "AWS::Backup::BackupPlan", "AWS::Backup::BackupSelection"
RECORD, CLUSTER = "AWS::Route53::RecordSet", "AWS::RDS::DBCluster"
SCHEMA, RESOLVER, ACL = "AWS::AppSync::GraphQLSchema", "AWS::AppSync::Resolver", "AWS::WAFv2::WebACL"
SAGA, TASK, COMPOSITE = (
    "AWS::StepFunctions::StateMachine",
    "AWS::ECS::TaskDefinition",
    "AWS::CloudWatch::CompositeAlarm",
)

HOST = "Environment.Variables.CACHE_HOST"
DESCRIPTOR, RESULTS = "TableInput.StorageDescriptor", "WorkGroupConfiguration.ResultConfiguration"
DATA_BUCKET = {"Fn::Sub": "s3://${Data666C94C7}/results/"}
RESULT_BUCKET = {"Fn::Sub": "s3://${Results25575328}/orders/"}
WITH_DAY = [{"Name": "order_id", "Type": "string"}, {"Name": "total", "Type": "decimal(12,2)"},
            {"Name": "day", "Type": "date"}]  # fmt: skip
EXPIRES = ("LifecycleConfiguration", {"Rules": [{"ExpirationInDays": 7, "Status": "Enabled"}]})
RULES = "BackupPlan.BackupPlanRule"
NUMBER_KEY = [{"AttributeName": "orderId", "AttributeType": "N"}]
BOOKS = "type Book {{ isbn: ID! title: {title} }}\ntype Query {{ book(isbn: ID!): Book {more}}}\n{rest}"
ADDS = "addBook(isbn: ID!, title: String!): Book"
MUTATION = "type Mutation {{ {} }}".format
PUTS = "export function request(ctx) { return { operation: 'PutItem', key: {} }; }"
GETS = "export function request(ctx) { return ddb.get({ key: { isbn: ctx.args.isbn } }); }"
DROPS = {"DefaultBehavior": "DROP", "Filters": [{"Behavior": "KEEP", "Requirement": "MEETS_ANY",
         "Conditions": [{"ActionCondition": {"Action": "BLOCK"}}]}]}  # fmt: skip
STAGE_BY_NAME = {"Fn::Sub": "arn:aws:apigateway:${AWS::Region}::/restapis/${ApiF70053CD}/stages/prod"}
NO_STAGE = {"Fn::Sub": "arn:aws:apigateway:${AWS::Region}::/restapis/${ApiF70053CD}"}
PIECES = "DefinitionString.Fn::Join.1"
RETRY = '{"ErrorEquals":["States.TaskFailed"],"IntervalSeconds":5,"MaxAttempts":2,"BackoffRate":2}'
THEN_HOTEL = f'","Payload.$":"$"}}}},"BookHotel":{{"End":true,"Retry":[{RETRY}],"Type":"Task","Resource":"arn:'
CANCELS_ONCE = '","Payload.$":"$"}},"CancelFlight":{"Next":"TripFailed","Type":"Task","Resource":"arn:'
MODIFIED, INSERTED = '{"eventName":["MODIFY"]}', '{"eventName": ["INSERT"]}'
OTHER = [{"Name": "FunctionName", "Value": "another"}]
LAMBDA = '"AWS/Lambda","{}","FunctionName","${{CheckoutB7CD3E82}}"'.format
RATE_ALARM, SLOW_ALARM = ("Threshold", 2), ("Threshold", 3000)


def _expiring(prefix: str) -> dict[str, object]:
    return {"Rules": [{"ExpirationInDays": 7, "Status": "Enabled", "Prefix": prefix}]}


def _bookings(
    message: str = '{"token.$":"$$.Task.Token"}',
    caught: str = "States.ALL",
    retry: str = RETRY,
    then: str = '"End":true',
) -> str:
    return (
        f'","MessageBody":{message}}}}},"Bookings":{{"Type":"Parallel","Next":"TripBooked","Catch":[{{"ErrorEquals":'
        f'["{caught}"],"Next":"CancelHotel"}}],"Branches":[{{"StartAt":"BookFlight","States":{{"BookFlight":'
        f'{{{then},"Retry":[{retry}],"Type":"Task","Resource":"arn:'
    )


def _rule(text: str) -> dict[str, str]:
    return {"Fn::Sub": text.replace("F", "${Failing258FD00C.Arn}").replace("S", "${SlowACAFBC61.Arn}")}


def _board(*metrics: str) -> dict[str, str]:
    widgets = ",".join(f'{{"type":"metric","properties":{{{metric}}}}}' for metric in metrics)
    return {"Fn::Sub": f'{{"widgets":[{widgets}]}}'}


ERRORS, INVOCATIONS = f"[{LAMBDA('Errors')}]", f"[{LAMBDA('Invocations')}]"
P99 = f'"stat":"p99","metrics":[[{LAMBDA("Duration")}]]'
RATE = f'"metrics":[[{{"expression":"100*e/i"}}],{ERRORS},{INVOCATIONS}]'
ALARMS = tuple(f'"annotations":{{"alarms":["${{{name}.Arn}}"]}}' for name in ("Failing258FD00C", "SlowACAFBC61"))

CHANGES = (
    Change("cdk-022", "host", FUNCTION, HOST, {"Fn::GetAtt": ["Sessions", "ReaderEndPoint.Address"]}),
    Change("cdk-022", "failover", CACHE, "CacheParameterGroupName", "default.valkey8.cluster.on"),
    Change("cdk-022", "function-reaches-cache", FUNCTION, "VpcConfig.SubnetIds", ["subnet-0"]),
    Change("cdk-022", None, FUNCTION, HOST, {"Fn::Sub": "${Sessions.PrimaryEndPoint.Address}"}),
    Change("cdk-022", None, CACHE, "CacheParameterGroupName", "default.valkey8"),
    Change("cdk-024", "results-expire", GROUP_OF_WORK, f"{RESULTS}.OutputLocation", DATA_BUCKET),
    Change("cdk-024", "table", GLUE, f"{DESCRIPTOR}.Location", RESULT_BUCKET),
    Change("cdk-024", "table", GLUE, "DatabaseName", "default"),
    Change("cdk-024", "partitioned", GLUE, f"{DESCRIPTOR}.Columns", WITH_DAY),
    Change("cdk-024", "results-expire", BUCKET, "LifecycleConfiguration", _expiring("tmp/"), EXPIRES),
    Change("cdk-024", None, BUCKET, "LifecycleConfiguration", _expiring("queries/"), EXPIRES),
    Change("cdk-024", "enforced", GROUP_OF_WORK, "State", "DISABLED"),
    Change("cdk-024", None, GLUE, "DatabaseName", "sales"),
    Change("cdk-025", "monthly", PLAN, f"{RULES}.1.TargetBackupVault", "Default"),
    Change("cdk-025", "daily", PLAN, f"{RULES}.0.ScheduleExpressionTimezone", "America/New_York"),
    Change("cdk-025", "selection", PICK, "BackupSelection.NotResources", ["arn:aws:dynamodb:*:*:table/*"]),
    Change("cdk-025", None, PLAN, f"{RULES}.0.ScheduleExpression", "cron(00 03 * * ? *)"),
    Change("cdk-025", None, PLAN, f"{RULES}.1.ScheduleExpressionTimezone", "Etc/UTC"),
    Change("cdk-027", "alias", RECORD, "HostedZoneId", "Z0ANOTHER", ("Type", "A")),
    Change("cdk-027", "alias", RECORD, "AliasTarget.HostedZoneId", {"Ref": "ZoneA5DE4B68"}, ("Type", "A")),
    Change("cdk-027", "fixed-response", "AWS::ElasticLoadBalancingV2::Listener", "LoadBalancerArn", "another"),
    Change("cdk-027", "internal", "AWS::EC2::Subnet", "MapPublicIpOnLaunch", True),
    Change("cdk-027", None, RECORD, "ResourceRecords", [{"Ref": "IntranetNameEBC45D22"}], ("Type", "CNAME")),
    Change("cdk-028", "reads-secret", CLUSTER, "MasterUserPassword", "in-plain-sight"),
    Change("cdk-028", "three-stacks", CLUSTER, "DBSubnetGroupName", "default"),
    Change("cdk-028", "three-stacks", "AWS::EC2::EIP", "$Type", "AWS::EC2::NatGateway"),
    Change("cdk-028", None, "AWS::IAM::Policy", "PolicyDocument.Statement.0.Action", "secretsmanager:Get*"),
    Change("cdk-029", "two-stages", TABLE, "AttributeDefinitions", NUMBER_KEY),
    Change("cdk-029", "two-stages", TABLE, "KeySchema.0.KeyType", "RANGE"),
    Change("cdk-029", "tagged", "AWS::IAM::Role", "Tags", []),
    Change("cdk-029", "staging-disposable", TABLE, "DeletionProtectionEnabled", True),
    Change("cdk-029", None, TABLE, "$DeletionPolicy", "RetainExceptOnCreate", ("DeletionProtectionEnabled", True)),
    Change("cdk-030", "alarm", ALARM, "ComparisonOperator", "GreaterThanThreshold"),
    Change("cdk-030", "alarm", ALARM, "Threshold", 0),
    Change("cdk-030", "dead-letters", QUEUE, "RedrivePolicy.deadLetterTargetArn",
           {"Fn::GetAtt": ["JobsDF1CC2D4", "Arn"]}, ("VisibilityTimeout", 180)),
    Change("cdk-030", "apart", QUEUE, "QueueName", "jobs", ("VisibilityTimeout", 180),
           (Change("cdk-030", None, ALARM, "Dimensions.0.Value", "jobs"),)),
    Change("cdk-030", "apart", FUNCTION, "Environment.Variables.LANDING_BUCKET",
           {"Ref": "referencetoPipelineLandingF9282082Arn"}),
    Change("cdk-030", "fed", MAPPING, "Enabled", False),
    Change("cdk-030", None, ALARM, "Threshold", 0,
           also=(Change("cdk-030", None, ALARM, "ComparisonOperator", "GreaterThanThreshold"),)),
    Change("cdk-032", "schema", SCHEMA, "Definition", BOOKS.format(title="String!", more=ADDS, rest="")),
    Change("cdk-032", "schema", SCHEMA, "Definition",
           BOOKS.format(title="String!", more="", rest=MUTATION("addBook(isbn: ID!): Book"))),
    Change("cdk-032", "schema", SCHEMA, "Definition", BOOKS.format(title="String", more="", rest=MUTATION(ADDS))),
    Change("cdk-032", "query", RESOLVER, "Code", PUTS, ("TypeName", "Query")),
    Change("cdk-032", "data-source", TABLE, "KeySchema.0.AttributeName", "id"),
    Change("cdk-032", "iam", "AWS::AppSync::GraphQLApi", "AdditionalAuthenticationProviders",
           [{"AuthenticationType": "API_KEY"}]),
    Change("cdk-032", None, RESOLVER, "Code", GETS, ("TypeName", "Query")),
    Change("cdk-032", None, "AWS::AppSync::GraphQLApi", "LogConfig.FieldLogLevel", "ALL"),
    Change("cdk-032", None, SCHEMA, "Definition", BOOKS.format(
        title="String!", more="", rest=MUTATION("addBook(title: String!, isbn: ID!): Book"))),
    Change("cdk-033", "managed-rules", ACL, "Rules.0.OverrideAction", {"Count": {}}),
    Change("cdk-033", "regional-api", "AWS::ApiGateway::Method", "ResourceId",
           {"Fn::GetAtt": ["ApiF70053CD", "RootResourceId"]}),
    Change("cdk-033", "associated", "AWS::WAFv2::WebACLAssociation", "ResourceArn", NO_STAGE),
    Change("cdk-033", "logged", "AWS::WAFv2::LoggingConfiguration", "LoggingFilter", DROPS),
    Change("cdk-033", "rate-limit", ACL, "Rules.2.Statement.RateBasedStatement.ScopeDownStatement",
           {"GeoMatchStatement": {"CountryCodes": ["DE"]}}),
    Change("cdk-033", None, "AWS::WAFv2::WebACLAssociation", "ResourceArn", STAGE_BY_NAME),
    Change("cdk-035", "two-days", SAGA, "StateMachineType", "EXPRESS"),
    Change("cdk-035", "callback", SAGA, f"{PIECES}.4", _bookings(message='{"trip.$":"$.tripId"}')),
    Change("cdk-035", "compensated", SAGA, f"{PIECES}.4",
           _bookings(caught="States.Timeout", retry=RETRY + ',{"ErrorEquals":["States.ALL"],"MaxAttempts":0}')),
    Change("cdk-035", "retried", SAGA, f"{PIECES}.16", CANCELS_ONCE),
    Change("cdk-035", "parallel", SAGA, f"{PIECES}.4", _bookings(then='"Next":"BookHotel"'),
           also=(Change("cdk-035", None, SAGA, f"{PIECES}.8", THEN_HOTEL),)),
    Change("cdk-035", None, SAGA, f"{PIECES}.4", _bookings()),
    Change("cdk-035", None, SAGA, f"{PIECES}.4", _bookings(message='{"token":"{% $states.context.Task.Token %}"}')),
    Change("cdk-036", "watched", MAPPING, "FilterCriteria.Filters", [{"Pattern": MODIFIED}, {"Pattern": INSERTED}],
           ("BatchSize", 100)),
    Change("cdk-036", "failures", MAPPING, "BisectBatchOnFunctionError", False, ("BatchSize", 200),
           (Change("cdk-036", None, MAPPING, "BisectBatchOnFunctionError", True, ("BatchSize", 100)),
            Change("cdk-036", None, MAPPING, "MaximumRetryAttempts", 5, ("BatchSize", 100)),
            Change("cdk-036", None, MAPPING, "DestinationConfig.OnFailure.Destination",
                   {"Fn::GetAtt": ["RejectedFE7646AC", "Arn"]}, ("BatchSize", 100)))),
    Change("cdk-036", "watched", MAPPING, "FunctionName", {"Ref": "Aggregator84F1B3DF"}, None,
           (Change("cdk-036", None, "AWS::IAM::Policy", "Roles", [{"Ref": "AggregatorServiceRole50457C61"}]),)),
    Change("cdk-036", "writes-table", TABLE, "KeySchema.0.AttributeName", "id"),
    Change("cdk-036", "one-key", TABLE, "SSESpecification.SSEEnabled", False),
    Change("cdk-036", "aggregates", MAPPING, "Enabled", False, ("BatchSize", 200)),
    Change("cdk-036", None, MAPPING, "FilterCriteria.Filters.0.Pattern", '{"eventName": [ "MODIFY" ]}',
           ("BatchSize", 100)),
    Change("cdk-038", "queue-known", TASK, "ContainerDefinitions.0.Environment.0.Value",
           {"Fn::GetAtt": ["JobsDF1CC2D4", "Arn"]}),
    Change("cdk-038", "logs", TASK, "ContainerDefinitions.0.LogConfiguration.Options.awslogs-group", "another"),
    Change("cdk-038", "scales", ALARM, "AlarmActions", []),
    Change("cdk-038", "scales", "AWS::ApplicationAutoScaling::ScalableTarget", "ResourceId", "service/another/one"),
    Change("cdk-038", "spot", "AWS::ECS::Service", "TaskDefinition", "another"),
    Change("cdk-038", "task", TASK, "ContainerDefinitions.0.Image", "python:3.13-slim"),
    Change("cdk-038", None, TASK, "ContainerDefinitions.0.Environment.0.Value",
           {"Fn::GetAtt": ["JobsDF1CC2D4", "QueueUrl"]}),
    Change("cdk-039", "error-rate", ALARM, "Metrics.0.Expression", "errors / invocations", RATE_ALARM),
    Change("cdk-039", "error-rate", ALARM, "Metrics.0.Expression", "100 * invocations / errors", RATE_ALARM),
    Change("cdk-039", "error-rate", ALARM, "Metrics.1.MetricStat.Period", 60, RATE_ALARM),
    Change("cdk-039", "slow", ALARM, "Dimensions", OTHER, SLOW_ALARM),
    Change("cdk-039", "slow", ALARM, "Namespace", "Checkout", SLOW_ALARM),
    Change("cdk-039", "error-rate", ALARM, "Metrics.2.MetricStat.Metric.Dimensions", OTHER, RATE_ALARM),
    Change("cdk-039", "slow", ALARM, "ComparisonOperator", "LessThanThreshold", SLOW_ALARM),
    Change("cdk-039", "slow", ALARM, "DatapointsToAlarm", 1, SLOW_ALARM),
    Change("cdk-039", "composite", COMPOSITE, "AlarmRule", _rule("ALARM(F) OR NOT ALARM(S)")),
    Change("cdk-039", "composite", COMPOSITE, "AlarmRule", _rule("ALARM(F) OR OK(S)")),
    Change("cdk-039", "notifies", ALARM, "OKActions", [{"Ref": "Pager3330101C"}]),
    Change("cdk-039", "notifies", COMPOSITE, "ActionsEnabled", False),
    Change("cdk-039", "dashboard", BOARD, "DashboardBody",
           _board(f'"metrics":[{ERRORS},{INVOCATIONS}]', P99)),
    Change("cdk-039", "dashboard", BOARD, "DashboardBody",
           _board(RATE, P99.replace('"stat":"p99"', '"title":"Duration p99"'))),
    Change("cdk-039", None, BOARD, "DashboardBody", _board(RATE, P99)),
    Change("cdk-039", None, BOARD, "DashboardBody", _board(*ALARMS)),
    Change("cdk-039", None, COMPOSITE, "AlarmRule", _rule("(ALARM(F))\nOR (ALARM(S))")),
    Change("cdk-039", None, ALARM, "Metrics.0.Expression", "IF(invocations > 0, errors * 100 / invocations, 0)",
           RATE_ALARM),
)  # fmt: skip
