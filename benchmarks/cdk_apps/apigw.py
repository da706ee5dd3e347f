import aws_cdk as cdk
from aws_cdk import App, Stack, Stage, Environment, Duration, RemovalPolicy, CfnOutput, Tags, Aspects
from aws_cdk import aws_s3 as s3, aws_lambda as lambda_, aws_dynamodb as dynamodb, aws_ec2 as ec2, aws_iam as iam, aws_sqs as sqs, aws_sns as sns
from constructs import Construct

from aws_cdk import aws_apigateway as ag
app = App(); s=Stack(app,"A")
f=lambda_.Function(s,"F",runtime=lambda_.Runtime.NODEJS_20_X,handler="index.handler",code=lambda_.InlineCode("exports.handler=async()=>1"))
api=ag.LambdaRestApi(s,"Api",handler=f,proxy=False); r=api.root.add_resource("items"); r.add_method("GET"); r.add_method("POST", api_key_required=True)
pl=api.add_usage_plan("P",throttle=ag.ThrottleSettings(rate_limit=10,burst_limit=2)); pl.add_api_key(api.add_api_key("K")); pl.add_api_stage(stage=api.deployment_stage)
app.synth()
