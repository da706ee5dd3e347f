import aws_cdk as cdk
from aws_cdk import App, Stack, Stage, Environment, Duration, RemovalPolicy, CfnOutput, Tags, Aspects
from aws_cdk import aws_s3 as s3, aws_lambda as lambda_, aws_dynamodb as dynamodb, aws_ec2 as ec2, aws_iam as iam, aws_sqs as sqs, aws_sns as sns
from constructs import Construct

import jsii, os, pathlib
pathlib.Path("src").mkdir(exist_ok=True); pathlib.Path("src/i.py").write_text("x=1")
@jsii.implements(cdk.ILocalBundling)
class L:
    def try_bundle(self, output_dir, options):
        pathlib.Path(output_dir,"i.py").write_text("y=2"); return True
app = App(); s=Stack(app,"A")
lambda_.Function(s,"F",runtime=lambda_.Runtime.PYTHON_3_12,handler="i.h",code=lambda_.Code.from_asset("src",bundling=cdk.BundlingOptions(image=lambda_.Runtime.PYTHON_3_12.bundling_image,local=L())))
app.synth()
