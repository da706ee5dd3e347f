"""Service, load balancer and target group by hand instead of the ready-made pattern."""

import aws_cdk as cdk
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_ecs as ecs
from aws_cdk import aws_elasticloadbalancingv2 as elbv2

app = cdk.App()
stack = cdk.Stack(app, "Web")
vpc = ec2.Vpc(stack, "Vpc", max_azs=2, nat_gateways=1)
cluster = ecs.Cluster(stack, "Cluster", vpc=vpc, container_insights_v2=ecs.ContainerInsights.ENHANCED)
task = ecs.FargateTaskDefinition(stack, "Task", cpu=512, memory_limit_mib=1024)
task.add_container(
    "web",
    image=ecs.ContainerImage.from_registry("public.ecr.aws/nginx/nginx:stable"),
    port_mappings=[ecs.PortMapping(container_port=80)],
)
service = ecs.FargateService(
    stack,
    "Service",
    cluster=cluster,
    task_definition=task,
    desired_count=2,
    min_healthy_percent=50,
    circuit_breaker=ecs.DeploymentCircuitBreaker(enable=True, rollback=True),
)
alb = elbv2.ApplicationLoadBalancer(stack, "Alb", vpc=vpc, internet_facing=True)
alb.add_listener("Web", port=80).add_targets(
    "Tasks", port=80, targets=[service], health_check=elbv2.HealthCheck(path="/healthz")
)
service.auto_scale_task_count(min_capacity=2, max_capacity=10).scale_on_cpu_utilization(
    "Cpu", target_utilization_percent=60
)
app.synth()
