from dataclasses import dataclass

import aws_cdk as cdk
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_lambda as lambda_
from constructs import Construct


@dataclass(frozen=True)
class Settings:
    name: str
    memory_mb: int
    protected: bool


class OrdersStack(cdk.Stack):
    def __init__(self, scope: Construct, construct_id: str, *, settings: Settings, **kwargs) -> None:
        super().__init__(scope, construct_id, **kwargs)
        table = dynamodb.Table(
            self,
            "Orders",
            partition_key=dynamodb.Attribute(name="orderId", type=dynamodb.AttributeType.STRING),
            billing_mode=dynamodb.BillingMode.PAY_PER_REQUEST,
            deletion_protection=settings.protected,
            point_in_time_recovery_specification=dynamodb.PointInTimeRecoverySpecification(
                point_in_time_recovery_enabled=settings.protected
            ),
            removal_policy=cdk.RemovalPolicy.RETAIN if settings.protected else cdk.RemovalPolicy.DESTROY,
        )
        function = lambda_.Function(
            self,
            "Accept",
            runtime=lambda_.Runtime.PYTHON_3_13,
            handler="index.handler",
            code=lambda_.Code.from_inline("def handler(event, context):\n    return 'accepted'\n"),
            memory_size=settings.memory_mb,
            environment={"STAGE": settings.name, "TABLE_NAME": table.table_name},
        )
        table.grant_write_data(function)


class ServiceStage(cdk.Stage):
    def __init__(self, scope: Construct, construct_id: str, *, settings: Settings, **kwargs) -> None:
        super().__init__(scope, construct_id, **kwargs)
        OrdersStack(self, "Orders", settings=settings)
        cdk.Tags.of(self).add("stage", settings.name)


app = cdk.App()
ServiceStage(app, "Staging", settings=Settings("staging", 256, False))
ServiceStage(app, "Prod", settings=Settings("prod", 1024, True))
app.synth()
