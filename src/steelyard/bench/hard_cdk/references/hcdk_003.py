import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_sns as sns
from aws_cdk import aws_sqs as sqs

app = cdk.App()
keys = cdk.Stack(app, "Keys")
data = cdk.Stack(app, "Data")
upper = cdk.Stack(app, "App")
upper.add_dependency(data)

key = kms.Key(keys, "Key", enable_key_rotation=True, alias="alias/claims")
key.add_to_resource_policy(
    iam.PolicyStatement(
        principals=[iam.ServicePrincipal("sns.amazonaws.com")],
        actions=["kms:GenerateDataKey*", "kms:Decrypt"],
        resources=["*"],
        conditions={
            "ArnEquals": {"aws:SourceArn": keys.format_arn(service="sns", resource="claims-events")},
        },
    )
)
key.add_to_resource_policy(
    iam.PolicyStatement(
        principals=[iam.ServicePrincipal(f"logs.{keys.region}.amazonaws.com")],
        actions=["kms:Encrypt*", "kms:Decrypt*", "kms:ReEncrypt*", "kms:GenerateDataKey*", "kms:Describe*"],
        resources=["*"],
        conditions={
            "ArnEquals": {
                "kms:EncryptionContext:aws:logs:arn": keys.format_arn(
                    service="logs",
                    resource="log-group",
                    resource_name="/claims/audit",
                    arn_format=cdk.ArnFormat.COLON_RESOURCE_NAME,
                )
            }
        },
    )
)

same_key = kms.Key.from_key_arn(data, "Key", key.key_arn)
bucket = s3.Bucket(
    data, "Bucket", encryption=s3.BucketEncryption.KMS, encryption_key=same_key, enforce_ssl=True
)
queue = sqs.Queue(data, "Queue", encryption=sqs.QueueEncryption.KMS, encryption_master_key=same_key)
topic = sns.Topic(data, "Topic", topic_name="claims-events", master_key=same_key)
logs.LogGroup(
    data,
    "Audit",
    log_group_name="/claims/audit",
    retention=logs.RetentionDays.ONE_YEAR,
    encryption_key=same_key,
)
sns.CfnSubscription(
    data, "Delivery", topic_arn=topic.topic_arn, protocol="sqs", endpoint=queue.queue_arn, raw_message_delivery=True
)
queue.add_to_resource_policy(
    iam.PolicyStatement(
        principals=[iam.ServicePrincipal("sns.amazonaws.com")],
        actions=["sqs:SendMessage"],
        resources=[queue.queue_arn],
        conditions={"ArnEquals": {"aws:SourceArn": topic.topic_arn}},
    )
)


def function(name, environment, statements):
    role = iam.Role(
        upper,
        f"{name}Role",
        role_name=f"{name}-role",
        assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"),
        managed_policies=[
            iam.ManagedPolicy.from_aws_managed_policy_name("service-role/AWSLambdaBasicExecutionRole")
        ],
    )
    for statement in statements:
        role.add_to_policy(statement)
    return lambda_.Function(
        upper,
        name,
        function_name=name,
        runtime=lambda_.Runtime.PYTHON_3_12,
        handler="index.handler",
        code=lambda_.Code.from_inline("def handler(event, context):\n    return None\n"),
        role=role,
        environment=environment,
    )


def via(actions, *services):
    return iam.PolicyStatement(
        actions=actions,
        resources=[same_key.key_arn],
        conditions={
            "StringEquals": {"kms:ViaService": [f"{name}.{upper.region}.amazonaws.com" for name in services]}
        },
    )


function(
    "writer",
    {"BUCKET": bucket.bucket_name, "TOPIC": topic.topic_arn},
    [
        iam.PolicyStatement(actions=["s3:PutObject"], resources=[bucket.arn_for_objects("*")]),
        iam.PolicyStatement(actions=["sns:Publish"], resources=[topic.topic_arn]),
        via(["kms:GenerateDataKey", "kms:Decrypt"], "s3", "sns"),
    ],
)
reader = function(
    "reader",
    {"QUEUE": queue.queue_url},
    [
        iam.PolicyStatement(
            actions=[
                "sqs:ReceiveMessage",
                "sqs:DeleteMessage",
                "sqs:GetQueueAttributes",
                "sqs:GetQueueUrl",
                "sqs:ChangeMessageVisibility",
            ],
            resources=[queue.queue_arn],
        ),
        via(["kms:Decrypt"], "sqs"),
    ],
)
lambda_.CfnEventSourceMapping(
    upper, "Mapping", function_name=reader.function_name, event_source_arn=queue.queue_arn
).node.add_dependency(reader)
app.synth()
