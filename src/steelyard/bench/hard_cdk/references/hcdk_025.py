import aws_cdk as cdk
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_lambda_event_sources as sources
from aws_cdk import aws_sqs as sqs

# Sorted by name. The number is part of the construct ids: never change it, never use one twice (1 was email).
CONSUMERS = [("audit", 45, 3), ("billing", 30, 0), ("sms", 20, 4), ("stock", 60, 2)]

app = cdk.App()
stack = cdk.Stack(app, "Fanout")
for name, timeout, number in CONSUMERS:
    queue = sqs.Queue(
        stack,
        f"Queue{number}",
        visibility_timeout=cdk.Duration.seconds(6 * timeout),
        encryption=sqs.QueueEncryption.SQS_MANAGED,
    )
    function = lambda_.Function(
        stack,
        f"Function{number}",
        runtime=lambda_.Runtime.PYTHON_3_12,
        handler="index.handler",
        code=lambda_.Code.from_inline("def handler(event, context):\n    return None\n"),
        timeout=cdk.Duration.seconds(timeout),
        environment={"CONSUMER": name},
    )
    function.add_event_source(sources.SqsEventSource(queue))

app.synth()
