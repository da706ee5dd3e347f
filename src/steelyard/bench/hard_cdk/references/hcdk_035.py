import aws_cdk as cdk
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_lambda_event_sources as sources
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
    queue = sqs.Queue(
        stack, f"{target.node.id}Queue", visibility_timeout=cdk.Duration.seconds(6 * timeout + window)
    )
    target.add_event_source(
        sources.SqsEventSource(
            queue,
            batch_size=batch,
            max_batching_window=cdk.Duration.seconds(window) if window else None,
            max_concurrency=most,
        )
    )


function("api", API, 10)
feed(function("mailer", MAILER, 30), 30, 20, 500, MAILER)
feed(function("importer", IMPORTER, 300), 300, 0, 1, IMPORTER)

app.synth()
