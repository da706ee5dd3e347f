import aws_cdk as cdk
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_events as events
from aws_cdk import aws_kinesis as kinesis
from aws_cdk import aws_kms as kms
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_lambda_event_sources as sources
from aws_cdk import aws_sqs as sqs
from constructs import Construct

CODE = "def handler(event, context):\n    return {'batchItemFailures': []}\n"


class TelemetryStack(cdk.Stack):
    def __init__(self, scope: Construct, construct_id: str, **kwargs) -> None:
        super().__init__(scope, construct_id, **kwargs)

        key = kms.Key(self, "Key", enable_key_rotation=True)
        readings = kinesis.Stream(
            self,
            "Readings",
            shard_count=2,
            encryption=kinesis.StreamEncryption.KMS,
            encryption_key=key,
        )
        latest = dynamodb.Table(
            self,
            "Latest",
            partition_key=dynamodb.Attribute(name="deviceId", type=dynamodb.AttributeType.STRING),
            billing_mode=dynamodb.BillingMode.PAY_PER_REQUEST,
            encryption=dynamodb.TableEncryption.CUSTOMER_MANAGED,
            encryption_key=key,
            stream=dynamodb.StreamViewType.NEW_AND_OLD_IMAGES,
        )
        rejected = sqs.Queue(self, "Rejected", encryption=sqs.QueueEncryption.KMS, encryption_master_key=key)
        alerts = events.EventBus(self, "Alerts")

        aggregator = self._function("Aggregator", {"TABLE_NAME": latest.table_name})
        aggregator.add_event_source(
            sources.KinesisEventSource(
                readings,
                starting_position=lambda_.StartingPosition.TRIM_HORIZON,
                batch_size=200,
                parallelization_factor=4,
                bisect_batch_on_error=True,
                retry_attempts=5,
                on_failure=sources.SqsDlq(rejected),
            )
        )
        latest.grant_write_data(aggregator)

        watcher = self._function("Watcher", {"BUS_NAME": alerts.event_bus_name})
        watcher.add_event_source(
            sources.DynamoEventSource(
                latest,
                starting_position=lambda_.StartingPosition.LATEST,
                filters=[lambda_.FilterCriteria.filter({"eventName": lambda_.FilterRule.is_equal("MODIFY")})],
            )
        )
        alerts.grant_put_events_to(watcher)

    def _function(self, name: str, environment: dict[str, str]) -> lambda_.Function:
        return lambda_.Function(
            self,
            name,
            runtime=lambda_.Runtime.PYTHON_3_13,
            handler="index.handler",
            code=lambda_.Code.from_inline(CODE),
            environment=environment,
        )


app = cdk.App()
TelemetryStack(app, "Telemetry")
app.synth()
