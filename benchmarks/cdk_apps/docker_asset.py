import aws_cdk as cdk
from aws_cdk import App, Stack, Stage, Environment, Duration, RemovalPolicy, CfnOutput, Tags, Aspects
from aws_cdk import aws_s3 as s3, aws_lambda as lambda_, aws_dynamodb as dynamodb, aws_ec2 as ec2, aws_iam as iam, aws_sqs as sqs, aws_sns as sns
from constructs import Construct

from aws_cdk import aws_ecr_assets as ea, aws_ecs as ecs
import pathlib
pathlib.Path("img").mkdir(exist_ok=True); pathlib.Path("img/Dockerfile").write_text("FROM scratch")
app = App(); s=Stack(app,"A")
ea.DockerImageAsset(s,"I",directory="img")
lambda_.DockerImageFunction(s,"F",code=lambda_.DockerImageCode.from_image_asset("img"))
app.synth()
