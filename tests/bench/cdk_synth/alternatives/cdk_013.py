"""Subscriptions and queue policy by level-1 constructs; one policy for all queues."""

import aws_cdk as cdk
from aws_cdk import aws_sns as sns
from aws_cdk import aws_sqs as sqs

app = cdk.App()
stack = cdk.Stack(app, "FanOut")
topic = sns.CfnTopic(stack, "Topic")
queues = []
for name, kinds in (("billing", ["placed", "refunded"]), ("shipping", ["placed"]), ("audit", [])):
    dead = sqs.CfnQueue(stack, f"{name}-dead")
    queue = sqs.CfnQueue(stack, name, redrive_policy={"deadLetterTargetArn": dead.attr_arn, "maxReceiveCount": 3})
    queues.append(queue)
    sns.CfnSubscription(
        stack,
        f"{name}-subscription",
        topic_arn=topic.ref,
        protocol="sqs",
        endpoint=queue.attr_arn,
        raw_message_delivery=True,
        filter_policy={"kind": kinds} if kinds else None,
    )
sqs.CfnQueuePolicy(
    stack,
    "Policy",
    queues=[queue.ref for queue in queues],
    policy_document={
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow",
                "Principal": {"Service": "sns.amazonaws.com"},
                "Action": "sqs:SendMessage",
                "Resource": "*",
                "Condition": {"ArnEquals": {"aws:SourceArn": topic.ref}},
            }
        ],
    },
)
app.synth()
