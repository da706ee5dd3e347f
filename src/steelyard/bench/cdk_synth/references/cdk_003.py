import aws_cdk as cdk
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_sqs as sqs
from constructs import Construct


class InvoiceQueueStack(cdk.Stack):
    def __init__(self, scope: Construct, construct_id: str, **kwargs) -> None:
        super().__init__(scope, construct_id, **kwargs)

        failed = sqs.Queue(
            self,
            "FailedInvoices",
            encryption=sqs.QueueEncryption.SQS_MANAGED,
            retention_period=cdk.Duration.days(14),
        )
        sqs.Queue(
            self,
            "Invoices",
            encryption=sqs.QueueEncryption.SQS_MANAGED,
            visibility_timeout=cdk.Duration.seconds(120),
            dead_letter_queue=sqs.DeadLetterQueue(queue=failed, max_receive_count=5),
        )
        cloudwatch.Alarm(
            self,
            "InvoicesFailed",
            metric=failed.metric_approximate_number_of_messages_visible(
                period=cdk.Duration.minutes(1), statistic="Maximum"
            ),
            threshold=1,
            evaluation_periods=1,
            comparison_operator=cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
        )


app = cdk.App()
InvoiceQueueStack(app, "InvoiceQueue")
app.synth()
