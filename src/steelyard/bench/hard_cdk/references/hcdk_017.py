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
    visibility_timeout=cdk.Duration.seconds(600),
    retention_period=cdk.Duration.hours(6),
    dead_letter_queue=sqs.DeadLetterQueue(queue=dead, max_receive_count=5),
)

worker = lambda_.Function(
    stack,
    "Worker",
    runtime=lambda_.Runtime.PYTHON_3_12,
    handler="index.handler",
    code=lambda_.Code.from_inline("def handler(event, context):\n    return {'batchItemFailures': []}\n"),
    timeout=cdk.Duration.seconds(100),
    environment={"QUEUE_URL": orders.queue_url},
)
orders.grant_consume_messages(worker)
lambda_.CfnEventSourceMapping(
    stack,
    "Mapping",
    function_name=worker.function_name,
    event_source_arn=orders.queue_arn,
    batch_size=10,
    function_response_types=["ReportBatchItemFailures"],
)

cloudwatch.Alarm(
    stack,
    "DeadOrders",
    metric=cloudwatch.Metric(
        namespace="AWS/SQS",
        metric_name="ApproximateNumberOfMessagesVisible",
        dimensions_map={"QueueName": dead.queue_name},
        statistic="Maximum",
        period=cdk.Duration.minutes(5),
    ),
    threshold=1,
    evaluation_periods=1,
    comparison_operator=cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    treat_missing_data=cloudwatch.TreatMissingData.NOT_BREACHING,
)

app.synth()
