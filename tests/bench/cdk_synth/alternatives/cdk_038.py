"""Target tracking on the backlog instead of steps; the license key as a JSON field; the network written out."""

import aws_cdk as cdk
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_ecs as ecs
from aws_cdk import aws_ecs_patterns as patterns
from aws_cdk import aws_logs as logs
from aws_cdk import aws_secretsmanager as sm
from aws_cdk import aws_sqs as sqs

app = cdk.App()
stack = cdk.Stack(app, "Farm")
vpc = ec2.Vpc(stack, "Vpc", nat_gateways=1)
queue = sqs.Queue(stack, "Queue")
secret = sm.Secret(stack, "Secret")
task = ecs.FargateTaskDefinition(
    stack,
    "Task",
    cpu=1024,
    memory_limit_mib=2048,
    runtime_platform=ecs.RuntimePlatform(cpu_architecture=ecs.CpuArchitecture.ARM64),
)
task.add_container(
    "worker",
    image=ecs.ContainerImage.from_registry("public.ecr.aws/docker/library/python:3.13-slim"),
    environment={"QUEUE_URL": queue.queue_url},
    secrets={"LICENCE_KEY": ecs.Secret.from_secrets_manager(secret, "key")},
    logging=ecs.AwsLogDriver(
        stream_prefix="w", log_group=logs.LogGroup(stack, "Logs", retention=logs.RetentionDays.ONE_WEEK)
    ),
)
patterns.QueueProcessingFargateService(
    stack,
    "Service",
    cluster=ecs.Cluster(stack, "Cluster", vpc=vpc, enable_fargate_capacity_providers=True),
    queue=queue,
    task_definition=task,
    min_scaling_capacity=0,
    max_scaling_capacity=20,
    min_healthy_percent=0,
    capacity_provider_strategies=[
        ecs.CapacityProviderStrategy(capacity_provider="FARGATE_SPOT", weight=4),
        ecs.CapacityProviderStrategy(capacity_provider="FARGATE", weight=1),
    ],
)
app.synth()
