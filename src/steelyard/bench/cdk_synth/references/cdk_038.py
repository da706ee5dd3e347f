import aws_cdk as cdk
from aws_cdk import aws_applicationautoscaling as scaling
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_ecs as ecs
from aws_cdk import aws_logs as logs
from aws_cdk import aws_secretsmanager as secretsmanager
from aws_cdk import aws_sqs as sqs
from constructs import Construct


class RenderFarmStack(cdk.Stack):
    def __init__(self, scope: Construct, construct_id: str, **kwargs) -> None:
        super().__init__(scope, construct_id, **kwargs)

        vpc = ec2.Vpc(self, "Network", max_azs=2, nat_gateways=1)
        cluster = ecs.Cluster(self, "Cluster", vpc=vpc, enable_fargate_capacity_providers=True)
        jobs = sqs.Queue(self, "Jobs", visibility_timeout=cdk.Duration.minutes(15))
        licence = secretsmanager.Secret(self, "Licence")

        task = ecs.FargateTaskDefinition(
            self,
            "Renderer",
            cpu=1024,
            memory_limit_mib=2048,
            runtime_platform=ecs.RuntimePlatform(
                cpu_architecture=ecs.CpuArchitecture.ARM64,
                operating_system_family=ecs.OperatingSystemFamily.LINUX,
            ),
        )
        task.add_container(
            "renderer",
            image=ecs.ContainerImage.from_registry("public.ecr.aws/docker/library/python:3.13-slim"),
            environment={"QUEUE_URL": jobs.queue_url},
            secrets={"LICENCE_KEY": ecs.Secret.from_secrets_manager(licence)},
            logging=ecs.LogDrivers.aws_logs(
                stream_prefix="render",
                log_group=logs.LogGroup(self, "RenderLogs", retention=logs.RetentionDays.ONE_WEEK),
            ),
        )
        jobs.grant_consume_messages(task.task_role)

        service = ecs.FargateService(
            self,
            "Service",
            cluster=cluster,
            task_definition=task,
            desired_count=0,
            min_healthy_percent=0,
            capacity_provider_strategies=[
                ecs.CapacityProviderStrategy(capacity_provider="FARGATE_SPOT", weight=4),
                ecs.CapacityProviderStrategy(capacity_provider="FARGATE", weight=1),
            ],
        )
        tasks = service.auto_scale_task_count(min_capacity=0, max_capacity=20)
        tasks.scale_on_metric(
            "Backlog",
            metric=jobs.metric_approximate_number_of_messages_visible(),
            adjustment_type=scaling.AdjustmentType.CHANGE_IN_CAPACITY,
            scaling_steps=[
                scaling.ScalingInterval(upper=0, change=-5),
                scaling.ScalingInterval(lower=1, change=1),
                scaling.ScalingInterval(lower=100, change=5),
            ],
        )


app = cdk.App()
RenderFarmStack(app, "RenderFarm")
app.synth()
