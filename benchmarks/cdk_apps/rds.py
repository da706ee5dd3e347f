import aws_cdk as cdk
from aws_cdk import App, Stack, Stage, Environment, Duration, RemovalPolicy, CfnOutput, Tags, Aspects
from aws_cdk import aws_s3 as s3, aws_lambda as lambda_, aws_dynamodb as dynamodb, aws_ec2 as ec2, aws_iam as iam, aws_sqs as sqs, aws_sns as sns
from constructs import Construct

from aws_cdk import aws_rds as rds, aws_secretsmanager as sm
app = App(); s=Stack(app,"A"); v=ec2.Vpc(s,"V")
c=rds.DatabaseCluster(s,"D",engine=rds.DatabaseClusterEngine.aurora_postgres(version=rds.AuroraPostgresEngineVersion.VER_15_4),writer=rds.ClusterInstance.serverless_v2("w"),vpc=v)
rds.DatabaseInstance(s,"I",engine=rds.DatabaseInstanceEngine.mysql(version=rds.MysqlEngineVersion.VER_8_0),vpc=v,instance_type=ec2.InstanceType.of(ec2.InstanceClass.T3,ec2.InstanceSize.MICRO),multi_az=True)
c.connections.allow_default_port_from_any_ipv4()
app.synth()
