import aws_cdk as cdk
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_s3_notifications as notifications
from constructs import Construct

HANDLER = """
import os

import boto3

s3 = boto3.client("s3")
table = boto3.resource("dynamodb").Table(os.environ["TABLE_NAME"])


def handler(event, context):
    for record in event["Records"]:
        key = record["s3"]["object"]["key"]
        head = s3.head_object(Bucket=record["s3"]["bucket"]["name"], Key=key)
        table.put_item(Item={"key": key, "size": head["ContentLength"]})
"""


class ImageCatalogueStack(cdk.Stack):
    def __init__(self, scope: Construct, construct_id: str, **kwargs) -> None:
        super().__init__(scope, construct_id, **kwargs)

        uploads = s3.Bucket(self, "Uploads", block_public_access=s3.BlockPublicAccess.BLOCK_ALL)
        catalogue = dynamodb.Table(
            self,
            "Catalogue",
            partition_key=dynamodb.Attribute(name="key", type=dynamodb.AttributeType.STRING),
            billing_mode=dynamodb.BillingMode.PAY_PER_REQUEST,
        )
        indexer = lambda_.Function(
            self,
            "Indexer",
            runtime=lambda_.Runtime.PYTHON_3_13,
            handler="index.handler",
            code=lambda_.Code.from_inline(HANDLER),
            timeout=cdk.Duration.minutes(1),
            environment={"TABLE_NAME": catalogue.table_name},
        )
        uploads.grant_read(indexer)
        catalogue.grant_write_data(indexer)
        uploads.add_event_notification(
            s3.EventType.OBJECT_CREATED,
            notifications.LambdaDestination(indexer),
            s3.NotificationKeyFilter(prefix="incoming/", suffix=".jpg"),
        )


app = cdk.App()
ImageCatalogueStack(app, "ImageCatalogue")
app.synth()
