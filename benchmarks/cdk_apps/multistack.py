import aws_cdk as cdk
from aws_cdk import App, Stack, Stage, Environment, Duration, RemovalPolicy, CfnOutput, Tags, Aspects
from aws_cdk import aws_s3 as s3, aws_lambda as lambda_, aws_dynamodb as dynamodb, aws_ec2 as ec2, aws_iam as iam, aws_sqs as sqs, aws_sns as sns
from constructs import Construct

class Net(Stack):
    def __init__(self, scope: Construct, id: str, **kw):
        super().__init__(scope, id, **kw)
        self.vpc = ec2.Vpc(self, "Vpc", max_azs=2, nat_gateways=1)
class Svc(Stack):
    def __init__(self, scope, id, *, vpc: ec2.IVpc, **kw):
        super().__init__(scope, id, **kw)
        from aws_cdk import aws_ecs as ecs, aws_ecs_patterns as p
        c = ecs.Cluster(self, "C", vpc=vpc)
        p.ApplicationLoadBalancedFargateService(self, "S", cluster=c, cpu=256, memory_limit_mib=512,
            task_image_options=p.ApplicationLoadBalancedTaskImageOptions(image=ecs.ContainerImage.from_registry("nginx")))
app = App()
n = Net(app, "Net"); Svc(app, "Svc", vpc=n.vpc)
app.synth()
