import aws_cdk as cdk
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sqs as sqs

MAILER, IMPORTER = 250, 40
API = min(1000 - 400 - MAILER - IMPORTER, (480 - 30 - 5 * IMPORTER) // 2)

app = cdk.App()
stack = cdk.Stack(app, "Workers")


def function(name: str, reserved: int, timeout: int) -> lambda_.Function:
    return lambda_.Function(
        stack,
        name.capitalize(),
        function_name=name,
        runtime=lambda_.Runtime.PYTHON_3_12,
        handler="index.handler",
        code=lambda_.Code.from_inline("def handler(event, context):\n    return None\n"),
        timeout=cdk.Duration.seconds(timeout),
        reserved_concurrent_executions=reserved,
    )


def feed(target: lambda_.Function, timeout: int, window: int, batch: int, most: int) -> None:
    queue = sqs.Queue(stack, f"{target.node.id}Queue", visibility_timeout=cdk.Duration.seconds(6 * timeout + window))
    lambda_.CfnEventSourceMapping(
        stack,
        f"{target.node.id}Feed",
        function_name=target.function_arn,
        event_source_arn=queue.queue_arn,
        batch_size=batch,
        maximum_batching_window_in_seconds=window,
        scaling_config={"maximumConcurrency": most},
    )
    queue.grant_consume_messages(target)


function("api", API, 10)
feed(function("mailer", MAILER, 30), 30, 20, 500, MAILER)
feed(function("importer", IMPORTER, 300), 300, 0, 1, IMPORTER)

app.synth()
