import aws_cdk as cdk
from aws_cdk import aws_amazonmq as mq
from aws_cdk import aws_appstream as appstream
from aws_cdk import aws_backup as backup
from aws_cdk import aws_cassandra as cassandra
from aws_cdk import aws_dax as dax
from aws_cdk import aws_dsql as dsql
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_elasticache as elasticache
from aws_cdk import aws_events as events
from aws_cdk import aws_glue as glue
from aws_cdk import aws_iam as iam
from aws_cdk import aws_ivs as ivs
from aws_cdk import aws_kendra as kendra
from aws_cdk import aws_kms as kms
from aws_cdk import aws_location as location
from aws_cdk import aws_memorydb as memorydb
from aws_cdk import aws_msk as msk
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_s3tables as s3tables
from aws_cdk import aws_ses as ses
from aws_cdk import aws_timestream as timestream

app = cdk.App()
stack = cdk.Stack(app, "Depot")
key = kms.CfnKey(
    stack,
    "Key",
    key_policy={
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow",
                "Principal": {"AWS": f"arn:aws:iam::{cdk.Aws.ACCOUNT_ID}:root"},
                "Action": "kms:*",
                "Resource": "*",
            }
        ],
    },
)
vpc = ec2.CfnVPC(stack, "Vpc", cidr_block="10.9.0.0/16")
subnets = [
    ec2.CfnSubnet(
        stack,
        f"Subnet{number}",
        vpc_id=vpc.ref,
        cidr_block=f"10.9.{number}.0/24",
        availability_zone=cdk.Fn.select(number, cdk.Fn.get_azs()),
    ).ref
    for number in range(3)
]
old_group = ec2.CfnSecurityGroup(stack, "OldGroup", group_description="old", vpc_id=vpc.ref)
new_group = ec2.CfnSecurityGroup(stack, "NewGroup", group_description="new", vpc_id=vpc.ref)

keyspace = cassandra.CfnKeyspace(stack, "Keyspace")
cassandra.CfnTable(
    stack,
    "Moves",
    keyspace_name=keyspace.ref,
    partition_key_columns=[cassandra.CfnTable.ColumnProperty(column_name="crate", column_type="text")],
    clustering_key_columns=[
        cassandra.CfnTable.ClusteringKeyColumnProperty(
            column=cassandra.CfnTable.ColumnProperty(column_name="moved", column_type="timestamp"), order_by="ASC"
        )
    ],
    regular_columns=[
        cassandra.CfnTable.ColumnProperty(column_name="bay", column_type="text"),
        cassandra.CfnTable.ColumnProperty(column_name="lane", column_type="int"),
    ],
    default_time_to_live=90 * 24 * 3600,
    point_in_time_recovery_enabled=True,
)

memory_subnets = memorydb.CfnSubnetGroup(stack, "MemorySubnets", subnet_group_name="depot", subnet_ids=subnets)
memorydb.CfnCluster(
    stack,
    "Stock",
    cluster_name="stock",
    acl_name="open-access",
    node_type="db.r7g.large",
    num_shards=3,
    snapshot_retention_limit=14,
    port=6379,
    subnet_group_name=memory_subnets.ref,
    security_group_ids=[new_group.attr_group_id],
)

dax_role = iam.CfnRole(
    stack,
    "DaxRole",
    assume_role_policy_document={
        "Version": "2012-10-17",
        "Statement": [
            {"Effect": "Allow", "Principal": {"Service": "dax.amazonaws.com"}, "Action": "sts:AssumeRole"}
        ],
    },
)
dax_parameters = dax.CfnParameterGroup(
    stack, "DaxParameters", parameter_name_values={"record-ttl-millis": "600000", "query-ttl-millis": "90000"}
)
dax.CfnCluster(
    stack,
    "Prices",
    iam_role_arn=dax_role.attr_arn,
    node_type="dax.r5.large",
    replication_factor=5,
    parameter_group_name=dax_parameters.ref,
)

mq.CfnBroker(
    stack,
    "Orders",
    broker_name="orders",
    engine_type="ACTIVEMQ",
    engine_version="5.18",
    host_instance_type="mq.m5.xlarge",
    logs=mq.CfnBroker.LogListProperty(audit=True, general=True),
    maintenance_window_start_time=mq.CfnBroker.MaintenanceWindowProperty(
        day_of_week="SUNDAY", time_of_day="03:00", time_zone="UTC"
    ),
    deployment_mode="SINGLE_INSTANCE",
    publicly_accessible=False,
    auto_minor_version_upgrade=True,
    subnet_ids=[subnets[0]],
    security_groups=[old_group.attr_group_id],
    users=[mq.CfnBroker.UserProperty(username="depot", password="{{resolve:secretsmanager:depot/broker}}")],
)

elasticache.CfnServerlessCache(
    stack,
    "Sessions",
    serverless_cache_name="sessions",
    engine="valkey",
    major_engine_version="8",
    subnet_ids=subnets[:2],
    security_group_ids=[new_group.attr_group_id],
    cache_usage_limits=elasticache.CfnServerlessCache.CacheUsageLimitsProperty(
        data_storage=elasticache.CfnServerlessCache.DataStorageProperty(maximum=40, unit="GB"),
        ecpu_per_second=elasticache.CfnServerlessCache.ECPUPerSecondProperty(maximum=15000),
    ),
    daily_snapshot_time="04:00",
    snapshot_retention_limit=7,
)

msk.CfnCluster(
    stack,
    "Events",
    cluster_name="events",
    kafka_version="3.8.x",
    number_of_broker_nodes=3,
    broker_node_group_info=msk.CfnCluster.BrokerNodeGroupInfoProperty(
        client_subnets=subnets,
        instance_type="kafka.m7g.large",
        security_groups=[old_group.attr_group_id],
        storage_info=msk.CfnCluster.StorageInfoProperty(
            ebs_storage_info=msk.CfnCluster.EBSStorageInfoProperty(volume_size=500)
        ),
    ),
    encryption_info=msk.CfnCluster.EncryptionInfoProperty(
        encryption_in_transit=msk.CfnCluster.EncryptionInTransitProperty(client_broker="TLS_PLAINTEXT")
    ),
)

registry = glue.CfnRegistry(stack, "Registry", name="depot")
glue.CfnSchema(
    stack,
    "MoveSchema",
    name="move",
    registry=glue.CfnSchema.RegistryProperty(arn=registry.attr_arn),
    data_format="AVRO",
    compatibility="FULL_ALL",
    schema_definition='{"type":"record","name":"move","fields":[{"name":"crate","type":"string"}]}',
)

backup.CfnBackupVault(
    stack,
    "Vault",
    backup_vault_name="depot",
    lock_configuration=backup.CfnBackupVault.LockConfigurationTypeProperty(
        min_retention_days=7, max_retention_days=365
    ),
)

location.CfnTracker(stack, "Lorries", tracker_name="lorries", position_filtering="AccuracyBased")

old_bus = events.CfnEventBus(stack, "OldBus", name="depot-old")
new_bus = events.CfnEventBus(stack, "NewBus", name="depot-new")
events.CfnArchive(stack, "Archive", source_arn=old_bus.attr_arn, retention_days=400)

kendra.CfnIndex(
    stack,
    "Manuals",
    name="manuals",
    edition="ENTERPRISE_EDITION",
    capacity_units=kendra.CfnIndex.CapacityUnitsConfigurationProperty(
        query_capacity_units=1, storage_capacity_units=2
    ),
    role_arn=f"arn:aws:iam::{cdk.Aws.ACCOUNT_ID}:role/manuals",
)

dsql.CfnCluster(stack, "Bookings", deletion_protection_enabled=True, kms_encryption_key=key.attr_arn)

films = s3.CfnBucket(stack, "Films")
recording = ivs.CfnRecordingConfiguration(
    stack,
    "Recording",
    name="depot",
    destination_configuration=ivs.CfnRecordingConfiguration.DestinationConfigurationProperty(
        s3=ivs.CfnRecordingConfiguration.S3DestinationConfigurationProperty(bucket_name=films.ref)
    ),
)
ivs.CfnChannel(stack, "Gate", name="gate", type="STANDARD", latency_mode="NORMAL", authorized=True, recording_configuration_arn=recording.attr_arn)

tables = s3tables.CfnTableBucket(
    stack,
    "Tables",
    table_bucket_name="depot-tables",
    encryption_configuration=s3tables.CfnTableBucket.EncryptionConfigurationProperty(
        sse_algorithm="aws:kms", kms_key_arn=key.attr_arn
    ),
)
namespace = s3tables.CfnNamespace(stack, "Namespace", table_bucket_arn=tables.ref, namespace="depot")
counts = s3tables.CfnTable(
    stack,
    "Counts",
    table_bucket_arn=tables.ref,
    namespace="depot",
    table_name="counts",
    open_table_format="ICEBERG",
    without_metadata="Yes",
    compaction=s3tables.CfnTable.CompactionProperty(status="enabled", target_file_size_mb=512),
    snapshot_management=s3tables.CfnTable.SnapshotManagementProperty(
        status="enabled", min_snapshots_to_keep=10, max_snapshot_age_hours=48
    ),
)
counts.add_dependency(namespace)

timestream.CfnInfluxDBInstance(
    stack,
    "Sensors",
    name="sensors",
    db_instance_type="db.influx.large",
    allocated_storage=400,
    deployment_type="WITH_MULTIAZ_STANDBY",
    publicly_accessible=False,
    vpc_subnet_ids=subnets[:2],
    vpc_security_group_ids=[old_group.attr_group_id],
)

ses.CfnMailManagerArchive(
    stack,
    "Letters",
    archive_name="letters",
    retention=ses.CfnMailManagerArchive.ArchiveRetentionProperty(retention_period="EIGHTEEN_MONTHS"),
)

appstream.CfnFleet(
    stack,
    "Desks",
    name="desks",
    image_name="desk-2026-03",
    fleet_type="ON_DEMAND",
    instance_type="stream.standard.large",
    compute_capacity=appstream.CfnFleet.ComputeCapacityProperty(desired_instances=2),
    max_user_duration_in_seconds=36000,
    enable_default_internet_access=False,
)

app.synth()
