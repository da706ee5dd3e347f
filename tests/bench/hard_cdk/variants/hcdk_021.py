import aws_cdk as cdk
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_ecs as ecs
from aws_cdk import aws_elasticloadbalancingv2 as elb

app = cdk.App()
stack = cdk.Stack(app, "Web")
vpc = ec2.Vpc(stack, "Vpc", max_azs=2, nat_gateways=1)
cluster = ecs.Cluster(stack, "Cluster", vpc=vpc)
task = ecs.FargateTaskDefinition(stack, "Task", cpu=256, memory_limit_mib=512)
task.add_container(
    "web",
    image=ecs.ContainerImage.from_registry("public.ecr.aws/docker/library/httpd:2.4"),
    port_mappings=[ecs.PortMapping(container_port=8080)],
)
outer = ec2.SecurityGroup(stack, "BalancerGroup", vpc=vpc, allow_all_outbound=False)
inner = ec2.SecurityGroup(stack, "TaskGroup", vpc=vpc)
outer.add_ingress_rule(ec2.Peer.any_ipv4(), ec2.Port.tcp(80))
inner.connections.allow_from(outer, ec2.Port.tcp(8080))
inner.connections.allow_from(outer, ec2.Port.tcp(9090))
balancer = elb.CfnLoadBalancer(
    stack,
    "Balancer",
    scheme="internet-facing",
    subnets=[subnet.subnet_id for subnet in vpc.public_subnets],
    security_groups=[outer.security_group_id],
)
group = elb.CfnTargetGroup(
    stack,
    "Targets",
    vpc_id=vpc.vpc_id,
    target_type="ip",
    protocol="HTTP",
    port=8080,
    health_check_path="/healthz",
    health_check_port="9090",
    matcher=elb.CfnTargetGroup.MatcherProperty(http_code="200-299"),
    health_check_interval_seconds=30,
)
listener = elb.CfnListener(
    stack,
    "Listener",
    load_balancer_arn=balancer.ref,
    port=80,
    protocol="HTTP",
    default_actions=[elb.CfnListener.ActionProperty(type="forward", target_group_arn=group.ref)],
)
service = ecs.CfnService(
    stack,
    "Service",
    cluster=cluster.cluster_name,
    task_definition=task.task_definition_arn,
    launch_type="FARGATE",
    desired_count=3,
    deployment_configuration=ecs.CfnService.DeploymentConfigurationProperty(
        minimum_healthy_percent=100,
        maximum_percent=134,
        deployment_circuit_breaker=ecs.CfnService.DeploymentCircuitBreakerProperty(enable=True, rollback=True),
    ),
    health_check_grace_period_seconds=150,
    network_configuration=ecs.CfnService.NetworkConfigurationProperty(
        awsvpc_configuration=ecs.CfnService.AwsVpcConfigurationProperty(
            subnets=[subnet.subnet_id for subnet in vpc.private_subnets],
            security_groups=[inner.security_group_id],
        )
    ),
    load_balancers=[
        ecs.CfnService.LoadBalancerProperty(container_name="web", container_port=8080, target_group_arn=group.ref)
    ],
)
service.add_dependency(listener)

app.synth()
