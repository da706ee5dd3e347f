import aws_cdk as cdk
from aws_cdk import aws_kinesis as kinesis
from aws_cdk import aws_kinesisfirehose as firehose
from aws_cdk import aws_s3 as s3
from constructs import Construct


class ClickstreamStack(cdk.Stack):
    def __init__(self, scope: Construct, construct_id: str, **kwargs) -> None:
        super().__init__(scope, construct_id, **kwargs)

        clicks = kinesis.Stream(
            self,
            "Clicks",
            stream_mode=kinesis.StreamMode.ON_DEMAND,
            retention_period=cdk.Duration.hours(48),
            encryption=kinesis.StreamEncryption.MANAGED,
        )
        lake = s3.Bucket(
            self,
            "Lake",
            block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
            encryption=s3.BucketEncryption.S3_MANAGED,
        )
        firehose.DeliveryStream(
            self,
            "Delivery",
            source=firehose.KinesisStreamSource(clicks),
            destination=firehose.S3Bucket(
                lake,
                data_output_prefix="clicks/!{timestamp:yyyy/MM/dd}/",
                error_output_prefix="errors/!{firehose:error-output-type}/",
                buffering_interval=cdk.Duration.seconds(120),
                buffering_size=cdk.Size.mebibytes(64),
                compression=firehose.Compression.GZIP,
            ),
        )


app = cdk.App()
ClickstreamStack(app, "Clickstream")
app.synth()
