import aws_cdk as cdk
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_kms as kms
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_sqs as sqs
from constructs import Construct, IConstruct


def keep(construct: IConstruct, logical_id: str) -> None:
    """The resource keeps the logical id from before the move."""
    construct.node.default_child.override_logical_id(logical_id)


class Storage(Construct):
    def __init__(self, scope: Construct, name: str) -> None:
        super().__init__(scope, name)
        self.key = kms.Key(self, "Key", enable_key_rotation=True)
        keep(self.key, "Key961B73FD")
        keep(self.key.add_alias("records"), "KeyAlias910D852D")
        self.table = dynamodb.Table(
            self,
            "Table",
            partition_key=dynamodb.Attribute(name="pk", type=dynamodb.AttributeType.STRING),
            sort_key=dynamodb.Attribute(name="sk", type=dynamodb.AttributeType.NUMBER),
            billing_mode=dynamodb.BillingMode.PAY_PER_REQUEST,
            encryption=dynamodb.TableEncryption.CUSTOMER_MANAGED,
            encryption_key=self.key,
            point_in_time_recovery_specification=dynamodb.PointInTimeRecoverySpecification(
                point_in_time_recovery_enabled=True
            ),
        )
        keep(self.table, "TableCD117FA1")
        self.bucket = s3.Bucket(
            self,
            "Files",
            encryption=s3.BucketEncryption.KMS,
            encryption_key=self.key,
            enforce_ssl=True,
            versioned=True,
        )
        keep(self.bucket, "Files8E6940B8")
        keep(self.bucket.policy, "FilesPolicy7CF9F0B1")


class Intake(Construct):
    def __init__(self, scope: Construct, name: str) -> None:
        super().__init__(scope, name)
        dead = sqs.Queue(self, "DeadLetters", retention_period=cdk.Duration.days(14))
        keep(dead, "DeadLettersBBF8BAAB")
        self.queue = sqs.Queue(
            self,
            "Inbox",
            visibility_timeout=cdk.Duration.minutes(5),
            dead_letter_queue=sqs.DeadLetterQueue(queue=dead, max_receive_count=3),
        )
        keep(self.queue, "InboxA8E05DC3")


app = cdk.App()
stack = cdk.Stack(app, "Records")
Storage(stack, "Storage")
Intake(stack, "Intake")

app.synth()
