from typing import Any

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from aws_cdk import aws_s3 as s3

app = cdk.App()
studio = cdk.Stack(app, "Studio")
mailroom = cdk.Stack(app, "Mailroom")
GIB, MIB = 1024, 1024**2


def make(stack: cdk.Stack, name: str, kind: str, **properties: Any) -> cdk.CfnResource:
    return cdk.CfnResource(stack, name, type=f"AWS::{kind}", properties=properties)


def attribute(resource: cdk.CfnResource, name: str) -> str:
    return resource.get_att(name).to_string()


bucket = s3.Bucket(studio, "Bucket")
worker = iam.Role(studio, "Worker", assumed_by=iam.ServicePrincipal("deadline.amazonaws.com"))
bucket.grant_read_write(worker)

tables = make(
    studio,
    "Tables",
    "S3Tables::TableBucket",
    TableBucketName="studio-ledger",
    UnreferencedFileRemoval={"Status": "Enabled", "UnreferencedDays": 4, "NoncurrentDays": 12},
    StorageClassConfiguration={"StorageClass": "INTELLIGENT_TIERING"},
    MetricsConfiguration={"Status": "Enabled"},
)
renders = make(studio, "Renders", "S3Tables::Namespace", TableBucketARN=tables.ref, Namespace="renders")
frames = make(
    studio,
    "Frames",
    "S3Tables::Table",
    TableBucketARN=tables.ref,
    Namespace="renders",
    TableName="frames",
    OpenTableFormat="ICEBERG",
    IcebergMetadata={
        "IcebergSchema": {
            "SchemaFieldList": [
                {"Name": "frame", "Type": "long", "Required": True},
                {"Name": "shot", "Type": "string"},
                {"Name": "done", "Type": "timestamptz"},
            ]
        }
    },
    Compaction={"Status": "enabled", "TargetFileSizeMB": 256},
    SnapshotManagement={"Status": "enabled", "MinSnapshotsToKeep": 5, "MaxSnapshotAgeHours": 120},
)
frames.add_dependency(renders)

farm = make(studio, "Farm", "Deadline::Farm", DisplayName="studio", CostScaleFactor=1.25)
farm_id = attribute(farm, "FarmId")
paths = make(
    studio,
    "Paths",
    "Deadline::StorageProfile",
    FarmId=farm_id,
    DisplayName="paths",
    OsFamily="LINUX",
    FileSystemLocations=[{"Name": "Assets", "Path": "/mnt/assets", "Type": "SHARED"}],
)
profile_id = attribute(paths, "StorageProfileId")
queue = make(
    studio,
    "Shots",
    "Deadline::Queue",
    FarmId=farm_id,
    DisplayName="shots",
    RoleArn=worker.role_arn,
    DefaultBudgetAction="STOP_SCHEDULING_AND_COMPLETE_TASKS",
    JobRunAsUser={"RunAs": "QUEUE_CONFIGURED_USER", "Posix": {"User": "artist", "Group": "artists"}},
    AllowedStorageProfileIds=[profile_id],
    RequiredFileSystemLocationNames=["Assets"],
    JobAttachmentSettings={"S3BucketName": bucket.bucket_name, "RootPrefix": "attachments"},
)
fleet = make(
    studio,
    "Metal",
    "Deadline::Fleet",
    FarmId=farm_id,
    DisplayName="metal",
    RoleArn=worker.role_arn,
    MinWorkerCount=2,
    MaxWorkerCount=40,
    Configuration={
        "CustomerManaged": {
            "Mode": "EVENT_BASED_AUTO_SCALING",
            "StorageProfileId": profile_id,
            "WorkerCapabilities": {
                "OsFamily": "LINUX",
                "CpuArchitectureType": "x86_64",
                "VCpuCount": {"Min": 8, "Max": 64},
                "MemoryMiB": {"Min": 32 * GIB, "Max": 256 * GIB},
            },
        }
    },
)
limit = make(
    studio,
    "Composer",
    "Deadline::Limit",
    FarmId=farm_id,
    DisplayName="composer",
    AmountRequirementName="amount.composer",
    MaxCount=12,
)

queue_id = attribute(queue, "QueueId")
make(
    mailroom,
    "FleetOfQueue",
    "Deadline::QueueFleetAssociation",
    FarmId=farm_id,
    QueueId=queue_id,
    FleetId=attribute(fleet, "FleetId"),
)
make(
    mailroom,
    "LimitOfQueue",
    "Deadline::QueueLimitAssociation",
    FarmId=farm_id,
    QueueId=queue_id,
    LimitId=attribute(limit, "LimitId"),
)

writer = iam.Role(mailroom, "Writer", assumed_by=iam.ServicePrincipal("ses.amazonaws.com"))
writer.add_to_policy(iam.PolicyStatement(actions=["s3:PutObject"], resources=[bucket.arn_for_objects("large/*")]))
archive = make(mailroom, "Archive", "SES::MailManagerArchive", Retention={"RetentionPeriod": "SEVEN_YEARS"})
relay = make(
    mailroom,
    "Relay",
    "SES::MailManagerRelay",
    ServerName="smtp.studio.example",
    ServerPort=2525,
    Authentication={"NoAuthentication": {}},
)
policy = make(
    mailroom,
    "Policy",
    "SES::MailManagerTrafficPolicy",
    DefaultAction="DENY",
    MaxMessageSizeBytes=20 * MIB,
    PolicyStatements=[
        {
            "Action": "ALLOW",
            "Conditions": [
                {
                    "IpExpression": {
                        "Evaluate": {"Attribute": "SENDER_IP"},
                        "Operator": "CIDR_MATCHES",
                        "Values": ["203.0.113.0/24"],
                    }
                },
                {
                    "TlsExpression": {
                        "Evaluate": {"Attribute": "TLS_PROTOCOL"},
                        "Operator": "MINIMUM_TLS_VERSION",
                        "Value": "TLS1_2",
                    }
                },
            ],
        }
    ],
)
rules = make(
    mailroom,
    "Rules",
    "SES::MailManagerRuleSet",
    Rules=[
        {
            "Name": "forged",
            "Conditions": [
                {
                    "VerdictExpression": {
                        "Evaluate": {"Attribute": "SPF"},
                        "Operator": "EQUALS",
                        "Values": ["FAIL"],
                    }
                }
            ],
            "Actions": [{"Drop": {}}],
        },
        {
            "Name": "large",
            "Conditions": [
                {
                    "NumberExpression": {
                        "Evaluate": {"Attribute": "MESSAGE_SIZE"},
                        "Operator": "GREATER_THAN",
                        "Value": 10 * MIB,
                    }
                }
            ],
            "Unless": [
                {
                    "StringExpression": {
                        "Evaluate": {"Attribute": "RECIPIENT"},
                        "Operator": "ENDS_WITH",
                        "Values": ["@vault.studio.example"],
                    }
                }
            ],
            "Actions": [
                {
                    "WriteToS3": {
                        "S3Bucket": bucket.bucket_name,
                        "S3Prefix": "large",
                        "RoleArn": writer.role_arn,
                    }
                },
                {"Drop": {}},
            ],
        },
        {
            "Name": "rest",
            "Actions": [
                {"Archive": {"TargetArchive": archive.ref, "ActionFailurePolicy": "CONTINUE"}},
                {"AddHeader": {"HeaderName": "X-Desk", "HeaderValue": "mailroom"}},
                {"Relay": {"Relay": relay.ref, "MailFrom": "PRESERVE", "ActionFailurePolicy": "DROP"}},
            ],
        },
    ],
)
make(
    mailroom,
    "Door",
    "SES::MailManagerIngressPoint",
    Type="OPEN",
    TlsPolicy="REQUIRED",
    RuleSetId=rules.ref,
    TrafficPolicyId=policy.ref,
)

app.synth()
