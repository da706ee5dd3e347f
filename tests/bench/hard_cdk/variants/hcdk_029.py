import aws_cdk as cdk
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_lambda_event_sources as sources
from aws_cdk import aws_sqs as sqs

app = cdk.App()
stack = cdk.Stack(app, "Jobs")
dead = sqs.Queue(stack, "Dead", retention_period=cdk.Duration.days(14))
queue = sqs.Queue(
    stack,
    "Queue",
    visibility_timeout=cdk.Duration.seconds(180),
    dead_letter_queue=sqs.DeadLetterQueue(queue=dead, max_receive_count=4),
)
fifo_dead = sqs.Queue(stack, "FifoDead", fifo=True, retention_period=cdk.Duration.days(14))
fifo = sqs.Queue(
    stack,
    "Ordered",
    queue_name="jobs.fifo",
    fifo=True,
    content_based_deduplication=True,
    visibility_timeout=cdk.Duration.seconds(180),
    dead_letter_queue=sqs.DeadLetterQueue(queue=fifo_dead, max_receive_count=4),
)


def function(name: str, environment: dict[str, str]) -> lambda_.Function:
    return lambda_.Function(
        stack,
        name,
        runtime=lambda_.Runtime.PYTHON_3_12,
        handler="index.handler",
        code=lambda_.Code.from_inline("def handler(event, context):\n    return None\n"),
        timeout=cdk.Duration.seconds(30),
        environment={"ROLE": name, **environment},
    )


producer = function("Producer", {"QUEUE_URL": fifo.queue_url})
fifo.grant_send_messages(producer)
worker = function("Worker", {})
worker.add_event_source(sources.SqsEventSource(queue, batch_size=100, max_batching_window=cdk.Duration.seconds(5)))

worker.add_event_source(sources.SqsEventSource(fifo, report_batch_item_failures=True))

app.synth()
