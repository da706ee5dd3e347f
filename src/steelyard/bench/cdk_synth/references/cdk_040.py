import aws_cdk as cdk
import jsii
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_s3 as s3
from constructs import Construct, IConstruct


class SecurityStack(cdk.Stack):
    def __init__(self, scope: Construct, construct_id: str, **kwargs) -> None:
        super().__init__(scope, construct_id, **kwargs)
        self.key = kms.Key(self, "DataKey", enable_key_rotation=True, alias="alias/platform-data")
        self.boundary = iam.ManagedPolicy(
            self,
            "Boundary",
            statements=[
                iam.PolicyStatement(actions=["s3:*", "dynamodb:*", "kms:*", "logs:*"], resources=["*"]),
                iam.PolicyStatement(effect=iam.Effect.DENY, actions=["iam:*"], resources=["*"]),
            ],
        )


class DocumentsStack(cdk.Stack):
    def __init__(self, scope: Construct, construct_id: str, *, key: kms.IKey, **kwargs) -> None:
        super().__init__(scope, construct_id, **kwargs)
        documents = s3.Bucket(
            self,
            "Documents",
            encryption=s3.BucketEncryption.KMS,
            encryption_key=key,
            bucket_key_enabled=True,
            block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
            event_bridge_enabled=True,
        )
        index = dynamodb.Table(
            self,
            "Index",
            partition_key=dynamodb.Attribute(name="key", type=dynamodb.AttributeType.STRING),
            billing_mode=dynamodb.BillingMode.PAY_PER_REQUEST,
            encryption=dynamodb.TableEncryption.CUSTOMER_MANAGED,
            encryption_key=key,
        )
        indexer = lambda_.Function(
            self,
            "Indexer",
            runtime=lambda_.Runtime.PYTHON_3_13,
            handler="index.handler",
            code=lambda_.Code.from_inline("def handler(event, context):\n    return event['detail']\n"),
            environment={"TABLE_NAME": index.table_name},
        )
        documents.grant_read(indexer)
        index.grant_write_data(indexer)
        events.Rule(
            self,
            "Created",
            event_pattern=events.EventPattern(
                source=["aws.s3"],
                detail_type=["Object Created"],
                detail={"bucket": {"name": [documents.bucket_name]}},
            ),
            targets=[targets.LambdaFunction(indexer)],
        )


@jsii.implements(cdk.IAspect)
class RoleBoundary:
    """Puts the permissions boundary on every role it visits."""

    def __init__(self, boundary: iam.IManagedPolicy) -> None:
        self.boundary = boundary

    def visit(self, node: IConstruct) -> None:
        if isinstance(node, iam.CfnRole):
            node.permissions_boundary = self.boundary.managed_policy_arn


app = cdk.App()
security = SecurityStack(app, "PlatformSecurity")
documents = DocumentsStack(app, "PlatformDocuments", key=security.key)
cdk.Aspects.of(documents).add(RoleBoundary(security.boundary))
cdk.Tags.of(app).add("data-class", "confidential")
app.synth()
