import aws_cdk as cdk
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_ecs as ecs

app = cdk.App()
stack = cdk.Stack(app, "Fleet")
vpc = ec2.Vpc(stack, "Vpc", max_azs=2, nat_gateways=1)
cluster = ecs.Cluster(stack, "Cluster", cluster_name="shop", vpc=vpc)


def tasks(load: float) -> int:
    return -int(-load * 1.2 // 60)


def service(name: str, cpu: int, memory: int, count: int) -> ecs.FargateService:
    task = ecs.TaskDefinition(
        stack,
        f"{name.capitalize()}Task",
        family=name,
        cpu=str(cpu),
        memory_mib=str(memory),
        compatibility=ecs.Compatibility.FARGATE,
    )
    task.add_container(name, image=ecs.ContainerImage.from_registry("public.ecr.aws/docker/library/nginx:1.27"))
    return ecs.FargateService(
        stack,
        name.capitalize(),
        cluster=cluster,
        service_name=name,
        task_definition=task,
        desired_count=count,
        min_healthy_percent=100,
    )


web = service("web", 512, 3072, tasks(170))
service("cache", 512, 3072, 2)
service("worker", 2048, 4096, 5)
service("report", 1024, 2048, 0)
web.auto_scale_task_count(min_capacity=tasks(170), max_capacity=tasks(950)).scale_on_cpu_utilization(
    "Cpu", target_utilization_percent=55
)

app.synth()
