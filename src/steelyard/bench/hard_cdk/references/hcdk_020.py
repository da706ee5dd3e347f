import aws_cdk as cdk
from aws_cdk import aws_appconfig as appconfig
from aws_cdk import aws_autoscaling as autoscaling
from aws_cdk import aws_backup as backup
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_cognito as cognito
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_glue as glue
from aws_cdk import aws_iam as iam
from aws_cdk import aws_iot as iot
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_scheduler as scheduler
from aws_cdk import aws_sqs as sqs
from aws_cdk import aws_transfer as transfer

app = cdk.App()
stack = cdk.Stack(app, "Rollout")


def role(name: str, service: str) -> iam.Role:
    return iam.Role(stack, name, assumed_by=iam.ServicePrincipal(service))


# sign-in
pool = cognito.CfnUserPool(stack, "Pool")
cognito.CfnUserPoolClient(
    stack,
    "Client",
    user_pool_id=pool.ref,
    explicit_auth_flows=["ALLOW_USER_SRP_AUTH", "ALLOW_REFRESH_TOKEN_AUTH"],
    access_token_validity=20,
    id_token_validity=20,
    refresh_token_validity=8,
    token_validity_units=cognito.CfnUserPoolClient.TokenValidityUnitsProperty(
        access_token="minutes", id_token="minutes", refresh_token="hours"
    ),
    prevent_user_existence_errors="ENABLED",
)

# machines
template = ec2.CfnLaunchTemplate(
    stack,
    "Template",
    launch_template_data=ec2.CfnLaunchTemplate.LaunchTemplateDataProperty(
        image_id="ami-0123456789abcdef0",
        instance_type="m7i.large",
        hibernation_options=ec2.CfnLaunchTemplate.HibernationOptionsProperty(configured=True),
    ),
)
machines = autoscaling.CfnAutoScalingGroup(
    stack,
    "Machines",
    min_size="2",
    max_size="12",
    availability_zones=cdk.Fn.get_azs(),
    launch_template=autoscaling.CfnAutoScalingGroup.LaunchTemplateSpecificationProperty(
        launch_template_id=template.ref, version=template.attr_latest_version_number
    ),
)
autoscaling.CfnLifecycleHook(
    stack,
    "Starting",
    auto_scaling_group_name=machines.ref,
    lifecycle_transition="autoscaling:EC2_INSTANCE_LAUNCHING",
    heartbeat_timeout=600,
    default_result="CONTINUE",
)
autoscaling.CfnWarmPool(
    stack,
    "Spare",
    auto_scaling_group_name=machines.ref,
    pool_state="Hibernated",
    max_group_prepared_capacity=9,
    instance_reuse_policy=autoscaling.CfnWarmPool.InstanceReusePolicyProperty(reuse_on_scale_in=True),
)

# schedule
orders, lost = sqs.Queue(stack, "Orders"), sqs.Queue(stack, "Lost")
clock = role("Clock", "scheduler.amazonaws.com")
orders.grant_send_messages(clock)
lost.grant_send_messages(clock)
scheduler.CfnSchedule(
    stack,
    "Nightly",
    schedule_expression="cron(0 3 * * ? *)",
    schedule_expression_timezone="Asia/Tokyo",
    flexible_time_window=scheduler.CfnSchedule.FlexibleTimeWindowProperty(
        mode="FLEXIBLE", maximum_window_in_minutes=45
    ),
    target=scheduler.CfnSchedule.TargetProperty(
        arn=orders.queue_arn,
        role_arn=clock.role_arn,
        input="{}",
        retry_policy=scheduler.CfnSchedule.RetryPolicyProperty(
            maximum_event_age_in_seconds=7200, maximum_retry_attempts=5
        ),
        dead_letter_config=scheduler.CfnSchedule.DeadLetterConfigProperty(arn=lost.queue_arn),
    ),
)

# configuration
watcher = role("Watcher", "appconfig.amazonaws.com")
watcher.add_to_policy(iam.PolicyStatement(actions=["cloudwatch:DescribeAlarms"], resources=["*"]))
errors = cloudwatch.CfnAlarm(
    stack,
    "Errors",
    namespace="Shop",
    metric_name="Errors",
    statistic="Sum",
    period=60,
    evaluation_periods=1,
    threshold=5,
    comparison_operator="GreaterThanThreshold",
)
settings = appconfig.CfnApplication(stack, "Settings", name="settings")
appconfig.CfnEnvironment(
    stack,
    "Live",
    application_id=settings.ref,
    name="live",
    monitors=[
        appconfig.CfnEnvironment.MonitorsProperty(alarm_arn=errors.attr_arn, alarm_role_arn=watcher.role_arn)
    ],
)
appconfig.CfnDeploymentStrategy(
    stack,
    "Slowly",
    name="slowly",
    deployment_duration_in_minutes=40,
    growth_factor=5,
    growth_type="EXPONENTIAL",
    final_bake_time_in_minutes=15,
    replicate_to="NONE",
)

# devices
device = role("Device", "credentials.iot.amazonaws.com")
iot.CfnRoleAlias(stack, "DeviceAlias", role_arn=device.role_arn, credential_duration_seconds=4 * 3600)

# backups
vault = backup.CfnBackupVault(stack, "Vault", backup_vault_name="rollout")
backup.CfnBackupPlan(
    stack,
    "Plan",
    backup_plan=backup.CfnBackupPlan.BackupPlanResourceTypeProperty(
        backup_plan_name="rollout",
        backup_plan_rule=[
            backup.CfnBackupPlan.BackupRuleResourceTypeProperty(
                rule_name="daily",
                target_backup_vault=vault.ref,
                schedule_expression="cron(0 2 * * ? *)",
                schedule_expression_timezone="Europe/Madrid",
                start_window_minutes=90,
                completion_window_minutes=360,
                lifecycle=backup.CfnBackupPlan.LifecycleResourceTypeProperty(
                    move_to_cold_storage_after_days=30, delete_after_days=400
                ),
            )
        ],
    ),
)

# reports
files = s3.CfnBucket(stack, "Files")
worker = role("Worker", "glue.amazonaws.com")
glue.CfnJob(
    stack,
    "Report",
    role=worker.role_arn,
    command=glue.CfnJob.JobCommandProperty(
        name="glueetl", python_version="3", script_location=f"s3://{files.ref}/report.py"
    ),
    glue_version="5.0",
    worker_type="G.1X",
    number_of_workers=4,
    timeout=120,
    notification_property=glue.CfnJob.NotificationPropertyProperty(notify_delay_after=90),
    job_run_queuing_enabled=True,
)

# partners
partner = role("Partner", "transfer.amazonaws.com")
server = transfer.CfnServer(
    stack,
    "Server",
    protocols=["SFTP"],
    protocol_details=transfer.CfnServer.ProtocolDetailsProperty(set_stat_option="ENABLE_NO_OP"),
)
transfer.CfnUser(
    stack,
    "Ana",
    server_id=server.attr_server_id,
    user_name="ana",
    role=partner.role_arn,
    home_directory_type="LOGICAL",
    home_directory_mappings=[
        transfer.CfnUser.HomeDirectoryMapEntryProperty(entry="/", target=f"/{files.ref}/in/ana")
    ],
)

app.synth()
