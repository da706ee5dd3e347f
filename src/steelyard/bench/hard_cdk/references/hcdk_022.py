import aws_cdk as cdk
from aws_cdk import aws_aiops as aiops
from aws_cdk import aws_aps as aps
from aws_cdk import aws_b2bi as b2bi
from aws_cdk import aws_backup as backup
from aws_cdk import aws_bedrockagentcore as agentcore
from aws_cdk import aws_cleanrooms as cleanrooms
from aws_cdk import aws_docdbelastic as docdbelastic
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_kinesis as kinesis
from aws_cdk import aws_kms as kms
from aws_cdk import aws_lightsail as lightsail
from aws_cdk import aws_memorydb as memorydb
from aws_cdk import aws_msk as msk
from aws_cdk import aws_neptunegraph as neptunegraph
from aws_cdk import aws_omics as omics
from aws_cdk import aws_opensearchserverless as aoss
from aws_cdk import aws_pcs as pcs
from aws_cdk import aws_s3vectors as s3vectors
from aws_cdk import aws_sagemaker as sagemaker
from aws_cdk import aws_ssm as ssm
from aws_cdk import aws_timestream as timestream

app = cdk.App()
stack = cdk.Stack(app, "Institute")
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
vpc = ec2.CfnVPC(stack, "Vpc", cidr_block="10.90.0.0/20")
subnets = [
    ec2.CfnSubnet(
        stack,
        f"Subnet{number}",
        vpc_id=vpc.ref,
        cidr_block=f"10.90.{number}.0/24",
        availability_zone=cdk.Fn.select(number, cdk.Fn.get_azs()),
    ).ref
    for number in range(3)
]
group = ec2.CfnSecurityGroup(stack, "Group", group_description="institute", vpc_id=vpc.ref)
ssm.CfnParameter(stack, "Open", type="String", name="/audit/open", value="1,3,4,8,9,11,12,13,17,18,21,22,23,24,25,27,28,31,32,35,38,39")

# genomes
omics.CfnReferenceStore(stack, "References", name="references", description="GRCh37")
omics.CfnSequenceStore(
    stack, "Reads", name="reads", description="exomes", e_tag_algorithm_family="MD5up"
)

# measurements
timestream.CfnInfluxDBCluster(
    stack,
    "Measurements",
    name="measurements",
    db_instance_type="db.influx.large",
    allocated_storage=200,
    deployment_type="MULTI_NODE_READ_REPLICAS",
    failover_mode="NO_FAILOVER",
    port=8087,
    vpc_subnet_ids=subnets[:2],
    vpc_security_group_ids=[group.attr_group_id],
)
aps.CfnWorkspace(stack, "Metrics", alias="institute")
aiops.CfnInvestigationGroup(
    stack,
    "Incidents",
    name="incidents",
    retention_in_days=30,
    encryption_config=aiops.CfnInvestigationGroup.EncryptionConfigMapProperty(
        encryption_configuration_type="CUSTOMER_MANAGED_KMS_KEY", kms_key_id=key.attr_arn
    ),
)

# streams
msk.CfnServerlessCluster(
    stack,
    "Bus",
    cluster_name="bus",
    client_authentication=msk.CfnServerlessCluster.ClientAuthenticationProperty(
        sasl=msk.CfnServerlessCluster.SaslProperty(iam=msk.CfnServerlessCluster.IamProperty(enabled=True))
    ),
    vpc_configs=[
        msk.CfnServerlessCluster.VpcConfigProperty(subnet_ids=subnets[:2], security_groups=[group.attr_group_id])
    ],
)
stream = kinesis.CfnStream(stack, "Stream", shard_count=2)
kinesis.CfnStreamConsumer(stack, "Consumer", consumer_name="viewer", stream_arn=stream.attr_arn)

# documents, graphs and caches
memorydb.CfnMultiRegionCluster(
    stack,
    "Sessions",
    multi_region_cluster_name_suffix="sessions",
    node_type="db.r7g.xlarge",
    engine="valkey",
    engine_version="7.2",
    num_shards=4,
)
docdbelastic.CfnCluster(
    stack,
    "Papers",
    cluster_name="papers",
    admin_user_name="librarian",
    admin_user_password=cdk.SecretValue.secrets_manager("papers").unsafe_unwrap(),
    auth_type="PLAIN_TEXT",
    shard_capacity=4,
    shard_count=2,
    shard_instance_count=2,
    subnet_ids=subnets,
    vpc_security_group_ids=[group.attr_group_id],
)
neptunegraph.CfnGraph(
    stack, "Citations", graph_name="citations", provisioned_memory=32, replica_count=1, public_connectivity=False
)
aoss.CfnCollection(stack, "Finder", name="finder", type="SEARCH", description="papers only", standby_replicas="ENABLED")
vectors = s3vectors.CfnVectorBucket(stack, "Vectors", vector_bucket_name="institute-vectors")
s3vectors.CfnIndex(
    stack,
    "Pages",
    vector_bucket_arn=vectors.ref,
    index_name="pages",
    data_type="float32",
    dimension=1024,
    distance_metric="cosine",
)

# small machines and large ones
lightsail.CfnDatabase(
    stack,
    "Site",
    relational_database_name="site",
    relational_database_blueprint_id="postgres_16",
    relational_database_bundle_id="small_2_0",
    master_database_name="site",
    master_username="editor",
    publicly_accessible=False,
)
lightsail.CfnDisk(stack, "Uploads", disk_name="uploads", size_in_gb=32)
pcs.CfnCluster(
    stack,
    "Compute",
    name="compute",
    size="SMALL",
    scheduler=pcs.CfnCluster.SchedulerProperty(type="SLURM", version="25.05"),
    networking=pcs.CfnCluster.NetworkingProperty(subnet_ids=subnets[:1], security_group_ids=[group.attr_group_id]),
    slurm_configuration=pcs.CfnCluster.SlurmConfigurationProperty(scale_down_idle_time_in_seconds=1200),
)

# partners
b2bi.CfnProfile(
    stack, "Partner", name="partner", business_name="Institute", phone="+35315550100", logging="DISABLED"
)
study = cleanrooms.CfnCollaboration(
    stack,
    "Study",
    name="study",
    description="joint study",
    creator_display_name="institute",
    creator_member_abilities=["CAN_QUERY", "CAN_RECEIVE_RESULTS"],
    query_log_status="DISABLED",
    analytics_engine="SPARK",
)
cleanrooms.CfnMembership(
    stack,
    "Member",
    collaboration_identifier=study.attr_collaboration_identifier,
    query_log_status="ENABLED",
)

# models
sagemaker.CfnFeatureGroup(
    stack,
    "Features",
    feature_group_name="patients",
    description="pilot",
    record_identifier_feature_name="id",
    event_time_feature_name="at",
    feature_definitions=[
        sagemaker.CfnFeatureGroup.FeatureDefinitionProperty(feature_name="id", feature_type="String"),
        sagemaker.CfnFeatureGroup.FeatureDefinitionProperty(feature_name="at", feature_type="Fractional"),
        sagemaker.CfnFeatureGroup.FeatureDefinitionProperty(feature_name="weight", feature_type="Fractional"),
    ],
    online_store_config={"EnableOnlineStore": True},
)
agentcore.CfnMemory(stack, "Memory", name="assistant", event_expiry_duration=120)

# backups
backup.CfnLogicallyAirGappedBackupVault(
    stack, "Vault", backup_vault_name="vault", min_retention_days=7, max_retention_days=90
)

app.synth()
