import aws_cdk as cdk
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

MEMORY = {1: 512, 2: 1024}
MODES = {1: "steady", 2: "canary"}


class Service(Construct):
    """The service in one of its releases; `first` is the logical id of the version of the first release."""

    def __init__(
        self, scope: Construct, name: str, table: dynamodb.Table, release: int, first: str | None = None
    ) -> None:
        super().__init__(scope, name)
        function = lambda_.Function(
            self,
            "Handler",
            runtime=lambda_.Runtime.PYTHON_3_12,
            handler="index.handler",
            code=lambda_.Code.from_inline(f"def handler(event, context):\n    return {{'release': {release}}}\n"),
            memory_size=MEMORY[release],
            timeout=cdk.Duration.seconds(10),
            environment={"TABLE": table.table_name, "MODE": MODES[release]},
            current_version_options=lambda_.VersionOptions(
                description=f"release {release}", removal_policy=cdk.RemovalPolicy.RETAIN
            ),
        )
        table.grant_read_data(function)
        self.version = function.current_version
        if first is None:
            return
        table.grant(function, "dynamodb:PutItem")
        old = lambda_.CfnVersion(
            self, "FirstRelease", function_name=function.function_name, description="release 1"
        )
        old.override_logical_id(first)
        old.apply_removal_policy(cdk.RemovalPolicy.RETAIN)
        alias = lambda_.Alias(self, "Live", alias_name="live", version=self.version)
        alias.add_permission("Gateway", principal=iam.ServicePrincipal("apigateway.amazonaws.com"))
        resource = alias.node.default_child
        resource.function_version = old.attr_version
        resource.routing_config = lambda_.CfnAlias.AliasRoutingConfigurationProperty(
            additional_version_weights=[
                lambda_.CfnAlias.VersionWeightProperty(
                    function_version=self.version.version, function_weight=0.1
                )
            ]
        )


def shop(app: cdk.App) -> tuple[cdk.Stack, dynamodb.Table]:
    stack = cdk.Stack(app, "Shop")
    table = dynamodb.Table(
        stack,
        "Orders",
        partition_key=dynamodb.Attribute(name="id", type=dynamodb.AttributeType.STRING),
        billing_mode=dynamodb.BillingMode.PAY_PER_REQUEST,
    )
    return stack, table


# The app as it is deployed, only to learn the logical id of its version.
before, deployed = shop(cdk.App())
released = Service(before, "orders", deployed, 1).version
first = before.resolve(released.node.default_child.logical_id)

app = cdk.App()
stack, table = shop(app)
Service(stack, "orders", table, 2, first)

app.synth()
