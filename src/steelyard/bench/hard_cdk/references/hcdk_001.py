import aws_cdk as cdk
from aws_cdk import aws_cloudwatch as cw
from aws_cdk import aws_dynamodb as ddb
from aws_cdk import aws_events as events
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sqs as sqs
from aws_cdk import aws_ssm as ssm

app = cdk.App()
stack = cdk.Stack(app, "Intake")
table = ddb.Table(
    stack,
    "Orders",
    table_name="orders",
    partition_key=ddb.Attribute(name="id", type=ddb.AttributeType.STRING),
    billing_mode=ddb.BillingMode.PAY_PER_REQUEST,
)
queue = sqs.Queue(stack, "Queue", visibility_timeout=cdk.Duration.seconds(180))
table_arn = stack.format_arn(service="dynamodb", resource="table", resource_name="orders")
flag_arn = stack.format_arn(service="ssm", resource="parameter", resource_name="intake/ready")
CODE = "def handler(event, context):\n    return None\n"


def function(name, environment):
    role = iam.Role(
        stack,
        f"{name}Role",
        role_name=f"{name}-role",
        assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"),
        managed_policies=[
            iam.ManagedPolicy.from_aws_managed_policy_name("service-role/AWSLambdaBasicExecutionRole")
        ],
    )
    fn = lambda_.Function(
        stack,
        name,
        function_name=name,
        runtime=lambda_.Runtime.PYTHON_3_12,
        handler="index.handler",
        code=lambda_.Code.from_inline(CODE),
        role=role.without_policy_updates(),
        environment=environment,
    )
    return role, fn


def policy(name, role, *grants):
    return iam.Policy(
        stack,
        f"{name}Policy",
        roles=[role],
        statements=[iam.PolicyStatement(actions=actions, resources=[arn]) for actions, arn in grants],
    )


loader_role, loader = function("loader", {"TABLE": "orders"})
sweeper_role, sweeper = function("sweeper", {"TABLE": "orders", "FLAG": "/intake/ready"})
probe_role, probe = function("probe", {"QUEUE": queue.queue_url, "FLAG": "/intake/ready"})
consume = ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"]
loader_policy = policy("Loader", loader_role, (consume, queue.queue_arn), (["dynamodb:PutItem"], table_arn))
sweeper_policy = policy(
    "Sweeper",
    sweeper_role,
    (["dynamodb:Query", "dynamodb:DeleteItem"], table_arn),
    (["ssm:GetParameter"], flag_arn),
)
probe_policy = policy("Probe", probe_role, (["sqs:SendMessage"], queue.queue_arn), (["ssm:PutParameter"], flag_arn))

mapping = lambda_.CfnEventSourceMapping(
    stack, "Mapping", function_name=loader.function_name, event_source_arn=queue.queue_arn, batch_size=10
)
mapping.node.add_dependency(loader_policy, table)

rule_arn = stack.format_arn(service="events", resource="rule", resource_name="intake-hourly")
permission = lambda_.CfnPermission(
    stack,
    "Permission",
    action="lambda:InvokeFunction",
    function_name=sweeper.function_name,
    principal="events.amazonaws.com",
    source_arn=rule_arn,
)
rule = events.CfnRule(
    stack,
    "Rule",
    name="intake-hourly",
    schedule_expression="rate(1 hour)",
    state="ENABLED",
    targets=[events.CfnRule.TargetProperty(id="sweeper", arn=sweeper.function_arn)],
)
rule.node.add_dependency(sweeper_policy, table, permission)

alarm = cw.Alarm(
    stack,
    "Age",
    alarm_name="intake-age",
    metric=queue.metric_approximate_age_of_oldest_message(statistic="Maximum"),
    threshold=600,
    evaluation_periods=1,
    comparison_operator=cw.ComparisonOperator.GREATER_THAN_THRESHOLD,
)
alarm.node.add_dependency(mapping)

flag = ssm.StringParameter(stack, "Flag", parameter_name="/intake/ready", string_value="yes")
flag.node.add_dependency(mapping, rule, alarm, permission, loader_policy, sweeper_policy, probe_policy)
app.synth()
