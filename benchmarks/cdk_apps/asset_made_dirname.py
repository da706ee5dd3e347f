import aws_cdk as cdk
from aws_cdk import App, Stack, Stage, Environment, Duration, RemovalPolicy, CfnOutput, Tags, Aspects
from aws_cdk import aws_s3 as s3, aws_lambda as lambda_, aws_dynamodb as dynamodb, aws_ec2 as ec2, aws_iam as iam, aws_sqs as sqs, aws_sns as sns
from constructs import Construct

import os, pathlib, tempfile
d=os.path.join(os.path.dirname(os.path.abspath(__file__)),"fn"); os.makedirs(d,exist_ok=True)
pathlib.Path(d,"index.py").write_text("def handler(e,c): pass")
t=tempfile.mkdtemp(); pathlib.Path(t,"a.txt").write_text("x")
from aws_cdk import aws_s3_assets as assets, aws_s3_deployment as dep
app = App(); s=Stack(app,"A")
lambda_.Function(s,"F",runtime=lambda_.Runtime.PYTHON_3_12,handler="index.handler",code=lambda_.Code.from_asset(d))
assets.Asset(s,"As",path=t)
b=s3.Bucket(s,"B"); dep.BucketDeployment(s,"D",destination_bucket=b,sources=[dep.Source.asset(t), dep.Source.data("x.json","{}"), dep.Source.json_data("y.json",{"arn":b.bucket_arn})])
app.synth()
