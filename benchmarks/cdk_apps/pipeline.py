import aws_cdk as cdk
from aws_cdk import App, Stack, Stage, Environment, Duration, RemovalPolicy, CfnOutput, Tags, Aspects
from aws_cdk import aws_s3 as s3, aws_lambda as lambda_, aws_dynamodb as dynamodb, aws_ec2 as ec2, aws_iam as iam, aws_sqs as sqs, aws_sns as sns
from constructs import Construct

from aws_cdk import pipelines
class St(Stage):
    def __init__(self, scope, id, **kw):
        super().__init__(scope, id, **kw)
        s3.Bucket(Stack(self, "Inner"), "B")
app = App()
st = Stack(app, "Pipe")
p = pipelines.CodePipeline(st, "P", synth=pipelines.ShellStep("Synth", input=pipelines.CodePipelineSource.connection("me/repo","main",connection_arn="arn:aws:codestar-connections:us-east-1:123456789012:connection/abc"), commands=["npm ci","npx cdk synth"]))
p.add_stage(St(app, "Dev", env=Environment(account="111111111111", region="us-east-1")))
app.synth()
