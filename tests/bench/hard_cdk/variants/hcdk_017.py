import aws_cdk as cdk
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sqs as sqs

app = cdk.App()
stack = cdk.Stack(app, "Orders")
dead = sqs.Queue(stack, "Dead", fifo=True, retention_period=cdk.Duration.days(14))
orders = sqs.Queue(
    stack,
    "Queue",
    fifo=True,
    content_based_deduplication=True,
    visibility_timeout=cdk.Duration.minutes(9),
    retention_period=cdk.Duration.days(1),
    dead_letter_queue=sqs.DeadLetterQueue(queue=dead, max_receive_count=5),
)
worker = lambda_.Function(
    stack,
    "Worker",
    runtime=lambda_.Runtime.PYTHON_3_12,
    handler="index.handler",
    code=lambda_.Code.from_inline("def handler(event, context):\n    return {'batchItemFailures': []}\n"),
    timeout=cdk.Duration.seconds(90),
    environment={"QUEUE_URL": orders.queue_url},
)
orders.grant_consume_messages(worker)
lambda_.CfnEventSourceMapping(
    stack,
    "Mapping",
    function_name=worker.function_arn,
    event_source_arn=orders.queue_arn,
    batch_size=10,
    function_response_types=["ReportBatchItemFailures"],
)
dead.metric_approximate_number_of_messages_visible(period=cdk.Duration.minutes(1), statistic="Maximum").create_alarm(
    stack,
    "DeadOrders",
    threshold=0,
    evaluation_periods=1,
    comparison_operator=cloudwatch.ComparisonOperator.GREATER_THAN_THRESHOLD,
)
app.synth()
