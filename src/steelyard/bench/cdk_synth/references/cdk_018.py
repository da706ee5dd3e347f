import aws_cdk as cdk
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_ecs as ecs
from aws_cdk import aws_ecs_patterns as ecs_patterns
from constructs import Construct


class CatalogueServiceStack(cdk.Stack):
    def __init__(self, scope: Construct, construct_id: str, **kwargs) -> None:
        super().__init__(scope, construct_id, **kwargs)

        vpc = ec2.Vpc(self, "Network", max_azs=2, nat_gateways=1)
        cluster = ecs.Cluster(self, "Cluster", vpc=vpc, container_insights_v2=ecs.ContainerInsights.ENABLED)
        service = ecs_patterns.ApplicationLoadBalancedFargateService(
            self,
            "Catalogue",
            cluster=cluster,
            cpu=512,
            memory_limit_mib=1024,
            desired_count=2,
            min_healthy_percent=100,
            public_load_balancer=True,
            circuit_breaker=ecs.DeploymentCircuitBreaker(rollback=True),
            task_image_options=ecs_patterns.ApplicationLoadBalancedTaskImageOptions(
                image=ecs.ContainerImage.from_registry("public.ecr.aws/nginx/nginx:stable"),
                container_port=80,
            ),
        )
        service.target_group.configure_health_check(path="/healthz", interval=cdk.Duration.seconds(15))
        scaling = service.service.auto_scale_task_count(min_capacity=2, max_capacity=10)
        scaling.scale_on_cpu_utilization("Cpu", target_utilization_percent=60)


app = cdk.App()
CatalogueServiceStack(app, "CatalogueService")
app.synth()
