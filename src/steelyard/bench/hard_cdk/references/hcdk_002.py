import aws_cdk as cdk
from aws_cdk import aws_applicationautoscaling as scaling
from aws_cdk import aws_appstream as appstream
from aws_cdk import aws_cassandra as cassandra
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_elasticache as elasticache
from aws_cdk import aws_iam as iam
from aws_cdk import aws_msk as msk
from aws_cdk import aws_neptune as neptune
from aws_cdk import aws_sagemaker as sagemaker

app = cdk.App()
stores = cdk.Stack(app, "Stores")
capacity = cdk.Stack(app, "Capacity")


def column(name: str, kind: str) -> cassandra.CfnTable.ColumnProperty:
    return cassandra.CfnTable.ColumnProperty(column_name=name, column_type=kind)


keyspace = cassandra.CfnKeyspace(stores, "Keyspace")
table = cassandra.CfnTable(
    stores,
    "Table",
    keyspace_name=keyspace.ref,
    partition_key_columns=[column("device", "text")],
    clustering_key_columns=[
        cassandra.CfnTable.ClusteringKeyColumnProperty(column=column("seen", "timestamp"), order_by="DESC")
    ],
    regular_columns=[column("reading", "double")],
    billing_mode=cassandra.CfnTable.BillingModeProperty(
        mode="PROVISIONED",
        provisioned_throughput=cassandra.CfnTable.ProvisionedThroughputProperty(
            read_capacity_units=20, write_capacity_units=10
        ),
    ),
    point_in_time_recovery_enabled=True,
    default_time_to_live=30 * 24 * 3600,
)
graph = neptune.CfnDBCluster(
    stores, "Graph", storage_encrypted=True, iam_auth_enabled=True, enable_cloudwatch_logs_exports=["audit"]
)
neptune.CfnDBInstance(stores, "Writer", db_cluster_identifier=graph.ref, db_instance_class="db.r6g.large")
cache = elasticache.CfnReplicationGroup(
    stores,
    "Cache",
    replication_group_description="readings",
    engine="valkey",
    engine_version="8.0",
    cache_node_type="cache.r7g.large",
    num_node_groups=2,
    replicas_per_node_group=1,
    automatic_failover_enabled=True,
    at_rest_encryption_enabled=True,
    transit_encryption_enabled=True,
)
vpc = ec2.CfnVPC(stores, "Vpc", cidr_block="10.4.0.0/16")
subnets = [
    ec2.CfnSubnet(
        stores,
        f"Subnet{number}",
        vpc_id=vpc.ref,
        cidr_block=f"10.4.{number}.0/24",
        availability_zone=cdk.Fn.select(number, cdk.Fn.get_azs()),
    )
    for number in range(3)
]
brokers = msk.CfnCluster(
    stores,
    "Brokers",
    cluster_name="readings",
    kafka_version="3.8.x",
    number_of_broker_nodes=3,
    broker_node_group_info=msk.CfnCluster.BrokerNodeGroupInfoProperty(
        client_subnets=[subnet.ref for subnet in subnets],
        instance_type="kafka.m7g.large",
        storage_info=msk.CfnCluster.StorageInfoProperty(
            ebs_storage_info=msk.CfnCluster.EBSStorageInfoProperty(volume_size=100)
        ),
    ),
)
role = iam.Role(stores, "ModelRole", assumed_by=iam.ServicePrincipal("sagemaker.amazonaws.com"))
model = sagemaker.CfnModel(
    stores,
    "Model",
    execution_role_arn=role.role_arn,
    primary_container=sagemaker.CfnModel.ContainerDefinitionProperty(
        image="111122223333.dkr.ecr.eu-west-1.amazonaws.com/score:4"
    ),
)
config = sagemaker.CfnEndpointConfig(
    stores,
    "EndpointConfig",
    production_variants=[
        sagemaker.CfnEndpointConfig.ProductionVariantProperty(
            variant_name="main",
            model_name=model.attr_model_name,
            initial_instance_count=1,
            instance_type="ml.m6i.large",
            initial_variant_weight=1,
        )
    ],
)
endpoint = sagemaker.CfnEndpoint(stores, "Endpoint", endpoint_config_name=config.attr_endpoint_config_name)
fleet = appstream.CfnFleet(
    stores,
    "Fleet",
    name="desks",
    image_name="desk-2026-03",
    instance_type="stream.standard.medium",
    fleet_type="ON_DEMAND",
    compute_capacity=appstream.CfnFleet.ComputeCapacityProperty(desired_instances=2),
    max_user_duration_in_seconds=8 * 3600,
    disconnect_timeout_in_seconds=600,
    idle_disconnect_timeout_in_seconds=900,
)


def scale(
    name: str,
    resource: str,
    dimension: str,
    low: int,
    high: int,
    metric: str,
    value: float,
    schedule: list[scaling.CfnScalableTarget.ScheduledActionProperty] | None = None,
    **more: object,
) -> None:
    target = scaling.CfnScalableTarget(
        capacity,
        name,
        service_namespace=dimension.split(":")[0],
        resource_id=resource,
        scalable_dimension=dimension,
        min_capacity=low,
        max_capacity=high,
        scheduled_actions=schedule,
    )
    scaling.CfnScalingPolicy(
        capacity,
        f"{name}Policy",
        policy_name=name,
        policy_type="TargetTrackingScaling",
        scaling_target_id=target.ref,
        target_tracking_scaling_policy_configuration=scaling.CfnScalingPolicy.TargetTrackingScalingPolicyConfigurationProperty(
            target_value=value,
            predefined_metric_specification=scaling.CfnScalingPolicy.PredefinedMetricSpecificationProperty(
                predefined_metric_type=metric
            ),
            **more,
        ),
    )


def at(name: str, clock: str, low: int) -> scaling.CfnScalableTarget.ScheduledActionProperty:
    return scaling.CfnScalableTarget.ScheduledActionProperty(
        scheduled_action_name=name,
        schedule=f"cron({clock} ? * MON-FRI *)",
        timezone="Europe/Berlin",
        scalable_target_action=scaling.CfnScalableTarget.ScalableTargetActionProperty(min_capacity=low),
    )


parts = cdk.Fn.split("|", table.ref)
rows = f"keyspace/{keyspace.ref}/table/{cdk.Fn.select(1, parts)}"
scale("Reads", rows, "cassandra:table:ReadCapacityUnits", 20, 400, "CassandraReadCapacityUtilization", 65)
scale("Writes", rows, "cassandra:table:WriteCapacityUnits", 10, 200, "CassandraWriteCapacityUtilization", 65)
scale(
    "Readers",
    f"cluster:{graph.ref}",
    "neptune:cluster:ReadReplicaCount",
    1,
    6,
    "NeptuneReaderAverageCPUUtilization",
    55,
    scale_in_cooldown=600,
    scale_out_cooldown=180,
)
group = f"replication-group/{cache.ref}"
scale("Shards", group, "elasticache:replication-group:NodeGroups", 2, 8, "ElastiCachePrimaryEngineCPUUtilization", 60)
scale("Replicas", group, "elasticache:replication-group:Replicas", 1, 3, "ElastiCacheReplicaEngineCPUUtilization", 70)
scale(
    "Storage",
    brokers.ref,
    "kafka:broker-storage:VolumeSize",
    1,
    1000,
    "KafkaBrokerStorageUtilization",
    75,
    disable_scale_in=True,
)
scale(
    "Variant",
    f"endpoint/{endpoint.attr_endpoint_name}/variant/main",
    "sagemaker:variant:DesiredInstanceCount",
    1,
    5,
    "SageMakerVariantInvocationsPerInstance",
    900,
)
scale(
    "Desks",
    f"fleet/{fleet.ref}",
    "appstream:fleet:DesiredCapacity",
    2,
    10,
    "AppStreamAverageCapacityUtilization",
    80,
    schedule=[at("morning", "30 7", 6), at("evening", "0 18", 2)],
)

app.synth()
