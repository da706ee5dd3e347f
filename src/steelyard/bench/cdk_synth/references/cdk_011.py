import aws_cdk as cdk
from aws_cdk import aws_apigateway as apigateway
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

HANDLER = """
import json
import os

import boto3

table = boto3.resource("dynamodb").Table(os.environ["TABLE_NAME"])


def handler(event, context):
    if event["httpMethod"] == "POST":
        table.put_item(Item=json.loads(event["body"]))
        return {"statusCode": 201}
    item = table.get_item(Key={"id": event["pathParameters"]["id"]}).get("Item")
    return {"statusCode": 200 if item else 404, "body": json.dumps(item, default=str)}
"""


class NotesApiStack(cdk.Stack):
    def __init__(self, scope: Construct, construct_id: str, **kwargs) -> None:
        super().__init__(scope, construct_id, **kwargs)

        table = dynamodb.Table(
            self,
            "Notes",
            partition_key=dynamodb.Attribute(name="id", type=dynamodb.AttributeType.STRING),
            billing_mode=dynamodb.BillingMode.PAY_PER_REQUEST,
        )
        function = lambda_.Function(
            self,
            "NotesHandler",
            runtime=lambda_.Runtime.PYTHON_3_13,
            handler="index.handler",
            code=lambda_.Code.from_inline(HANDLER),
            environment={"TABLE_NAME": table.table_name},
        )
        table.grant(function, "dynamodb:GetItem", "dynamodb:PutItem")

        api = apigateway.RestApi(
            self,
            "NotesApi",
            deploy_options=apigateway.StageOptions(
                stage_name="v1",
                throttling_rate_limit=50,
                throttling_burst_limit=100,
                tracing_enabled=True,
            ),
        )
        integration = apigateway.LambdaIntegration(function)
        notes = api.root.add_resource("notes")
        notes.add_method("POST", integration)
        notes.add_resource("{id}").add_method("GET", integration)


app = cdk.App()
NotesApiStack(app, "NotesApi")
app.synth()
