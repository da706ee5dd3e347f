"""Firehose by the level-1 construct with one role for everything."""

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kinesis as kinesis
from aws_cdk import aws_kinesisfirehose as firehose
from aws_cdk import aws_s3 as s3

app = cdk.App()
stack = cdk.Stack(app, "Clicks")
stream = kinesis.CfnStream(
    stack,
    "Stream",
    retention_period_hours=48,
    stream_mode_details={"streamMode": "ON_DEMAND"},
    stream_encryption={"encryptionType": "KMS", "keyId": "alias/aws/kinesis"},
)
bucket = s3.Bucket(stack, "Bucket")
role = iam.Role(
    stack,
    "Role",
    assumed_by=iam.ServicePrincipal("firehose.amazonaws.com"),
    inline_policies={
        "Delivery": iam.PolicyDocument(
            statements=[
                iam.PolicyStatement(actions=["kinesis:Get*", "kinesis:DescribeStream"], resources=[stream.attr_arn]),
                iam.PolicyStatement(actions=["s3:*"], resources=[bucket.bucket_arn, bucket.arn_for_objects("*")]),
            ]
        )
    },
)
firehose.CfnDeliveryStream(
    stack,
    "Delivery",
    delivery_stream_type="KinesisStreamAsSource",
    kinesis_stream_source_configuration={"kinesisStreamArn": stream.attr_arn, "roleArn": role.role_arn},
    extended_s3_destination_configuration=firehose.CfnDeliveryStream.ExtendedS3DestinationConfigurationProperty(
        bucket_arn=bucket.bucket_arn,
        role_arn=role.role_arn,
        compression_format="GZIP",
        prefix="clicks/year=!{timestamp:yyyy}/",
        error_output_prefix="errors/",
        buffering_hints={"sizeInMBs": 64, "intervalInSeconds": 120},
    ),
)
app.synth()
