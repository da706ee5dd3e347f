import aws_cdk as cdk
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_config as config
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kinesis as kinesis
from aws_cdk import aws_logs as logs
from aws_cdk import aws_route53 as route53
from aws_cdk import aws_sns as sns
from aws_cdk import aws_ssm as ssm

app = cdk.App()
stack = cdk.Stack(app, "Watch")
topic = sns.CfnTopic(stack, "Pager")


def role(name: str, service: str) -> iam.Role:
    return iam.Role(stack, name, assumed_by=iam.ServicePrincipal(service))


# logs
stream = kinesis.CfnStream(stack, "Lines", shard_count=8)
group = logs.CfnLogGroup(stack, "Group", retention_in_days=30)
shipper = role("Shipper", "logs.amazonaws.com")
shipper.add_to_policy(iam.PolicyStatement(actions=["kinesis:PutRecord"], resources=[stream.attr_arn]))
logs.CfnSubscriptionFilter(
    stack,
    "Ship",
    log_group_name=group.ref,
    filter_pattern="",
    destination_arn=stream.attr_arn,
    role_arn=shipper.role_arn,
    distribution="Random",
)
logs.CfnMetricFilter(
    stack,
    "Failures",
    log_group_name=group.ref,
    filter_pattern='{ $.level = "ERROR" }',
    metric_transformations=[
        logs.CfnMetricFilter.MetricTransformationProperty(
            metric_namespace="Shop", metric_name="Failures", metric_value="1", default_value=0
        )
    ],
)

# alarms
slow = cloudwatch.CfnAlarm(
    stack,
    "Slow",
    namespace="Shop",
    metric_name="Latency",
    extended_statistic="p99",
    evaluate_low_sample_count_percentile="ignore",
    treat_missing_data="notBreaching",
    period=60,
    evaluation_periods=5,
    threshold=800,
    comparison_operator="GreaterThanThreshold",
)
failing = cloudwatch.CfnAlarm(
    stack,
    "Failing",
    namespace="Shop",
    metric_name="Failures",
    statistic="Sum",
    period=60,
    evaluation_periods=3,
    threshold=10,
    comparison_operator="GreaterThanThreshold",
)
deploying = cloudwatch.CfnAlarm(
    stack,
    "Deploying",
    namespace="Shop",
    metric_name="Deployments",
    statistic="Maximum",
    period=60,
    evaluation_periods=1,
    threshold=0,
    comparison_operator="GreaterThanThreshold",
)
cloudwatch.CfnCompositeAlarm(
    stack,
    "Page",
    alarm_rule=f"ALARM({slow.ref}) OR ALARM({failing.ref})",
    alarm_actions=[topic.ref],
    actions_suppressor=deploying.attr_arn,
    actions_suppressor_wait_period=120,
    actions_suppressor_extension_period=180,
)

# health
sites = [
    route53.CfnHealthCheck(
        stack,
        f"Site{number}",
        health_check_config=route53.CfnHealthCheck.HealthCheckConfigProperty(
            type="HTTPS",
            fully_qualified_domain_name=f"{name}.shop.example",
            resource_path="/up",
            failure_threshold=5,
            enable_sni=True,
        ),
    )
    for number, name in enumerate(["fra", "dub", "iad"])
]
metric = route53.CfnHealthCheck(
    stack,
    "Queue",
    health_check_config=route53.CfnHealthCheck.HealthCheckConfigProperty(
        type="CLOUDWATCH_METRIC",
        alarm_identifier=route53.CfnHealthCheck.AlarmIdentifierProperty(name=failing.ref, region=cdk.Aws.REGION),
        insufficient_data_health_status="LastKnownStatus",
    ),
)
route53.CfnHealthCheck(
    stack,
    "Shop",
    health_check_config=route53.CfnHealthCheck.HealthCheckConfigProperty(
        type="CALCULATED", child_health_checks=[site.ref for site in sites], health_threshold=2
    ),
)

# maintenance
notifier = role("Notifier", "ssm.amazonaws.com")
notifier.add_to_policy(iam.PolicyStatement(actions=["sns:Publish"], resources=[topic.ref]))
window = ssm.CfnMaintenanceWindow(
    stack,
    "Night",
    name="night",
    schedule="cron(0 1 ? * TUE#2 *)",
    schedule_timezone="Europe/Lisbon",
    schedule_offset=3,
    duration=4,
    cutoff=1,
    allow_unassociated_targets=False,
)
machines = ssm.CfnMaintenanceWindowTarget(
    stack,
    "Machines",
    window_id=window.ref,
    resource_type="INSTANCE",
    targets=[ssm.CfnMaintenanceWindowTarget.TargetsProperty(key="tag:Patch", values=["weekly"])],
)
ssm.CfnMaintenanceWindowTask(
    stack,
    "Patch",
    window_id=window.ref,
    task_type="RUN_COMMAND",
    task_arn="AWS-RunPatchBaseline",
    priority=1,
    max_concurrency="25%",
    max_errors="5%",
    cutoff_behavior="CANCEL_TASK",
    targets=[ssm.CfnMaintenanceWindowTask.TargetProperty(key="WindowTargetIds", values=[machines.ref])],
    task_invocation_parameters=ssm.CfnMaintenanceWindowTask.TaskInvocationParametersProperty(
        maintenance_window_run_command_parameters=ssm.CfnMaintenanceWindowTask.MaintenanceWindowRunCommandParametersProperty(
            parameters={"Operation": ["Install"]},
            timeout_seconds=1200,
            service_role_arn=notifier.role_arn,
            notification_config=ssm.CfnMaintenanceWindowTask.NotificationConfigProperty(
                notification_arn=topic.ref,
                notification_events=["Failed", "TimedOut"],
                notification_type="Invocation",
            ),
        )
    ),
)

# compliance
config.CfnConfigRule(
    stack,
    "Stale",
    source=config.CfnConfigRule.SourceProperty(owner="AWS", source_identifier="IAM_USER_UNUSED_CREDENTIALS_CHECK"),
    input_parameters={"maxCredentialUsageAge": "90"},
    maximum_execution_frequency="Three_Hours",
)
versioned = config.CfnConfigRule(
    stack,
    "Versioned",
    source=config.CfnConfigRule.SourceProperty(owner="AWS", source_identifier="S3_BUCKET_VERSIONING_ENABLED"),
)
mender = role("Mender", "ssm.amazonaws.com")
mender.add_to_policy(iam.PolicyStatement(actions=["s3:PutBucketVersioning"], resources=["*"]))
config.CfnRemediationConfiguration(
    stack,
    "Mend",
    config_rule_name=versioned.ref,
    target_type="SSM_DOCUMENT",
    target_id="AWS-ConfigureS3BucketVersioning",
    automatic=True,
    maximum_automatic_attempts=3,
    retry_attempt_seconds=600,
    execution_controls=config.CfnRemediationConfiguration.ExecutionControlsProperty(
        ssm_controls=config.CfnRemediationConfiguration.SsmControlsProperty(
            concurrent_execution_rate_percentage=10, error_percentage=20
        )
    ),
    parameters={
        "AutomationAssumeRole": {"StaticValue": {"Values": [mender.role_arn]}},
        "BucketName": {"ResourceValue": {"Value": "RESOURCE_ID"}},
        "VersioningState": {"StaticValue": {"Values": ["Enabled"]}},
    },
)

app.synth()
