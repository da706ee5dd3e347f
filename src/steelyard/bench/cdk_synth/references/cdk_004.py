import aws_cdk as cdk
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from constructs import Construct

HANDLER = """
import json
import os


def handler(event, context):
    return {"statusCode": 200, "body": json.dumps({"hello": os.environ["GREETING"]})}
"""


class GreeterStack(cdk.Stack):
    def __init__(self, scope: Construct, construct_id: str, **kwargs) -> None:
        super().__init__(scope, construct_id, **kwargs)

        log_group = logs.LogGroup(
            self,
            "GreeterLogs",
            retention=logs.RetentionDays.TWO_WEEKS,
            removal_policy=cdk.RemovalPolicy.DESTROY,
        )
        greeter = lambda_.Function(
            self,
            "Greeter",
            runtime=lambda_.Runtime.PYTHON_3_13,
            architecture=lambda_.Architecture.ARM_64,
            handler="index.handler",
            code=lambda_.Code.from_inline(HANDLER),
            memory_size=256,
            timeout=cdk.Duration.seconds(30),
            environment={"GREETING": "world"},
            log_group=log_group,
        )
        url = greeter.add_function_url(auth_type=lambda_.FunctionUrlAuthType.AWS_IAM)
        cdk.CfnOutput(self, "GreeterUrl", value=url.url)


app = cdk.App()
GreeterStack(app, "Greeter")
app.synth()
