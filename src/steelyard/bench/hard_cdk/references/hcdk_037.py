import aws_cdk as cdk
from aws_cdk import aws_athena as athena
from aws_cdk import aws_batch as batch
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_emrserverless as emr
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kinesisanalyticsv2 as flink
from aws_cdk import aws_kinesisfirehose as firehose
from aws_cdk import aws_kinesisvideo as video
from aws_cdk import aws_s3 as s3

app = cdk.App()
stack = cdk.Stack(app, "Mill")
bucket = s3.Bucket(stack, "Bucket")
vpc = ec2.CfnVPC(stack, "Vpc", cidr_block="10.8.0.0/16")
subnet = ec2.CfnSubnet(stack, "Subnet", vpc_id=vpc.ref, cidr_block="10.8.0.0/24")
group = ec2.CfnSecurityGroup(stack, "Group", group_description="jobs", vpc_id=vpc.ref)


def role(name: str, service: str) -> str:
    made = iam.Role(stack, name, assumed_by=iam.ServicePrincipal(f"{service}.amazonaws.com"))
    bucket.grant_read_write(made)
    return made.role_arn


environment = batch.CfnComputeEnvironment(
    stack,
    "Environment",
    type="MANAGED",
    compute_resources=batch.CfnComputeEnvironment.ComputeResourcesProperty(
        type="FARGATE", maxv_cpus=64, subnets=[subnet.ref], security_group_ids=[group.attr_group_id]
    ),
)
shares = batch.CfnSchedulingPolicy(
    stack,
    "Shares",
    fairshare_policy=batch.CfnSchedulingPolicy.FairsharePolicyProperty(
        compute_reservation=10,
        share_decay_seconds=7200,
        share_distribution=[
            batch.CfnSchedulingPolicy.ShareAttributesProperty(share_identifier="lab", weight_factor=0.25),
            batch.CfnSchedulingPolicy.ShareAttributesProperty(share_identifier="guest", weight_factor=1),
        ],
    ),
)
batch.CfnJobQueue(
    stack,
    "Queue",
    priority=10,
    scheduling_policy_arn=shares.attr_arn,
    compute_environment_order=[
        batch.CfnJobQueue.ComputeEnvironmentOrderProperty(compute_environment=environment.ref, order=1)
    ],
    job_state_time_limit_actions=[
        batch.CfnJobQueue.JobStateTimeLimitActionProperty(
            action="CANCEL",
            max_time_seconds=1800,
            reason="MISCONFIGURATION:COMPUTE_ENVIRONMENT_MAX_RESOURCE",
            state="RUNNABLE",
        )
    ],
)
batch.CfnJobDefinition(
    stack,
    "Job",
    type="container",
    platform_capabilities=["FARGATE"],
    timeout=batch.CfnJobDefinition.TimeoutProperty(attempt_duration_seconds=5400),
    retry_strategy=batch.CfnJobDefinition.RetryStrategyProperty(
        attempts=4,
        evaluate_on_exit=[
            batch.CfnJobDefinition.EvaluateOnExitProperty(action="RETRY", on_exit_code="137"),
            batch.CfnJobDefinition.EvaluateOnExitProperty(action="EXIT", on_reason="*"),
        ],
    ),
    container_properties=batch.CfnJobDefinition.ContainerPropertiesProperty(
        image="public.ecr.aws/docker/library/python:3.13",
        execution_role_arn=role("JobRole", "ecs-tasks"),
        ephemeral_storage=batch.CfnJobDefinition.EphemeralStorageProperty(size_in_gib=80),
        resource_requirements=[
            batch.CfnJobDefinition.ResourceRequirementProperty(type="VCPU", value="2"),
            batch.CfnJobDefinition.ResourceRequirementProperty(type="MEMORY", value="12288"),
        ],
    ),
)


def workers(name: str, count: int, **size: str) -> emr.CfnApplication.InitialCapacityConfigKeyValuePairProperty:
    return emr.CfnApplication.InitialCapacityConfigKeyValuePairProperty(
        key=name,
        value=emr.CfnApplication.InitialCapacityConfigProperty(
            worker_count=count, worker_configuration=emr.CfnApplication.WorkerConfigurationProperty(**size)
        ),
    )


emr.CfnApplication(
    stack,
    "Spark",
    type="SPARK",
    release_label="emr-7.5.0",
    architecture="ARM64",
    initial_capacity=[
        workers("Driver", 1, cpu="2vCPU", memory="8GB"),
        workers("Executor", 4, cpu="4vCPU", memory="16GB", disk="100GB"),
    ],
    maximum_capacity=emr.CfnApplication.MaximumAllowedResourcesProperty(
        cpu=f"{2 + 20 * 4}vCPU", memory=f"{8 + 20 * 16}GB"
    ),
    auto_stop_configuration=emr.CfnApplication.AutoStopConfigurationProperty(enabled=True, idle_timeout_minutes=20),
    scheduler_configuration=emr.CfnApplication.SchedulerConfigurationProperty(
        max_concurrent_runs=6, queue_timeout_minutes=36 * 60
    ),
)

Stream = firehose.CfnDeliveryStream
Stream(
    stack,
    "Delivery",
    delivery_stream_type="DirectPut",
    extended_s3_destination_configuration=Stream.ExtendedS3DestinationConfigurationProperty(
        bucket_arn=bucket.bucket_arn,
        role_arn=role("DeliveryRole", "firehose"),
        buffering_hints=Stream.BufferingHintsProperty(size_in_m_bs=64, interval_in_seconds=600),
        compression_format="GZIP",
        prefix="site=!{partitionKeyFromQuery:site}/",
        error_output_prefix="errors/",
        dynamic_partitioning_configuration=Stream.DynamicPartitioningConfigurationProperty(
            enabled=True, retry_options=Stream.RetryOptionsProperty(duration_in_seconds=300)
        ),
        processing_configuration=Stream.ProcessingConfigurationProperty(
            enabled=True,
            processors=[
                Stream.ProcessorProperty(
                    type="MetadataExtraction",
                    parameters=[
                        Stream.ProcessorParameterProperty(
                            parameter_name="MetadataExtractionQuery", parameter_value="{site:.site}"
                        ),
                        Stream.ProcessorParameterProperty(
                            parameter_name="JsonParsingEngine", parameter_value="JQ-1.6"
                        ),
                    ],
                )
            ],
        ),
    ),
)

App = flink.CfnApplication
App(
    stack,
    "Flink",
    runtime_environment="FLINK-1_20",
    service_execution_role=role("FlinkRole", "kinesisanalytics"),
    application_configuration=App.ApplicationConfigurationProperty(
        application_code_configuration=App.ApplicationCodeConfigurationProperty(
            code_content_type="ZIPFILE",
            code_content=App.CodeContentProperty(
                s3_content_location=App.S3ContentLocationProperty(
                    bucket_arn=bucket.bucket_arn, file_key="flink/app.zip"
                )
            ),
        ),
        application_snapshot_configuration=App.ApplicationSnapshotConfigurationProperty(snapshots_enabled=True),
        flink_application_configuration=App.FlinkApplicationConfigurationProperty(
            checkpoint_configuration=App.CheckpointConfigurationProperty(
                configuration_type="CUSTOM",
                checkpointing_enabled=True,
                checkpoint_interval=30_000,
                min_pause_between_checkpoints=5_000,
            ),
            parallelism_configuration=App.ParallelismConfigurationProperty(
                configuration_type="CUSTOM", parallelism=12, parallelism_per_kpu=3, auto_scaling_enabled=True
            ),
            monitoring_configuration=App.MonitoringConfigurationProperty(
                configuration_type="CUSTOM", log_level="WARN", metrics_level="TASK"
            ),
        ),
    ),
)

workgroup = athena.CfnWorkGroup(
    stack,
    "Workgroup",
    name="mill",
    work_group_configuration=athena.CfnWorkGroup.WorkGroupConfigurationProperty(
        enforce_work_group_configuration=True,
        publish_cloud_watch_metrics_enabled=True,
        bytes_scanned_cutoff_per_query=50 * 1024**3,
        result_configuration=athena.CfnWorkGroup.ResultConfigurationProperty(
            output_location=f"s3://{bucket.bucket_name}/athena/",
            encryption_configuration=athena.CfnWorkGroup.EncryptionConfigurationProperty(encryption_option="SSE_S3"),
        ),
    ),
)
athena.CfnCapacityReservation(
    stack,
    "Reservation",
    name="mill",
    target_dpus=24,
    capacity_assignment_configuration=athena.CfnCapacityReservation.CapacityAssignmentConfigurationProperty(
        capacity_assignments=[
            athena.CfnCapacityReservation.CapacityAssignmentProperty(workgroup_names=[workgroup.ref])
        ]
    ),
)
video.CfnStream(stack, "Video", data_retention_in_hours=240)

app.synth()
