"""What an update does to the resources of the original app: kept, replaced or removed.

Law: a resource is kept if the new app has it in the same stack, under the same logical id, with the same type, and with
the same values of the properties whose change makes CloudFormation replace it. A DynamoDB table accepts at most one new
or removed global index in one update, and an index that stays keeps its keys and projection.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from steelyard.bench.cdk_synth.intent.shape import listing, mapping
from steelyard.bench.hard_cdk.deploy import Deployed, Deployment

REPLACING: Mapping[str, tuple[str, ...]] = {
    "AWS::S3::Bucket": ("BucketName",),
    "AWS::DynamoDB::Table": ("TableName", "KeySchema", "LocalSecondaryIndexes", "ImportSourceSpecification"),
    "AWS::SQS::Queue": ("QueueName", "FifoQueue"),
    "AWS::SNS::Topic": ("TopicName", "FifoTopic"),
    "AWS::Kinesis::Stream": ("Name",),
    "AWS::KMS::Key": ("KeySpec", "KeyUsage", "MultiRegion"),
    "AWS::SecretsManager::Secret": ("Name",),
    "AWS::Logs::LogGroup": ("LogGroupName", "LogGroupClass"),
    "AWS::Cognito::UserPool": ("AliasAttributes", "UsernameAttributes", "UsernameConfiguration"),
    "AWS::EFS::FileSystem": ("Encrypted", "KmsKeyId", "PerformanceMode", "AvailabilityZoneName"),
    "AWS::EC2::VPC": ("CidrBlock", "InstanceTenancy"),
    "AWS::EC2::Subnet": ("CidrBlock", "AvailabilityZone", "VpcId"),
    "AWS::EC2::SecurityGroup": ("GroupDescription", "GroupName", "VpcId"),
    "AWS::EC2::Volume": ("AvailabilityZone", "Encrypted", "KmsKeyId", "SnapshotId"),
    "AWS::RDS::DBSubnetGroup": ("DBSubnetGroupName",),
    "AWS::RDS::DBInstance": (
        "DBInstanceIdentifier",
        "DBName",
        "DBSubnetGroupName",
        "KmsKeyId",
        "MasterUsername",
        "StorageEncrypted",
        "CharacterSetName",
        "AvailabilityZone",
    ),
    "AWS::RDS::DBCluster": (
        "DBClusterIdentifier",
        "DatabaseName",
        "DBSubnetGroupName",
        "KmsKeyId",
        "MasterUsername",
        "StorageEncrypted",
        "EngineMode",
    ),
    "AWS::ECR::Repository": ("RepositoryName", "EncryptionConfiguration"),
    "AWS::SSM::Parameter": ("Name",),
    "AWS::Lambda::Function": ("FunctionName", "PackageType"),
    "AWS::IAM::Role": ("RoleName", "Path"),
    "AWS::StepFunctions::StateMachine": ("StateMachineName", "StateMachineType"),
    "AWS::ElasticLoadBalancingV2::LoadBalancer": ("Name", "Scheme", "Type"),
    "AWS::ElasticLoadBalancingV2::TargetGroup": ("Name", "Port", "Protocol", "TargetType", "VpcId"),
    "AWS::Cassandra::Keyspace": ("KeyspaceName",),
    "AWS::Cassandra::Table": (
        "KeyspaceName",
        "TableName",
        "PartitionKeyColumns",
        "ClusteringKeyColumns",
        "ClientSideTimestampsEnabled",
    ),
    "AWS::MemoryDB::SubnetGroup": ("SubnetGroupName",),
    "AWS::MemoryDB::Cluster": (
        "ClusterName",
        "TLSEnabled",
        "DataTiering",
        "KmsKeyId",
        "Port",
        "SubnetGroupName",
        "SnapshotArns",
        "SnapshotName",
        "NetworkType",
    ),
    "AWS::DAX::ParameterGroup": ("ParameterGroupName", "Description"),
    "AWS::DAX::Cluster": (
        "ClusterName",
        "IAMRoleARN",
        "NodeType",
        "SubnetGroupName",
        "SSESpecification",
        "ClusterEndpointEncryptionType",
    ),
    "AWS::AmazonMQ::Broker": (
        "BrokerName",
        "EngineType",
        "DeploymentMode",
        "StorageType",
        "SubnetIds",
        "AuthenticationStrategy",
        "EncryptionOptions",
        "PubliclyAccessible",
    ),
    "AWS::ElastiCache::ServerlessCache": (
        "ServerlessCacheName",
        "KmsKeyId",
        "SubnetIds",
        "NetworkType",
        "SnapshotArnsToRestore",
    ),
    "AWS::MSK::Cluster": (
        "ClusterName",
        "BrokerNodeGroupInfo.BrokerAZDistribution",
        "BrokerNodeGroupInfo.ClientSubnets",
        "BrokerNodeGroupInfo.SecurityGroups",
        "EncryptionInfo.EncryptionAtRest",
        "EncryptionInfo.EncryptionInTransit.InCluster",
    ),
    "AWS::Glue::Registry": ("Name",),
    "AWS::Glue::Schema": ("Name", "Registry", "DataFormat", "SchemaDefinition"),
    "AWS::Backup::BackupVault": ("BackupVaultName", "EncryptionKeyArn"),
    "AWS::Location::Tracker": ("TrackerName", "KmsKeyId"),
    "AWS::Events::EventBus": ("Name",),
    "AWS::Events::Archive": ("ArchiveName", "SourceArn"),
    "AWS::Kendra::Index": ("Edition", "ServerSideEncryptionConfiguration"),
    "AWS::IVS::RecordingConfiguration": (
        "Name",
        "DestinationConfiguration",
        "RecordingReconnectWindowSeconds",
        "ThumbnailConfiguration",
        "RenditionConfiguration",
    ),
    "AWS::S3Tables::TableBucket": ("TableBucketName",),
    "AWS::S3Tables::Namespace": ("TableBucketARN", "Namespace"),
    "AWS::S3Tables::Table": (
        "TableBucketARN",
        "OpenTableFormat",
        "IcebergMetadata",
        "WithoutMetadata",
        "StorageClassConfiguration",
    ),
    "AWS::Timestream::InfluxDBInstance": (
        "Name",
        "Username",
        "Password",
        "Organization",
        "Bucket",
        "VpcSubnetIds",
        "VpcSecurityGroupIds",
        "PubliclyAccessible",
        "NetworkType",
    ),
    "AWS::SES::MailManagerArchive": ("KmsKeyArn",),
    "AWS::AppStream::Fleet": ("Name", "FleetType"),
    "AWS::Omics::ReferenceStore": ("Description", "Name", "SseConfig", "Tags"),
    "AWS::Omics::SequenceStore": ("ETagAlgorithmFamily", "SseConfig"),
    "AWS::Timestream::InfluxDBCluster": (
        "Name",
        "Username",
        "Password",
        "Organization",
        "Bucket",
        "VpcSubnetIds",
        "VpcSecurityGroupIds",
        "PubliclyAccessible",
        "DbStorageType",
        "AllocatedStorage",
        "DeploymentType",
        "NetworkType",
    ),
    "AWS::APS::Workspace": ("KmsKeyArn",),
    "AWS::AIOps::InvestigationGroup": ("Name", "RetentionInDays"),
    "AWS::MSK::ServerlessCluster": ("ClusterName", "VpcConfigs", "ClientAuthentication", "Tags"),
    "AWS::Kinesis::StreamConsumer": ("ConsumerName", "StreamARN", "Tags"),
    "AWS::MemoryDB::MultiRegionCluster": (
        "MultiRegionClusterNameSuffix",
        "EngineVersion",
        "MultiRegionParameterGroupName",
        "TLSEnabled",
    ),
    "AWS::DocDBElastic::Cluster": ("AdminUserName", "AuthType", "ClusterName", "KmsKeyId"),
    "AWS::NeptuneGraph::Graph": (
        "GraphName",
        "ReplicaCount",
        "ImportTask",
        "VectorSearchConfiguration",
        "KmsKeyIdentifier",
    ),
    "AWS::OpenSearchServerless::Collection": (
        "Name",
        "Tags",
        "Type",
        "StandbyReplicas",
        "CollectionGroupName",
        "EncryptionConfig",
    ),
    "AWS::S3Vectors::VectorBucket": ("VectorBucketName", "EncryptionConfiguration"),
    "AWS::S3Vectors::Index": (
        "DataType",
        "Dimension",
        "DistanceMetric",
        "EncryptionConfiguration",
        "IndexName",
        "MetadataConfiguration",
        "VectorBucketArn",
        "VectorBucketName",
    ),
    "AWS::Lightsail::Database": (
        "RelationalDatabaseName",
        "AvailabilityZone",
        "RelationalDatabaseBlueprintId",
        "RelationalDatabaseBundleId",
        "MasterDatabaseName",
        "MasterUsername",
    ),
    "AWS::Lightsail::Disk": ("DiskName", "AvailabilityZone", "SizeInGb"),
    "AWS::PCS::Cluster": ("Name", "Networking", "Size"),
    "AWS::B2BI::Profile": ("Logging",),
    "AWS::CleanRooms::Collaboration": (
        "CreatorDisplayName",
        "CreatorMemberAbilities",
        "CreatorMLMemberAbilities",
        "DataEncryptionMetadata",
        "JobLogStatus",
        "QueryLogStatus",
        "Members",
        "CreatorPaymentConfiguration",
        "AutoApprovedChangeTypes",
        "AllowedResultRegions",
    ),
    "AWS::CleanRooms::Membership": ("CollaborationIdentifier",),
    "AWS::SageMaker::FeatureGroup": (
        "FeatureGroupName",
        "RecordIdentifierFeatureName",
        "EventTimeFeatureName",
        "OnlineStoreConfig.SecurityConfig",
        "OnlineStoreConfig.EnableOnlineStore",
        "OnlineStoreConfig.StorageType",
        "OfflineStoreConfig",
        "RoleArn",
        "Description",
        "Tags",
    ),
    "AWS::BedrockAgentCore::Memory": ("Name", "EncryptionKeyArn"),
    "AWS::Backup::LogicallyAirGappedBackupVault": (
        "BackupVaultName",
        "MinRetentionDays",
        "MaxRetentionDays",
        "EncryptionKeyArn",
    ),
}
"""Type → the properties whose change replaces the resource."""


def losses(old: Deployed, new: Deployment, unchanged: tuple[str, ...]) -> Iterator[str]:
    """Why the original resource does not survive the update; nothing if it does."""
    same = (item for item in new.resources if (item.stack, item.logical_id) == (old.stack, old.logical_id))
    item = next(same, None)
    if item is None:
        yield f"{old.logical_id} is removed"
        return
    if item.type != old.type:
        yield f"{old.logical_id} becomes a {item.type}"
        return
    paths = (*REPLACING.get(old.type, ()), *(sorted(old.properties) if "*" in unchanged else unchanged))
    for path in dict.fromkeys(paths):
        if _value(old, path) != _value(item, path):
            yield f"{old.logical_id}: {path} changes"
    if old.attributes.get("DeletionPolicy") == "Retain" and item.attributes.get("DeletionPolicy") != "Retain":
        yield f"{old.logical_id} is no longer retained"
    if old.type == "AWS::DynamoDB::Table":
        yield from _index_losses(old, item)
    if old.type == "AWS::Cognito::UserPool":
        yield from _schema_losses(old, item)


def _value(item: Deployed, path: str) -> Any:
    value: Any = item.properties
    for step in path.split("."):
        value = mapping(value).get(step)
    return value


def _index_losses(old: Deployed, new: Deployed) -> Iterator[str]:
    before, after = (_by_name(item, "GlobalSecondaryIndexes", "IndexName") for item in (old, new))
    changed = before.keys() ^ after.keys()
    if len(changed) > 1:
        yield f"{old.logical_id}: {len(changed)} indexes are added or removed at once"
    for name in sorted(before.keys() & after.keys()):
        if any(before[name].get(key) != after[name].get(key) for key in ("KeySchema", "Projection")):
            yield f"{old.logical_id}: index {name} is replaced"
    types = (
        {part.get("AttributeName"): part.get("AttributeType") for part in _attributes(item)} for item in (old, new)
    )
    one, other = types
    if any(other.get(name, kind) != kind for name, kind in one.items()):
        yield f"{old.logical_id}: an attribute changes its type"


def _schema_losses(old: Deployed, new: Deployed) -> Iterator[str]:
    """Attributes of a user pool can be added, never changed, removed or required later."""
    before, after = (_by_name(item, "Schema", "Name") for item in (old, new))
    for name in sorted(before):
        if before[name] != after.get(name):
            yield f"{old.logical_id}: attribute {name} changes"
    for name in sorted(after.keys() - before.keys()):
        if after[name].get("Required") in (True, "true"):
            yield f"{old.logical_id}: attribute {name} cannot be added as required"


def _by_name(item: Deployed, key: str, name: str) -> dict[str, dict[str, Any]]:
    return {str(part.get(name)): part for part in map(mapping, listing(item.properties.get(key)))}


def _attributes(item: Deployed) -> list[dict[str, Any]]:
    return [mapping(part) for part in listing(item.properties.get("AttributeDefinitions"))]
