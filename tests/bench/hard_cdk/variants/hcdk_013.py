import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_lambda_event_sources as sources
from aws_cdk import aws_sns as sns
from aws_cdk import aws_sqs as sqs

app = cdk.App()
stack = cdk.Stack(app, "Fanout")
key = kms.Key(stack, "Key", enable_key_rotation=True)
topic = sns.Topic(stack, "Topic", topic_name="fanout", master_key=key, enforce_ssl=True)
# The topic refers to the key, so the key's policy can only spell out the topic's ARN.
topic_arn = stack.format_arn(service="sns", resource="fanout")
queue = sqs.Queue(stack, "Queue", encryption_master_key=key, enforce_ssl=True)
USE = ["kms:GenerateDataKey", "kms:Decrypt"]
partner = iam.AccountPrincipal("444455556666")
member = {"aws:PrincipalOrgID": "o-a1b2c3d4e5"}


def function(name: str) -> lambda_.Function:
    return lambda_.Function(
        stack,
        name.capitalize(),
        function_name=name,
        runtime=lambda_.Runtime.PYTHON_3_12,
        handler="index.handler",
        code=lambda_.Code.from_inline("def handler(event, context):\n    return None\n"),
    )


producer, consumer = function("producer"), function("consumer")
topic.grant_publish(producer)
consumer.add_event_source(sources.SqsEventSource(queue))

topic.add_to_resource_policy(
    iam.PolicyStatement(
        principals=[partner],
        actions=["sns:Publish"],
        resources=[topic.topic_arn],
        conditions={"StringEquals": member},
    )
)
key.add_to_resource_policy(
    iam.PolicyStatement(
        principals=[partner],
        actions=USE,
        resources=["*"],
        conditions={"StringEquals": {**member, "kms:ViaService": f"sns.{stack.region}.amazonaws.com"}},
    )
)
key.add_to_resource_policy(
    iam.PolicyStatement(
        principals=[iam.ServicePrincipal("sns.amazonaws.com")],
        actions=USE,
        resources=["*"],
        conditions={"ArnEquals": {"aws:SourceArn": topic_arn}},
    )
)
queue.add_to_resource_policy(
    iam.PolicyStatement(
        principals=[iam.ServicePrincipal("sns.amazonaws.com")],
        actions=["sqs:SendMessage"],
        resources=[queue.queue_arn],
        conditions={"ArnEquals": {"aws:SourceArn": topic.topic_arn}},
    )
)
sns.Subscription(
    stack,
    "Subscription",
    topic=topic,
    protocol=sns.SubscriptionProtocol.SQS,
    endpoint=queue.queue_arn,
    raw_message_delivery=True,
)

app.synth()
