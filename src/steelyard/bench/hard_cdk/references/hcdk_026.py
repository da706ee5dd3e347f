import hashlib
import re

import aws_cdk as cdk
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_kms as kms
from aws_cdk import aws_logs as logs
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_secretsmanager as secretsmanager
from aws_cdk import aws_sns as sns
from aws_cdk import aws_sqs as sqs
from aws_cdk import aws_ssm as ssm
from constructs import Construct


def logical_id(path: str) -> str:
    """The logical id that the CDK gave to a resource at this path below the stack."""
    parts = [part for part in path.split("/") if part != "Default"]
    shown: list[str] = []
    for part in parts:
        if part != "Resource" and not (shown and shown[-1].endswith(part)):
            shown.append(part)
    digest = hashlib.md5("/".join(parts).encode()).hexdigest()[:8].upper()
    return re.sub("[^A-Za-z0-9]", "", "".join(shown)) + digest


def keep(construct: Construct, path: str) -> None:
    construct.node.default_child.override_logical_id(logical_id(path))


class Data(Construct):
    def __init__(self, scope: Construct, name: str) -> None:
        super().__init__(scope, name)
        self.key = kms.Key(self, "Key", enable_key_rotation=True)
        keep(self.key, "data-store/Key/Resource/Resource")
        self.bucket = s3.Bucket(
            self, "Bucket", encryption=s3.BucketEncryption.KMS, encryption_key=self.key, versioned=True
        )
        keep(self.bucket, "data-store/Default/Resource")
        self.table = dynamodb.Table(
            self,
            "Table",
            partition_key=dynamodb.Attribute(name="pk", type=dynamodb.AttributeType.STRING),
            billing_mode=dynamodb.BillingMode.PAY_PER_REQUEST,
        )
        keep(self.table, "data-store/Table/Table/Resource")


class Messaging(Construct):
    def __init__(self, scope: Construct, name: str) -> None:
        super().__init__(scope, name)
        dead = sqs.Queue(self, "Dead", retention_period=cdk.Duration.days(14))
        keep(dead, "Inbox/dead-Inbox/Resource")
        self.queue = sqs.Queue(
            self, "Queue", dead_letter_queue=sqs.DeadLetterQueue(queue=dead, max_receive_count=3)
        )
        keep(self.queue, "Inbox/Inbox/Resource")
        topic = sns.CfnTopic(self, "Topic", display_name="alerts")
        topic.override_logical_id("alertstopic")


class Operations(Construct):
    def __init__(self, scope: Construct, name: str) -> None:
        super().__init__(scope, name)
        keep(secretsmanager.Secret(self, "Secret"), "Default/Secret/Resource")
        keep(logs.LogGroup(self, "Log", retention=logs.RetentionDays.ONE_YEAR), "Log/Default/Resource")


app = cdk.App()
stack = cdk.Stack(app, "Records")
ledger = Construct(stack, "Ledger")
data = Data(ledger, "Data")
messaging = Messaging(ledger, "Messaging")
Operations(ledger, "Operations")

reports = cdk.Stack(app, "Reports")
ssm.StringParameter(reports, "TableArn", string_value=data.table.table_arn)
ssm.StringParameter(reports, "BucketName", string_value=data.bucket.bucket_name)
ssm.StringParameter(reports, "QueueUrl", string_value=messaging.queue.queue_url)

app.synth()
