import aws_cdk as cdk
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_lambda_event_sources as event_sources
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_sqs as sqs
from constructs import Construct


class IngestStack(cdk.NestedStack):
    def __init__(self, scope: Construct, construct_id: str, *, landing: s3.IBucket, **kwargs) -> None:
        super().__init__(scope, construct_id, **kwargs)
        self.failed = sqs.Queue(self, "Failed", retention_period=cdk.Duration.days(14))
        jobs = sqs.Queue(
            self,
            "Jobs",
            visibility_timeout=cdk.Duration.minutes(3),
            dead_letter_queue=sqs.DeadLetterQueue(queue=self.failed, max_receive_count=3),
        )
        worker = lambda_.Function(
            self,
            "Worker",
            runtime=lambda_.Runtime.PYTHON_3_13,
            handler="index.handler",
            code=lambda_.Code.from_inline("def handler(event, context):\n    return {'batchItemFailures': []}\n"),
            timeout=cdk.Duration.seconds(30),
            environment={"LANDING_BUCKET": landing.bucket_name},
        )
        worker.add_event_source(event_sources.SqsEventSource(jobs, batch_size=5, report_batch_item_failures=True))
        landing.grant_put(worker)


class MonitoringStack(cdk.NestedStack):
    def __init__(self, scope: Construct, construct_id: str, *, failed: sqs.IQueue, **kwargs) -> None:
        super().__init__(scope, construct_id, **kwargs)
        cloudwatch.Alarm(
            self,
            "JobsFailed",
            metric=failed.metric_approximate_number_of_messages_visible(),
            threshold=1,
            evaluation_periods=1,
        )


class PipelineStack(cdk.Stack):
    def __init__(self, scope: Construct, construct_id: str, **kwargs) -> None:
        super().__init__(scope, construct_id, **kwargs)
        landing = s3.Bucket(self, "Landing", block_public_access=s3.BlockPublicAccess.BLOCK_ALL)
        ingest = IngestStack(self, "Ingest", landing=landing)
        MonitoringStack(self, "Monitoring", failed=ingest.failed)


app = cdk.App()
PipelineStack(app, "Pipeline")
app.synth()
