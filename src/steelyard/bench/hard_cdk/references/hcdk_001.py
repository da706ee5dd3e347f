import aws_cdk as cdk
from aws_cdk import Fn
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_iam as iam
from aws_cdk import aws_sns as sns
from aws_cdk import aws_sqs as sqs
from aws_cdk import aws_ssm as ssm

MOST = 4
NOTHING = cdk.Aws.NO_VALUE

app = cdk.App()
site = cdk.Stack(app, "Site")
zones = cdk.CfnParameter(site, "Zones", type="CommaDelimitedList", default="a")
spare = cdk.CfnParameter(site, "Spare", default="")
size = cdk.CfnParameter(site, "Size", default="small", allowed_values=["small", "medium", "large"])
seconds = cdk.CfnMapping(
    site,
    "Seconds",
    mapping={
        name: {"usual": str(value), "last": str(3 * value)}
        for name, value in (("small", 30), ("medium", 60), ("large", 120))
    },
)

# The list with empty names behind it, so that every place can be selected.
padded = Fn.split(",", Fn.join(",", [Fn.join(",", zones.value_as_list), *[""] * MOST]))
names = [Fn.select(place, padded) for place in range(MOST)]


def condition(name: str, expression: cdk.ICfnConditionExpression) -> cdk.CfnCondition:
    return cdk.CfnCondition(site, name, expression=expression)


def equal(left: str, right: str) -> cdk.ICfnConditionExpression:
    return Fn.condition_equals(left, right)


exists = [condition(f"Exists{place}", Fn.condition_not(equal(name, ""))) for place, name in enumerate(names)]
last = [condition(f"Last{place}", equal(Fn.select(place + 1, padded), "")) for place in range(MOST)]
is_spare = [condition(f"Spare{place}", equal(name, spare.value_as_string)) for place, name in enumerate(names)]
unknown = condition(
    "Unknown", Fn.condition_not(Fn.condition_or(equal(spare.value_as_string, ""), *is_spare))
)
watched = condition("Watched", Fn.condition_and(exists[1], Fn.condition_not(equal(size.value_as_string, "small"))))


def chosen(test: cdk.CfnCondition, yes: str, no: str) -> str:
    return Fn.condition_if(test.logical_id, yes, no).to_string()


def by_count(values: list[str]) -> str:
    """The value for the number of zones."""
    value = values[0]
    for place in range(1, MOST):
        value = chosen(exists[place], values[place], value)
    return value


queues = []
for place, name in enumerate(names):
    timeout = chosen(
        last[place],
        seconds.find_in_map(size.value_as_string, "last"),
        seconds.find_in_map(size.value_as_string, "usual"),
    )
    queue = sqs.CfnQueue(
        site,
        f"Queue{place}",
        queue_name=f"site-{name}",
        visibility_timeout=cdk.Token.as_number(timeout),
        message_retention_period=cdk.Token.as_number(chosen(is_spare[place], "1209600", "3600")),
    )
    queue.cfn_options.condition = exists[place]
    queues.append(queue)

topic = sns.CfnTopic(site, "UnknownSpare", topic_name="site-spare-unknown")
topic.cfn_options.condition = unknown

facts = {
    "count": by_count([str(place + 1) for place in range(MOST)]),
    "last": by_count(names),
    "reversed": by_count([Fn.join("-", names[place::-1]) for place in range(MOST)]),
}
for key, value in facts.items():
    ssm.CfnParameter(site, f"Fact{key}", name=f"/site/{key}", type="String", value=value)

alarm = cloudwatch.CfnAlarm(
    site,
    "Age",
    alarm_name="site-age",
    namespace="AWS/SQS",
    metric_name="ApproximateAgeOfOldestMessage",
    statistic="Maximum",
    period=300,
    evaluation_periods=1,
    threshold=600,
    comparison_operator="GreaterThanThreshold",
    dimensions=[cloudwatch.CfnAlarm.DimensionProperty(name="QueueName", value=queues[0].attr_queue_name)],
)
alarm.cfn_options.condition = watched

arns = [chosen(exists[place], queue.attr_arn, NOTHING) for place, queue in enumerate(queues)]
cdk.CfnOutput(site, "QueueArns", export_name="site-queue-arns", value=Fn.join(",", arns))

reader = cdk.Stack(app, "Reader")
reader.add_dependency(site)
role = iam.Role(
    reader, "Role", role_name="site-reader", assumed_by=iam.ServicePrincipal("lambda.amazonaws.com")
)
iam.CfnPolicy(
    reader,
    "Policy",
    policy_name="queues",
    roles=[role.role_name],
    policy_document={
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow",
                "Action": ["sqs:ReceiveMessage", "sqs:DeleteMessage"],
                "Resource": {"Fn::Split": [",", {"Fn::ImportValue": "site-queue-arns"}]},
            }
        ],
    },
)

app.synth()
